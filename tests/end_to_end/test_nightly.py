"""The main job through the command line, against the simulated service."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from hevy_connector.client.client import HevyClient
from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator
from tests.end_to_end.targets import on_both_targets
from tests.end_to_end.world import ROW_COUNTS, After, FirstNight, Home, put_count

pytestmark = on_both_targets


@dataclass(frozen=True)
class Night:
    """The world after the first night, and the results of that night."""

    home: Home
    simulator: RunningSimulator
    first: FirstNight


@pytest.fixture(scope="module")
def night(
    first_night: FirstNight, after_first_night: After, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Night]:
    with after_first_night(tmp_path_factory.mktemp("night")) as (home, simulator):
        yield Night(home, simulator, first_night)


def test_the_routine_in_hevy_changes_exactly_by_the_shown_difference(night: Night) -> None:
    plan = night.home.spotter_json("plan", "show")
    expected = json.loads(json.dumps(night.first.before))
    routine = expected[plan["plan"]["routine_id"]]
    assert len(plan["changes"]) > 0
    for change in reversed(plan["changes"]):  # removed sets are removed from the end
        sets = routine["exercises"][change["exercise_index"]]["sets"]
        if change["field"] == "set":
            assert (change["after"], change["set_index"]) == (None, len(sets) - 1)
            sets.pop()
            continue
        target = sets[change["set_index"]]
        assert target[change["field"]] == change["before"]
        target[change["field"]] = change["after"]
    assert night.first.after == expected
    assert night.first.after != night.first.before
    assert (night.first.put_count, night.first.report["sent_to_hevy"]) == (1, 1)
    assert plan["publication_state"] == "published"


def test_every_entity_came_in_whole(night: Night) -> None:
    with HevyClient(SIMULATOR_KEY, base_url=night.simulator.url) as hevy:
        expected = {
            "hevy_workouts": hevy.workout_count(),
            "hevy_routines": 4 + 1,  # and the published one
            "hevy_routine_folders": len(hevy.routine_folders()),
            "hevy_exercise_templates": len(hevy.exercise_templates()),
            "hevy_body_measurements": len(hevy.body_measurements()),
            "hevy_users": 1,
            "athlete_profiles": 1,
            "health_days": 0,
            "health_sessions": 0,
        }
    assert night.home.spotter_json("status")["raw_rows"] == expected


def test_the_marts_are_released_with_all_sets(night: Night) -> None:
    sets = night.home.query("select count(*) from marts.fct_set", night.home.release)
    with HevyClient(SIMULATOR_KEY, base_url=night.simulator.url) as hevy:
        expected = sum(
            len(exercise.sets) for workout in hevy.workouts() for exercise in workout.exercises
        )
    assert sets == [(expected,)]
    compared = dict(
        night.home.query(
            "select is_plan_known, count(*) from marts.fct_plan_compliance group by all",
            night.home.release,
        )
    )
    assert compared[True] > 0


def test_every_slot_has_sets_a_reason_and_the_last_time(night: Night) -> None:
    plan = night.home.spotter_json("plan", "show")["plan"]
    assert len(plan["slots"]) >= 5
    for slot in plan["slots"]:
        assert slot["sets"]
        assert slot["reason"].endswith((".", "!", "?"))
        assert "\n" not in slot["reason"]
    assert any(slot["last_done"] for slot in plan["slots"])


def test_a_person_sees_the_plan_beside_the_last_time(night: Night) -> None:
    shown = night.home.spotter("plan", "show")
    plan = night.home.spotter_json("plan", "show")["plan"]
    assert shown.returncode == 0
    assert plan["routine_title"] in shown.stdout
    assert "last " in shown.stdout
    for slot in plan["slots"]:
        assert slot["exercise_title"] in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 100


@pytest.mark.long
def test_a_second_run_with_nothing_new_changes_nothing_and_says_so(night: Night) -> None:
    def rows() -> list[tuple[Any, ...]]:
        return night.home.query(ROW_COUNTS)

    before, plan = rows(), night.home.spotter_json("plan", "show")
    day = _day()
    again = night.home.spotter("run")
    assert again.returncode == 0, again.stderr
    assert "No new data" in again.stdout
    assert rows() == before
    assert put_count(night.simulator) == 0
    assert night.home.spotter_json("plan", "show") == plan
    repeated = _repeat(night)
    if _day() != day:  # a run of a new day builds again
        assert night.home.spotter("run").returncode == 0
        repeated = _repeat(night)
    assert repeated.skipped["is_unchanged"]
    assert repeated.skipped["run_id"] == repeated.built["run_id"]
    assert repeated.last_run == repeated.built
    assert not repeated.forced["is_unchanged"]
    assert repeated.marts_after == repeated.marts


@dataclass(frozen=True)
class Repetition:
    """Reports of a run without news and of a forced one; the last run and marts around them."""

    built: Any
    skipped: Any
    last_run: Any
    marts: dict[str, list[tuple[Any, ...]]]
    forced: Any
    marts_after: dict[str, list[tuple[Any, ...]]]


def _repeat(night: Night) -> Repetition:
    return Repetition(
        built=night.home.spotter_json("status")["last_runs"][0],
        skipped=night.home.spotter_json("run"),
        last_run=night.home.spotter_json("status")["last_runs"][0],
        marts=_marts(night),
        forced=night.home.spotter_json("run", "--force"),
        marts_after=_marts(night),
    )


def _day() -> tuple[date, date]:
    """Return the date in UTC and that of the demo athlete."""
    now = datetime.now(UTC)
    return now.date(), now.astimezone(ZoneInfo("Europe/Berlin")).date()


def _marts(night: Night) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of the released marts, except the time of the last reading."""
    names = night.home.query(
        "select table_name from duckdb_tables() where not starts_with(table_name, 'manifest')",
        night.home.release,
    )
    return {
        name: night.home.query(
            f"select columns(c -> c <> 'last_seen_at') from {name} order by all",
            night.home.release,
        )
        for (name,) in names
    }


@pytest.mark.long
def test_a_trained_workout_leads_to_the_next_plan(night: Night) -> None:
    done = night.home.spotter_json("plan", "show")
    routine = night.first.after[done["plan"]["routine_id"]]
    workout = {
        "title": routine["title"],
        "routine_id": routine["id"],
        "description": "",
        "start_time": "2026-03-04T17:00:00+00:00",
        "end_time": "2026-03-04T18:00:00+00:00",
        "exercises": [
            {
                **{name: exercise[name] for name in ("index", "title", "superset_id")},
                "exercise_template_id": exercise["exercise_template_id"],
                "notes": "",
                "sets": [
                    {
                        "index": planned["index"],
                        "type": planned["type"],
                        "weight_kg": planned["weight_kg"],
                        "reps": (planned.get("rep_range") or {}).get("end") or planned["reps"],
                        "distance_meters": None,
                        "duration_seconds": planned["duration_seconds"],
                        "rpe": None,
                        "custom_metric": None,
                    }
                    for planned in exercise["sets"]
                ],
            }
            for exercise in routine["exercises"]
        ],
    }
    url = f"{night.simulator.url}/simulator/workouts"
    assert httpx.post(url, json=workout).is_success
    report = night.home.spotter_json("run")
    assert report["new_raw_rows"] >= 1
    assert report["sent_to_hevy"] == 1
    following = night.home.spotter_json("plan", "show")["plan"]
    assert following["routine_title"] != done["plan"]["routine_title"]
    statuses = dict(
        night.home.query(f"""
            select execution_status, count(*)
            from marts.fct_plan_compliance
            where routine_id = '{routine["id"]}' and started_at = timestamp '2026-03-04 17:00:00'
            group by all
        """)
    )
    assert not [status for status in statuses if status is None or "Under" in status], statuses


def test_help_is_written_for_a_stranger(tmp_path: Path) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9")
    for command in (
        [],
        ["run"],
        ["status"],
        ["plan", "show"],
        ["sql"],
        ["import-csv"],
        ["simulator"],
    ):
        done = home.spotter(*command, "--help")
        assert done.returncode == 0
        assert "Usage" in done.stdout
        assert len(done.stdout.splitlines()) > 8
