"""Describe a failed step for its run page: the effect, the cause, and the fix."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import dagster as dg
import duckdb

from orchestration.dbt.runner import DbtError
from orchestration.runs.infrastructure_errors import FULL, remedy, sentence
from orchestration.storage.extensions import ExtensionMissingError
from orchestration.storage.file_lock import LockedError
from orchestration.storage.warehouse import WarehouseBusyError
from orchestration.storage.warehouse_damage import WarehouseDamagedError, is_damage_message

_SHOWN = 5

_NO_SPACE = "no space left"
_BEFORE = "Earlier data are unchanged, and the next run does the rest."


@contextmanager
def describe_failures(what: str) -> Iterator[None]:
    """Convert infrastructure errors of a step into one sentence; `what` is the missing effect.

    Other errors are bugs and keep their traceback. There is no retry: the next run completes the
    work.

    Raises:
        dg.Failure: the machine, another process or dbt failed.
    """
    try:
        yield
    except (
        WarehouseBusyError,
        WarehouseDamagedError,
        ExtensionMissingError,
        LockedError,
        DbtError,
    ) as error:
        raise dg.Failure(f"{what}: {error}", allow_retries=False) from error
    except (OSError, duckdb.Error) as error:
        what_to_do = remedy(error)
        if what_to_do is None:
            raise
        raise dg.Failure(
            f"{what}: {sentence(error)} {what_to_do}. {_BEFORE}", allow_retries=False
        ) from error


def build_failure(failures: Sequence[str]) -> dg.Failure:
    """Return the failure of a build with these failed models or tests.

    A full disk or a damaged warehouse fails many of them at once and is reported instead.
    """
    full = next((each for each in failures if _NO_SPACE in each.lower()), None)
    if full is not None:
        return dg.Failure(f"{full}. {FULL}. {_BEFORE}", allow_retries=False)
    damaged = next((each for each in failures if is_damage_message(each)), None)
    if damaged is not None:
        return dg.Failure(
            f"{damaged}. The warehouse is damaged. Restore a backup: spotter restore FILE "
            f"--replace. {_BEFORE}",
            allow_retries=False,
        )
    shown = "\n".join(failures[:_SHOWN])
    if len(failures) > _SHOWN:
        shown += f"\n... and {len(failures) - _SHOWN} more: see the checks."
    return dg.Failure(
        f"{shown}\nNothing is decided, published or released from these data: readers keep the "
        "previous release. See the checks of each asset, or spotter status.",
        metadata={"failures": dg.MetadataValue.md("\n".join(f"- {each}" for each in failures))},
        allow_retries=False,
    )
