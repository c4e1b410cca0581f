"""Importing real logs through the command line, down to the marts."""

from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.imports import HAS_LOGS, LOG, Imports
from tests.end_to_end.targets import Place
from tests.end_to_end.world import Home, new_home

pytestmark = pytest.mark.skipif(not HAS_LOGS, reason="the real training logs are not here")


@pytest.fixture(scope="module")
def home(imports: Imports) -> Home:
    return Home(imports.folder, "http://127.0.0.1:9")


def counts(home: Home, athlete: str) -> dict[str, int]:
    queries = {
        "raw workouts": f"select count(*) from raw.hevy_workouts where athlete_id = '{athlete}'",
        "raw sets": f"""
            select coalesce(sum(json_array_length(exercise.value -> '$.sets')), 0)::bigint
            from raw.hevy_workouts as workout, json_each(workout.payload -> '$.exercises')
                as exercise
            where workout.athlete_id = '{athlete}'
        """,
        "staged workouts": f"""
            select count(*) from staging.stg_hevy__workouts where athlete_id = '{athlete}'
        """,
        "staged sets": f"""
            select count(*) from intermediate.int_sets_performed where athlete_id = '{athlete}'
        """,
        "fct_workout": f"select count(*) from marts.fct_workout where athlete_id = '{athlete}'",
        "fct_set": f"select count(*) from marts.fct_set where athlete_id = '{athlete}'",
        "quarantine": f"select count(*) from raw.quarantine where athlete_id = '{athlete}'",
    }
    return {name: home.query(query)[0][0] for name, query in queries.items()}


ALL = {
    "raw workouts": 501,
    "raw sets": 9542,
    "staged workouts": 501,
    "staged sets": 9542,
    "fct_workout": 501,
    "fct_set": 9542,
    "quarantine": 0,
}


def test_every_set_arrives_once_although_the_file_was_imported_twice(
    home: Home, imports: Imports
) -> None:
    first, again = imports.reports["log1"], imports.reports["log1 again"]
    assert (first["rows"]["read"], first["rows"]["loaded"]) == (9542, 9542)
    assert first["workouts"]["new"] == 501
    assert Path(first["new_profile"]).name == "log1.toml"
    assert (again["rows"]["read"], again["rows"]["loaded"], again["rows"]["known"]) == (
        9542,
        0,
        9542,
    )
    assert counts(home, "log1") == ALL
    released = "select count(*) from marts.fct_set where athlete_id = 'log1'"
    assert home.query(released, home.release) == [(9542,)]


def test_a_broken_row_is_quarantined_with_its_line_and_the_rest_is_loaded(
    home: Home, imports: Imports
) -> None:
    report, line = imports.reports["log2"], imports.broken_line
    assert (report["rows"]["read"], report["rows"]["loaded"]) == (330, 329)
    assert [row["line"] for row in report["rows_quarantined"]] == [line]
    assert counts(home, "log2") == {
        "raw workouts": 17,
        "raw sets": 329,
        "staged workouts": 17,
        "staged sets": 329,
        "fct_workout": 17,
        "fct_set": 329,
        "quarantine": 1,
    }
    assert home.query("select source_line, reason like '%strange%' from raw.quarantine") == [
        (line, True)
    ]


def test_a_log_alone_leads_to_a_plan_for_what_was_trained_lately(
    home: Home, imports: Imports
) -> None:
    assert imports.ran.returncode == 0, imports.ran.stderr
    report = home.spotter_json("plan", "show", "--athlete", "log1")
    plan = report["plan"]
    titles = home.query("select title from marts.fct_workout where athlete_id = 'log1'")
    assert (plan["routine_title"],) in titles
    routines = home.query("""
        select routine_title, max(routine_last_trained_at) from marts.coach_context
        where athlete_id = 'log1' group by all order by 1
    """)
    assert [title for title, _ in routines] == ["Lower", "Upper I", "Upper II", "Upper III"]
    assert plan["routine_title"] == min(routines, key=lambda each: each[1])[0], "its turn"
    for slot in plan["slots"]:
        heaviest = max((each["weight_kg"] or 0 for each in slot["last_done"]), default=0)
        assert all((each["weight_kg"] or 0) <= heaviest for each in slot["sets"]), "a long break"
    assert any(each["reps"] for slot in plan["slots"] for each in slot["sets"])
    assert home.query("select count(*) from coach.publications where state = 'published'") == [(0,)]


@pytest.mark.long
def test_a_second_import_by_the_command_changes_no_mart(tmp_path: Path, place: Place) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9", **place(tmp_path))
    first: Any = home.spotter_json("import-csv", LOG, "--athlete", "log1")
    assert first["workouts"]["new"] == 501
    again = home.spotter("import-csv", LOG, "--athlete", "log1")
    assert again.returncode == 0, again.stderr
    assert "9542 rows read = 0 loaded + 9542 known + " in again.stdout
    assert "Workouts: 0 new, 0 changed, 501 known already" in again.stdout
    assert counts(home, "log1") == ALL
