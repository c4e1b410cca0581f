"""Our words within the athlete's notes: marked, so that they alone are ever replaced.

A note of an exercise is the athlete's. What we add is one line of its own at the end, written
`[Spotter: …]`; everything else stays, character by character.
"""

import re
from collections.abc import Collection

_MARKED = re.compile(r"\[Spotter: ([^\[\]\n]*)\]")
_BLOCK = re.compile(r"(?P<before>^|\n)\[Spotter: (?P<text>[^\[\]\n]*)\](?P<after>\n|$)?")


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

    def cut(found: re.Match[str]) -> str:
        if found["text"] not in texts:
            return found[0]
        return found["before"] if found["after"] == "\n" else ""

    lines_cut = _BLOCK.sub(cut, note)
    return _MARKED.sub(lambda found: "" if found[1] in texts else found[0], lines_cut)


def _one_line(text: str) -> str:
    """Without breaks and brackets, which would end the mark."""
    return " ".join(text.split()).translate(str.maketrans("[]", "()"))
