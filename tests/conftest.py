"""Order of the suite: the longest files start first, so that no worker ends with one alone."""

import gc
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import is_hypothesis_test
from xdist.scheduler import LoadScopeScheduling

from orchestration.config.settings import SettingsError
from orchestration.storage import warehouse
from orchestration.storage.local_postgres import LocalPostgres, require_postgres, running_postgres
from tests.end_to_end.targets import EMBEDDED, LAKE, LAKE_S3, OPTION
from tests.lakes import Lakes
from tests.migrations_read_once import read_migrations_once
from tests.once import Once, built_once
from tests.ports import free_port
from tests.profiles import active_profile, load_hypothesis_profile, randomized
from tests.s3 import running_s3

load_hypothesis_profile()
read_migrations_once()

# A seventh of the time of the imports of a collection: everything that they create stays.
gc.disable()

_SLOWEST_FILES = 10

# Files and folders that one worker runs: they share servers, or imports of seconds.
_ON_ONE_WORKER = {
    "tests/coach/llm/": "pydantic-ai",
    "tests/dashboard/": "Streamlit",
    "tests/end_to_end/test_dashboard": "Streamlit",
    "tests/end_to_end/test_serve.py": "Dagster's servers",
    "tests/end_to_end/test_ui.py": "Dagster's servers",
    "tests/orchestration/cli/test_ask.py": "pydantic-ai",
    "tests/orchestration/server/test_mcp": "MCP",
    "tests/orchestration/services/answers/": "pydantic-ai",
    "tests/orchestration/services/language_models/": "pydantic-ai",
    "tests/orchestration/services/memory/": "pydantic-ai",
    "tests/orchestration/services/releases/test_as_of.py": "dbt",
    "tests/orchestration/services/releases/test_release_postgres.py": "PostgreSQL",
    "tests/orchestration/services/search/": "pydantic-ai",
    "tests/orchestration/storage/test_lake": "PostgreSQL",
    "tests/warehouse/": "dbt",
}
if active_profile() == "quick":
    # Few enough for one worker, and one process that imports a night and forks its commands.
    _ON_ONE_WORKER["tests/end_to_end/"] = "commands"

# Threads of numpy spin while they wait for each other: seven times the work on shared cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# New athletes have the time zone of the machine.
os.environ["TZ"] = "UTC"

_BEGIN_NONE_AFTER = "--begin-none-after"

# The longest first, so that no worker is left alone with one of them.
_LONGEST = (
    "test_kill.py",
    "test_broken_disks.py",
    "test_nightly.py",
    "test_dashboard_browser.py",
    "test_lake.py",
    "test_ui.py",
    "test_lake_readers.py",
    "test_properties.py",
    "test_two_runs.py",
    "test_bad_nights.py",
    "test_soak.py",
    "test_incremental.py",
    "test_language_model.py",
    "test_release.py",
    "test_readme.py",
    "test_before_after.py",
    "test_compliance_oracle.py",
    "test_histories.py",
    "test_schemathesis.py",
)


@pytest.fixture(scope="session")
def once() -> Once:
    """Return the builder of shared environments for all workers and runs."""
    return built_once


@pytest.fixture(scope="session")
def postgres() -> Iterator[LocalPostgres]:
    """Start a PostgreSQL server on loopback, one per worker."""
    try:
        require_postgres()
    except SettingsError as error:
        pytest.skip(str(error))
    with running_postgres(free_port()) as server:
        yield server


@pytest.fixture(scope="session")
def lakes(postgres: LocalPostgres, request: pytest.FixtureRequest) -> Iterator[Lakes]:
    is_on_s3 = request.config.getoption(OPTION) == LAKE_S3
    with running_s3() if is_on_s3 else nullcontext({}) as store:
        yield Lakes(postgres, store)


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restore what is common to all tests of a process, and inherited by others.

    Streamlit replaces the main module by the app. A job of Dagster leaves the handler of SIGINT as
    that of SIGTERM: in the background both are ignored from then on.
    """
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    former = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, former)


@cache
def _empty_warehouse() -> bytes:
    with TemporaryDirectory() as folder:
        warehouse._write_empty(Path(folder) / "warehouse.duckdb")
        return (Path(folder) / "warehouse.duckdb").read_bytes()


@pytest.fixture(autouse=True)
def new_warehouses(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write new warehouses as copies of the worker's first one: creating one takes 60 ms of CPU.

    The tests of storage create each of theirs.
    """
    if "storage" not in request.path.parts:
        empty = _empty_warehouse()
        monkeypatch.setattr(warehouse, "_write_empty", lambda path: path.write_bytes(empty))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        OPTION,
        choices=(EMBEDDED, LAKE, LAKE_S3),
        default=EMBEDDED,
        help="where the warehouse of each end-to-end test is",
    )

    parser.addoption(
        _BEGIN_NONE_AFTER,
        type=int,
        metavar="SECONDS",
        help="skip what is not begun by then, in seconds since 1970",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    latest_s = item.config.getoption(_BEGIN_NONE_AFTER)
    if latest_s is not None and time.time() > latest_s:
        pytest.skip("there was no time left to begin it")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the ten slowest files, set-ups included, and the sum of all."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("slowest files (seconds of a worker)")
    for file, duration_s in seconds.most_common(_SLOWEST_FILES):
        terminalreporter.write_line(f"{duration_s:8.1f}  {file}")
    terminalreporter.write_line(f"{seconds.total():8.1f}  all {len(seconds)} files")


class FileScheduling(LoadScopeScheduling):
    """One worker runs a whole file, or all files that share servers or slow imports."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        shared = (what for path, what in _ON_ONE_WORKER.items() if file.startswith(path))
        return next(shared, file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling:
    return FileScheduling(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
        item.add_marker(randomized)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was imported: a million objects that stay until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def _rank(item: pytest.Item) -> int:
    """Return the place of a file. Without time for all, few are left out: the thorough end-to-end
    tests are last.
    """
    if item.path.name in _LONGEST:
        return _LONGEST.index(item.path.name)
    is_end_to_end = item.path.parent.name == "end_to_end"
    return len(_LONGEST) + (is_end_to_end == (active_profile() == "thorough"))
