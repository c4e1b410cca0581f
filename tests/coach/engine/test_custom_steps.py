"""An athlete's own steps, as the data that a profile holds."""

import tomllib
from pathlib import Path

import pytest

from coach_agent.domain.plan import SlotPrescription
from coach_agent.profile.exercise_rules import ExerciseRule
from coach_agent.profile.model import ProfileError, Rules, load_profile
from tests.coach.builders import (
    BENCH,
    CURL,
    Done,
    exposure,
    fixed,
    loads,
    prescribe_slot,
    reps,
    slot,
)

SETS = fixed(3, 100, 8)


def decided(
    toml: str, *workouts: list[Done], exercise: dict[str, str] = BENCH, other: str = ""
) -> SlotPrescription:
    """The next sets after these workouts, newest first, by steps written in TOML."""
    rule = tomllib.loads(f"model = 'steps'\n{other}\nsteps = [\n{toml}\n]")
    given = Rules(
        exercises={
            exercise["exercise_title"]: ExerciseRule.model_validate(rule, strict=False),
        }
    )
    log = [
        exposure(done, fixed(len(done), done[0][0], 8), days_ago=at)
        for at, done in enumerate(workouts)
    ]
    return prescribe_slot(slot(exercise, fixed(3, workouts[0][0][0], 8), log), given)


def same(*done: int, kg: float = 100.0, rpe: float | None = None) -> list[Done]:
    return [(kg, each, rpe) for each in done]


UP = "{ when = { all_sets_at_least = 8 }, then = { add_steps = 1 } }"


@pytest.mark.parametrize(
    ("toml", "workouts", "expected_kg", "expected_reps"),
    [
        pytest.param(UP, [same(8, 8, 8)], 102.5, [8, 8, 8], id="all sets at least: met"),
        pytest.param(UP, [same(8, 8, 7)], 100, [8, 8, 8], id="all sets at least: not met"),
        pytest.param(
            "{ when = { any_set_below = 6 }, then = { add_steps = -2, set_reps = 6 } }",
            [same(8, 7, 5)],
            95,
            [6, 6, 6],
            id="any set below: two steps down",
        ),
        pytest.param(
            "{ when = { last_set_reps_at_least = 12 }, then = { add_steps = 2, set_reps = 8 } }",
            [same(8, 8, 12)],
            105,
            [8, 8, 8],
            id="last set: two steps within the jump cap",
        ),
        pytest.param(
            "{ when = { last_set_reps_at_least = 12 }, then = { add_steps = 3 } }",
            [same(12, 12, 12)],
            105,
            [8, 8, 8],
            id="three steps are cut at the jump cap",
        ),
        pytest.param(
            "{ when = { misses_in_a_row = 2 }, then = { multiply = 0.9, set_reps = 8 } }",
            [same(8, 8, 7), same(8, 7, 7)],
            90,
            [8, 8, 8],
            id="two misses in a row",
        ),
        pytest.param(
            "{ when = { misses_in_a_row = 2 }, then = { multiply = 0.9 } }",
            [same(8, 8, 7), same(8, 8, 8), same(8, 8, 7)],
            100,
            [8, 8, 8],
            id="a success ends the row",
        ),
        pytest.param(
            "{ when = { misses_in_a_row = 2 }, then = { multiply = 0.9 } }",
            [same(8, 8, 7, kg=90), same(8, 8, 7, kg=100)],
            90,
            [8, 8, 8],
            id="misses with a heavier load do not count again",
        ),
        pytest.param(
            "{ when = { exposures_since_step = 2 }, then = { add_steps = 1 } }",
            [same(8, 8, 8), same(8, 8, 8)],
            102.5,
            [8, 8, 8],
            id="the second time with a load",
        ),
        pytest.param(
            "{ when = { exposures_since_step = 2 }, then = { add_steps = 1 } }",
            [same(8, 8, 8), same(8, 8, 8, kg=97.5)],
            100,
            [8, 8, 8],
            id="the first time with a load",
        ),
        pytest.param(
            "{ when = { mean_rpe_at_most = 8 }, then = { add_steps = 1 } }",
            [same(8, 8, 8, rpe=8.0)],
            102.5,
            [8, 8, 8],
            id="easy enough",
        ),
        pytest.param(
            "{ when = { mean_rpe_at_most = 8 }, then = { add_steps = 1 } }",
            [same(8, 8, 8, rpe=8.5)],
            100,
            [8, 8, 8],
            id="too hard",
        ),
        pytest.param(
            "{ when = { mean_rpe_at_most = 8 }, then = { add_steps = 1 } }",
            [same(8, 8, 8)],
            100,
            [8, 8, 8],
            id="an unknown effort alone passes nothing",
        ),
        pytest.param(
            "{ when = { all_sets_at_least = 8, mean_rpe_at_most = 8 }, then = { add_steps = 1 } }",
            [same(8, 8, 8)],
            102.5,
            [8, 8, 8],
            id="an unknown effort fails nothing",
        ),
        pytest.param(
            "{ then = { add_reps = 2 } }", [same(8, 7, 6)], 100, [10, 9, 8], id="always: reps"
        ),
        pytest.param("{ then = { hold = true } }", [same(9, 9, 9)], 100, [9, 9, 9], id="hold"),
        pytest.param("{ then = { set_reps = 5 } }", [same(9, 9, 9)], 100, [5] * 3, id="set reps"),
        pytest.param(
            "{ then = { multiply = 1.01 } }", [same(12, 12, 12)], 102.5, [8] * 3, id="never zero"
        ),
        pytest.param(
            "{ then = { multiply = 1.1 } }", [same(12, 12, 12)], 105, [8] * 3, id="up to the cap"
        ),
        pytest.param(
            f"{{ when = {{ any_set_below = 7 }}, then = {{ hold = true }} }},\n{UP}",
            [same(8, 8, 8)],
            102.5,
            [8, 8, 8],
            id="the first that holds is taken",
        ),
    ],
)
def test_the_first_step_whose_conditions_hold_is_taken(
    toml: str, workouts: list[list[Done]], expected_kg: float, expected_reps: list[int]
) -> None:
    found = decided(toml, *workouts)
    assert (loads(found), reps(found)) == ([expected_kg] * 3, expected_reps)


def test_a_miss_is_no_new_target() -> None:
    """The prescription after a miss is the plan of the next time: only so three misses add up."""
    given = Rules(
        exercises={
            BENCH["exercise_title"]: ExerciseRule.model_validate(
                tomllib.loads(
                    "model = 'steps'\n"
                    "steps = [{ when = { misses_in_a_row = 3 }, then = { multiply = 0.9 } }]"
                ),
                strict=False,
            )
        }
    )
    planned, log, found = fixed(3, 100, 5), [], []
    for time in range(3):
        missed = exposure([(100, 5), (100, 5), (100, 3)], planned, days_ago=10 - 3 * time)
        log = [missed, *log]
        decided = prescribe_slot(slot(BENCH, planned, log), given)
        planned = [each.model_dump(include={"weight_kg", "reps"}) for each in decided.sets]
        found.append((loads(decided), reps(decided)))
    assert found == [([100] * 3, [5] * 3)] * 2 + [([90] * 3, [5] * 3)]


def test_a_reason_tells_the_step_and_only_conditions_that_counted() -> None:
    both = "{ when = { all_sets_at_least = 8, mean_rpe_at_most = 8 }, then = { add_steps = 1 } }"
    assert decided(both, same(8, 8, 8)).reason == (
        "Your step 1 (all sets at least 8) at 100 kg: next step 102.5 kg."
    )
    assert decided(UP, same(8, 8, 7)).reason_codes == ("no_own_step", "rpe_unknown")


def test_a_load_that_looks_impossible_is_held() -> None:
    home = decided("{ then = { add_steps = 1, set_reps = 6 } }", [(20.0, 8)] * 3, exercise=CURL)
    assert loads(home) == [22] * 3
    heavy = decided("{ then = { add_steps = 1, set_reps = 20 } }", [(10.0, 8)] * 3, exercise=CURL)
    assert loads(heavy) == [10] * 3
    assert "step_infeasible" in heavy.reason_codes


def test_the_limits_of_the_exercise_count_above_own_steps() -> None:
    assert loads(decided(UP, same(8, 8, 8), other="min_exposures = 2")) == [100] * 3
    assert loads(decided(UP, same(8, 8, 8, rpe=9.5), other="rpe_cap = 9.0")) == [100] * 3
    grow = "{ then = { add_reps = 1 } }"
    assert reps(decided(grow, same(8, 8, 8, rpe=9.5), other="rpe_cap = 9.0")) == [8] * 3


def test_nothing_lighter_than_the_lightest_is_asked_for() -> None:
    down = decided("{ then = { multiply = 0.5 } }", same(5, 5, 5, kg=20.0))
    assert loads(down) == [20] * 3
    assert "no_lighter_load" in down.reason_codes


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        pytest.param(
            "when = { all_sets = 5 }\nthen = { hold = true }",
            'unknown key exercises."Row".steps[0].when.all_sets; did you mean all_sets_at_least?',
            id="unknown condition",
        ),
        pytest.param(
            "then = { hold = true, add_reps = 1 }",
            'steps[0].then = {"hold": true, "add_reps": 1}: '
            "must have one of add_steps, add_reps, multiply and hold",
            id="two actions",
        ),
        pytest.param(
            "then = {}",
            "must have one of add_steps, add_reps, multiply, hold and set_reps",
            id="no action",
        ),
        pytest.param(
            "then = { hold = false }", "then.hold = false: must be true, or be left out", id="false"
        ),
        pytest.param(
            "then = { add_steps = 9 }",
            "then.add_steps = 9: must be less than or equal to 3",
            id="out of range",
        ),
        pytest.param(
            "then = { add_reps = 1, set_reps = 5 }",
            "must not have add_reps and set_reps at once",
            id="reps twice",
        ),
        pytest.param("when = { any_set_below = 5 }", "steps[0].then is missing", id="no then"),
    ],
)
def test_a_mistake_in_a_step_is_told_with_its_line(
    tmp_path: Path, steps: str, problem: str
) -> None:
    path = tmp_path / "one.toml"
    path.write_text(
        'id = "one"\n[exercises."Row"]\nmodel = "steps"\n[[exercises."Row".steps]]\n' + steps,
        encoding="utf-8",
    )
    with pytest.raises(ProfileError) as error:
        load_profile(path)
    told = str(error.value).replace("exercises.Row", 'exercises."Row"')
    assert problem in told
    assert told.count("\n") == 0
    assert "line 4:" in told or "line 5:" in told or "line 6:" in told


def test_a_step_up_ends_assistance() -> None:
    """No assistance is a load of 0, and still a load."""
    dips = {**BENCH, "exercise_title": "Dip (Assisted)", "exercise_type": "bodyweight_assisted"}
    steps = "{when = {all_sets_at_least = 8}, then = {add_steps = 1}},"
    found = decided(steps, [(4.5, 9)] * 3, exercise=dips)
    assert loads(found) == [0.0] * 3
