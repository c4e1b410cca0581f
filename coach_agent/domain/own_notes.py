"""Our words within the athlete's notes: marked, so that they alone are ever replaced.

A note of an exercise is the athlete's. What we add is one line of its own at the end, written
`[Spotter: …]`; everything else stays, character by character.
"""

import re
from collections.abc import Collection

_MARKED = re.compile(r"\[Spotter: ([^\[\]\n]*)\]")


def own_texts(note: str | None) -> frozenset[str]:
    """What stands in marks of ours within a note."""
    return frozenset(_MARKED.findall(note or ""))


def with_own(note: str | None, own: str | None, written: Collection[str]) -> str | None:
    """The athlete's note with `own` as our line of it; None for none at all.

    `written` are the texts that we once wrote there. A mark around anything else is not ours, or
    was edited by the athlete, so it stays as it is.
    """
    text = None if own is None else _one_line(own)
    wanted = {text} if text else set()
    ours = own_texts(note) & (wanted | set(written))
    if ours == wanted:
        return note or None
    kept = _without(note or "", ours)
    if not text:
        return kept or None
    line = f"[Spotter: {text}]"
    return f"{kept}\n{line}" if kept else line


def _without(note: str, texts: Collection[str]) -> str:
    """The note without the marks around these texts; a line that was only a mark goes whole."""
    lines = []
    for line in note.split("\n"):
        rest = _MARKED.sub(lambda found: "" if found[1] in texts else found[0], line)
        if rest or not line:
            lines.append(rest)
    return "\n".join(lines)


def _one_line(text: str) -> str:
    """Without breaks and brackets, which would end the mark."""
    return " ".join(text.split()).translate(str.maketrans("[]", "()"))
