"""Version of the rules that render and show texts of models."""

import hashlib
from functools import cache
from importlib.resources import files

FIRST = "1"
"""Free text with a list of forbidden words: the policy of plans without a version."""

_RULES = "4"  # increased if the code renders or selects differently by the same files
_FOLDER = "coach_agent.llm.comments"


@cache
def text_policy() -> str:
    """Return the version of this code: its rules, and the hash of words, messages and cues.

    A plan of another version keeps its stored texts.
    """
    content = hashlib.sha256()
    for file in sorted(files(_FOLDER).iterdir(), key=lambda each: each.name):
        if file.name.endswith((".toml", ".ftl")):
            content.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return f"{_RULES}.{content.hexdigest()[:12]}"
