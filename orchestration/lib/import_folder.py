"""Files that were put into the home to be imported: `import/<athlete>/<name>.csv`."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path


@dataclass(frozen=True)
class WaitingFile:
    """A file that is whole, as far as can be seen; `key` is the same for the same content."""

    athlete: str
    path: Path
    key: str


@dataclass(frozen=True)
class FoundFiles:
    """What a look found, oldest first; `unready` still grows, `cursor` is for the next look.

    `strangers` are folders that bear no athlete's name.
    """

    waiting: tuple[WaitingFile, ...]
    unready: tuple[Path, ...]
    strangers: tuple[Path, ...]
    cursor: str


def look_into(folder: Path, athletes: frozenset[str], cursor: str | None) -> FoundFiles:
    """The files of the folder that were the same at the look before.

    A copy that is still being written changes from look to look. Other names than `*.csv`, such as
    browsers give to downloads that are not complete, are left alone. A file is read only when it
    is new or changed.
    """
    before: dict[str, list[int | str]] = json.loads(cursor) if cursor else {}
    now: dict[str, list[int | str]] = {}
    waiting: list[tuple[int, WaitingFile]] = []
    unready: list[Path] = []
    for path in sorted(folder.glob("*/*.csv")):
        athlete = path.parent.name
        if athlete not in athletes or path.name.startswith("."):
            continue
        facts = path.stat()
        seen: list[int | str] = [facts.st_size, facts.st_mtime_ns]
        name = str(path.relative_to(folder))
        known = before.get(name, [])
        if known[:2] != seen or not facts.st_size:
            unready.append(path)
            now[name] = seen
            continue
        digest = known[2] if len(known) > 2 else sha256(path.read_bytes()).hexdigest()[:16]
        now[name] = [*seen, digest]
        file = WaitingFile(athlete, path, f"import/{athlete}/{digest}")
        waiting.append((facts.st_mtime_ns, file))
    return FoundFiles(
        waiting=tuple(file for _, file in sorted(waiting, key=lambda each: each[0])),
        unready=tuple(unready),
        strangers=tuple(
            sorted(each for each in folder.iterdir() if each.is_dir() and each.name not in athletes)
        ),
        cursor=json.dumps(now, sort_keys=True),
    )
