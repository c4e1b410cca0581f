"""The next set between two sets, with the loads that exist."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coach_agent.engine.explain.set_notation import (
    SetNotationError,
    WrittenSet,
    parse_done,
    parse_target,
)
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.loads.plates import assistance_loads, barbell_loads, listed_loads
from coach_agent.engine.next_set import NextSet, next_set
from coach_agent.planning.between_sets import ExerciseFacts, NextSetAnswer, NextSetQuestion, answer
from coach_agent.profile.model import AthleteProfile
from tests.coach.builders import profile

BENCH = "Bench Press (Barbell)"
FACTS = {
    BENCH: ExerciseFacts(BENCH, "weight_reps", "barbell", "chest"),
    "Squat (Barbell)": ExerciseFacts("Squat (Barbell)", "weight_reps", "barbell", "quadriceps"),
    "Bicep Curl (Dumbbell)": ExerciseFacts(
        "Bicep Curl (Dumbbell)", "weight_reps", "dumbbell", "biceps"
    ),
    "Pull Up": ExerciseFacts("Pull Up", "reps_only", "none", "lats"),
    "Pull Up (Assisted)": ExerciseFacts(
        "Pull Up (Assisted)", "bodyweight_assisted", "machine", "lats"
    ),
    "Plank": ExerciseFacts("Plank", "duration", "none", "abdominals"),
}


def ask(
    target: str,
    *done: str,
    exercise: str = BENCH,
    athlete: AthleteProfile | None = None,
    may_increase: bool = True,
) -> NextSetAnswer:
    question = NextSetQuestion(
        exercise=exercise, target=target, done=done, may_increase=may_increase
    )
    return answer(question, athlete or profile(), FACTS.get)


@pytest.mark.parametrize(
    ("text", "load", "low", "high", "seconds", "rpe"),
    [
        ("100x5", 100, 5, 5, None, None),
        ("100x5@8", 100, 5, 5, None, 8),
        (" 100 kg x 5 @ 8.5 ", 100, 5, 5, None, 8.5),
        ("82,5KG×5", 82.5, 5, 5, None, None),
        ("225lbx5", 102.05828325, 5, 5, None, None),
        ("80x8-12@8", 80, 8, 12, None, 8),
        ("100x5+", 100, 5, None, None, None),
        ("bw x 8", None, 8, 8, None, None),
        ("BW+10x8", 10, 8, 8, None, None),
        ("bw - 20 kg * 8", -20, 8, 8, None, None),
        ("8-12", None, 8, 12, None, None),
        ("5+", None, 5, None, None, None),
        ("60s", None, None, None, 60, None),
        ("20x60 s@7", 20, None, None, 60, 7),
    ],
)
def test_a_set_is_read_as_lifters_write_it(
    text: str,
    load: float | None,
    low: int | None,
    high: int | None,
    seconds: int | None,
    rpe: float | None,
) -> None:
    found = parse_target(text)
    assert (found.low, found.high, found.duration_s, found.rpe) == (low, high, seconds, rpe)
    assert found.load == (None if load is None else pytest.approx(load))
    assert found.is_added == ("bw" in text.lower())


def test_numbers_without_a_unit_have_the_one_of_the_gym() -> None:
    assert parse_done("100x5", "lb").load == pytest.approx(45.359237)
    assert parse_done("100kg x5", "lb").load == 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is no set"),
        ("100", None),
        ("100x", "is no set"),
        ("x5", "is no set"),
        ("100x5@", "is no set"),
        ("100x5@11", "an RPE is 1 to 10"),
        ("100x5@0", "an RPE is 1 to 10"),
        ("-100x5", "is no set"),
        ("nanx5", "is no set"),
        ("1e9x5", "is no set"),
        ("\N{ARABIC-INDIC DIGIT ONE}x5", "is no set"),
        ("99999x5", "a load is at most 1000 kg"),
        ("0x5", "a load is more than 0"),
        ("100x9999", "reps are at most 1000"),
        ("100x0", "at least 1 repetition"),
        ("80x12-8", "lowest-highest"),
        ("0s", "a time is 1 s to 24 h"),
        ("9" * 10_000, "is no set"),
    ],
)
def test_what_is_no_set_is_refused_in_a_sentence(text: str, expected: str | None) -> None:
    if expected is None:
        assert parse_target(text).low == 100  # a number alone is a number of repetitions
        return
    with pytest.raises(SetNotationError, match=expected) as error:
        parse_target(text)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("text", ["80x8-12", "100x5+"])
def test_a_done_set_is_no_range(text: str) -> None:
    with pytest.raises(SetNotationError, match="one number of repetitions"):
        parse_done(text)
    assert parse_done("100x0").low == 0


@pytest.mark.parametrize(
    ("target", "done", "expected", "reason"),
    [
        # Two points of RPE are 8 %, 108 kg; the jump cap of 5 % leaves 105.
        ("100x5@8", "100x5@6", ("more", 105), "the aim is RPE 8: up to 105 kg"),
        # One point is 4 %: 104 kg, rounded down.
        ("100x5@8", "100x5@7", ("more", 102.5), "up to 102.5 kg"),
        # Half a point is 2 %, less than the smallest step.
        ("100x5@8", "100x5@7.5", ("same", 100), "too big a step, stay at 100 kg"),
        ("100x5@8", "100x5@8", ("same", 100), "5 reps at RPE 8: stay at 100 kg"),
        # A point and a half are 6 %: 94 kg, rounded down.
        ("100x5@8", "100x5@9.5", ("less", 92.5), "down to 92.5 kg"),
        ("80x8-12@8", "80x10@8", ("same", 80), "stay"),
        # Without an RPE on both sides only repetitions count.
        ("100x5@8", "100x5", ("same", 100), "5 reps: stay at 100 kg"),
        ("100x5", "100x5@6", ("same", 100), "stay"),
        ("100x5", "100x6", ("more", 102.5), "more than the aim"),
        ("100x5", "100x4", ("less", 95), "4 of 5 reps: down to 95 kg"),
        ("80x8-12", "80x12", ("same", 80), "stay"),
        ("80x8-12", "80x13", ("more", 82.5), "up"),
        ("100x5+", "100x12", ("same", 100), "stay"),
        # A set stopped below its target is no reason to go up, however easy it was.
        ("100x5@8", "100x4@5", ("same", 100), "stay"),
        ("100x5", "100x2", ("stop", None), "2 of 5 reps is less than half"),
        ("100x1", "100x0", ("stop", None), "stop"),
        ("100x2", "100x1", ("less", 95), "1 of 2 reps"),
        # A set that names no load was done with the target's.
        ("100x5", "4", ("less", 95), "down"),
    ],
)
def test_the_next_set_with_a_bar(
    target: str, done: str, expected: tuple[str, float | None], reason: str
) -> None:
    found = ask(target, done)
    assert (found.action, found.weight_kg) == expected
    assert reason in found.reason
    assert found.reason.endswith(".")


def test_a_large_drop_from_the_first_set_ends_the_exercise() -> None:
    assert (
        ask("100x10", "100x12", "100x8").reason
        == "From 12 to 8 reps: stop this exercise for today."
    )
    assert ask("100x10", "100x12", "100x9").action == "less"
    assert ask("100x8", "100x12", "100x8").action == "same", "the target was reached"
    assert ask("100x10", "80x12", "100x8").action == "less", "the load was another one"


def test_many_sets_do_not_climb_above_the_cap_over_the_plan() -> None:
    """105 kg is the cap over the planned 100; the third set stays there."""
    found = ask("100x5@8", "100x5@6", "105x5@6")
    assert (found.action, found.weight_kg, found.codes) == ("same", 105, ("jump_cap",))
    assert "that was the most for today" in found.reason


def test_a_dumbbell_goes_up_only_by_a_step_that_was_earned() -> None:
    """From 20 to 22 kg are 10 %: worth two and a half repetitions."""
    curl = {"exercise": "Bicep Curl (Dumbbell)"}
    assert ask("20x10", "20x12", **curl).weight_kg == 20
    found = ask("20x10", "20x13", **curl)
    assert (found.action, found.weight_kg) == ("more", 22)


def test_b9_nothing_goes_up_on_a_day_on_which_everything_is_held() -> None:
    found = ask("100x5@8", "100x5@6", may_increase=False)
    assert (found.action, found.weight_kg, found.codes) == ("same", 100, ("held",))
    assert ask("bw x 8", "bw x 12", exercise="Pull Up", may_increase=False).action == "same"
    assert ask("60s", "90s", exercise="Plank", may_increase=False).action == "same"
    assert ask("100x5", "100x4", may_increase=False) == ask("100x5", "100x4")


def test_without_a_load_repetitions_change() -> None:
    found = ask("bw x 8", "bw x 10", exercise="Pull Up")
    assert (found.action, found.weight_kg, found.reps_low) == ("more", None, 10)
    assert ask("bw x 8", "bw x 6", exercise="Pull Up").reps_low == 6
    assert ask("bw x 8", "bw x 8", exercise="Pull Up").action == "same"
    assert ask("bw x 8", "bw x 3", exercise="Pull Up").action == "stop"


def test_e8_less_assistance_is_more() -> None:
    assisted = {"exercise": "Pull Up (Assisted)"}
    for target, done in (("20x8", "20x11"), ("bw-20x8", "bw-20x11")):
        found = ask(target, done, **assisted)
        assert (found.action, found.weight_kg) == ("more", 15)
    # 5 kg less of 70 - 20 kg are 10 %, and a repetition more is worth 4 %.
    assert ask("20x8", "20x9", **assisted).action == "same"
    found = ask("20x8", "20x7", **assisted)
    assert (found.action, found.weight_kg) == ("less", 25)
    assert "25 kg of assistance" in found.reason


def test_weight_added_to_the_body_goes_by_the_plates_there_are() -> None:
    """A repetition is worth 4 % of 70 + 10 kg: 3.2 kg more or less."""
    found = ask("bw+10x8", "bw+10x9", exercise="Pull Up")
    assert (found.action, found.weight_kg) == ("more", 12.5)
    assert ask("bw+10x8", "bw+10x7", exercise="Pull Up").weight_kg == 6.25
    lightest = ask("bw+1.25x8", "bw+1.25x7", exercise="Pull Up")
    assert (lightest.action, lightest.weight_kg) == ("less", 0)


def test_a_time_is_held_as_long_or_five_seconds_longer() -> None:
    plank = {"exercise": "Plank"}
    assert [ask("60s", f"{s}s", **plank).duration_s for s in (60, 64, 65, 45, 29)] == [
        *(60, 60, 65, 45, None)
    ]


@pytest.mark.parametrize(
    ("target", "done", "expected", "reason"),
    [
        ("85x5", ["850x5"], 85, "850 kg looks like a typing error: stay at 85 kg."),
        ("85x5", ["87.5x5", "850x6"], 87.5, "850 kg looks like a typing error: stay at 87.5 kg."),
        ("60x8-12", ["60x120"], 60, "120 reps looks like a typing error: stay at 60 kg."),
        ("60x8+", ["60x9", "60x90"], 60, "90 reps looks like a typing error: stay at 60 kg."),
    ],
)
def test_nothing_follows_from_a_set_that_looks_mistyped(
    target: str, done: list[str], expected: float, reason: str
) -> None:
    """850 kg for 85 led to 850 kg again, or to more."""
    found = ask(target, *done)
    assert (found.action, found.weight_kg, found.codes) == ("same", expected, ("suspected_typo",))
    assert found.reason == reason


def test_a_mistyped_set_before_the_last_one_is_no_measure_of_it() -> None:
    """From 80 to 7 repetitions the exercise was to be ended."""
    assert ask("60x8", "60x80", "60x7").action == "less"
    assert ask("60x8", "600x8", "60x12").weight_kg == 62.5


def test_far_above_is_what_no_other_set_is_near() -> None:
    assert ask("60x8+", "60x40").action == "same", "an open set may be long"
    assert "suspected_typo" not in ask("60x8", "60x24", exercise=BENCH).codes
    assert "suspected_typo" not in ask("85x5", "8.5x5").codes, "nothing rises on it"
    assert ask("85x5", "135x5").action == "same", "1.6 x 85 are 136"
    assert ask("bw+5x5", "bw+20x5", exercise="Pull Up").codes != ("suspected_typo",)
    assert ask("bw+5x5", "bw+50x5", exercise="Pull Up").weight_kg == 5
    assert ask("bw-40x5", "bw-4x5", exercise="Pull Up (Assisted)").weight_kg == 40


def test_a_time_and_bare_repetitions_are_doubted_alike() -> None:
    found = ask("60s", "600s", exercise="Plank")
    assert (found.action, found.duration_s) == ("same", 60)
    assert found.reason == "600 s looks like a typing error: the same again."
    found = ask("8", "88", exercise="Pull Up")
    assert (found.action, found.reps_low, found.weight_kg) == ("same", 8, None)


def test_at_the_bottom_of_the_rack_repetitions_give_way() -> None:
    home = profile(equipment={"dumbbells_kg": [10.0, 20.0]})
    found = ask("10x10", "10x8", exercise="Bicep Curl (Dumbbell)", athlete=home)
    assert (found.action, found.weight_kg, found.reps_low) == ("less", 10, 8)
    assert found.codes == ("no_lighter_load", "rpe_unknown")


def test_a_load_that_the_gym_has_not_is_replaced_by_the_next_one_down() -> None:
    found = ask("100x5", "101x5")
    assert (found.action, found.weight_kg) == ("less", 100)
    assert "101 kg is not in your gym" in found.reason
    assert ask("100x5", "101x8").action == "more"


def test_an_unknown_exercise_is_said_and_goes_by_labelled_steps() -> None:
    found = ask("40x8", "40x9", exercise="Zercher Thing")
    assert (found.action, found.weight_kg) == ("same", 40), "4 % are 1.6 kg"
    assert found.assumption == (
        "Zercher Thing is not in Hevy's catalogue, so its equipment is unknown: loads in steps of "
        "2.5 kg are assumed."
    )
    own = profile(exercises={"Zercher Thing": {"increment_kg": 1.0}})
    found = ask("40x8", "40x9", exercise="Zercher Thing", athlete=own)
    assert (found.weight_kg, "1 kg" in str(found.assumption)) == (41, True)
    assert ask("100x5", "100x5").assumption is None


def test_an_alias_of_the_profile_is_the_exercise() -> None:
    own = profile(exercise_aliases={"Supino  reto": BENCH})
    assert ask("100x5", "100x5", exercise="supino reto", athlete=own).exercise == BENCH


@pytest.mark.parametrize(
    ("exercise", "target", "done", "expected"),
    [
        (BENCH, "100x5", "60s", "both be repetitions or both be a time"),
        (BENCH, "bw x 5", "bw x 5", "is done with a load"),
    ],
)
def test_sets_that_do_not_go_together_are_refused(
    exercise: str, target: str, done: str, expected: str
) -> None:
    with pytest.raises(SetNotationError, match=expected):
        ask(target, done, exercise=exercise)


def test_the_first_set_is_the_target() -> None:
    with pytest.raises(SetNotationError, match="the next one is the target"):
        next_set(parse_target("100x5"), [], None)


BAR = Ladder(barbell_loads(20.0, (20.0, 10.0, 5.0, 2.5, 1.25)), 2.5, 5.0, True, False)
RACK = Ladder(listed_loads((5.0, 8.0, 12.5, 20.0, 60.0)), 2.0, 5.0, True, False)
ASSISTANCE = Ladder(assistance_loads(5.0, -40.0, 0.0), 5.0, 5.0, False, True)
rpes = st.sampled_from([None, 5.0, 6.5, 8.0, 9.5, 10.0])


@st.composite
def cases(draw: st.DrawFn) -> tuple[WrittenSet, list[WrittenSet], Ladder]:
    ladder = draw(st.sampled_from([BAR, RACK, ASSISTANCE]))
    loads = st.sampled_from(ladder.loads.loads_kg)
    low = draw(st.integers(1, 15))
    high = draw(st.sampled_from([low, low + 4, None]))
    target = _written(draw(loads), low, high, draw(rpes))
    done = [
        _written(draw(loads), reps, reps, draw(rpes))
        for reps in draw(st.lists(st.integers(0, 30), min_size=1, max_size=4))
    ]
    return target, done, ladder


def _written(load: float, low: int, high: int | None, rpe: float | None) -> WrittenSet:
    return WrittenSet("a set", load, False, low, high, None, rpe)


def _load(found: NextSet, ladder: Ladder) -> float:
    if found.weight_kg is None:
        return -math.inf
    return 0.0 - found.weight_kg if ladder.is_assistance else found.weight_kg


@given(cases(), st.booleans())
def test_the_next_load_exists_and_is_within_the_cap(
    case: tuple[WrittenSet, list[WrittenSet], Ladder], may_increase: bool
) -> None:
    target, done, ladder = case
    found = next_set(target, done, ladder, may_increase=may_increase)
    assert "NaN" not in found.model_dump_json()
    assert found.reason.endswith(".")
    assert found.codes
    is_rated = target.rpe is not None and done[-1].rpe is not None
    assert is_rated or "RPE" not in found.reason
    if found.action == "stop":
        assert (found.weight_kg, found.reps_low) == (None, None)
        return
    load, last = _load(found, ladder), done[-1].load or 0.0
    assert ladder.loads.has(load)
    assert found.reps_low is not None
    assert found.reps_low >= 1
    if load > last:
        assert (found.action, may_increase) == ("more", True)
        for base in (last, target.load or 0.0):
            step = ladder.loads.next_above(base)
            assert load <= max(base + abs(base) * 0.05, base if step is None else step) + 1e-9


@given(cases(), st.integers(1, 10), st.booleans())
def test_having_done_more_never_leads_to_less(
    case: tuple[WrittenSet, list[WrittenSet], Ladder], more: int, may_increase: bool
) -> None:
    target, done, ladder = case
    last: dict[str, Any] = vars(done[-1])
    reps = (last["low"] or 0) + more
    better = [*done[:-1], WrittenSet(**{**last, "low": reps, "high": reps})]

    def rank(sets: Sequence[WrittenSet]) -> tuple[float, float]:
        found = next_set(target, sets, ladder, may_increase=may_increase)
        return _load(found, ladder), found.reps_low or 0

    found = next_set(target, better, ladder, may_increase=may_increase)
    assume("suspected_typo" not in found.codes)
    assert rank(better) >= rank(done)
