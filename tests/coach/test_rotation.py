import pytest

from coach_agent.context import RoutineContext
from coach_agent.profile import ProfileError
from coach_agent.rotation import next_routine, unknown_rules
from tests.coach.builders import BENCH, CURL, fixed, profile, routine, slot


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
    chosen = next_routine(routines(**days_ago), profile(routines=["A", "B", "C"]))
    assert chosen is not None
    assert chosen.title == expected


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
        chosen = next_routine(order, profile())
        assert chosen is not None
        assert chosen.title == expected


def test_without_routines_there_is_nothing_next() -> None:
    assert next_routine([], profile(routines=["A"])) is None


def test_a_title_that_is_not_there_is_told_with_the_nearest_one() -> None:
    with pytest.raises(ProfileError) as error:
        next_routine(routines(**{"Upper A": 1, "Leg day": 2}), profile(routines=["Uper A", "Zzz"]))
    assert str(error.value).splitlines() == [
        "demo: routines: there is no routine 'Uper A'; did you mean 'Upper A'?",
        "demo: routines: there is no routine 'Zzz'; known are 'Leg day', 'Upper A'",
    ]


def test_two_routines_of_one_title_cannot_be_told_apart() -> None:
    twice = [*routines(A=1), *routines(A=2)]
    with pytest.raises(ProfileError, match="2 routines called 'A'"):
        next_routine(twice, profile(routines=["A"]))


def test_a_rule_for_an_exercise_that_no_routine_has_is_told_with_the_nearest_one() -> None:
    """A misspelt title drops an RPE cap, and nobody would notice."""
    athlete = profile(
        exercises={
            "Zzz": {"bar_kg": 10.0},
            "Bench Pres (Barbell)": {"rpe_cap": 8.0},
            CURL["exercise_title"]: {"increment_kg": 1.0},
        }
    )
    upper, arms = routine(slot(BENCH, fixed(1, 60, 5))), routine(slot(CURL, fixed(1, 10, 8)))
    assert unknown_rules(athlete, [upper, arms]) == (
        "demo: exercises: no routine has 'Bench Pres (Barbell)'; "
        "did you mean 'Bench Press (Barbell)'?",
        "demo: exercises: no routine has 'Zzz'; its rule has no effect",
    )


def test_rules_for_exercises_of_any_routine_are_no_problem() -> None:
    athlete = profile(exercises={BENCH["exercise_title"]: {"rpe_cap": 8.0}})
    assert unknown_rules(athlete, [routine(), routine(slot(BENCH, fixed(1, 60, 5)))]) == ()
