"""One more night of the demo athlete, for data on each dashboard page."""

import copy
import json
from datetime import timedelta
from typing import Any

import duckdb

from coach_agent.store.corrections import of_set, record_correction
from hevy_connector.simulator import RunningSimulator
from orchestration.config.settings import load_settings
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv
from tests.end_to_end.world import NOW, Home

NIGHT = "night.json"
"""File with the report of the night."""

BECAUSE = "half of it"
HEVY_HEADING = (
    "title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,"
    "set_type,weight_kg,reps,distance_km,duration_seconds,rpe"
)


def fill_dashboard(home: Home, simulator: RunningSimulator) -> None:
    """Train the plan, import a file with a broken line, doubt a set, and run the night once."""
    train_the_plan(home, simulator)
    settings = load_settings(home.env)
    file = home.folder / "workout_data.csv"
    good, broken = (
        f'"A","{begun}","4 Mar 2026, 19:01","","Plank",,"",0,"normal",20,5,,,'
        for begun in ("4 Mar 2026, 18:02", "yesterday")
    )
    file.write_text(f"{HEVY_HEADING}\n{good}\n{broken}\n")
    import_csv(settings, file, "demo", ImportOptions(), lambda _: None)
    with home.opened(read_only=False) as con:
        [(key,)] = con.execute(
            "select min(set_key) from marts.fct_set where set_class = 'working' and reps > 0"
        ).fetchall()
        record_correction(con, of_set(con, key, "doubt_set", BECAUSE), now=NOW)
    (home.folder / NIGHT).write_text(json.dumps(home.spotter_json("run")))


def train_the_plan(home: Home, simulator: RunningSimulator) -> None:
    """Train the published plan: the first exercise lighter, without the last one."""
    plan = home.spotter_json("plan", "show")["plan"]
    workout: dict[str, Any] = copy.deepcopy(simulator.account.workouts()[0])
    begun = NOW + timedelta(hours=1)
    workout |= {
        "title": plan["routine_title"],
        "routine_id": plan["routine_id"],
        "start_time": begun.isoformat(),
        "end_time": (begun + timedelta(hours=1)).isoformat(),
    }
    workout["exercises"] = [
        {
            "index": index,
            "title": slot["exercise_title"],
            "notes": "",
            "exercise_template_id": slot["exercise_template_id"],
            "superset_id": slot["superset_id"],
            "sets": [
                {
                    "index": number,
                    "type": one["set_type"],
                    "weight_kg": one["weight_kg"] and one["weight_kg"] - (10 if index == 0 else 0),
                    "reps": one["reps"],
                    "distance_meters": None,
                    "duration_seconds": one["duration_s"],
                    "rpe": None,
                    "custom_metric": None,
                }
                for number, one in enumerate(slot["sets"])
            ],
        }
        for index, slot in enumerate(plan["slots"][:-1])
    ]
    simulator.account.log_workout(workout)


def add_athlete(
    con: duckdb.DuckDBPyConnection, athlete_id: str, name: str | None, zone: str
) -> None:
    """Add an athlete without any training to a release."""
    con.execute(
        """
        insert into dim_athlete by name
        select $1 as athlete_key, $1 as athlete_id, $2 as name, $3 as timezone
        """,
        [athlete_id, name, zone],
    )
