"""Permission for numbers is earned in workouts under the rules' plan, and lost under its own."""

import random
from typing import Literal

import duckdb
import pytest

from coach_agent.llm.shadow import (
    FEWEST_SLOTS,
    FEWEST_WORKOUTS,
    ComparedSlot,
    PublishedBy,
    Score,
    read_shadow_score,
    score_shadow,
)

# Five workouts of four exercises; the differences within one lie around its own.
BETTER = [-4.0, -2.0, -3.0, -1.0]


def slots(
    differences: list[float], *, workouts: int = 5, published_by: PublishedBy = "engine"
) -> list[ComparedSlot]:
    return [
        ComparedSlot(f"w{at % workouts}", published_by, difference)
        for at, difference in enumerate(differences)
    ]


@pytest.mark.parametrize(
    ("differences", "is_earned"),
    [
        (BETTER * 5, True),
        ((BETTER * 5)[:19], False),
        ([-each for each in BETTER] * 5, False),
        ([0.0] * 20, False),
        ([-3.0, 3.0] * 10, False),
        ([-3.0] * 11 + [3.0] * 9, False),
    ],
    ids=["20 better", "19 better", "20 worse", "20 equal", "10 each", "11 and 9"],
)
def test_a_say_takes_twenty_exercises_in_which_the_model_was_surely_nearer(
    differences: list[float], is_earned: bool
) -> None:
    assert score_shadow(slots(differences)).is_earned == is_earned


def test_many_exercises_of_few_days_are_not_enough() -> None:
    assert not score_shadow(slots(BETTER * 10, workouts=FEWEST_WORKOUTS - 1)).is_earned
    assert score_shadow(slots(BETTER * 10, workouts=FEWEST_WORKOUTS)).is_earned


def test_workouts_under_the_models_plan_give_no_say_but_can_take_it() -> None:
    """A lifter mostly follows the plan, so the result proves little for its author."""
    own_better = slots(BETTER * 5, published_by="model")
    own_worse = slots([-each for each in BETTER] * 5, published_by="model")
    assert not score_shadow(own_better).is_earned
    assert score_shadow([*slots(BETTER * 5), *own_better]).is_earned
    assert not score_shadow([*slots(BETTER * 5), *own_worse]).is_earned
    few_worse = own_worse[: FEWEST_SLOTS - 1]
    assert score_shadow([*slots(BETTER * 5), *few_worse]).is_earned


def test_each_workout_counts_once_and_the_interval_is_students() -> None:
    """Means of 1, 2, 3, 4, 5 and 9 %: 4 on the average, s = 2.8284, t(5) = 2.5706."""
    first = [ComparedSlot("first", "engine", 0.0), ComparedSlot("first", "engine", 2.0)]
    others = [ComparedSlot(f"{pct}", "engine", pct) for pct in (2.0, 3.0, 4.0, 5.0, 9.0)]
    found = score_shadow([*first, *others]).under_engine
    assert (found.slots, found.workouts, found.mean_pct) == (7, 6, 4.0)
    assert (found.low_pct, found.high_pct) == pytest.approx((4 - 2.968, 4 + 2.968), abs=0.01)


def test_a_single_workout_has_no_interval() -> None:
    found = score_shadow([ComparedSlot("a", "engine", -5.0)] * 30).under_engine
    assert found == Score(30, 1, -5.0)
    assert not found.is_model_better


@pytest.mark.parametrize("exceeds", [0.1, 0.5])
def test_looking_every_night_at_two_that_are_alike_gives_hardly_ever_a_say(exceeds: float) -> None:
    """60 workouts of three exercises, with a look after each: of 300 such series 0 and 7 %."""
    rng = random.Random(7)  # noqa: S311 - the same series in each run
    earned = sum(_is_ever_earned(rng, exceeds, "alike") for _ in range(25))
    assert earned <= 5


def test_a_model_that_sees_what_the_rules_do_not_earns_its_say() -> None:
    rng = random.Random(7)  # noqa: S311 - the same series in each run
    assert sum(_is_ever_earned(rng, 0.1, "rules too heavy") for _ in range(10)) >= 9


@pytest.mark.parametrize("bias_pct", [-3.0, 3.0])
def test_always_less_or_always_more_earns_nothing(bias_pct: float) -> None:
    rng = random.Random(7)  # noqa: S311 - the same series in each run
    series = [_is_ever_earned(rng, 0.1, "alike", bias_pct) for _ in range(10)]
    assert sum(series) <= 1


def _is_ever_earned(
    rng: random.Random,
    exceeds: float,
    kind: Literal["alike", "rules too heavy"],
    bias_pct: float = 0.0,
) -> bool:
    """A lifter that does the plan if possible, and `exceeds` of the time the maximum."""
    found: list[ComparedSlot] = []
    for day in range(60):
        of_day = rng.gauss(0, 2)
        for _ in range(3):
            possible = 100 + of_day + rng.gauss(0, 3)
            engine = 100 + rng.gauss(0, 2) + (4 if kind == "rules too heavy" else 0)
            model = 100 + rng.gauss(0, 2) + bias_pct
            is_open = possible >= engine
            done = engine if is_open and rng.random() >= exceeds else possible
            of_model, of_engine = (
                max(0.0, done - each) if is_open else abs(done - each) for each in (model, engine)
            )
            found.append(ComparedSlot(str(day), "engine", of_model - of_engine))
        if score_shadow(found).is_earned:
            return True
    return False


MART = """
create schema marts;
create table marts.fct_plan_comparison (
    plan_comparison_key varchar, athlete_id varchar, workout_id varchar, decided_by varchar,
    prompt_version varchar, published_by varchar, difference_pct double, started_at timestamp
);
insert into marts.fct_plan_comparison values
    ('1', 'kim', 'a', 'google:flash', 'p1', 'engine', -2, '2026-03-01'),
    ('2', 'kim', 'b', 'google:flash', 'p1', 'model', 1, '2026-03-02'),
    ('3', 'kim', 'b', 'google:flash', 'p2', 'engine', 9, '2026-03-02'),
    ('4', 'kim', 'b', 'google:pro', 'p1', 'engine', 9, '2026-03-02'),
    ('5', 'lee', 'c', 'google:flash', 'p1', 'engine', 9, '2026-03-02');
"""


def test_another_model_other_instructions_and_other_athletes_do_not_count() -> None:
    with duckdb.connect() as con:
        con.execute(MART)
        found = read_shadow_score(con, "kim", "google:flash", "p1")
    assert (found.under_engine, found.under_model) == (Score(1, 1, -2.0), Score(1, 1, 1.0))


def test_before_the_marts_were_built_nothing_is_known() -> None:
    with duckdb.connect() as con:
        assert read_shadow_score(con, "kim", "google:flash", "p1") == score_shadow(())
