import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hevy_connector.csv_imports.duplicate_workouts import Matching, match_workouts
from hevy_connector.csv_imports.performed import (
    Performed,
    PerformedExercise,
    SetNumbers,
    is_same_content,
)

MONDAY = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def lift(weight_kg: float = 0.0, reps: int = 0) -> SetNumbers:
    return SetNumbers(weight_kg, reps, 0.0, 0)


def cardio(distance_m: float, duration_s: int) -> SetNumbers:
    return SetNumbers(0.0, 0, distance_m, duration_s)


PUSH = (lift(100, 5), lift(100, 5), lift(90, 8))
SHORT = (lift(0, 20), lift(0, 15))
LEGS = (lift(140, 5), lift(140, 4), lift(120, 8))


def workout(
    name: str,
    start_at: datetime,
    sets: Sequence[SetNumbers],
    *,
    title: str = "Push",
    exercise: str = "Bench Press",
    minutes: int | None = 60,
) -> Performed:
    return Performed(
        id=name,
        start_at=start_at,
        end_at=None if minutes is None else start_at + timedelta(minutes=minutes),
        title=title,
        exercises=(PerformedExercise(exercise, tuple(sets)),),
    )


def days(
    side: str, numbers: range, sets: Sequence[SetNumbers] | None = None, shift: timedelta = 0 * DAY
) -> list[Performed]:
    """Build a workout per day, each of other content unless `sets` are given."""
    return [
        workout(f"{side}{day}", MONDAY + day * DAY + shift, sets or (lift(50 + day, 5), *PUSH))
        for day in numbers
    ]


@dataclass(frozen=True)
class Case:
    name: str
    left: Sequence[Performed]
    right: Sequence[Performed]
    expected: Sequence[tuple[str, str]]


def same_days(numbers: range) -> list[tuple[str, str]]:
    return [(f"l{day}", f"r{day}") for day in numbers]


CASES = [
    Case("nothing", [], [], []),
    Case("the same", days("l", range(3)), days("r", range(3)), same_days(range(3))),
    Case(
        "the account knows the seconds",
        [workout("l", MONDAY, PUSH)],
        [workout("r", MONDAY + timedelta(seconds=59), PUSH)],
        [("l", "r")],
    ),
    Case(
        "a minute later is another one",
        [workout("l", MONDAY, PUSH)],
        [workout("r", MONDAY + timedelta(seconds=60), PUSH)],
        [],
    ),
    Case(
        "155 lb exported in kg",
        [workout("l", MONDAY, [lift(70.31, 5)], title="A")],
        [workout("r", MONDAY, [lift(70.306817, 5)], title="B")],
        [("l", "r")],
    ),
    Case(
        "40 kg exported in lb",
        [workout("l", MONDAY, [lift(88.18 * 0.45359237, 5)], title="A")],
        [workout("r", MONDAY, [lift(40, 5)], title="B")],
        [("l", "r")],
    ),
    Case(
        "5 miles to two decimals of a km",
        [workout("l", MONDAY, [cardio(8050, 2400)], title="A")],
        [workout("r", MONDAY, [cardio(8046.72, 2400)], title="B")],
        [("l", "r")],
    ),
    Case(
        "other titles and no end, as from another app",
        [workout("l", MONDAY, PUSH, title="Abend", exercise="Bankdrücken", minutes=None)],
        [workout("r", MONDAY, PUSH)],
        [("l", "r")],
    ),
    Case(
        "other content, title, duration at the same time",
        [workout("l", MONDAY, PUSH, title="A", minutes=50)],
        [workout("r", MONDAY, LEGS, title="B")],
        [],
    ),
    Case(
        "a corrected set",
        [workout("l", MONDAY, [lift(105, 5), *PUSH[1:]], title="A", minutes=50)],
        [workout("r", MONDAY, PUSH, title="B")],
        [("l", "r")],
    ),
    Case(
        "all sets corrected, the title kept",
        [workout("l", MONDAY, LEGS, minutes=None)],
        [workout("r", MONDAY, PUSH)],
        [("l", "r")],
    ),
    Case(
        "eight hours, seven in summer",
        [*days("l", range(5), shift=8 * HOUR), *days("l", range(5, 9), shift=7 * HOUR)],
        days("r", range(9)),
        same_days(range(9)),
    ),
    Case(
        "an hour in summer, none in winter",
        [*days("l", range(5)), *days("l", range(5, 9), shift=HOUR)],
        days("r", range(9)),
        same_days(range(9)),
    ),
    Case(
        "half an hour between zones",
        days("l", range(3), shift=timedelta(hours=5, minutes=30)),
        days("r", range(3)),
        same_days(range(3)),
    ),
    Case(
        "twenty minutes are no zone",
        days("l", range(3), shift=timedelta(minutes=20)),
        days("r", range(3)),
        [],
    ),
    Case(
        "a corrected set in a moved file",
        [
            *days("l", range(3), shift=8 * HOUR),
            workout("l3", MONDAY + 3 * DAY + 8 * HOUR, LEGS, minutes=None),
        ],
        days("r", range(4)),
        same_days(range(4)),
    ),
    Case(
        "one moved workout that is alike in everything",
        [workout("l", MONDAY + 8 * HOUR, PUSH)],
        [workout("r", MONDAY, PUSH)],
        [("l", "r")],
    ),
    Case(
        "one moved workout under another title",
        [workout("l", MONDAY + 8 * HOUR, PUSH, title="Pull")],
        [workout("r", MONDAY, PUSH)],
        [],
    ),
    Case(
        "one moved workout that took longer",
        [workout("l", MONDAY + 8 * HOUR, PUSH, minutes=61)],
        [workout("r", MONDAY, PUSH)],
        [],
    ),
    Case(
        "one moved workout of two sets under a renamed exercise",
        [workout("l", MONDAY + 8 * HOUR, PUSH[:2], exercise="Press")],
        [workout("r", MONDAY, PUSH[:2])],
        [],
    ),
    Case(
        "moved workouts without any number",
        days("l", range(3), [lift(), lift()], shift=8 * HOUR),
        days("r", range(3), [lift(), lift()]),
        [],
    ),
    Case(
        "the same every day, the file a day longer",
        days("l", range(11), PUSH),
        days("r", range(10), PUSH),
        same_days(range(10)),
    ),
    Case(
        "the same every day, the file with later days",
        days("l", range(5, 15), PUSH),
        days("r", range(10), PUSH),
        same_days(range(5, 10)),
    ),
    Case(
        "the same every day, the file with new days only",
        days("l", range(10, 20), PUSH),
        days("r", range(10), PUSH),
        [],
    ),
    Case(
        "the same every hour, the file with new days only",
        [one for hour in range(16) for one in days(f"l{hour}-", range(3, 6), SHORT, hour * HOUR)],
        [one for hour in range(16) for one in days(f"r{hour}-", range(3), SHORT, hour * HOUR)],
        [],
    ),
    Case(
        "one moved workout beside another with the same sets",
        [workout("l1", MONDAY + HOUR, PUSH, title="A"), workout("l2", MONDAY + 7 * HOUR, PUSH)],
        [workout("r", MONDAY, PUSH)],
        [("l2", "r")],
    ),
    Case(
        "two moved workouts of two days under other titles",
        [
            workout("l0", MONDAY + 8 * HOUR, SHORT, title="A"),
            workout("l1", MONDAY + DAY + 8 * HOUR, LEGS, title="A"),
        ],
        [workout("r0", MONDAY, SHORT), workout("r1", MONDAY + DAY, LEGS)],
        same_days(range(2)),
    ),
    Case(
        "the same every day, moved",
        days("l", range(10), PUSH, shift=8 * HOUR),
        days("r", range(10), PUSH),
        same_days(range(10)),
    ),
    Case(
        "twice a day the same, one day more",
        [*days("l", range(6), PUSH), *days("lb", range(6), PUSH, shift=10 * HOUR)],
        [*days("r", range(5), PUSH), *days("rb", range(5), PUSH, shift=10 * HOUR)],
        [*same_days(range(5)), *((f"lb{day}", f"rb{day}") for day in range(5))],
    ),
    Case(
        "a workout that the account has twice",
        [workout("l", MONDAY, PUSH)],
        [workout("r1", MONDAY, PUSH), workout("r2", MONDAY, PUSH)],
        [("l", "r1")],
    ),
    Case(
        "both have it twice",
        [workout("l1", MONDAY, PUSH), workout("l2", MONDAY, PUSH)],
        [workout("r1", MONDAY, PUSH), workout("r2", MONDAY, PUSH)],
        [("l1", "r1"), ("l2", "r2")],
    ),
    Case(
        "of two with the same sets the one with the same title",
        [workout("l", MONDAY, PUSH, title="Evening")],
        [workout("r1", MONDAY, PUSH), workout("r2", MONDAY, PUSH, title="Evening")],
        [("l", "r2")],
    ),
]


def pairs(matching: Matching) -> set[tuple[str, str]]:
    return set(matching.partners.items())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_workouts_are_paired(case: Case) -> None:
    assert pairs(match_workouts(case.left, case.right)) == set(case.expected)


def test_the_shift_is_that_of_the_nearest_match() -> None:
    winter = days("l", range(3), shift=8 * HOUR)
    summer = days("l", range(20, 23), shift=7 * HOUR)
    found = match_workouts([*summer, *winter], [*days("r", range(3)), *days("r", range(20, 23))])
    assert found.shifts == (7 * HOUR, 8 * HOUR)
    assert [found.shift_near(MONDAY + day * DAY) for day in (-9, 1, 5, 18, 99)] == [
        8 * HOUR,
        8 * HOUR,
        8 * HOUR,
        7 * HOUR,
        7 * HOUR,
    ]
    assert match_workouts([], []).shift_near(MONDAY) == timedelta()


def test_a_pin_stays_whatever_became_of_the_content() -> None:
    left, right = (
        [workout("l", MONDAY, PUSH)],
        [workout("r", MONDAY, LEGS), workout("r2", MONDAY, PUSH)],
    )
    assert pairs(match_workouts(left, right, {"l": "r"})) == {("l", "r")}


def test_pins_tell_the_shift_of_the_others() -> None:
    left = [
        workout("l", MONDAY + HOUR, PUSH),
        workout("l2", MONDAY + DAY + HOUR, LEGS[:1], title="A"),
    ]
    right = [workout("r", MONDAY, PUSH), workout("r2", MONDAY + DAY, LEGS[:1], title="B")]
    assert pairs(match_workouts(left, right, {"l": "r"})) == {("l", "r"), ("l2", "r2")}
    assert pairs(match_workouts(left[1:], right[1:])) == set()


def test_a_pin_whose_time_was_corrected_moves_nothing() -> None:
    left = [workout("l", MONDAY, PUSH)]
    right = [workout("r", MONDAY + timedelta(days=3), PUSH)]
    assert match_workouts(left, right, {"l": "r"}).matches == ()


numbers = st.builds(
    SetNumbers,
    st.integers(0, 8).map(lambda step: 2.5 * step),
    st.integers(0, 3),
    st.just(0.0),
    st.sampled_from([0, 60]),
)


@st.composite
def histories(draw: st.DrawFn, side: str) -> list[Performed]:
    starts = draw(st.lists(st.integers(0, 60), max_size=8))
    return [
        workout(
            f"{side}{at}",
            MONDAY + quarter * timedelta(hours=3),
            draw(st.lists(numbers, max_size=3)),
            title=draw(st.sampled_from("AB")),
        )
        for at, quarter in enumerate(starts)
    ]


@given(histories("l"), histories("r"), st.randoms())
def test_pairs_are_one_to_one_and_do_not_depend_on_the_order(
    left: list[Performed], right: list[Performed], random: object
) -> None:
    found = match_workouts(left, right)
    assert len(set(found.partners.values())) == len(found.matches) == len(found.partners)
    assert match_workouts(left[::-1], right[::-1]) == found


@given(histories("l"))
def test_a_history_matches_itself(left: list[Performed]) -> None:
    right = [replace(one, id=f"r-{one.id}") for one in left]
    found = match_workouts(left, right).partners
    assert found.keys() == {one.id for one in left}
    by_id = {one.id: one for one in right}
    for one in left:
        other = by_id[found[one.id]]
        assert (one.start_at, one.title) == (other.start_at, other.title)
        assert is_same_content(one, other)


@given(histories("l"), histories("r"))
def test_what_was_matched_stays_when_it_is_matched_again(
    left: list[Performed], right: list[Performed]
) -> None:
    found = match_workouts(left, right)
    assert pairs(match_workouts(left, right, found.partners)) == pairs(found)


@given(st.integers(-56, 56), st.integers(2, 8))
def test_a_history_is_found_whatever_zone_moved_it(quarters: int, count: int) -> None:
    shift = quarters * timedelta(minutes=15)
    found = match_workouts(days("l", range(count), shift=shift), days("r", range(count)))
    assert pairs(found) == set(same_days(range(count)))
    assert {match.shift for match in found.matches} == {shift}


@pytest.mark.parametrize("sets", [None, PUSH], ids=["all different", "all the same"])
def test_two_thousand_workouts_are_matched_in_two_seconds(
    sets: Sequence[SetNumbers] | None,
) -> None:
    left, right = days("l", range(2000), sets, shift=2 * HOUR), days("r", range(2000), sets)
    started = time.process_time()
    found = match_workouts(left, right)
    assert time.process_time() - started < 2
    assert pairs(found) == set(same_days(range(2000)))
