"""Changes in Hevy are in the marts of the next night, through the simulator."""

from datetime import date, timedelta
from typing import Any

import pytest

from tests.warehouse.conftest import Nights
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import CUSTOM


def demo(warehouse: ScratchWarehouse, query: str, **parameters: Any) -> list[Json]:
    """Return the rows of a query on a table of the simulated account."""
    return warehouse.rows(query.replace("$demo", "athlete_id = 'demo'"), **parameters)


def test_an_edit_a_deletion_and_a_new_name_are_in_the_next_night(nights: Nights) -> None:
    before, after = nights.after(1), nights.after(2)
    workouts = "select workout_id, started_at from marts.fct_workout where $demo order by 2"
    known = demo(before, workouts)
    old, latest = known[0], known[-1]
    assert latest["started_at"] - old["started_at"] > timedelta(days=90)
    assert demo(after, workouts) == known[:-1]

    ids = {"old": old["workout_id"], "latest": latest["workout_id"]}
    # The edit changes the own maximum, and so what is relative to it.
    others = "select * exclude (own_max_kg, intensity_pct, intensity_zone, inol) "
    others += "from marts.fct_set where $demo and workout_id not in ($old, $latest) "
    others += "order by set_key"
    assert demo(after, others, **ids) == demo(before, others, **ids) != []
    (edited,) = demo(
        after,
        "select exercise_key, weight_kg, reps from marts.fct_set where $demo and workout_id = $old",
        old=ids["old"],
    )
    (session,) = demo(
        after,
        "select exercise_key, e1rm_kg from marts.fct_exercise_session "
        "where $demo and workout_id = $old",
        old=ids["old"],
    )
    assert (edited["weight_kg"], edited["reps"]) == (61.5, 3)
    (first, *_) = demo(
        before,
        "select exercise_key from marts.fct_set where $demo and workout_id = $old "
        "order by exercise_index",
        old=ids["old"],
    )
    assert session["exercise_key"] == edited["exercise_key"] == first["exercise_key"]
    assert session["e1rm_kg"] == pytest.approx(61.5 * 33 / 30)
    for mart in ("fct_set", "fct_plan_compliance", "fct_exercise_session"):
        gone = f"select 1 from marts.{mart} where $demo and workout_id = $latest"
        assert demo(before, gone, latest=ids["latest"])
        assert not demo(after, gone, latest=ids["latest"])


def test_a_new_name_is_used_and_the_old_one_kept(nights: Nights) -> None:
    after = nights.after(2)
    title = "select title from marts.dim_exercise where $demo and exercise_key = $custom"
    assert demo(after, title, custom=CUSTOM) == [{"title": "Nordic Curl"}]
    versions = "select title from snapshots.snp_hevy__exercise_templates "
    versions += "where $demo and exercise_template_id = $custom order by valid_from"
    (old,) = demo(nights.after(1), versions, custom=CUSTOM)
    assert old != {"title": "Nordic Curl"}
    assert demo(after, versions, custom=CUSTOM) == [old, {"title": "Nordic Curl"}]


def test_fatigue_falls_in_a_break(nights: Nights) -> None:
    """The account is read on a Friday, and there is nothing new in the weeks before."""
    days = demo(
        nights.after(3),
        "select date_day, workout_count, atl from marts.fct_training_load_day "
        "where $demo order by date_day desc limit 2",
    )
    sunday = date(2026, 4, 5)
    assert [row["date_day"] for row in days] == [sunday, sunday - timedelta(days=1)]
    assert [row["workout_count"] for row in days] == [0, 0]
    assert 0 < days[0]["atl"] < days[1]["atl"]
