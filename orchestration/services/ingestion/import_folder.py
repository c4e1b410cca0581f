"""Find files to import in the home: `import/<athlete>/<name>.csv`."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hevy_connector.csv_imports.imported_files import content_digest


@dataclass(frozen=True)
class PendingFile:
    """A file that seems complete; `digest` identifies its content.

    `is_settled` if an earlier poll found nothing to import in it.
    """

    athlete: str
    path: Path
    digest: str
    is_settled: bool = False

    @property
    def key(self) -> str:
        """Return the run key of this content."""
        return f"import/{self.athlete}/{self.digest}"


@dataclass(frozen=True)
class FoundFiles:
    """Result of a poll, oldest first; `unready` files still grow, `cursor` is for the next poll.

    `strangers` are folders without a matching athlete.
    """

    waiting: tuple[PendingFile, ...]
    unready: tuple[Path, ...]
    strangers: tuple[Path, ...]
    cursor: str


def find_files(folder: Path, athletes: frozenset[str], cursor: str | None) -> FoundFiles:
    """Return the files that are unchanged since the previous poll.

    A file that is still being copied changes between polls. Only `*.csv` is read: browsers name
    incomplete downloads differently. A file is hashed only if it is new or changed.
    """
    before: dict[str, list[int | str]] = json.loads(cursor) if cursor else {}
    now: dict[str, list[int | str]] = {}
    waiting: list[tuple[int, PendingFile]] = []
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
        file = PendingFile(athlete, path, digest, is_settled=len(known) > 3)
        waiting.append((facts.st_mtime_ns, file))
    return FoundFiles(
        waiting=tuple(file for _, file in sorted(waiting, key=lambda each: each[0])),
        unready=tuple(unready),
        strangers=tuple(
            sorted(each for each in folder.iterdir() if each.is_dir() and each.name not in athletes)
        ),
        cursor=json.dumps(now, sort_keys=True),
    )


def mark_imported(cursor: str, files: Iterable[PendingFile]) -> str:
    """Return the cursor with these files marked as settled until they change."""
    seen: dict[str, list[int | str]] = json.loads(cursor)
    for file in files:
        seen[f"{file.athlete}/{file.path.name}"][3:] = ["settled"]
    return json.dumps(seen, sort_keys=True)
