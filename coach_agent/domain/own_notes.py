"""The coach's marked lines in the athlete's notes; only they are ever replaced.

A note of an exercise belongs to the athlete. The coach adds one separate line at the end, written
`[Spotter: …]`; the rest stays, character by character.
"""

import re
from collections.abc import Collection

_MARKED = re.compile(r"\[Spotter: ([^\[\]\n]*)\]")


def own_texts(note: str | None) -> frozenset[str]:
    """Return the texts of our marks in a note."""
    return frozenset(_MARKED.findall(note or ""))


def without_marks(note: str) -> str:
    """Return the note without any of our marks: the athlete's own words."""
    return _without(note, own_texts(note))


def with_own(note: str | None, own: str | None, written: Collection[str]) -> str | None:
    """Return the athlete's note with `own` as our line in it; None for an empty note.

    `written` are the texts that we wrote there before. A mark around any other text is not ours, or
    was edited by the athlete, so it stays unchanged.
    """
    text = None if own is None else _one_line(own)
    required = {text} if text else set()
    ours = own_texts(note) & (required | set(written))
    if ours == required:
        return note or None
    kept = _without(note or "", ours)
    if not text:
        return kept or None
    line = f"[Spotter: {text}]"
    return f"{kept}\n{line}" if kept else line


def _without(note: str, texts: Collection[str]) -> str:
    """Return the note without the marks around these texts; a line with only a mark is removed."""
    lines = []
    for line in note.split("\n"):
        rest = _MARKED.sub(lambda found: "" if found[1] in texts else found[0], line)
        if rest or not line:
            lines.append(rest)
    return "\n".join(lines)


def _one_line(text: str) -> str:
    """Remove line breaks and brackets, which would end the mark."""
    return " ".join(text.split()).translate(str.maketrans("[]", "()"))
