"""Batch decisions of many athletes are byte-equal to single ones."""

import logging
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest

from coach_agent.domain.values import canonical_json
from coach_agent.journal.current_plans import read_current_plan, read_current_plans
from coach_agent.profile.model import AthleteProfile, ProfileError
from coach_agent.situation.situation import read_situation, read_situations
from coach_agent.store.check_ins import CheckIn, record_check_in
from coach_agent.verification.replay import read_decision, replay
from orchestration.config.locations import CODE_ROOT
from orchestration.defs.coaching import assets
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.services.planning import plan as deciding
from orchestration.services.planning import plan_outcome as planning_outcome
from orchestration.services.planning.plan import DecisionResult, decide_next, plan_all
from tests.call_stacks import recorded_stacks, returns_to_rooms
from tests.warehouse.payloads import at
from tests.warehouse.scratch import ScratchWarehouse

Rows = list[list[tuple[Any, ...]]]
"""The stored rows of each table."""

NOW = at("2026-03-20 06:00")
ATHLETES = (
    *("aligner", "busy", "coached", "copied", "editor", "exchanged", "freestyler", "leaver"),
    *("prescribed", "publisher", "sore", "swapper"),
)
TABLES = (
    "coach.decisions order by decision_id",
    "coach.plans order by plan_id",
    "coach.plan_sets order by plan_id, exercise_index, set_index",
    "coach.current_plans order by athlete_id",
    "coach.plan_bases order by athlete_id",
)


def copied_with_check_ins(warehouse: ScratchWarehouse, folder: Path) -> Path:
    """Copy the scenario's warehouse to a file that a test may change."""
    warehouse.copy(folder).close()
    copied = folder / "warehouse.duckdb"
    with duckdb.connect(copied) as con:
        record_check_in(con, "coached", CheckIn(checked_in_at=NOW - timedelta(hours=1), energy=1))
        record_check_in(con, "coached", CheckIn(checked_in_at=NOW - timedelta(days=3), energy=4))
    return copied


@pytest.fixture
def path(warehouse: ScratchWarehouse, tmp_path: Path) -> Path:
    return copied_with_check_ins(warehouse, tmp_path)


def profiles() -> list[AthleteProfile]:
    """Return athletes of the scenario, on both sides of the date line, and an unknown one."""
    zones = ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin")
    return [
        AthleteProfile(id=athlete_id, timezone=zones[number % 4])
        for number, athlete_id in enumerate([*ATHLETES, "nobody"])
    ]


def test_a_plan_is_traced_to_the_journal_without_a_return_to_a_room(path: Path) -> None:
    """The trace of `docs/architecture.md`, as the calls of a running plan."""
    coached = AthleteProfile(id="coached")
    with recorded_stacks() as stacks:
        list(plan_all(partial(duckdb.connect, path), [coached], now=NOW, run_id="run"))
    assert any(stack[-1] == "coach_agent/journal/decisions" for stack in stacks)
    assert returns_to_rooms(stacks) == set()


def test_situations_read_at_once_are_those_read_one_by_one(path: Path) -> None:
    everybody = profiles()
    with duckdb.connect(path) as con:
        alone = {
            each.id: canonical_json(read_situation(con, each.id, each.timezone, NOW))
            for each in everybody
        }
        at_once = read_situations(con, {each.id: each.timezone for each in everybody}, NOW)
    assert list(at_once) == [each.id for each in everybody]
    assert {one: canonical_json(read) for one, read in at_once.items()} == alone
    assert sum(bool(each.routines) for each in at_once.values()) > 5
    assert at_once["coached"].latest_check_in is not None


@pytest.fixture(scope="module")
def kept_one_by_one(warehouse: ScratchWarehouse, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """Return the stored rows of athletes planned one by one."""
    alone = copied_with_check_ins(warehouse, tmp_path_factory.mktemp("alone"))
    with duckdb.connect(alone) as con:
        for profile in profiles():
            situation = read_situation(con, profile.id, profile.timezone, NOW)
            decide_next(con, profile, situation, now=NOW, run_id="night")
        return kept(con)


@pytest.fixture(scope="module")
def kept_without_coached(
    warehouse: ScratchWarehouse, tmp_path_factory: pytest.TempPathFactory
) -> Rows:
    """Return the stored rows without the athlete that the tests make fail."""
    other = copied_with_check_ins(warehouse, tmp_path_factory.mktemp("without"))
    everybody = [each for each in profiles() if each.id != "coached"]
    assert all(each.error is None for each in decided_of(other, everybody))
    found = kept_of(other)
    assert len(found[1]) > 5
    return found


@pytest.mark.parametrize(("size", "processes"), [(5, 1), (1_000, 1), (3, 2)])
def test_a_batch_keeps_what_each_would_have_kept_alone(
    path: Path,
    kept_one_by_one: Rows,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    processes: int,
) -> None:
    monkeypatch.setattr(deciding, "ATHLETES_A_BATCH", size)
    monkeypatch.setattr(deciding, "WORTH_PROCESSES", 2)
    everybody = profiles()
    expected = kept_one_by_one
    decided = decided_of(path, everybody, processes)
    assert [each.profile.id for each in decided] == [each.id for each in everybody]
    assert [each.error for each in decided] == [None] * len(everybody)
    with duckdb.connect(path) as con:
        assert kept(con) == expected
        assert len(expected[1]) > 5
    again = decided_of(path, everybody, processes)
    assert not any(each.is_new for each in again)
    with duckdb.connect(path) as con:
        assert kept(con) == expected


def test_a_killed_process_costs_no_athlete_the_plan(
    path: Path,
    kept_one_by_one: Rows,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(deciding, "ATHLETES_A_BATCH", 3)
    monkeypatch.setattr(deciding, "WORTH_PROCESSES", 2)
    everybody = profiles()
    assert len(everybody) > 6
    open_warehouse = connected(path)
    killed: list[int | None] = []

    def connect() -> Any:
        """On the read of the second batch the processes are busy with the first."""
        for child in multiprocessing.active_children()[:1] if not killed else []:
            child.kill()
            killed.append(child.pid)
        return open_warehouse()

    with caplog.at_level(logging.WARNING, deciding.__name__):
        batches = plan_all(connect, everybody, now=NOW, run_id="night", processes=2)
        decided = [each for batch in batches for each in batch]
    assert len(killed) == 1
    assert [each.profile.id for each in decided] == [each.id for each in everybody]
    assert [each.error for each in decided] == [None] * len(everybody)
    assert kept_of(path) == kept_one_by_one
    assert [record.name for record in caplog.records] == [deciding.__name__]


_ENGINE = """
import signal
from functools import partial
from datetime import UTC, datetime
from orchestration.services.planning.plan import _decide_one, _engine
from tests.coach.builders import profile
decide_one = partial(_decide_one, now=datetime.now(UTC), run_id="run")
with _engine(decide_one, 2) as decide_batch:
    print(len(list(decide_batch([(profile(), ValueError("nothing is known"))] * 8))), flush=True)
    signal.pause()
"""


def test_the_processes_end_when_their_parent_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _ENGINE], cwd=CODE_ROOT, stdout=subprocess.PIPE, text=True
    ) as begun:
        assert begun.stdout is not None
        assert begun.stdout.readline() == "8\n"
        begun.kill()
        # They hold the same pipe, which ends with the last of them.
        out, _ = begun.communicate(timeout=60)
    assert out == ""


def test_what_cannot_be_kept_of_one_is_that_ones_alone(
    path: Path, kept_without_coached: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = deciding.record_bases

    def record_bases(con: Any, rows: Any) -> None:
        if any(row["athlete_id"] == "coached" for row in rows):
            raise ValueError("no basis")
        real(con, rows)

    monkeypatch.setattr(deciding, "record_bases", record_bases)
    assert errors_of(path) == {"coached": "no basis"}
    assert kept_of(path) == kept_without_coached


def test_what_cannot_be_read_of_one_is_that_ones_alone(
    path: Path, kept_without_coached: Rows
) -> None:
    with duckdb.connect(path) as con:
        con.execute("alter table marts.coach_context alter planned_sets drop not null")
        con.execute(
            "update marts.coach_context set planned_sets = null where athlete_id = 'coached'"
        )
        con.execute(
            "insert into coach.current_plans values ('coached', 'of before', $1, 'run')",
            [NOW.replace(tzinfo=None)],
        )
    [(athlete, error)] = errors_of(path).items()
    assert athlete == "coached"
    assert "planned_sets" in error
    assert kept_of(path) == kept_without_coached


def test_an_unknown_routine_affects_no_other_athlete(
    path: Path, kept_without_coached: Rows
) -> None:
    unusable = AthleteProfile(id="coached", routines=("Arms of a stranger",))
    [(athlete, error)] = errors_of(path, unusable).items()
    assert athlete == "coached"
    assert "Arms of a stranger" in error
    assert kept_of(path) == kept_without_coached


@pytest.mark.parametrize("error", [ProfileError("no such routine"), KeyboardInterrupt()])
def test_what_stood_before_a_check_in_does_not_outlive_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """With no new plan or an interrupted run: the previous plan may load a painful part."""

    def decide(*_: Any) -> None:
        raise error

    coached = AthleteProfile(id="coached")
    with duckdb.connect(path) as con:
        situation = read_situation(con, coached.id, coached.timezone, NOW)
        assert decide_next(con, coached, situation, now=NOW, run_id="first").is_new
        standing = read_current_plans(con)
        assert "coached" in standing
        for athlete_id in (*standing, "nobody"):
            assert read_current_plan(con, athlete_id) == standing.get(athlete_id)
        monkeypatch.setattr(deciding, "decide", decide)
        with pytest.raises(type(error)):
            decide_next(con, coached, situation, now=NOW, run_id="second")
        assert "coached" not in read_current_plans(con)


def test_a_batch_begins_again_where_another_writer_was_first(
    path: Path, kept_one_by_one: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    conflicts = [duckdb.TransactionException("Transaction conflict - somebody else was first")]
    real = deciding.record_bases

    def record_bases(con: Any, rows: Any) -> None:
        real(con, rows)
        if conflicts:
            raise conflicts.pop()

    monkeypatch.setattr(deciding, "record_bases", record_bases)
    assert errors_of(path) == {}
    assert conflicts == []
    assert kept_of(path) == kept_one_by_one


def test_what_a_batch_decided_is_decided_again_byte_for_byte(path: Path) -> None:
    assert errors_of(path) == {}
    with duckdb.connect(path) as con:
        ids = con.execute("select decision_id from coach.decisions where run_id = 'night'")
        journal = [read_decision(con, decision_id) for (decision_id,) in ids.fetchall()]
    assert len(journal) > 5
    assert {replay(each).verdict for each in journal} == {"equal"}


def errors_of(path: Path, instead: AthleteProfile | None = None) -> dict[str, str]:
    """Decide for all athletes in a batch; return the errors by athlete."""
    everybody = profiles()
    if instead is not None:
        everybody = [instead if each.id == instead.id else each for each in everybody]
    decided = decided_of(path, everybody)
    return {each.profile.id: str(each.error) for each in decided if each.error is not None}


def decided_of(
    path: Path, everybody: Sequence[AthleteProfile], processes: int = 1
) -> list[DecisionResult]:
    batches = plan_all(connected(path), everybody, now=NOW, run_id="night", processes=processes)
    return [each for batch in batches for each in batch]


class UnsendableError(Exception):
    """An error that cannot be pickled."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} and {other}")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ProfileError("no such routine"), ProfileError("no such routine")),
        (UnsendableError("this", "that"), RuntimeError("UnsendableError: this and that")),
    ],
)
def test_an_error_of_the_engine_comes_from_its_process(error: Exception, told: Exception) -> None:
    found = pickle.loads(pickle.dumps(deciding._picklable(error)))  # noqa: S301 - our own
    assert (type(found), str(found)) == (type(told), str(told))


def kept_of(path: Path) -> Rows:
    with duckdb.connect(path) as con:
        return kept(con)


def kept(con: duckdb.DuckDBPyConnection) -> Rows:
    return [con.execute(f"from {table}").fetchall() for table in TABLES]


def connected(path: Path) -> Any:
    @contextmanager
    def connect() -> Iterator[duckdb.DuckDBPyConnection]:
        with duckdb.connect(path) as con:
            con.execute("set TimeZone = 'UTC'")
            yield con

    return connect


def test_of_many_athletes_the_plans_of_the_first_are_shown(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "athletes"
    folder.mkdir()
    for athlete in profiles():
        (folder / f"{athlete.id}.toml").write_text(f'id = "{athlete.id}"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(folder))
    monkeypatch.setattr(planning_outcome, "SHOWN_ATHLETES", 2)
    with dg.DagsterInstance.ephemeral() as instance:
        dg.materialize(
            [assets.next_workout],
            resources={
                "athletes": AthletesResource(),
                "warehouse": WarehouseResource(path=str(path)),
            },
            instance=instance,
        )
        [event] = instance.fetch_materializations(assets.NEXT_WORKOUT, limit=1).records
    assert event.asset_materialization is not None
    shown = event.asset_materialization.metadata
    with duckdb.connect(path) as con:
        standing = [
            athlete_id
            for (athlete_id,) in con.execute(
                "select athlete_id from coach.current_plans "
                "where list_contains($1, athlete_id) order by athlete_id",
                [list(ATHLETES)],
            ).fetchall()
        ]
    assert len(standing) > 2
    assert shown["plans"].value == len(standing)
    told = {name for name in shown if " of " in name}
    assert told == {f"{what} of {who}" for what in ("plan", "progress") for who in standing[:2]}
