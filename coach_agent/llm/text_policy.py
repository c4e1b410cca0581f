"""Version of the rules that render and show texts of models."""

import hashlib
from functools import cache

from coach_agent.llm.comments.grammar import grammar_sha256
from coach_agent.llm.notes.messages import messages_sha256

FIRST = "1"
"""Free text with a list of forbidden words: the policy of plans without a version."""

_RULES = "3"  # increased if the code renders or judges the same files differently


@cache
def text_policy() -> str:
    """Return the version of this code: its rules, and the hash of grammar, messages and cues.

    A plan of another version keeps its stored texts.
    """
    content = "\0".join((grammar_sha256("en"), messages_sha256()))
    return f"{_RULES}.{hashlib.sha256(content.encode()).hexdigest()[:12]}"
