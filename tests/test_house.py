"""Layering: which package may import which."""

import ast
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

FORBIDDEN = {
    "hevy_connector": {
        *("health_connector", "coach_agent", "orchestration", "dagster", "dagster_dbt", "dbt")
    },
    "health_connector": {"coach_agent", "orchestration", "dagster", "dagster_dbt", "dbt"},
    "coach_agent": {"health_connector", "orchestration", "dagster", "dagster_dbt", "dbt"},
    # It reads the released marts and sends requests to Dagster over GraphQL.
    "dashboard": {"hevy_connector", "health_connector", "dagster", "dagster_dbt", "dbt"},
}
ROOMS = ("hevy_connector", "health_connector", "coach_agent", "orchestration", "dashboard")
# Of the connector of Hevy another one may use what both share.
SHARED_BY_CONNECTORS = (
    *("hevy_connector.canonical_json", "hevy_connector.errors", "hevy_connector.http"),
    *("hevy_connector.raw", "hevy_connector.records"),
)
# Of the connector the coach may use the models of the API, but neither client nor storage.
COACH_MAY_USE = {
    "hevy_connector.body_load",
    "hevy_connector.errors",
    "hevy_connector.exercise_templates",
    "hevy_connector.http.addresses",
    "hevy_connector.schemas",
}

# Each worker imports the modules of all tests before it runs its own.
SLOW_TO_IMPORT = {
    "dagster_dbt",
    "dagster_webserver",
    "dbt",
    "dbt_common",
    "mcp",
    "metricflow",
    "pydantic_ai",
    # Modules of ours that import one of them.
    *("coach_agent.llm.wire", "coach_agent.llm.retries", "coach_agent.llm.budget"),
    "coach_agent.llm.request_records",
    "orchestration.server.mcp_server",
    "orchestration.server.webserver",
}


@cache
def nodes_of(source: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source.read_text())))


@cache
def imported_modules(source: Path) -> set[str]:
    return modules_in(nodes_of(source))


@cache
def needed_modules(source: Path) -> set[str]:
    """Return the modules that are imported at run time, including modules taken out of packages."""
    for_types = {
        id(inner)
        for node in nodes_of(source)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    nodes = [node for node in nodes_of(source) if id(node) not in for_types]
    from_packages = {
        f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return modules_in(nodes) | from_packages


def modules_in(nodes: Iterable[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_each_folder_of_the_wheel_is_a_room() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert set(wheel["targets"]["wheel"]["packages"]) == {*ROOMS}
    assert {each.parent.name for each in ROOT.glob("*/__init__.py")} == {*ROOMS, "tests"}


@pytest.mark.parametrize("room", sorted(FORBIDDEN))
def test_a_room_imports_only_what_it_may(room: str) -> None:
    for source in (ROOT / room).rglob("*.py"):
        roots = {module.split(".")[0] for module in imported_modules(source)}
        assert not roots & FORBIDDEN[room], source


def test_the_coach_uses_only_the_models_of_the_connector() -> None:
    for source in (ROOT / "coach_agent").rglob("*.py"):
        used = {name for name in imported_modules(source) if name.startswith("hevy_connector")}
        assert used <= COACH_MAY_USE, source


def test_the_health_connector_uses_only_what_connectors_share() -> None:
    for source in (ROOT / "health_connector").rglob("*.py"):
        used = {name for name in imported_modules(source) if name.startswith("hevy_connector")}
        assert [each for each in used if not each.startswith(SHARED_BY_CONNECTORS)] == [], source


def test_the_dashboard_never_opens_the_warehouse() -> None:
    for source in (ROOT / "dashboard").rglob("*.py"):
        assert "orchestration.storage.warehouse" not in needed_modules(source), source
        assert "warehouse_path" not in source.read_text(), source


def test_tests_import_slow_libraries_only_where_they_use_them() -> None:
    slow = {
        f"{source.relative_to(ROOT)}: {module}"
        for source in (ROOT / "tests").rglob("test_*.py")
        for module in modules_in(ast.parse(source.read_text()).body)
        if {module, module.partition(".")[0]} & SLOW_TO_IMPORT
    }
    assert slow == set()


def modules_that_use(library: str, names: set[str]) -> set[str]:
    """Return the files that take one of the names from a library, as an attribute or by import."""
    return {
        source.relative_to(ROOT).as_posix()
        for room in ROOMS
        for source in (ROOT / room).rglob("*.py")
        for node in nodes_of(source)
        if (
            isinstance(node, ast.Attribute)
            and node.attr in names
            and isinstance(node.value, ast.Name)
            and node.value.id == library
        )
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == library
            and names & {alias.name for alias in node.names}
        )
    }


def test_only_settings_read_the_environment() -> None:
    """The variables of dbt's profile, of the demo's own home and of processes are set, not read."""
    assert modules_that_use("os", {"environ", "getenv"}) == {
        *("orchestration/services/operations/demo.py", "orchestration/server/dev.py"),
        *("orchestration/config/settings.py", "orchestration/dbt/runner.py"),
        *(
            "orchestration/runs/dagster_history.py",
            "orchestration/services/requests/athlete_requests.py",
        ),
    }


def test_databases_are_opened_in_one_place() -> None:
    """Other connections would print progress bars to the standard output."""
    assert modules_that_use("duckdb", {"connect"}) == {"orchestration/storage/connection.py"}


def test_modules_are_imported_by_name_in_one_place() -> None:
    """Imports by a text escape the rules of this file."""
    assert modules_that_use("importlib", {"import_module"}) == {
        *("orchestration/definitions_folder.py", "orchestration/cli/lazy.py")
    }


def test_dbt_finds_no_plugin_of_ours() -> None:
    """A top-level module named dbt_… would be imported by dbt as a plugin."""
    assert not (ROOT / "dbt_project" / "__init__.py").exists()


def test_no_files_import_each_other_in_a_circle() -> None:
    """Also by imports inside functions; imports only for types do not count."""
    sources = {
        ".".join(source.relative_to(ROOT).with_suffix("").parts): source
        for room in ROOMS
        for source in (ROOT / room).rglob("*.py")
    }
    graph = {
        name: {each for each in needed_modules(source) if each in sources}
        for name, source in sources.items()
    }
    TopologicalSorter(graph).prepare()  # raises a CycleError that names them


# A package imports only those after it.
LAYERS = {
    "hevy_connector": (
        *("simulator", "request_guard", "csv_imports", "fetching", "raw", "client", "connection"),
        *("schemas", "http"),
    ),
    "coach_agent": (
        *("evaluation", "verification", "journal", "llm", "publishing", "programmes", "asking"),
        *("sessions", "planning", "situation", "store", "memory", "engine", "profile", "domain"),
        "language",
    ),
    "orchestration": (
        *("cli", "definitions", "defs", "server", "services", "text", "dbt", "assets", "runs"),
        *("storage", "config"),
    ),
    "coach_agent/engine": (
        *("engine", "prescribe", "next_set", "decisions"),
        *("limits", "models", "forecast", "explain", "history", "loads"),
    ),
    "orchestration/services": (
        *("operations", "answers", "memory", "briefing", "search", "evaluation", "simulations"),
        *("releases", "programmes", "publishing", "planning", "language_models", "requests"),
        *("queries", "ingestion"),
    ),
    "hevy_connector/simulator": ("__init__", "demo_service", "athletes", "api"),
}


def upward_imports(room: str) -> set[tuple[str, str]]:
    """Imports of a package by one that is further down, as pairs of modules."""
    sources = {
        ".".join(source.relative_to(ROOT).with_suffix("").parts): source
        for source in (ROOT / room).rglob("*.py")
    }
    rank = {package: number for number, package in enumerate(LAYERS[room])}
    depth = room.count("/") + 1
    found = set()
    for module, source in sources.items():
        for other in (needed_modules(source) | imported_modules(source)) & set(sources):
            # A module outside of the packages is below all of them.
            own, its = (rank.get(each.split(".")[depth], len(rank)) for each in (module, other))
            if its < own:
                found.add((module, other))
    return found


def folders_with_code(folder: Path) -> set[str]:
    """Return the names of the packages of a folder, also of those without an `__init__.py`."""
    return {each.parent.name for each in folder.glob("*/*.py")}


@pytest.mark.parametrize("room", sorted(LAYERS))
def test_a_package_imports_only_packages_below_it(room: str) -> None:
    assert upward_imports(room) == set()


@pytest.mark.parametrize("room", sorted(LAYERS))
def test_each_package_has_its_layer(room: str) -> None:
    assert folders_with_code(ROOT / room) <= set(LAYERS[room])


def test_each_package_can_be_installed() -> None:
    """The wheel and pytest need the file in each folder."""
    folders = {
        source.parent for room in (*ROOMS, "tests") for source in (ROOT / room).rglob("*.py")
    }
    assert {each for each in folders if not (each / "__init__.py").exists()} == set()


def test_each_path_of_the_architecture_page_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = re.findall(r"`([a-z_]+/[\w/.]+)`", page)
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


def traces() -> dict[str, list[tuple[str, str]]]:
    """Return the steps of each trace of the architecture page, as pairs of modules, by heading."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = {}
    for heading, text in re.findall(r"^## (A [^\n]+)\n(.*?)(?=^## )", page, re.M | re.S):
        lines = re.findall(r"`[\w/]+\.py`(?:\s→\s+`[\w/]+\.py`)+", text)
        found[heading] = [
            step for line in lines for step in pairwise(re.findall(r"`([\w/]+)\.py`", line))
        ]
    return found


def is_call(caller: str, called: str) -> bool:
    """Return whether a module imports another one, or has a protocol that a class there fulfils."""
    name = f"^\\s*from {called.replace('/', '.')} import"
    if re.search(name, (ROOT / f"{caller}.py").read_text(encoding="utf-8"), re.M):
        return True
    classes = [
        {getattr(each, "name", "") for each in node.body}
        | {ast.unparse(each.targets[0]) for each in node.body if isinstance(each, ast.Assign)}
        for node in nodes_of(ROOT / f"{called}.py")
        if isinstance(node, ast.ClassDef)
    ]
    protocols = [
        {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        for node in nodes_of(ROOT / f"{caller}.py")
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases)
    ]
    return any(methods <= names for methods in protocols for names in classes)


def test_each_step_of_the_traces_is_a_call_between_modules() -> None:
    assert len(traces()) == 3
    steps = [step for trace in traces().values() for step in trace]
    assert len(steps) > 30
    assert [step for step in steps if not is_call(*step)] == []


def room_of(module: str) -> str:
    return module.rpartition("/")[0]


@pytest.mark.parametrize("heading", sorted(traces()))
def test_a_trace_takes_one_step_in_a_room_and_never_returns_to_it(heading: str) -> None:
    """Each room is called by one other room, and no path has two steps within a room."""
    steps = traces()[heading]
    callers: dict[str, set[str]] = {}
    for caller, called in steps:
        if room_of(caller) != room_of(called):
            callers.setdefault(room_of(called), set()).add(room_of(caller))
    assert {room: by for room, by in callers.items() if len(by) > 1} == {}
    # Raises a CycleError if a room calls one that has called it.
    TopologicalSorter(callers).prepare()
    within = [step for step in steps if room_of(step[0]) == room_of(step[1])]
    assert {called for _, called in within} & {caller for caller, _ in within} == set()


# Packages that own tables or read the marts; the others receive values.
WITH_SQL = {
    *("hevy_connector.raw", "hevy_connector.csv_imports"),
    *("health_connector.landing", "health_connector.sync"),
    *("coach_agent.store", "coach_agent.situation", "coach_agent.journal", "coach_agent.llm"),
    "coach_agent.verification",
    *("orchestration.services", "orchestration.dbt", "orchestration.storage"),
    # Dagster's history, and the operator's table of athletes.
    *("orchestration.runs", "orchestration.config.athletes_table", "orchestration.config.postgres"),
    # The released marts.
    *("dashboard.app", "dashboard.page", "dashboard.views"),
}
_SQL = re.compile(
    r"^(\s|/\*.*?\*/|--[^\n]*\n)*(select|with\s+\w+\s+as\s*\(|insert\s+into|delete\s+from|update\s+\w+\s+set|merge\s+into"
    r"|(create|drop|alter)\s+(or\s+replace\s+)?(temp\s+)?(table|view|schema|sequence)"
    r"|from\s+(raw|coach|marts|meta|snapshots|staging|intermediate)\.\w+)\b",
    re.I,
)


def has_sql(source: Path) -> bool:
    """Return whether a module executes statements, or has the text of one."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes_of(source)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return any(
        (isinstance(node, ast.Attribute) and node.attr in {"execute", "executemany"})
        or (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and _SQL.match(node.value) is not None
        )
        for node in nodes_of(source)
    )


def test_sql_is_in_packages_that_own_tables() -> None:
    with_sql = {
        ".".join(source.relative_to(ROOT).with_suffix("").parts)
        for room in ROOMS
        for source in (ROOT / room).rglob("*.py")
        if has_sql(source)
    }
    assert {
        module
        for module in with_sql
        if not any(module == owner or module.startswith(f"{owner}.") for owner in WITH_SQL)
    } == set()


# The coach decides. Others use the wording of its decisions, and these values of the domain.
VALUES_OF_THE_ENGINE = {
    "coach_agent.domain.constants.catalogue.rule_version",
    "coach_agent.domain.constants.forecast.INTERVAL_LEVEL",
    "coach_agent.domain.constants.loads.LOAD_TOLERANCE",
    "coach_agent.engine.history.attempts.WORKING_TYPES",
    "coach_agent.engine.loads.increments.ASSISTED",
}


@pytest.mark.parametrize("room", ["orchestration", "dashboard"])
def test_decisions_of_the_domain_are_made_by_the_coach(room: str) -> None:
    modules = {name.rpartition(".")[0] for name in VALUES_OF_THE_ENGINE}
    for source in (ROOT / room).rglob("*.py"):
        used = {
            name
            for name in needed_modules(source)
            if name.startswith(("coach_agent.engine", "coach_agent.domain.constants"))
            and not name.startswith("coach_agent.engine.explain")
        }
        assert used <= VALUES_OF_THE_ENGINE | modules, source


def test_each_question_of_the_index_has_a_word_of_its_path() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    questions = re.findall(r"^\| (Wh[^|]+)\? \| `([^`]+)`", page, re.M)
    assert len(questions) >= 20
    beginnings = [
        [{word[:4] for word in re.findall("[a-z]+", text.lower())} for text in pair]
        for pair in questions
    ]
    assert [
        question
        for (question, _), (words, path) in zip(questions, beginnings, strict=True)
        if not words & path
    ] == []


_DDL = re.compile(
    r"\b(create|alter|drop)\s+(or\s+replace\s+)?(temp\s+)?(table|view|index|sequence|type)"
    r"\s+(if\s+(not\s+)?exists\s+)?(coach|\{\w+\})\.",
    re.I,
)


def test_tables_of_the_coach_are_defined_in_one_module() -> None:
    """`store/schema.py` has all DDL; a migration and a copy rebuild tables that it creates."""
    with_ddl = {
        source.relative_to(ROOT).as_posix()
        for room in ROOMS
        for source in (ROOT / room).rglob("*.py")
        if _DDL.search(source.read_text())
    }
    assert with_ddl == {
        *("coach_agent/store/schema.py", "orchestration/storage/migrations.py"),
        *(
            "orchestration/services/operations/move_warehouse.py",
            "orchestration/storage/lake/tables.py",
        ),
    }


@pytest.mark.parametrize(
    ("folder", "room"),
    [
        ("connector", "hevy_connector"),
        ("coach", "coach_agent"),
        ("orchestration", "orchestration"),
        ("orchestration/services", "orchestration/services"),
    ],
)
def test_tests_mirror_the_packages(folder: str, room: str) -> None:
    tests = ROOT / "tests" / folder
    assert list(tests.glob("test_*.py")) == []
    assert folders_with_code(tests) <= set(LAYERS[room])


def test_tests_have_a_folder_for_each_room() -> None:
    """Others are not about one room: nights from end to end, the warehouse, measurements."""
    assert folders_with_code(ROOT / "tests") == {
        *("connector", "health", "coach", "orchestration", "dashboard", "warehouse"),
        *("end_to_end", "conformance", "docs", "bench", "chaos", "soak", "former_versions"),
    }
