"""Run dbt in this process: the manifest for Dagster, and builds of a warehouse.

A build in the job's own process takes half the time of a separate process: dbt is imported and the
project parsed once.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from orchestration.config.lake import Lake
from orchestration.config.locations import PROJECT_FILES, parse_folder
from orchestration.dbt.compiled_templates import cached_templates
from orchestration.storage.warehouse import Warehouse, open_warehouse, rebuild_lock

if TYPE_CHECKING:
    # dbt takes seconds and 100 MB to import; loading assets does not need it.
    from dbt.cli.main import dbtRunnerResult
    from dbt.contracts.graph.manifest import Manifest

DBT_PROJECT_DIR = PROJECT_FILES / "dbt_project"
MANIFEST_PATH = parse_folder() / "manifest.json"
_SEMANTIC_MANIFEST_PATH = MANIFEST_PATH.with_name("semantic_manifest.json")
_PARTIAL_PARSE_PATH = MANIFEST_PATH.with_name("partial_parse.msgpack")
_TEMPLATES_PATH = MANIFEST_PATH.with_name("templates.marshal")
# The last one carries the time of the last parse.
_ARTIFACTS = (_PARTIAL_PARSE_PATH, _SEMANTIC_MANIFEST_PATH, MANIFEST_PATH)

_WAREHOUSE_VARIABLE = "SPOTTER_WAREHOUSE"


class DbtError(Exception):
    """dbt could not run the project: it does not parse, or a selection is invalid."""


@dataclass(frozen=True)
class BrokenRule:
    """A broken rule of a model, by kind and columns; `row_key` is one of the failing rows."""

    rule: str
    column_names: str
    row_count: int
    row_key: str


@dataclass(frozen=True)
class NodeOutcome:
    """Result of a model, snapshot or test. `failures` are the failing rows of a test.

    `status` is dbt's: success, pass, warn, fail, error, skipped or no-op. `broken` are the broken
    rules of a model's failed test.
    """

    unique_id: str
    status: str
    seconds: float
    failures: int | None
    message: str | None
    broken: tuple[BrokenRule, ...] = ()

    @property
    def is_ok(self) -> bool:
        """Return true if the node was built or passed, also with a warning."""
        return self.status in {"success", "pass", "warn", "no-op"}


def ensure_manifest() -> Path:
    """Return the current manifest, parsed again if a source is newer.

    Raises:
        DbtError: the project does not parse.
    """
    if not _is_parsed():
        with tempfile.TemporaryDirectory(dir=_make_folder(MANIFEST_PATH.parent)) as draft:
            _parse_in_child(draft)
            for artifact in _ARTIFACTS:
                Path(draft, artifact.name).replace(artifact)
    return MANIFEST_PATH


def parse_into(folder: str) -> None:
    """Parse the project and write the artifacts into a folder.

    Raises:
        DbtError: the project does not parse.
    """
    _require_success(_invoke(["parse", "--target-path", folder]))


def _parse_in_child(folder: str) -> None:
    # -P: a module of the working folder must not replace one of Spotter's.
    command = [sys.executable, "-P", "-m", "orchestration.dbt.parse_project", folder]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if ran.returncode:
        raise DbtError(ran.stderr.strip() or f"dbt parse ended with code {ran.returncode}.")


def project_digest() -> str:
    """Return the digest of the manifest; it includes the time of the parse.

    Raises:
        DbtError: the project does not parse.
    """
    return hashlib.sha256(ensure_manifest().read_bytes()).hexdigest()


def ensure_semantic_manifest() -> Path:
    """Return the current semantic manifest with the metrics.

    Raises:
        DbtError: the project does not parse.
    """
    ensure_manifest()
    return _SEMANTIC_MANIFEST_PATH


def build(
    warehouse: Warehouse,
    target_path: Path,
    selection: Sequence[str] = (),
    *,
    with_unit_tests: bool = False,
) -> list[NodeOutcome]:
    """Build models, snapshots and data tests of the project in `warehouse`, a file or a lake.

    `selection` are dbt's arguments, empty for everything. A failed node is an outcome, not an
    exception; nodes downstream are skipped. Unit tests verify SQL, not data, so nightly runs omit
    them. Concurrent builds of one warehouse wait for each other.

    Raises:
        DbtError: nothing could be run.
        WarehouseBusyError: the catalog of the lake did not answer, or another build timed out the
            lock.
    """
    with rebuild_lock(warehouse):
        return build_locked(warehouse, target_path, selection, with_unit_tests=with_unit_tests)


def build_locked(
    warehouse: Warehouse,
    target_path: Path,
    selection: Sequence[str] = (),
    *,
    with_unit_tests: bool = False,
) -> list[NodeOutcome]:
    """Do what `build` does, for a caller that holds the `rebuild_lock`.

    Raises:
        DbtError: nothing could be run.
        WarehouseBusyError: the catalog of the lake did not answer.
    """
    arguments = [
        "build",
        "--no-write-json",
        "--target-path",
        str(_make_folder(target_path)),
        *selection,
    ]
    if not with_unit_tests:
        arguments += ["--exclude-resource-type", "unit_test"]
    from dbt.artifacts.schemas.run import RunExecutionResult

    result = _run_in(warehouse, arguments)
    if not isinstance(result.result, RunExecutionResult):
        raise DbtError(f"dbt build did not run: {result.exception}")
    broken = _broken_rules(warehouse, result.result)
    return [_outcome(each, broken.get(each.node.unique_id, ())) for each in result.result]


def generate_docs(warehouse: Warehouse, target_path: Path) -> Path:
    """Write dbt's documentation of project and `warehouse` as one HTML file; returns its path.

    Raises:
        DbtError: it could not be written.
    """
    result = _run_in(
        warehouse, ["docs", "generate", "--static", "--target-path", str(_make_folder(target_path))]
    )
    if not result.success:
        raise DbtError(f"dbt docs generate did not run: {result.exception}")
    return target_path / "static_index.html"


def broken_rules(con: duckdb.DuckDBPyConnection, compiled_test: str) -> tuple[BrokenRule, ...]:
    """Return the broken rules that the compiled SQL of a `rules` test finds."""
    found = con.execute(
        f"""
        select rule, column_names, cast(sum(row_count) as bigint), min(row_key)
        from ({compiled_test}) as found
        group by rule, column_names
        order by rule, column_names
        """  # noqa: S608 - dbt compiled it
    ).fetchall()
    return tuple(BrokenRule(*row) for row in found)


@contextmanager
def without_events() -> Iterator[None]:
    """Discard dbt's log events: it formats thousands of them in a build, and nothing reads them."""
    from dbt_common.events.event_manager import EventManager
    from dbt_common.events.event_manager_client import ctx_set_event_manager, get_event_manager

    class SilentEventManager(EventManager):
        def fire_event(
            self,
            e: Any,
            level: Any = None,
            node: Any = None,
            force_warn_or_error_handling: bool = False,
        ) -> None:
            # A warning that is configured to be an error raises.
            if force_warn_or_error_handling:
                super().fire_event(e, level, node, force_warn_or_error_handling)

    before = get_event_manager()
    ctx_set_event_manager(SilentEventManager())
    try:
        yield
    finally:
        ctx_set_event_manager(before)


@cache
def parsed_project() -> "Manifest":
    """Return the parsed project, cached for the life of the process.

    Call it before the environment names the warehouse: dbt parses everything again in a changed
    environment.
    """
    from dbt.contracts.graph.manifest import Manifest

    ensure_manifest()
    with tempfile.TemporaryDirectory() as target:
        # Writing the artifacts takes a quarter of the time.
        arguments = ["parse", "--no-write-json", "--target-path", target]
        arguments += ["--partial-parse-file-path", str(_PARTIAL_PARSE_PATH)]
        result = _require_success(_invoke(arguments))
    manifest = result.result
    if not isinstance(manifest, Manifest):
        raise DbtError("dbt parse gave no manifest")
    return manifest


def _run_in(warehouse: Warehouse, arguments: Sequence[str]) -> "dbtRunnerResult":
    parsed = parsed_project()
    if isinstance(warehouse, Lake):
        from orchestration.storage.lake.dbt_plugin import use_lake

        with use_lake(warehouse):
            try:
                return _invoke_cached([*arguments, "--target", "lake"], parsed)
            finally:
                _close_warehouse()
    before = os.environ.get(_WAREHOUSE_VARIABLE)
    # dbt's profile reads only the environment.
    os.environ[_WAREHOUSE_VARIABLE] = str(warehouse)
    try:
        return _invoke_cached(arguments, parsed)
    finally:
        _close_warehouse()
        if before is None:
            del os.environ[_WAREHOUSE_VARIABLE]
        else:
            os.environ[_WAREHOUSE_VARIABLE] = before


def _close_warehouse() -> None:
    """Close the file that dbt keeps open, which would block this process's next writer.

    Keeping it open between nodes makes a build a quarter faster.
    """
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    if DuckDBConnectionManager._ENV is not None:
        DuckDBConnectionManager.env().close()
        DuckDBConnectionManager.close_all_connections()


def _invoke_cached(arguments: Sequence[str], parsed: "Manifest") -> "dbtRunnerResult":
    with cached_templates(_TEMPLATES_PATH, project_digest()), without_events():
        return _invoke(arguments, parsed)


def _invoke(arguments: Sequence[str], parsed: "Manifest | None" = None) -> "dbtRunnerResult":
    """Run dbt without output; messages are in the result."""
    from dbt.cli.main import dbtRunner

    return dbtRunner(manifest=parsed).invoke(
        [
            *arguments,
            "--project-dir",
            str(DBT_PROJECT_DIR),
            "--profiles-dir",
            str(DBT_PROJECT_DIR),
            "--log-level",
            "none",
            "--log-level-file",
            "none",
            # dbt makes the folder of its logs even without any, by default in the project.
            "--log-path",
            tempfile.gettempdir(),
        ]
    )


def _require_success(result: "dbtRunnerResult") -> "dbtRunnerResult":
    if not result.success:
        raise DbtError(f"The dbt project does not parse: {result.exception}")
    return result


def _broken_rules(
    warehouse: Warehouse, results: Iterable[Any]
) -> dict[str, tuple[BrokenRule, ...]]:
    """Return the broken rules of each failed `rules` test; dbt stores only the row count."""
    failed = [
        each.node
        for each in results
        if each.status == "fail"
        and (generic := getattr(each.node, "test_metadata", None)) is not None
        and generic.name == "rules"
    ]
    if not failed:
        return {}
    with open_warehouse(warehouse, read_only=True) as con:
        return {test.unique_id: broken_rules(con, test.compiled_code) for test in failed}


def _outcome(result: Any, broken: tuple[BrokenRule, ...]) -> NodeOutcome:
    return NodeOutcome(
        unique_id=result.node.unique_id,
        status=str(result.status),
        seconds=result.execution_time,
        failures=result.failures,
        message=result.message,
        broken=broken,
    )


def _is_parsed() -> bool:
    """Return true if the cached artifacts are newer than every source of the project."""
    if not all(artifact.exists() for artifact in _ARTIFACTS):
        return False
    sources = (
        path
        for path in DBT_PROJECT_DIR.rglob("*")
        if not path.is_relative_to(MANIFEST_PATH.parent) and path != MANIFEST_PATH.parent
    )  # including folders, whose time changes when a source is deleted
    return max(path.stat().st_mtime for path in sources) < MANIFEST_PATH.stat().st_mtime


def _make_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
