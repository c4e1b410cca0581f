"""Files that were put into the home to be imported: `import/<athlete>/<name>.csv`."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hevy_connector.csv_imports.imported_files import content_digest


@dataclass(frozen=True)
class WaitingFile:
    """A file that is whole, as far as can be seen; `digest` is the same for the same content.

    Of one that `is_settled` an earlier look found that there is nothing to be done.
    """

    athlete: str
    path: Path
    digest: str
    is_settled: bool = False

    @property
    def key(self) -> str:
        """What a run for this content is asked for with."""
        return f"import/{self.athlete}/{self.digest}"


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
        digest = str(known[2]) if len(known) > 2 else content_digest(path.read_bytes())[:16]
        now[name] = [*seen, digest, *known[3:]]
        file = WaitingFile(athlete, path, digest, is_settled=len(known) > 3)
        waiting.append((facts.st_mtime_ns, file))
    return FoundFiles(
        waiting=tuple(file for _, file in sorted(waiting, key=lambda each: each[0])),
        unready=tuple(unready),
        strangers=tuple(
            sorted(each for each in folder.iterdir() if each.is_dir() and each.name not in athletes)
        ),
        cursor=json.dumps(now, sort_keys=True),
    )


def with_settled(cursor: str, files: Iterable[WaitingFile]) -> str:
    """The cursor of a look, with these files settled for as long as they stay the same."""
    seen: dict[str, list[int | str]] = json.loads(cursor)
    for file in files:
        seen[f"{file.athlete}/{file.path.name}"][3:] = ["settled"]
    return json.dumps(seen, sort_keys=True)
