"""What is doubted is one set as it was recorded, steers nothing, and is judged anew once edited."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest

from coach_agent.context import read_context
from coach_agent.corrections import of_set, record_correction
from tests.warehouse.payloads import Json, at, exercise, lift, routine, template, workout
from tests.warehouse.scratch import ScratchWarehouse

MODELS = ("--exclude-resource-type", "test", "unit_test")
PLANK_S = {"type": "normal", "duration_seconds": 6000}

Edit = tuple[str, Json, Json, Json]

# The exercise, what was done of it for days, what was doubted then, and what that was edited to.
EDITS: dict[str, Edit] = {
    "to another load": ("bench", lift(100, 5), lift(101, 5), lift(105, 5)),
    "to a load": ("bench", lift(100, 5), lift(None, 5), lift(500, 5)),
    "to no load": ("bench", lift(100, 5), lift(100, 5), lift(None, 5)),
    "to a shorter time": ("plank", PLANK_S, PLANK_S, {**PLANK_S, "duration_seconds": 60}),
}


class Nights:
    """A warehouse on which nights follow each other."""

    def __init__(self, folder: Path) -> None:
        self.warehouse = ScratchWarehouse(folder)
        self.now = at("2026-03-01 03:00")

    def next_moment(self) -> datetime:
        self.now += timedelta(hours=1)
        return self.now

    def land(self, athlete: str, *workouts: Json) -> None:
        self.warehouse.land("hevy_workouts", athlete, workouts, now=self.next_moment())

    def say(self, set_key: str, action: Literal["accept_set", "doubt_set"]) -> None:
        with self.warehouse.connection() as con:
            correction = of_set(con, set_key, action, "as I remember")
            record_correction(con, correction, now=self.next_moment())

    def told(self, athlete: str) -> list[tuple[bool, bool | None]]:
        """Of each set of the newest workout whether it is doubted, and what the athlete said."""
        with self.warehouse.connection() as con:
            (context,) = read_context(con, athlete)
        newest = context.slots[0].exposures[0]
        return [(each.is_typo_suspect, each.is_confirmed) for each in newest.sets]

    def sets(self, athlete: str) -> list[tuple[str, bool]]:
        """The sets of the last workout, with whether they are doubted."""
        rows = self.warehouse.rows(
            "select set_key, is_typo_suspect from marts.fct_set where athlete_id = $athlete "
            "and workout_id = 'last' order by all",
            athlete=athlete,
        )
        return [(row["set_key"], row["is_typo_suspect"]) for row in rows]


def earlier(name: str, performed: Json, count: int = 6) -> list[Json]:
    return [
        workout(f"w{day}", f"2026-02-{day:02} 17:00", [exercise(name, [performed])])
        for day in range(1, count + 1)
    ]


def last(name: str, *performed: Json, routine_id: str | None = None) -> Json:
    return workout("last", "2026-02-20 17:00", [exercise(name, list(performed))], routine_id)


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[tuple[str, bool]]]]:
    """For each edit the last set after a doubt, after the edit, and after another doubt."""
    folder = tmp_path_factory.mktemp("doubts")
    nights = Nights(folder)
    catalogue = [template("bench"), template("plank", "duration")]
    for athlete, (name, usual, seen, _) in EDITS.items():
        moment = nights.next_moment()
        nights.warehouse.land("hevy_exercise_templates", athlete, catalogue, now=moment)
        nights.land(athlete, *earlier(name, usual), last(name, seen))
    nights.warehouse.build(*MODELS)
    found: dict[str, list[list[tuple[str, bool]]]] = {athlete: [] for athlete in EDITS}

    def night(*selection: str) -> None:
        nights.warehouse.build(*(selection or MODELS))
        for athlete in EDITS:
            found[athlete].append(nights.sets(athlete))

    for athlete in EDITS:
        nights.say(f"{athlete}/last/0/0", "doubt_set")
    night()
    for athlete, (name, _, _, edit) in EDITS.items():
        nights.land(athlete, last(name, edit))
    night("--exclude-resource-type", "unit_test")
    for athlete in EDITS:
        if not nights.sets(athlete)[0][1]:
            nights.say(f"{athlete}/last/0/0", "doubt_set")
    night()
    rebuilt = nights.warehouse.copy(folder / "rebuilt")
    rebuilt.build("--full-refresh", *MODELS)
    for table in nights.warehouse.tables("marts"):
        assert nights.warehouse.content(table) == rebuilt.content(table), table
    return found


@pytest.mark.parametrize("athlete", EDITS)
def test_an_edited_set_is_judged_anew_and_stays_one_set(
    edited: dict[str, list[list[tuple[str, bool]]]], athlete: str
) -> None:
    """Also where one of both has nothing recorded; half a ton is doubted by itself."""
    key = f"{athlete}/last/0/0"
    is_suspect = athlete == "to a load"
    assert edited[athlete] == [[(key, True)], [(key, is_suspect)], [(key, True)]]


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    return Nights(tmp_path)


def test_a_drop_set_is_light_on_purpose(nights: Nights) -> None:
    sets = [lift(100, 8), lift(35, 11, "dropset")]
    drops = [
        workout(f"w{day}", f"2026-02-{day:02} 17:00", [exercise("bench", sets)])
        for day in range(1, 7)
    ]
    nights.land("ann", *drops, last("bench", *sets, lift(350, 11, "dropset"), lift(10, 8)))
    nights.warehouse.build(*MODELS)
    doubted = nights.warehouse.rows(
        "select weight_kg from marts.fct_set where is_typo_suspect order by 1"
    )
    assert [row["weight_kg"] for row in doubted] == [10, 350]


def test_the_coach_is_told_what_the_athlete_said_of_a_set(nights: Nights) -> None:
    """Also of one that no number doubts: it knew of doubts alone."""
    plan = routine("push", "2026-02-01 09:00", [exercise("bench", [lift(100, 5)] * 3)])
    nights.warehouse.land("hevy_routines", "ann", [plan], now=nights.next_moment())
    done = last("bench", lift(1000, 5), lift(90, 5), lift(100, 5), routine_id="push")
    nights.land("ann", *earlier("bench", lift(100, 5)), done)
    nights.warehouse.build(*MODELS)
    assert nights.told("ann") == [(True, None), (False, None), (False, None)]
    nights.say("ann/last/0/0", "accept_set")
    nights.say("ann/last/0/1", "doubt_set")
    nights.say("ann/last/0/2", "accept_set")
    nights.warehouse.build(*MODELS)
    assert nights.told("ann") == [(False, True), (True, False), (False, True)]


def test_a_doubted_set_neither_keeps_nor_breaks_a_plan_and_moves_no_load(nights: Nights) -> None:
    plan = routine("push", "2026-02-01 09:00", [exercise("bench", [lift(100, 5)] * 3)])
    nights.warehouse.land("hevy_routines", "ann", [plan], now=nights.next_moment())
    done = last("bench", lift(100, 5), lift(1000, 5), lift(100, 4), routine_id="push")
    nights.land("ann", *earlier("bench", lift(100, 5)), done)
    nights.warehouse.build(*MODELS)
    rows = nights.warehouse.rows(
        """
        select execution_status, counts_for_adherence, is_met from marts.fct_plan_compliance
        where workout_id = 'last' order by planned_set_index
        """
    )
    assert [tuple(row.values()) for row in rows] == [
        ("Target Met", True, True),
        ("Overperformed: Heavier", False, None),
        ("Underperformed: Fewer Reps", True, False),
    ]
    for mart, totals in (
        ("fct_workout", {"working_set_count": 3, "volume_kg": 900}),
        ("fct_exercise_session", {"working_set_count": 3, "volume_kg": 900, "reps": 9}),
    ):
        (row,) = nights.warehouse.rows(f"select * from marts.{mart} where workout_id = 'last'")
        assert {name: row[name] for name in totals} == totals
