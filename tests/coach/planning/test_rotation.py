from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest

from coach_agent.domain.context import RoutineContext, TrainedRoutine
from coach_agent.domain.days import local_date
from coach_agent.planning.rotation import (
    due_on,
    managed_routines,
    next_routine,
    predict_next_routine,
    predict_rotation,
    unknown_rules,
)
from coach_agent.profile.model import AthleteProfile, ProfileError, Weekday
from tests.coach.builders import BENCH, CURL, NOW, fixed, profile, routine, slot

MONDAY = date(2026, 3, 2)
WEEK: dict[Weekday, str] = {"mon": "Upper", "wed": "Lower", "fri": "Upper"}


def chosen(known: Sequence[RoutineContext], athlete: AthleteProfile, order: str = "") -> str | None:
    """The title that comes next after workouts with the routines of these letters."""
    trained = [
        TrainedRoutine(routine_id=f"routine-{title}", started_at=NOW - timedelta(days=days))
        for days, title in enumerate(reversed(order))
    ]
    found = next_routine(known, athlete, trained[::-1], NOW.date())
    return None if found is None else found.title


def routines(**days_ago: int | None) -> list[RoutineContext]:
    return [routine(title=title, days_ago=days) for title, days in days_ago.items()]


@pytest.mark.parametrize(
    ("days_ago", "expected"),
    [
        ({"A": 5, "B": 3, "C": 1}, "A"),
        ({"A": 3, "B": 1, "C": 5}, "C"),
        ({"A": None, "B": None, "C": None}, "A"),
        ({"A": 1, "B": None, "C": None}, "B"),
        ({"A": 4, "B": 2, "C": 6, "Extra": 0}, "C"),
        ({"A": 2, "B": 2, "C": 6}, "C"),
    ],
    ids=["round", "one left out", "never", "first time", "others do not count", "same moment"],
)
def test_the_profile_gives_the_order(days_ago: dict[str, int | None], expected: str) -> None:
    assert chosen(routines(**days_ago), profile(routines=["A", "B", "C"])) == expected


@pytest.mark.parametrize(
    ("days_ago", "expected"),
    [
        ({"A": 1, "B": 5, "C": 3}, "B"),
        ({"C": None, "B": None, "A": 9}, "B"),
        ({"B": 2, "A": 2}, "A"),
    ],
    ids=["longest ago", "never trained, by title", "same moment, by title"],
)
def test_without_an_order_the_longest_not_trained_comes_next(
    days_ago: dict[str, int | None], expected: str
) -> None:
    forwards, backwards = routines(**days_ago), routines(**days_ago)[::-1]
    for order in (forwards, backwards):
        assert chosen(order, profile()) == expected


def test_sessions_of_a_programme_come_before_the_order_learned() -> None:
    """One that is not in the account any more is passed over."""
    known = routines(A=1, B=2, C=3)
    due = ("routine-gone", "routine-C", "routine-A")
    for athlete, expected in (
        (profile(), "C"),
        (profile(routines=["B", "A"]), "B"),
        (profile(coach={"routines": ["A", "B"]}), "A"),
    ):
        found = next_routine(known, athlete, (), NOW.date(), due)
        assert found is not None
        assert found.title == expected


def test_without_routines_there_is_nothing_next() -> None:
    assert chosen([], profile(routines=["A"])) is None


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ABCAB", "C"),
        ("ABCABC", "A"),
        ("ABAB", "A"),
        ("AABAAB", "A"),
        ("AABAA", "B"),
        ("UPUPULUPUPUL", "U"),
        ("AAAA", "A"),
        ("ACBCACBABACDBA", "C"),
        ("XABXACXA", "C"),
        ("ABC", None),
        ("A", None),
        ("", None),
    ],
    ids=[
        "round",
        "round over",
        "two in turn",
        "twice A",
        "twice A, then B",
        "one between",
        "one alone",
        "what came most often",
        "of equals the later one",
        "each for the first time",
        "first workout",
        "never",
    ],
)
def test_the_order_of_workouts_tells_what_comes_next(order: str, expected: str | None) -> None:
    assert predict_next_routine(order) == expected


def test_an_order_of_long_ago_is_forgotten() -> None:
    assert predict_next_routine("AB" * 12 + "A") == "B"
    assert predict_next_routine("AC" + "AB" * 11 + "A") == "B"
    assert predict_next_routine("AC" * 30 + "AB" * 12 + "A") == "B"
    assert predict_next_routine("AC" + "B" * 23 + "A") is None


@pytest.mark.parametrize(
    ("order", "expected"),
    [("ABCABC", "ABC"), ("ABCAB", "CAB"), ("AABAAB", "A"), ("ABC", "")],
)
def test_a_round_is_expected_until_one_comes_again(order: str, expected: str) -> None:
    assert "".join(predict_rotation(order)) == expected


def test_the_order_of_workouts_goes_before_what_was_not_trained_for_longest() -> None:
    """One that was given up long ago would come next for ever."""
    known = routines(A=1, B=0, C=2, Old=300, New=None)
    assert chosen(known, profile(), "CABCAB") == "C"
    assert chosen(known, profile(), "CAB") == "New"
    assert chosen(known[:-1], profile(), "CAB") == "C"


def test_workouts_with_routines_that_are_gone_do_not_count() -> None:
    assert chosen(routines(A=1, B=0), profile(), "ABXAB") == "A"


def test_only_routines_that_the_coach_may_manage_come_next() -> None:
    known = routines(A=1, B=0, C=2)
    athlete = profile(coach={"routines": ["C", "B"]})
    assert [each.title for each in managed_routines(known, athlete)] == ["B", "C"]
    assert chosen(known, athlete, "CABCAB") == "C"
    assert chosen(known, athlete, "BACABAC") == "B"
    with pytest.raises(ProfileError, match=r"demo: coach.routines: there is no routine 'Legs'"):
        chosen(known, profile(coach={"routines": ["Legs"]}))


@pytest.mark.parametrize(
    ("day", "done", "expected"),
    [
        (0, [], "Upper"),
        (1, [], "Upper"),
        (2, [], "Lower"),
        (0, [("Upper", 0)], "Lower"),
        (1, [("Upper", 1)], "Lower"),
        (2, [("Upper", 1)], "Lower"),
        (1, [("Upper", 0), ("Lower", 1)], "Upper"),
        (2, [("Upper", 0), ("Lower", 1)], "Upper"),
        (4, [("Upper", 0), ("Lower", 1)], "Upper"),
        (1, [("Upper", 0), ("Upper", 1)], "Lower"),
        (6, [("Upper", 4)], "Upper"),
        (6, [("Upper", 5)], "Upper"),
        (7, [("Upper", 5)], "Upper"),
        (7, [("Upper", 4), ("Upper", 6)], "Lower"),
        (3, [("Lower", 3), ("Upper", 0)], "Upper"),
        (1, [("Arms", 1)], "Upper"),
    ],
    ids=[
        "the day's own",
        "missed yesterday",
        "missed until the next training day",
        "done today",
        "made up",
        "made up, the next day",
        "done ahead, the same day",
        "done ahead, on its day",
        "done ahead, afterwards",
        "an extra one changes nothing",
        "weekend",
        "made up at the weekend",
        "made up is not done ahead",
        "done ahead of the next week",
        "in any order",
        "another workout",
    ],
)
def test_weekdays_tell_what_comes_next(
    day: int, done: list[tuple[str, int]], expected: str
) -> None:
    """Upper on Monday, Lower on Wednesday, Upper on Friday; days are counted from a Monday."""
    times = [(title, MONDAY + timedelta(days=days)) for title, days in done]
    assert due_on(MONDAY + timedelta(days=day), WEEK, times) == expected


def test_one_day_a_week_comes_again_every_week() -> None:
    for week in range(3):
        today = MONDAY + timedelta(weeks=week, days=6)
        done = [("Full", MONDAY + timedelta(weeks=each)) for each in range(week + 1)]
        assert due_on(today, {"mon": "Full"}, done) == "Full"


def test_a_workout_that_is_still_to_come_changes_nothing() -> None:
    week: dict[Weekday, str] = {"mon": "A"}
    done = [("A", MONDAY), ("A", MONDAY), ("A", MONDAY + timedelta(days=400))]
    assert due_on(MONDAY, week, done) == "A"


def test_weekdays_of_the_profile_are_those_of_the_athlete() -> None:
    """It is Monday evening in UTC and Tuesday morning in Auckland."""
    week = {"A": ["mon"], "B": ["tue"]}
    known = routines(A=None, B=None)
    for timezone, expected in (("UTC", "A"), ("Pacific/Auckland", "B")):
        athlete = profile(weekdays=week, timezone=timezone)
        found = next_routine(known, athlete, (), local_date(NOW, timezone))
        assert found is not None
        assert found.title == expected
    assert chosen(known, profile(weekdays=week), "A") == "B"
    with pytest.raises(ProfileError, match="demo: weekdays: there is no routine 'Legs'"):
        chosen(known, profile(weekdays={"Legs": ["mon"]}))


@pytest.mark.parametrize(
    ("moment", "timezone", "expected"),
    [
        (datetime(2025, 12, 31, 23, 30, tzinfo=UTC), "Europe/Berlin", date(2026, 1, 1)),
        (datetime(2026, 3, 1, 4, 30, tzinfo=UTC), "America/New_York", date(2026, 2, 28)),
        (datetime(2026, 3, 28, 22, 30, tzinfo=UTC), "Europe/Berlin", date(2026, 3, 28)),
        (datetime(2026, 3, 29, 22, 30, tzinfo=UTC), "Europe/Berlin", date(2026, 3, 30)),
        (datetime(2026, 10, 25, 22, 30, tzinfo=UTC), "Europe/Berlin", date(2026, 10, 25)),
    ],
    ids=["new year", "month", "winter time", "summer time", "winter time again"],
)
def test_the_day_is_that_of_the_athletes_clock(
    moment: datetime, timezone: str, expected: date
) -> None:
    assert local_date(moment, timezone) == expected


def test_a_title_that_is_not_there_is_told_with_the_nearest_one() -> None:
    with pytest.raises(ProfileError) as error:
        chosen(routines(**{"Upper A": 1, "Leg day": 2}), profile(routines=["Uper A", "Zzz"]))
    assert str(error.value).splitlines() == [
        "demo: routines: there is no routine 'Uper A'; did you mean 'Upper A'?",
        "demo: routines: there is no routine 'Zzz'; known are 'Leg day', 'Upper A'",
    ]


def test_two_routines_of_one_title_cannot_be_told_apart() -> None:
    twice = [*routines(A=1), *routines(A=2)]
    with pytest.raises(ProfileError, match="2 routines called 'A'"):
        chosen(twice, profile(routines=["A"]))


def test_an_exercise_that_no_routine_has_is_told_with_the_nearest_one() -> None:
    """A misspelt title silently drops an RPE cap."""
    athlete = profile(
        exercises={
            "Zzz": {"bar_kg": 10.0},
            "Bench Pres (Barbell)": {"rpe_cap": 8.0},
            CURL["exercise_title"]: {"increment_kg": 1.0},
        },
        avoid=["Bicep Curls (Dumbbell)", "Bench Press (Dumbbell)", "Muscle Up"],
        preferences={"swap": {"Bench Pres (Barbell)": ["Push Up"], "Muscle Up": ["Dip"]}},
    )
    upper, arms = routine(slot(BENCH, fixed(1, 60, 5))), routine(slot(CURL, fixed(1, 10, 8)))
    assert unknown_rules(athlete, [upper, arms]) == (
        "demo: exercises: no routine has 'Bench Pres (Barbell)'; "
        "did you mean 'Bench Press (Barbell)'?",
        "demo: exercises: no routine has 'Zzz'; its rule has no effect",
        "demo: avoid: no routine has 'Bicep Curls (Dumbbell)'; "
        "did you mean 'Bicep Curl (Dumbbell)'?",
        "demo: preferences.swap: no routine has 'Bench Pres (Barbell)'; "
        "did you mean 'Bench Press (Barbell)'?",
    )


def test_an_exercise_that_there_is_nowhere_is_told_too() -> None:
    """To avoid what resembles nothing did nothing, and nonsense was offered as a substitute."""
    bench = BENCH["exercise_title"]
    athlete = profile(
        avoid=["Zzz", "muscle up", "Muscel Up", bench.upper()],
        preferences={"swap": {bench: ["Push Up", "Foo bar"], "Push Up": ["Dip"]}},
    )
    there = ["Muscle Up", "Push Up", "Dip", bench]
    assert unknown_rules(athlete, [routine(slot(BENCH, fixed(1, 60, 5)))], there) == (
        "demo: avoid: there is no exercise 'Muscel Up'; did you mean 'Muscle Up'?",
        "demo: avoid: there is no exercise 'Zzz'; it has no effect",
        "demo: preferences.swap: there is no exercise 'Foo bar'; it has no effect",
    )


def test_rules_for_exercises_of_any_routine_are_no_problem() -> None:
    athlete = profile(exercises={BENCH["exercise_title"]: {"rpe_cap": 8.0}})
    assert unknown_rules(athlete, [routine(), routine(slot(BENCH, fixed(1, 60, 5)))]) == ()


def test_g16_the_routine_that_usually_follows_comes_next() -> None:
    """Legs were skipped once, so they were trained least recently; Push usually follows Pull."""
    known = routines(Push=2, Legs=6, Pull=0)
    order = [*["Push", "Legs", "Pull"] * 19, "Push", "Pull"]
    trained = [
        TrainedRoutine(routine_id=f"routine-{title}", started_at=NOW - timedelta(days=2 * days))
        for days, title in enumerate(reversed(order))
    ]
    found = next_routine(known, profile(), trained[::-1], NOW.date())
    assert found is not None
    assert found.title == "Push"
