"""Effective settings of an athlete, with the source of each value."""

from datetime import date, timedelta
from typing import Any

import pytest

from coach_agent.domain.context import TrainedRoutine
from coach_agent.planning.effective_settings import effective_settings
from coach_agent.profile.exercise_rules import ExerciseRule
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.toml_errors import dotted
from coach_agent.store.profile_facts import Learned, ProfileFacts
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    PLANK,
    PULL_UP,
    exposure,
    fixed,
    profile,
    ranged,
    routine,
    slot,
    timed_exposure,
)

TODAY = date(2026, 3, 2)
BENCH_KEY = 'exercises."Bench Press (Barbell)"'
CURL_KEY = 'exercises."Bicep Curl (Dumbbell)"'
ROUTINES = (
    routine(
        slot(BENCH, fixed(3, 100, 5), [exposure([(100, 5)] * 3)]),
        slot(CURL, ranged(3, 12, 8, 12), [exposure([(12, 10)] * 3)]),
        slot(
            PULL_UP,
            fixed(3, None, 8),
            [exposure([(None, 9), (None, 7)], days_ago=n) for n in (0, 3)],
        ),
        slot(PLANK, [{"duration_s": 60}], [timed_exposure([60])]),
        title="A",
    ),
    routine(slot(BENCH, ranged(3, 80, 8, 10), [exposure([(80, 9)])]), title="B"),
)


def trained(order: str) -> tuple[TrainedRoutine, ...]:
    return tuple(
        TrainedRoutine(
            routine_id=f"routine-{title}", started_at=NOW - timedelta(days=len(order) - place)
        )
        for place, title in enumerate(order)
    )


FACTS = ProfileFacts(
    routines=ROUTINES,
    trained=trained("ABABAB"),
    increments_kg={BENCH["exercise_template_id"]: Learned(2.5, 4)},
    minutes_a_set=Learned(2.6, 31),
)


def found(athlete: AthleteProfile, facts: ProfileFacts | None = FACTS) -> dict[str, Any]:
    return {
        dotted(each.key): (each.value, each.source)
        for each in effective_settings(athlete, facts, TODAY)
    }


def test_every_key_of_the_profile_counts_once() -> None:
    keys = [each.key for each in effective_settings(profile(), FACTS, TODAY)]
    assert len(keys) == len(set(keys))
    assert {key[0] for key in keys} == {
        *AthleteProfile.model_fields,
        "today",
        "learned",
    }
    told = {name for name in ExerciseRule.model_fields if not name.endswith("_lb")}
    assert {key[2] for key in keys if key[0] == "exercises"} == told


def test_what_the_profile_says_is_told_from_defaults() -> None:
    known = found(
        profile(
            session_minutes=60,
            goal={"kind": "strength"},
            equipment={"unit": "lb", "bar_lb": 35.0},
            pain={"right shoulder": "mild"},
        ),
        None,
    )
    assert known["session_minutes"] == (60, "profile")
    assert known["goal.kind"] == ("strength", "profile")
    assert known["goal.date"] == (None, "default")
    assert known["equipment.bar_lb"] == (35, "profile")
    assert known["equipment.machine_step_lb"] == (10, "default")
    assert known["pain"] == ({"right shoulder": "mild"}, "profile")
    assert known["limits.jump_pct"] == (5, "default")
    assert known["name"] == ("demo", "default")


def test_of_places_the_one_that_counts_is_told() -> None:
    known = found(profile(places={"gym": {"bar_kg": 15.0}, "home": {}}, place="gym"), None)
    assert known["places"] == (["gym", "home"], "profile")
    assert known["places.gym.bar_kg"] == (15, "profile")
    assert not any(key.startswith(("equipment", "places.home")) for key in known)


def test_defaults_that_follow_from_other_keys_are_told() -> None:
    assert found(profile(), None)["deload.mode"] == ("reactive", "default")
    season = profile(
        block_start=date(2026, 1, 26),
        phases=[{"kind": "base", "weeks": 6}],
        deload={"every_weeks": 5},
        goal={"date": date(2026, 3, 22)},
    )
    known = found(season, None)
    assert known["deload.mode"] == ("both", "default")
    assert known["deload.every_weeks"] == (5, "profile")
    assert known["block_start"] == ("2026-01-26", "profile")
    assert known["phases"] == ([{"kind": "base", "weeks": 6}], "profile")
    assert known["today.phase"] == ("base", "profile")
    assert known["today.phase_week"] == (6, "profile")
    assert known["today.days_to_event"] == (20, "profile")
    assert known["today.is_deload"] == (False, "profile")


@pytest.mark.parametrize(
    ("athlete", "order", "routines", "following"),
    [
        (profile(), "ABABAB", (["A", "B"], "history (n = 6)"), ("A", "history (n = 6)")),
        (profile(), "AB", ([], "default"), ("A", "history (n = 2)")),
        (profile(), "", ([], "default"), ("A", "default")),
        (profile(routines=["B", "A"]), "AB", (["B", "A"], "profile"), ("B", "profile")),
        (
            profile(weekdays={"B": ["mon"]}),
            "ABABA",
            ([], "default"),
            ("B", "profile"),
        ),
        (
            profile(coach={"routines": ["B"]}),
            "ABABAB",
            (["B"], "history (n = 3)"),
            ("B", "history (n = 3)"),
        ),
        (profile(), "AB" * 20, (["A", "B"], "history (n = 24)"), ("A", "history (n = 24)")),
    ],
    ids=["inferred", "too few", "never", "order", "weekdays", "managed", "long ago"],
)
def test_the_rotation_says_where_it_comes_from(
    athlete: AthleteProfile, order: str, routines: object, following: object
) -> None:
    known = found(athlete, ProfileFacts(routines=ROUTINES, trained=trained(order)))
    assert (known["routines"], known["today.next_routine"]) == (routines, following)


def test_an_exercise_is_judged_by_its_routines_history_and_defaults() -> None:
    known = found(profile())
    assert known[f"{BENCH_KEY}.model"] == ("linear, double", "routine")
    assert known[f"{BENCH_KEY}.rep_range"] == ([[5, 5], [8, 10]], "routine")
    assert known[f"{BENCH_KEY}.increment_kg"] == (2.5, "history (n = 4)")
    assert known[f"{BENCH_KEY}.bar_kg"] == (20, "default")
    assert known[f"{CURL_KEY}.model"] == ("double", "routine")
    assert known[f"{CURL_KEY}.increment_kg"] == (2, "default")
    assert known[f"{CURL_KEY}.bar_kg"] == (None, "default")
    assert known[f"{CURL_KEY}.rpe_cap"] == (None, "default")
    assert known['exercises."Pull Up".rep_range'] == ([[7, 9]], "history (n = 2)")
    assert known['exercises."Pull Up".increment_kg'] == (None, "default")
    assert known["exercises.Plank.model"] == ("timed", "routine")
    assert known["exercises.Plank.rep_range"] == (None, "default")
    assert known["learned.minutes_a_set"] == (2.6, "history (n = 31)")


def test_what_the_profile_says_of_an_exercise_goes_before() -> None:
    athlete = profile(
        equipment={"bar_kg": 15.0},
        exercises={
            BENCH["exercise_title"]: {
                "model": "double",
                "increment_kg": 5.0,
                "rpe_cap": 9.0,
                "rep_range": (4, 6),
            },
            CURL["exercise_title"]: {"rep_range": (10, 15), "model": "linear"},
            "Squat (Barbell)": {"rep_range": (3, 5)},
        },
    )
    known = found(athlete)
    assert known[f"{BENCH_KEY}.model"] == ("double", "profile")
    assert known[f"{BENCH_KEY}.rep_range"] == ([[4, 6], [8, 10]], "routine")
    assert known[f"{BENCH_KEY}.increment_kg"] == (5, "profile")
    assert known[f"{BENCH_KEY}.rpe_cap"] == (9, "profile")
    assert known[f"{BENCH_KEY}.bar_kg"] == (15, "profile")
    assert known[f"{CURL_KEY}.rep_range"] == ([[8, 12]], "routine")
    assert known[f"{CURL_KEY}.model"] == ("linear", "profile")
    assert known['exercises."Squat (Barbell)".rep_range'] == ([[3, 5]], "profile")
    assert known['exercises."Squat (Barbell)".model'] == (None, "default")


def test_a_rule_gives_the_range_where_the_routine_has_none() -> None:
    athlete = profile(exercises={BENCH["exercise_title"]: {"rep_range": (4, 6)}})
    known = found(athlete, ProfileFacts(routines=ROUTINES[:1]))
    assert known[f"{BENCH_KEY}.rep_range"] == ([[4, 6]], "profile")


def test_an_exercise_that_was_never_done_has_the_range_of_the_routine() -> None:
    waiting = routine(slot(BENCH, ranged(3, None, 6, 8)), slot(CURL, fixed(2, None, 12)))
    known = found(profile(), ProfileFacts(routines=(waiting,)))
    assert known[f"{BENCH_KEY}.rep_range"] == ([[6, 8]], "routine")
    assert known[f"{BENCH_KEY}.model"] == ("keep", "routine")
    assert known[f"{CURL_KEY}.rep_range"] == ([[12, 12]], "routine")


def test_exercises_of_routines_that_are_not_managed_are_left_out() -> None:
    known = found(profile(coach={"routines": ["B"]}))
    assert f"{BENCH_KEY}.model" in known
    assert f"{CURL_KEY}.model" not in known
