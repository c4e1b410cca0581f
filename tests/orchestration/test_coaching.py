"""The step that decides: one athlete's trouble is nobody else's."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from coach_agent.situation import Situation
from orchestration.defs.coaching import assets
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.lib.warehouse import open_warehouse


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    athletes = tmp_path / "athletes"
    athletes.mkdir()
    for name in ("ann", "ben"):
        (athletes / f"{name}.toml").write_text(f'id = "{name}"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(athletes))
    return tmp_path / "warehouse.duckdb"


def test_what_fails_for_one_athlete_is_told_and_leaves_the_others_alone(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def read_situation(_: Any, athlete_id: str, *_more: Any) -> Situation:
        read.append(athlete_id)
        if athlete_id == "ann":
            raise OverflowError("a load of 1e300 kg")
        return Situation(today=date(2026, 3, 4))

    monkeypatch.setattr(assets, "read_situation", read_situation)
    # There are no marts here whose progress could be drawn.
    monkeypatch.setattr(assets, "progress_markdown", lambda *_: "")
    with open_warehouse(warehouse) as con:
        con.execute(
            "insert into coach.current_plans values ('ann', 'plan of before', $1, 'run')",
            [datetime(2026, 3, 1, tzinfo=UTC).replace(tzinfo=None)],
        )
    done = dg.materialize(
        [assets.next_workout],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(warehouse)),
        },
        raise_on_error=False,
    )
    assert read == ["ann", "ben"]
    (told,) = [each for each in done.get_asset_check_evaluations() if each.check_name == "decided"]
    assert not told.passed
    assert told.description == "ann: OverflowError: a load of 1e300 kg"
    with open_warehouse(warehouse) as con:
        assert con.execute("select * from coach.current_plans").fetchall() == []
