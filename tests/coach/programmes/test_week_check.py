"""The check of a week: verdicts and actions that a coach would give.

The programme has three days: Push with 4 sets of bench and 3 of triceps, Pull with 4 rows and 3
curls, Legs with 4 squats and 4 leg curls. The range is 4 to 8 weekly sets of a muscle. The week is
Monday 2 to Sunday 8 March 2026.
"""

from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from coach_agent.domain.block import BlockCalendar, BlockDay, BlockExercise, Phase
from coach_agent.programmes.week_check import check_week, outline_week
from coach_agent.programmes.week_findings import (
    Action,
    Finding,
    Kind,
    Verdict,
    WeekCheck,
    WeekOutline,
)
from coach_agent.programmes.week_input import DoneWorkout, RoutineExercise, WeekInput
from orchestration.services.programmes.exercise_catalogue import (
    programme_catalogue,
)
from orchestration.text.programme import check_lines, demand_text, outline_text

BENCH, TRICEPS = "Bench Press (Barbell)", "Triceps Pushdown"
ROW, CURL = "Bent Over Row (Barbell)", "Bicep Curl (Dumbbell)"
SQUAT, LEG_CURL = "Squat (Barbell)", "Lying Leg Curl (Machine)"
DAYS = {
    "Push": {BENCH: 4, TRICEPS: 3},
    "Pull": {ROW: 4, CURL: 3},
    "Legs": {SQUAT: 4, LEG_CURL: 4},
}


def check(
    done: Sequence[tuple[str | None, int, Mapping[str, int]]] = (),
    today: int = 2,
    *,
    routines: Mapping[str, Mapping[str, int]] = DAYS,
    phase: Phase = "accumulate",
    high: int = 8,
    sessions: Sequence[str] = tuple(DAYS),
) -> WeekCheck:
    """Return the check on a day of March; `done` are day of the programme, date and sets."""
    days = tuple(
        BlockDay(
            title=title,
            routine_id=f"id {title}",
            exercises=tuple(
                BlockExercise(
                    exercise_title=each, occurrence=1, base=sets, sets=(sets,), reserve=(None,)
                )
                for each, sets in exercises.items()
            ),
        )
        for title, exercises in DAYS.items()
    )
    return check_week(
        WeekInput(
            calendar=BlockCalendar(title="Block", phases=(phase,), cycle_from=None, days=days),
            place=0,
            begins=date(2026, 3, 2),
            today=date(2026, 3, today),
            sessions=tuple(sessions),
            workouts=tuple(
                DoneWorkout(date(2026, 3, day), title and f"id {title}", sets)
                for title, day, sets in done
            ),
            routines={
                f"id {title}": [RoutineExercise(each, 1, sets) for each, sets in own.items()]
                for title, own in routines.items()
            },
            catalogue=programme_catalogue(),
            low=4,
            high=high,
        )
    )


def whole(title: str, day: int) -> tuple[str, int, Mapping[str, int]]:
    return title, day, DAYS[title]


def only(found: WeekCheck) -> tuple[Kind, Verdict, Action, str]:
    [finding] = found.findings
    return finding.kind, finding.verdict, finding.action, finding.text


def test_a_week_as_planned_goes_on() -> None:
    found = check([whole("Push", 2)], 4)
    assert (found.verdict, found.findings) == ("fine", ())
    assert (found.done, found.remaining) == (("Push",), ("Pull", "Legs"))
    chest = next(each for each in found.muscles if each.muscle == "chest")
    assert (chest.planned, chest.done, chest.expected) == (4, 4, 4)
    assert "All as planned: go on." in check_lines(found)
    assert "  chest: 4 / 4 / 4, range 4 to 8" in check_lines(found)


@pytest.mark.parametrize("done", [(), (whole("Push", 2),)])
def test_a_week_without_sessions_asks_for_none(
    done: Sequence[tuple[str, int, dict[str, int]]],
) -> None:
    """The last week before an event may have none."""
    found = check(done, 4, sessions=())
    assert found.remaining == ()
    assert all(each.planned == 0 for each in found.muscles)
    assert not [each for each in found.findings if each.action in {"merge", "move"}]


def test_the_order_of_sessions_does_not_matter() -> None:
    found = check([whole("Legs", 2)], 4)
    assert [(each.subject, each.verdict, each.action) for each in found.findings] == [
        ("Push", "fine", "move"),
        ("Pull", "fine", "move"),
    ]


def test_a_skipped_session_is_merged_while_there_is_another_one() -> None:
    """Saturday and Sunday are left for three sessions: the triceps get their sets from none."""
    found = check([], 7)
    kind, verdict, action, text = only(found)
    assert (kind, verdict, action) == ("skipped", "caution", "merge")
    assert "No day is left for" in text
    assert "Add " in text


def test_a_skipped_session_at_the_end_of_the_week_is_dropped() -> None:
    found = check([whole("Push", 2), whole("Pull", 8)], 8)
    assert only(found)[:3] == ("skipped", "caution", "drop")
    assert "Go on with the next week." in only(found)[3]


def test_a_skipped_session_that_the_week_does_not_need_is_fine() -> None:
    """Two leg days of another routine were enough."""
    legs = (None, 5, {SQUAT: 8, LEG_CURL: 8, "Standing Calf Raise (Machine)": 4})
    found = check([whole("Push", 2), whole("Pull", 3), legs, (None, 8, {SQUAT: 1})], 8, high=20)
    skipped = [each for each in found.findings if each.kind == "skipped"]
    assert [(each.subject, each.verdict, each.action) for each in skipped] == []
    later = check([whole("Push", 2), legs, whole("Pull", 8)], 8, high=20)
    assert only(later)[:3] == ("skipped", "fine", "drop")


def test_hard_days_of_a_muscle_have_a_day_between_them() -> None:
    legs = (None, 4, {SQUAT: 5})
    before = [whole("Push", 2), whole("Pull", 3), legs]
    yesterday, today, later = (check(before, day, high=20) for day in (5, 4, 6))
    assert only(yesterday)[:3] == ("too_close", "caution", "move")
    assert only(today)[:3] == ("too_close", "advise_against", "move")
    assert later.findings == ()
    assert today.verdict == "advise_against"


def test_a_shortened_workout_is_judged_by_its_muscles() -> None:
    short = check([("Push", 2, {BENCH: 2})], 4)
    assert only(short)[:3] == ("shortened", "caution", "merge")
    assert "Push had 2 of 7 sets. Add " in only(short)[3]
    enough = check([("Push", 2, {BENCH: 4}), (None, 2, {TRICEPS: 4})], 4)
    assert only(enough)[:3] == ("shortened", "fine", "go_on")


@pytest.mark.parametrize(
    ("push", "expected"),
    [
        (
            {"Bench Press (Dumbbell)": 4, TRICEPS: 3},
            ("swapped", "fine", "go_on", "Push: Bench Press (Dumbbell) instead of"),
        ),
        ({TRICEPS: 3}, ("removed", "caution", "merge", "chest has 0 of 4 sets")),
        ({BENCH: 4}, ("removed", "caution", "merge", "triceps has")),
        ({TRICEPS: 3, BENCH: 4}, ("reordered", "fine", "go_on", "another order")),
        (
            {BENCH: 4, TRICEPS: 3, "Chest Fly (Dumbbell)": 3},
            ("added", "fine", "go_on", "It fits into the week."),
        ),
        (
            {BENCH: 4, TRICEPS: 3, "Chest Fly (Dumbbell)": 5},
            ("added", "caution", "drop", "chest would have 9 of at most 8 sets"),
        ),
        (
            {BENCH: 4, TRICEPS: 3, "Chest Fly (Dumbbell)": 8},
            ("added", "advise_against", "drop", "chest would have 12 of at most 8 sets"),
        ),
    ],
)
def test_edits_in_hevy_have_a_verdict(
    push: Mapping[str, int], expected: tuple[Kind, Verdict, Action, str]
) -> None:
    found = check(routines={**DAYS, "Push": push})
    kind, verdict, action, text = only(found)
    assert (kind, verdict, action) == expected[:3]
    assert expected[3] in text


def test_an_isolation_before_its_main_lift_is_a_caution() -> None:
    found = check(routines={**DAYS, "Legs": {"Leg Extension (Machine)": 1, LEG_CURL: 4, SQUAT: 4}})
    reordered = next(each for each in found.findings if each.kind == "reordered")
    assert (reordered.verdict, reordered.action) == ("caution", "move")
    assert reordered.text == (
        "Legs: Leg Extension (Machine) tires you for Squat (Barbell). Do the main lift first."
    )


def test_nothing_is_added_in_an_easy_week() -> None:
    found = check(routines={**DAYS, "Push": {**DAYS["Push"], CURL: 3}}, phase="deload")
    assert only(found)[:3] == ("added", "caution", "drop")
    chest = next(each for each in found.muscles if each.muscle == "chest")
    assert (chest.planned, chest.expected, chest.verdict) == (2, 2, "fine")


def test_a_deleted_routine_is_reported() -> None:
    found = check(routines={title: own for title, own in DAYS.items() if title != "Push"})
    assert [each for each in found.findings if each.kind == "deleted"] == [
        Finding(
            kind="deleted",
            verdict="caution",
            subject="Push",
            text="The routine of Push is not in Hevy any more. Publish the programme again.",
            action="merge",
        )
    ]


@pytest.mark.parametrize(
    ("place", "sessions", "expected", "line", "demand"),
    [
        pytest.param(
            0,
            ("Push", "Pull", "Push"),
            WeekOutline(phase="accumulate", sets=18, least_reserve=3, most_reserve=3),
            "build-up week, 18 sets, 3 in reserve",
            "Build-up week, 18 sets. Leave 3 reps in the tank on each set.",
            id="a day that is trained twice counts twice",
        ),
        pytest.param(
            1,
            ("Push", "Pull"),
            WeekOutline(phase=None, sets=13, least_reserve=1, most_reserve=2),
            "13 sets, 1 to 2 in reserve",
            "13 sets. Leave 1 to 2 reps in the tank.",
            id="more sets, and an exercise left out has no effort",
        ),
        pytest.param(
            2,
            ("Push", "Pull"),
            WeekOutline(
                phase="deload", sets=7, least_reserve=None, most_reserve=None, load_ratio=0.9
            ),
            "easy week, 7 sets",
            "Easy week, 7 sets. At least 90 % of the load.",
            id="half of the sets in an easy week, rounded up",
        ),
        pytest.param(
            0,
            ("Push", "Legs"),
            WeekOutline(phase="accumulate", sets=None, least_reserve=3, most_reserve=3),
            "build-up week, 3 in reserve",
            "Build-up week. Leave 3 reps in the tank on each set.",
            id="a day without a routine",
        ),
    ],
)
def test_a_week_is_outlined_as_the_plans_will_have_it(
    place: int, sessions: tuple[str, ...], expected: WeekOutline, line: str, demand: str
) -> None:
    """Push has 4 sets of bench, then 6, and 1 of triceps, then none; Pull 8 rows, then 7."""

    def exercise(title: str, base: int, second: int, reserve: float) -> BlockExercise:
        return BlockExercise(
            exercise_title=title,
            occurrence=1,
            base=base,
            sets=(None, second, base),
            reserve=(3, reserve, None),
        )

    push, pull = (exercise(BENCH, 4, 6, 1), exercise(TRICEPS, 1, 0, 0)), (exercise(ROW, 8, 7, 2),)
    calendar = BlockCalendar(
        title="Block",
        phases=("accumulate", None, "deload"),
        cycle_from=None,
        days=(
            BlockDay(title="Push", routine_id="push", exercises=push),
            BlockDay(title="Pull", routine_id="pull", exercises=pull),
        ),
    )
    found = outline_week(calendar, place, sessions)
    assert found == expected
    assert (outline_text(found), demand_text(found)) == (line, demand)


@pytest.mark.parametrize(
    ("least", "most", "line", "demand"),
    [
        (1.5, 1.5, "1 to 2 in reserve", "Leave 1 to 2 reps in the tank on each set."),
        (0.5, 2.5, "0 to 3 in reserve", "Leave 0 to 3 reps in the tank."),
    ],
)
def test_half_repetitions_are_between_two(
    least: float, most: float, line: str, demand: str
) -> None:
    """RPE 8.5 was `1.5 in reserve`, which nobody counts."""
    outline = WeekOutline(phase=None, sets=None, least_reserve=least, most_reserve=most)
    assert (outline_text(outline), demand_text(outline)) == (line, demand)
