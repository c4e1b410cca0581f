"""Version of the rules by which texts of models are rendered and shown."""

import hashlib
from functools import cache

from coach_agent.llm.comments.grammar import grammar_sha256
from coach_agent.llm.notes.messages import messages_sha256

FIRST = "1"
"""Free text with a list of forbidden words: what plans without a version were written by."""

_RULES = "3"  # raised where the code renders or judges the same files otherwise


@cache
def text_policy() -> str:
    """The version that this code writes: its rules, and the hash of grammar, messages and cues.

    A plan of another version keeps its texts as they were stored.
    """
    content = "\0".join((grammar_sha256("en"), messages_sha256()))
    return f"{_RULES}.{hashlib.sha256(content.encode()).hexdigest()[:12]}"
