"""The plan step: a failure is isolated to its athlete."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from errno import ENOSPC
from logging import getLogger
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest

from coach_agent.memory.evidence import Evidence
from coach_agent.memory.memories import Memory, Source, Statement
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.progress import Progress
from coach_agent.situation.situation import SituationRows
from orchestration.defs.coaching import assets, briefing, memory
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.runs.tags import exclusions_of
from orchestration.services.briefing import brief as lib_briefing
from orchestration.services.briefing.brief import DayState
from orchestration.services.memory import memories as learning
from orchestration.services.planning import plan as deciding
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.services.answers.scenario import create_marts


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    athletes = tmp_path / "athletes"
    athletes.mkdir()
    for name in ("ann", "ben"):
        (athletes / f"{name}.toml").write_text(f'id = "{name}"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(athletes))
    return tmp_path / "warehouse.duckdb"


def decided(warehouse: Path, instance: dg.DagsterInstance) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [assets.next_workout],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(warehouse)),
        },
        raise_on_error=False,
        instance=instance,
    )


def briefed(warehouse: Path, instance: dg.DagsterInstance) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [briefing.coach_briefing],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(warehouse)),
        },
        raise_on_error=False,
        instance=instance,
    )


def test_memories_of_one_athlete_that_fail_are_a_warning_without_a_statement(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learn(evidence: Evidence, *_: Any) -> tuple[Memory, ...]:
        if evidence.athlete_id == "ann":
            raise ValueError("no rule")
        source = Source(mart="fct_workout", key="w", day=datetime.now(UTC).date())
        statement = Statement(title="Secret Press")
        return (
            Memory(
                athlete_id="ben",
                kind="for_exercise",
                subject="PRESS",
                statement=statement,
                sources=(source,),
            ),
        )

    monkeypatch.setattr(learning, "learn", learn)
    with open_warehouse(warehouse) as con:
        create_marts(con)
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize(
            [memory.memories],
            resources={
                "athletes": AthletesResource(),
                "warehouse": WarehouseResource(path=str(warehouse)),
            },
            instance=instance,
        )
    [check] = done.get_asset_check_evaluations()
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert check.description == "ann: ValueError: no rule"
    [event] = done.asset_materializations_for_node("coach__memories")
    assert (event.metadata["dagster/row_count"].value, event.metadata["changes"].value) == (1, 1)
    assert "Secret Press" not in str(event.metadata)


@pytest.mark.parametrize("place", ["read_situation_rows", "record_rows"])
@pytest.mark.parametrize(
    "error",
    [
        OSError(ENOSPC, "No space left on device"),
        duckdb.Error("terminating connection due to administrator command"),
        duckdb.TransactionException('Failed to execute query "ROLLBACK": no more is known'),
    ],
    ids=["full disk", "catalog ended", "catalog gone"],
)
def test_trouble_of_the_machine_is_no_athletes_fault(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch, place: str, error: Exception
) -> None:
    """Reported as ann's, it would take her plan, and leave the night a success."""

    def fail(*_: Any, **_named: Any) -> None:
        raise error

    def read_rows(_: Any, timezones: dict[str, str], *_more: Any) -> dict[str, SituationRows]:
        return dict.fromkeys(timezones, SituationRows(today=date(2026, 3, 4)))

    monkeypatch.setattr(deciding, "read_situation_rows", read_rows)
    monkeypatch.setattr(deciding, place, fail)
    with open_warehouse(warehouse) as con:
        con.execute(
            "insert into coach.current_plans values ('ann', 'plan of before', $1, 'run')",
            [datetime(2026, 3, 1, tzinfo=UTC).replace(tzinfo=None)],
        )
    with dg.DagsterInstance.ephemeral() as instance:
        assert not decided(warehouse, instance).success
        [run] = instance.get_runs()
    assert exclusions_of(run.tags) == {}
    with open_warehouse(warehouse) as con:
        assert len(con.execute("select * from coach.current_plans").fetchall()) == 1


def test_a_progress_that_cannot_be_drawn_is_told_and_stops_nothing(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(_: Any, athlete_id: str, *_more: Any) -> str:
        if athlete_id == "ann":
            raise ValueError("no axis")
        return "80 kg"

    monkeypatch.setattr(assets, "progress_markdown", draw)
    profiles = [AthleteProfile.model_validate({"id": name}) for name in ("ann", "ben")]
    with duckdb.connect() as con:
        drawn, undrawn = assets.draw_progress(getLogger(__name__), con, profiles)
    assert list(drawn) == ["progress of ben"]
    assert undrawn == {"ann": "ValueError: no axis"}


def test_progress_that_a_lost_catalog_cannot_draw_is_nobodys_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def draw(*_: Any) -> str:
        raise duckdb.IOException("server closed the connection unexpectedly")

    monkeypatch.setattr(assets, "progress_markdown", draw)
    ann = AthleteProfile.model_validate({"id": "ann"})
    with duckdb.connect() as con, pytest.raises(duckdb.IOException):
        assets.draw_progress(getLogger(__name__), con, [ann])


@pytest.mark.parametrize(
    ("error", "is_nobodys"),
    [
        (ZeroDivisionError("a fault of ours"), False),
        (duckdb.Error("terminating connection due to administrator command"), True),
    ],
)
def test_a_briefing_that_is_not_written_stops_the_others_only_if_they_would_not_be_either(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, is_nobodys: bool
) -> None:
    tried = []

    def write_briefing(_: Any, profile: AthleteProfile, *_more: Any) -> None:
        tried.append(profile.id)
        raise error

    monkeypatch.setattr(briefing, "read_day_states", lambda *_: {"ann": None, "ben": None})
    monkeypatch.setattr(briefing, "write_briefing", write_briefing)
    with dg.DagsterInstance.ephemeral() as instance:
        done = briefed(warehouse, instance)
    assert done.success is not is_nobodys
    assert tried == (["ann"] if is_nobodys else ["ann", "ben"])


def test_what_cannot_be_read_for_one_athletes_briefing_is_read_for_the_others(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def read_day_states(
        _: Any, profiles: Sequence[AthleteProfile], *_more: Any
    ) -> dict[str, DayState]:
        read.append([profile.id for profile in profiles])
        if "ann" in read[-1]:
            raise duckdb.ConversionException("no date: 31 February")
        return {"ben": DayState(None, Progress(), None, None, None)}

    monkeypatch.setattr(briefing, "read_day_states", read_day_states)
    monkeypatch.setattr(lib_briefing, "why_no_plan", lambda *_: "No plan.")
    with dg.DagsterInstance.ephemeral() as instance:
        done = briefed(warehouse, instance)
    assert done.success
    assert read == [["ann", "ben"], ["ann"], ["ben"]]
    (told,) = [each for each in done.get_asset_check_evaluations() if each.check_name == "written"]
    assert told.description == "ann: ConversionException: no date: 31 February"
    with open_warehouse(warehouse) as con:
        assert con.execute("select athlete_id from coach.briefings").fetchall() == [("ben",)]


def test_what_fails_for_one_athlete_is_told_and_leaves_the_others_alone(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def read_rows(_: Any, timezones: dict[str, str], *_more: Any) -> dict[str, SituationRows]:
        read.append(list(timezones))
        if "ann" in timezones:
            raise OverflowError("a load of 1e300 kg")
        return dict.fromkeys(timezones, SituationRows(today=date(2026, 3, 4)))

    monkeypatch.setattr(deciding, "read_situation_rows", read_rows)
    # There are no marts here for a progress chart.
    monkeypatch.setattr(assets, "progress_markdown", lambda *_: "")
    with open_warehouse(warehouse) as con:
        con.execute(
            "insert into coach.current_plans values ('ann', 'plan of before', $1, 'run')",
            [datetime(2026, 3, 1, tzinfo=UTC).replace(tzinfo=None)],
        )
    with dg.DagsterInstance.ephemeral() as instance:
        done = decided(warehouse, instance)
        [run] = instance.get_runs()
    assert exclusions_of(run.tags) == {
        "ann": "nothing was decided: OverflowError: a load of 1e300 kg"
    }
    assert read == [["ann", "ben"], ["ann"], ["ben"]]
    (told,) = [each for each in done.get_asset_check_evaluations() if each.check_name == "decided"]
    assert not told.passed
    assert told.description == "ann: OverflowError: a load of 1e300 kg"
    with open_warehouse(warehouse) as con:
        assert con.execute("select * from coach.current_plans").fetchall() == []
