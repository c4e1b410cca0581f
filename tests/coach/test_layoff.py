"""What a break takes, and the way back after it."""

from datetime import timedelta

import pytest

from coach_agent.context import Exposure
from coach_agent.progression.circumstances import (
    Return,
    layoff_before,
    return_after_break,
)
from coach_agent.progression.engine import settled
from coach_agent.progression.shape import history
from tests.coach.builders import (
    BENCH,
    NOW,
    Done,
    exposure,
    fixed,
    loads,
    profile,
    routine,
    rules,
    slot,
)
from tests.coach.usual_workout import FIVE, FIVES, TODAY, bench, plan


class TestLayoff:
    @pytest.mark.parametrize(
        ("days", "expected"), [(0, None), (16, None), (17, "mid"), (41, "mid"), (42, "long")]
    )
    def test_its_length(self, days: int, expected: str | None) -> None:
        assert layoff_before(TODAY, [TODAY - timedelta(days=days)]) == expected
        assert layoff_before(TODAY, []) is None

    @pytest.mark.parametrize(
        ("gaps", "expected"),
        [
            ((20, 21), None),
            ((20, 3), "mid"),
            ((60, 50), "mid"),
            ((60, 20), "long"),
            ((20, 60), "mid"),
        ],
    )
    def test_one_like_the_break_before_counts_less(
        self, gaps: tuple[int, int], expected: str | None
    ) -> None:
        newest = TODAY - timedelta(days=gaps[0])
        assert layoff_before(TODAY, [newest, newest - timedelta(days=gaps[1])]) == expected

    @pytest.mark.parametrize(
        ("away", "expected"),
        [(14, [102.5] * 3), (20, [97.5] * 2), (60, [92.5] * 2)],
        ids=["up to 16 days", "up to 41", "more"],
    )
    def test_what_it_takes(self, away: int, expected: list[float]) -> None:
        later = TODAY + timedelta(days=away)
        assert loads(plan(bench(), today=later).slots[0]) == expected

    def test_the_day_is_the_athletes_own(self) -> None:
        """In Sydney it was the next day already: 16 days, and no break."""
        late = slot(BENCH, FIVES, [exposure([FIVE] * 3, FIVES)])  # 18:00 UTC
        later = TODAY + timedelta(days=17)
        at_home = profile(timezone="Australia/Sydney")
        assert loads(plan(late, today=later).slots[0]) == [97.5] * 2
        assert loads(plan(late, today=later, athlete=at_home).slots[0]) == [102.5] * 3

    def test_done_in_another_routine_is_done(self) -> None:
        elsewhere = bench(last_trained_at=NOW + timedelta(days=55))
        later = TODAY + timedelta(days=60)
        assert loads(plan(elsewhere, today=later).slots[0]) == [102.5] * 3

    @pytest.mark.parametrize("before", [100.0, 140.0, 200.0])
    def test_three_exposures_after_a_long_break_the_old_load_is_back(self, before: float) -> None:
        sets = fixed(3, before, 5)
        past = [exposure([(before, 5)] * 3, sets, days_ago=100)]
        today = TODAY - timedelta(days=30)
        for number in range(4):
            lift = slot(BENCH, sets, past)
            (prescribed,) = plan(lift, today=today + timedelta(days=3 * number)).slots
            load = loads(prescribed)[0]
            assert load is not None
            count = len(prescribed.sets)
            done = exposure([(load, 5)] * count, fixed(count, load, 5), days_ago=30 - 3 * number)
            past = [done, *past]
        assert load == before
        assert past[3].sets[0].weight_kg is not None
        assert past[3].sets[0].weight_kg <= before * 0.925

    def test_the_way_back_ends(self) -> None:
        past = [exposure([(90, 5)] * 3, FIVES, days_ago=day) for day in (2, 5, 8)]
        old = exposure([FIVE] * 3, FIVES, days_ago=60)

        def way(*exposures: Exposure) -> Return | None:
            given = settled("demo", routine(slot(BENCH, FIVES, exposures)), rules(BENCH))
            shaped = given.slots[0]
            return return_after_break(history(shaped, shaped.sets, shaped.blocks[0]).attempts)

        assert way(*past[2:], old) == Return(100, 3)
        assert way(*past, old) == Return(100, 1)
        assert way(exposure([(95, 5)] * 3, FIVES, days_ago=1), *past, old) is None

    def test_what_holds_an_ordinary_step_holds_the_way_back(self) -> None:
        old = exposure([(230, 5)] * 3, fixed(3, 230, 5), days_ago=60)

        def load_after(done: Done, planned: float, **rule: object) -> float | None:
            sets = fixed(3, planned, 5)
            lift = slot(BENCH, sets, [exposure([done] * 3, sets, days_ago=2), old])
            athlete = profile(exercises={BENCH["exercise_title"]: rule})
            return loads(plan(lift, athlete=athlete).slots[0])[0]

        assert load_after((200, 5), 200) == 210
        assert load_after((200, 5, 10.0), 200, rpe_cap=8) == 200
        assert load_after((200, 5), 200, min_exposures=3) == 200
        assert load_after((200, 5), 202.5) == 202.5

    def test_a_rare_lift_does_not_become_ever_weaker(self) -> None:
        past = [exposure([FIVE] * 3, FIVES, days_ago=day) for day in (20, 40, 60)]
        assert loads(plan(slot(BENCH, FIVES, past)).slots[0]) == [102.5] * 3
