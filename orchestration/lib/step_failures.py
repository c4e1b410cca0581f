"""Why a step failed, as the page of its run says it first: what, why, and what to do."""

import errno
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import dagster as dg
import duckdb

from orchestration.lib.dbt import DbtError
from orchestration.lib.file_lock import LockedError
from orchestration.lib.lake import LakeExtrasError
from orchestration.lib.warehouse import WarehouseBusyError, WarehouseDamagedError

_SHOWN = 5

_NO_SPACE = "no space left"
_FORBIDDEN = re.compile("permission denied|read-only file system")

_FULL = "The disk is full. Make room (spotter doctor tells how much is free)"
_READ_ONLY = "This folder or file may not be written. Give its owner the right to"
_SMALL = "The memory or the disk of the temporary folder is too small: end what else runs"
_DAMAGED = "Run: spotter doctor. If it finds the warehouse damaged, restore a backup"
_BEFORE = "What was there before still stands, and the next run does the rest."


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Tell in a sentence of what the machine does to a step; `what` is what did not happen.

    Other errors are ours and keep their traceback. Nothing here is tried again by itself: the next
    run does all that is still to do.

    Raises:
        dg.Failure: the machine, another process or dbt itself stood in the way.
    """
    try:
        yield
    except (
        WarehouseBusyError,
        WarehouseDamagedError,
        LakeExtrasError,
        LockedError,
        DbtError,
    ) as error:
        raise dg.Failure(f"{what}: {error}", allow_retries=False) from error
    except (OSError, duckdb.Error) as error:
        remedy = _remedy(error)
        if remedy is None:
            raise
        raise dg.Failure(
            f"{what}: {_sentence(error)} {remedy}. {_BEFORE}", allow_retries=False
        ) from error


def build_failure(failures: Sequence[str]) -> dg.Failure:
    """The failure of a build in which these models could not be built or these tests failed.

    A full disk breaks many of them at once, so it is told instead.
    """
    full = next((each for each in failures if _NO_SPACE in each.lower()), None)
    if full is not None:
        return dg.Failure(f"{full}. {_FULL}. {_BEFORE}", allow_retries=False)
    shown = "\n".join(failures[:_SHOWN])
    if len(failures) > _SHOWN:
        shown += f"\n... and {len(failures) - _SHOWN} more: see the checks."
    return dg.Failure(
        f"{shown}\nNothing is decided, published or released from these data: readers keep the "
        "release before. The checks of each asset tell more, spotter status the same as this.",
        metadata={"failures": dg.MetadataValue.md("\n".join(f"- {each}" for each in failures))},
        allow_retries=False,
    )


def _remedy(error: Exception) -> str | None:
    """What to do about an error; None where it is no trouble of the machine."""
    text = str(error).lower()
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.ENOSPC, errno.EDQUOT) or _NO_SPACE in text:
        return _FULL
    if number in (errno.EACCES, errno.EPERM, errno.EROFS) or _FORBIDDEN.search(text):
        return _READ_ONLY
    if isinstance(error, duckdb.OutOfMemoryException):
        return _SMALL
    return _DAMAGED if isinstance(error, duckdb.IOException | duckdb.FatalException) else None


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    line = str(error).strip().splitlines()[0]
    return line if line.endswith((".", "!", "?")) else f"{line}."
