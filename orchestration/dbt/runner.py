"""dbt in this process: the manifest that Dagster reads, and builds against one warehouse.

A build in the job's own process takes half the time of one in a process of its own: dbt is
imported and the project parsed once.
"""

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from orchestration.config.lake import Lake
from orchestration.config.settings import PROJECT_ROOT
from orchestration.storage.warehouse import Warehouse, open_warehouse, rebuilding

if TYPE_CHECKING:
    # dbt takes seconds and 100 MB to import; a process that only knows the assets does without it.
    from dbt.cli.main import dbtRunnerResult
    from dbt.contracts.graph.manifest import Manifest

DBT_PROJECT_DIR = PROJECT_ROOT / "dbt_project"
MANIFEST_PATH = DBT_PROJECT_DIR / "target" / "manifest.json"
_SEMANTIC_MANIFEST_PATH = MANIFEST_PATH.with_name("semantic_manifest.json")
_PARTIAL_PARSE_PATH = MANIFEST_PATH.with_name("partial_parse.msgpack")
# The one whose time tells of the last parse comes last.
_ARTIFACTS = (_PARTIAL_PARSE_PATH, _SEMANTIC_MANIFEST_PATH, MANIFEST_PATH)

_WAREHOUSE_VARIABLE = "SPOTTER_WAREHOUSE"


class DbtError(Exception):
    """dbt could not run the project at all: it does not parse, or a selection is wrong."""


@dataclass(frozen=True)
class BrokenRule:
    """A rule of a model, by its kind and columns, that rows break; `row_key` is one of them."""

    rule: str
    column_names: str
    row_count: int
    row_key: str


@dataclass(frozen=True)
class NodeOutcome:
    """What became of one model, snapshot or test. `failures` are the rows that a test found.

    `status` is dbt's word: success, pass, warn, fail, error, skipped or no-op. `broken` are the
    rules of a model that its failed test found broken.
    """

    unique_id: str
    status: str
    seconds: float
    failures: int | None
    message: str | None
    broken: tuple[BrokenRule, ...] = ()

    @property
    def is_ok(self) -> bool:
        """Whether it was built or passed; a warning is one that passed."""
        return self.status in {"success", "pass", "warn", "no-op"}


def ensure_manifest() -> Path:
    """The manifest of the project as it is now, parsed again when a source is newer.

    Raises:
        DbtError: the project does not parse.
    """
    if not _is_parsed():
        with tempfile.TemporaryDirectory(dir=_made(MANIFEST_PATH.parent)) as draft:
            _checked(_invoke(["parse", "--target-path", draft]))
            for artifact in _ARTIFACTS:
                Path(draft, artifact.name).replace(artifact)
    return MANIFEST_PATH


def ensure_semantic_manifest() -> Path:
    """The metrics and what they are made of, of the project as it is now.

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

    `selection` are dbt's own arguments, empty for everything. A failed node is an outcome, not an
    error; what depends on it is skipped. Unit tests prove the SQL, not the data, so a night does
    without them. Of several processes that build in one warehouse, each waits for its turn.

    Raises:
        DbtError: nothing could be run.
        WarehouseBusyError: the catalog of the lake did not answer, or another process built in it
            for too long.
    """
    arguments = ["build", "--no-write-json", "--target-path", str(_made(target_path)), *selection]
    if not with_unit_tests:
        arguments += ["--exclude-resource-type", "unit_test"]
    from dbt.artifacts.schemas.run import RunExecutionResult

    with rebuilding(warehouse):
        result = _run_in(warehouse, arguments)
        if not isinstance(result.result, RunExecutionResult):
            raise DbtError(f"dbt build did not run: {result.exception}")
        broken = _broken_rules(warehouse, result.result)
    return [_outcome(each, broken.get(each.node.unique_id, ())) for each in result.result]


def generate_docs(warehouse: Warehouse, target_path: Path) -> Path:
    """Write dbt's documentation of the project and of `warehouse` as one HTML file; its path.

    Raises:
        DbtError: it could not be written.
    """
    result = _run_in(
        warehouse, ["docs", "generate", "--static", "--target-path", str(_made(target_path))]
    )
    if not result.success:
        raise DbtError(f"dbt docs generate did not run: {result.exception}")
    return target_path / "static_index.html"


def broken_rules(con: duckdb.DuckDBPyConnection, compiled_test: str) -> tuple[BrokenRule, ...]:
    """The rules that the compiled SQL of a `rules` test finds broken."""
    found = con.execute(
        f"""
        select rule, column_names, cast(sum(row_count) as bigint), min(row_key)
        from ({compiled_test}) as found
        group by rule, column_names
        order by rule, column_names
        """  # noqa: S608 - dbt compiled it
    ).fetchall()
    return tuple(BrokenRule(*row) for row in found)


@cache
def parsed_project() -> "Manifest":
    """The parsed project, kept for the life of the process.

    Not to be asked for while the warehouse is told: dbt parses all anew in another environment.
    """
    from dbt.contracts.graph.manifest import Manifest

    ensure_manifest()
    with tempfile.TemporaryDirectory() as target:
        arguments = ["parse", "--target-path", target]
        arguments += ["--partial-parse-file-path", str(_PARTIAL_PARSE_PATH)]
        result = _checked(_invoke(arguments))
    manifest = result.result
    if not isinstance(manifest, Manifest):
        raise DbtError("dbt parse gave no manifest")
    return manifest


def _run_in(warehouse: Warehouse, arguments: Sequence[str]) -> "dbtRunnerResult":
    parsed = parsed_project()
    if isinstance(warehouse, Lake):
        from orchestration.storage.lake.dbt_plugin import built_lake

        with built_lake(warehouse):
            try:
                return _invoke([*arguments, "--target", "lake"], parsed)
            finally:
                _close_warehouse()
    before = os.environ.get(_WAREHOUSE_VARIABLE)
    # dbt's profile reads the environment only.
    os.environ[_WAREHOUSE_VARIABLE] = str(warehouse)
    try:
        return _invoke(arguments, parsed)
    finally:
        _close_warehouse()
        if before is None:
            del os.environ[_WAREHOUSE_VARIABLE]
        else:
            os.environ[_WAREHOUSE_VARIABLE] = before


def _close_warehouse() -> None:
    """Close the file that dbt keeps open: it would block this process's own next writer.

    Kept open until now, and not opened for each node, it makes a build a quarter shorter.
    """
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    if DuckDBConnectionManager._ENV is not None:
        DuckDBConnectionManager.env().close()
        DuckDBConnectionManager.close_all_connections()


def _invoke(arguments: Sequence[str], parsed: "Manifest | None" = None) -> "dbtRunnerResult":
    """Run dbt silently: what it has to say is in the result."""
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
        ]
    )


def _checked(result: "dbtRunnerResult") -> "dbtRunnerResult":
    if not result.success:
        raise DbtError(f"The dbt project does not parse: {result.exception}")
    return result


def _broken_rules(
    warehouse: Warehouse, results: Iterable[Any]
) -> dict[str, tuple[BrokenRule, ...]]:
    """The broken rules of each failed `rules` test; dbt itself keeps only the number of rows."""
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
    """Whether the kept artifacts are newer than every source of the project."""
    if not all(artifact.exists() for artifact in _ARTIFACTS):
        return False
    sources = (
        path
        for path in DBT_PROJECT_DIR.rglob("*")
        if not path.is_relative_to(MANIFEST_PATH.parent) and path != MANIFEST_PATH.parent
    )  # folders too: their time tells of a source that was deleted
    return max(path.stat().st_mtime for path in sources) < MANIFEST_PATH.stat().st_mtime


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
