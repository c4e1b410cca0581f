"""The page of a failed run starts with the failure, the reason, and the action."""

import errno

import dagster as dg
import duckdb
import pytest

from orchestration.dbt.runner import DbtError
from orchestration.services.operations.step_failures import build_failure, describe_failures
from orchestration.storage.warehouse import WarehouseBusyError


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "/x"),
            "The disk is full. Free some space",
        ),
        (duckdb.IOException("Could not write: No space left on device"), "The disk is full."),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "may not be written"),
        (OSError(errno.EROFS, "Read-only file system", "/x"), "may not be written"),
        (duckdb.IOException("Cannot open file: Permission denied"), "may not be written"),
        (duckdb.IOException("Corrupt database file"), "spotter doctor"),
        (duckdb.OutOfMemoryException("could not allocate"), "too small"),
        (WarehouseBusyError("The warehouse is held by another process."), "held by another"),
        (DbtError("dbt build did not run: x"), "did not run"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_what_the_machine_does_is_told_in_a_sentence(error: Exception, says: str) -> None:
    with pytest.raises(dg.Failure) as raised, describe_failures("Nothing is released"):
        raise error
    text = raised.value.description or ""
    assert text.startswith("Nothing is released: ")
    assert says in text
    told = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
    assert told.rstrip(".") in text
    assert "\n" not in text
    assert not raised.value.allow_retries


@pytest.mark.parametrize("error", [ValueError("a bug"), duckdb.BinderException("no column x")])
def test_our_own_mistakes_keep_their_traceback(error: Exception) -> None:
    with pytest.raises(type(error)), describe_failures("Nothing is released"):
        raise error


def test_a_failed_build_shows_the_first_failures_and_keeps_all() -> None:
    failure = build_failure([f"fct_set: rule {number} is broken." for number in range(7)])
    text = failure.description or ""
    assert text.splitlines()[0] == "fct_set: rule 0 is broken."
    assert "rule 4" in text
    assert "rule 5" not in text
    assert "... and 2 more" in text
    assert "readers keep the previous release" in text
    assert "rule 6" in str(failure.metadata["failures"].value)
