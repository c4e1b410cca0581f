"""Circumstances that limit or shorten a workout, decided from plain values."""

from datetime import timedelta

import pytest

from coach_agent.domain.pain import Pain
from coach_agent.engine.engine import EngineInput
from coach_agent.engine.explain.plan_texts import reasons, short_reasons
from coach_agent.engine.limits.conditions import (
    Circumstances,
    readiness_of,
)
from coach_agent.planning.decide import circumstances_of
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import (
    BENCH,
    CURL,
    PULL_UP,
    Done,
    exposure,
    fixed,
    loads,
    profile,
    ranged,
    reps,
    situation,
    slot,
)
from tests.coach.usual_workout import (
    FIVE,
    FIVES,
    RANGE,
    SQUAT,
    STALLED,
    TODAY,
    bench,
    check_in,
    curl,
    decided,
    plan,
)


class TestReadiness:
    def test_b9_normal_and_high_readiness_change_nothing(self) -> None:
        silent = decided(bench(), curl())
        for energy in (None, 3, 4, 5):
            said = check_in(energy=energy, minutes=None)
            assert decided(bench(), curl(), said=said) == silent
            assert decided(bench(), curl(), said=said).plan.to_json() == silent.plan.to_json()

    def test_b9_low_readiness_holds_with_a_set_less_and_a_lower_cap(self) -> None:
        felt = bench((100, 5, 8.0), (100, 5, 8.0), (100, 5, 8.0))
        (low,) = plan(felt, said=check_in(energy=2)).slots
        assert (loads(low), reps(low), low.rpe_cap) == ([100, 100], [5, 5], 7.5)
        (own,) = plan(
            felt,
            said=check_in(energy=2),
            athlete=profile(exercises={BENCH["exercise_title"]: {"rpe_cap": 7.0}}),
        ).slots
        assert own.rpe_cap == 7.0

    def test_b9_without_any_rpe_there_is_no_cap(self) -> None:
        (low,) = plan(bench(), said=check_in(energy=2)).slots
        assert (low.rpe_cap, "RPE" in low.reason) == (None, False)

    def test_b9_very_low_readiness_takes_a_tenth_off(self) -> None:
        (low,) = plan(bench(), said=check_in(energy=1)).slots
        assert (loads(low), low.is_easy) == ([90, 90], True)
        assert low.limits == ("readiness_very_low",)

    def test_b9_the_last_set_stays(self) -> None:
        one = slot(BENCH, fixed(1, 100, 5), [exposure([FIVE], fixed(1, 100, 5), days_ago=2)])
        assert loads(plan(one, said=check_in(soreness=5)).slots[0]) == [90]

    @pytest.mark.parametrize(
        ("score", "expected"),
        [(None, None), (1, "very_low"), (2, "low"), (3, None), (4, None), (5, None)],
    )
    def test_readiness_restrains_at_the_bottom_only(
        self, score: int | None, expected: str | None
    ) -> None:
        assert readiness_of(score) == expected


def test_to_the_body_alone_nothing_is_added_while_something_holds_it_back() -> None:
    dip = {**PULL_UP, "exercise_type": "bodyweight_weighted", "primary_muscle_group": "chest"}
    range_ = ranged(3, None, 6, 8)
    lift = slot(dip, range_, [exposure([(None, 8)] * 3, range_, days_ago=2)])
    (free,) = plan(lift).slots
    assert loads(free)[0] is not None
    hurt = check_in(pain=(Pain(part="chest", level="moderate"),))
    for said in (hurt, check_in(energy=2), check_in(energy=1), check_in(deload=("all",))):
        (held,) = plan(lift, said=said).slots
        assert set(loads(held)) == {None}
        assert all((count or 0) <= 8 for count in reps(held))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, [110] * 3),
        ({"pain": (Pain(part="chest", level="moderate"),)}, [100] * 3),
        ({"energy": 1}, [90] * 2),
        ({"deload": ("all",)}, [90] * 2),
    ],
    ids=["nothing", "pain", "very low", "deload"],
)
def test_a_new_target_is_held_to_what_was_lifted_last(
    said: dict[str, object], expected: list[float]
) -> None:
    """The athlete's own load is kept, but not on such a day; the day after it is back."""
    lift = slot(BENCH, fixed(3, 110, 8), [exposure([FIVE] * 3, FIVES, days_ago=2)])
    (held,) = plan(lift, said=check_in(**said)).slots
    assert loads(held) == expected
    assert [each.weight_kg for each in held.whole_sets or held.sets] == [110] * 3


class TestTaper:
    def test_fewer_sets_and_the_load_stays(self) -> None:
        athlete = profile(goal={"date": TODAY + timedelta(days=10)})
        (tapered,) = plan(bench(), athlete=athlete).slots
        assert (loads(tapered), tapered.is_easy) == ([100, 100], False)
        assert tapered.reason_codes[0] == "taper"

    def test_no_deload_comes_on_top(self) -> None:
        athlete = profile(goal={"date": TODAY + timedelta(days=10)})
        both = [bench(trend=STALLED), slot(SQUAT, FIVES, trend=STALLED)]
        assert plan(*both, athlete=athlete).deload is None


class TestStall:
    @pytest.mark.parametrize(
        ("done", "expected"),
        [([FIVE] * 3, [100] * 3), ([(100, 5), (100, 5), (100, 4)], [100] * 3)],
    )
    def test_b10_it_never_forces_a_load_up(self, done: list[Done], expected: list[float]) -> None:
        (held,) = plan(bench(*done, trend=STALLED)).slots
        assert loads(held) == expected
        assert held.stall is not None
        assert held.stall.fix_type == "variation"

    def test_hard_sets_come_off_a_little_once_and_are_built_up_again(self) -> None:
        hard = STALLED.model_copy(update={"mean_rpe": 9.5})
        rated = bench(*[(100.0, 5, 9.5)] * 3, trend=hard)
        assert loads(plan(rated).slots[0]) == [92.5] * 3  # 92 has no plates
        again = [exposure([(92.5, 5)] * 3, fixed(3, 92.5, 5), days_ago=1), *rated.exposures]
        assert loads(plan(slot(BENCH, FIVES, again, trend=hard)).slots[0]) == [95] * 3

    def test_sets_that_are_hard_no_more_stay(self) -> None:
        """The mean of the trend is old; the last workout did all that was asked."""
        hard = STALLED.model_copy(update={"mean_rpe": 9.5})
        assert loads(plan(bench(trend=hard)).slots[0]) == [100] * 3

    def test_what_rounding_takes_too_much_comes_back_as_repetitions(self) -> None:
        """8 % less than 100 kg x 8 is 116.5 kg e1RM: with 80 kg 13 repetitions, of 8 to 12."""
        coarse = profile(equipment={"plate_pairs_kg": [20.0, 10.0, 10.0]})
        wide = ranged(3, 100, 8, 12)
        hard = STALLED.model_copy(update={"mean_rpe": 9.5})
        done = [exposure([(100, 8, 9.5)] * 3, wide, days_ago=2)]
        (eased,) = plan(slot(BENCH, wide, done, trend=hard), athlete=coarse).slots
        assert (loads(eased), reps(eased)) == ([80] * 3, [12] * 3)


def test_e5_nothing_done_is_nothing_changed() -> None:
    skipped = exposure([], FIVES, skipped=[0, 1, 2])
    after = slot(BENCH, FIVES, [skipped, *bench().exposures])
    assert plan(after).slots[0].sets == plan(bench()).slots[0].sets


@pytest.mark.parametrize(
    "said", [check_in(energy=1), check_in(deload=("all",)), check_in(soreness=4)]
)
def test_e10_reps_never_leave_the_range_downwards(said: CheckIn) -> None:
    low = slot(CURL, RANGE, [exposure([(24, 8), (24, 8), (24, 6)], RANGE, days_ago=2)])
    assert all(8 <= (each or 0) <= 12 for each in reps(plan(low, said=said).slots[0]))


def test_the_body_alone_has_fewer_sets_and_reps_to_spare() -> None:
    sets = fixed(3, None, 8)
    pulls = slot(PULL_UP, sets, [exposure([(None, 8), (None, 7), (None, 6)], sets, days_ago=2)])
    (easy,) = plan(pulls, said=check_in(deload=("all",))).slots
    assert (reps(easy), loads(easy)) == ([4, 3], [None, None])
    assert short_reasons(easy, "kg") == (
        "Deload, as you asked. Leave 4 reps in the tank on each set. "
        "Up to 4 instead of 8 reps, 2 sets instead of 3.",
    )


def test_the_strictest_counts_and_each_is_told() -> None:
    said = check_in(energy=1, deload=("all",))
    (easy,) = plan(bench(), said=said, today=TODAY + timedelta(days=20)).slots
    assert loads(easy) == [90, 90]
    assert [each.rule for each in easy.adjustments] == [
        "deload_asked",
        "readiness_very_low",
        "layoff",
    ]


def test_a_check_in_and_the_profile_meet() -> None:
    found = circumstances_of(
        situation(
            [], latest_check_in=check_in(minutes=45, pain=(Pain(part="knee", level="mild"),))
        ),
        profile(session_minutes=60, pain={"elbow": "severe"}, avoid=["Dip"]),
    )
    assert (found.minutes, found.avoided_titles) == (45, ("Dip",))
    assert [pain.part for pain in found.pains] == ["knee", "elbow"]
    assert circumstances_of(situation([]), profile()) == Circumstances()


def test_c3_the_engine_knows_no_metric_that_is_for_show() -> None:
    """CTL, ATL, TSB, ACWR, monotony, strain and INOL cannot gate: nothing carries them."""
    shown = ("ctl", "atl", "tsb", "acwr", "monotony", "strain", "inol", "landmark", "dots")
    schema = str(sorted(_names(EngineInput.model_json_schema()))).lower()
    assert not [name for name in shown if f"'{name}" in schema or f"_{name}" in schema]


def _names(value: object) -> set[str]:
    """All keys of a JSON schema, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*(_names(each) for each in value.values()))
    return set().union(*(_names(each) for each in value)) if isinstance(value, list) else set()


def test_an_exercise_left_out_has_only_the_reason_for_that() -> None:
    """It had "no increase today. If a set hurts, stop" before "Shortened to fit"."""
    pains = (
        Pain(part="right elbow", level="moderate"),
        Pain(part="left biceps", level="severe"),
    )
    said = check_in(minutes=5, pain=pains[:1])
    _, short = plan(bench(), curl(), said=said).slots
    assert short.is_left_out
    assert {"pain_moderate", "time_cap"} == {each.rule for each in short.adjustments}
    assert short_reasons(short, "kg") == ("Shortened to fit 5 minutes.",)
    told = reasons(short, "kg")
    assert [told[0], told[1][:12], len(told)] == ["Shortened to fit 5 minutes.", "Without that", 2]

    _, hurt = plan(bench(), curl(), said=check_in(energy=2, pain=pains)).slots
    assert hurt.is_left_out
    assert {each.rule for each in hurt.valid_adjustments} == {"pain_severe"}
    assert "set less" not in " ".join(short_reasons(hurt, "kg"))
