"""The calendar of a programme: phases, sets and effort by week."""

import pytest

from coach_agent.programmes.builder import build
from coach_agent.programmes.calendar import calendar_of, sessions_of_week
from coach_agent.programmes.files import ProgrammeError, library, parse_programme
from coach_agent.programmes.request import ProgrammeRequest
from coach_agent.programmes.weekly_volume import weekly_hard_sets
from orchestration.services.programmes.exercise_catalogue import (
    programme_catalogue,
)
from tests.coach.programmes.test_files import PATH, VALID

BLOCKS = """\
name = "mine"
title = "Mine"
summary = "Two lifts."
level = "intermediate"
goal = "strength"
days_per_week = 2
minutes = 40
sources = ["my notebook"]

[lifts.squat]
exercise = "Squat (Barbell)"

[lifts.bench]
exercise = "Bench Press (Barbell)"

[[blocks]]
title = "Build"
weeks = 3
phase = ["accumulate", "accumulate", "intensify"]
reserve = [3, 2, 1]

[blocks.days.A]
squat = ["3x5", "4x5", "5x5"]
bench = "3x8 @RIR 4"

[blocks.days.B]
bench = ["1x1 @RPE 8, 3x5 @80%", "3x5", "-"]

[[blocks]]
title = "Easy"
is_held = true

[blocks.days.A]
squat = "2x5"
bench = "2x8"
"""


def test_the_weeks_of_a_programme_have_phases_sets_and_effort() -> None:
    """The easy block is found by its sets: 4 of at most 11. Mixed sets have no one effort."""
    found = calendar_of(parse_programme(BLOCKS, PATH), {"A": "ra", "B": "rb"})
    assert found.phases == ("accumulate", "accumulate", "intensify", "deload")
    assert found.cycle_from is None
    [day_a, day_b] = found.days
    assert (day_a.routine_id, day_b.routine_id) == ("ra", "rb")
    squat, bench = day_a.exercises
    assert (squat.base, squat.sets, squat.reserve) == (3, (3, 4, 5, 2), (3, 2, 1, None))
    assert (bench.base, bench.sets, bench.reserve) == (3, (3, 3, 3, 2), (4, 4, 4, None))
    [other] = day_b.exercises
    assert (other.base, other.sets, other.reserve) == (4, (4, 3, 0, None), (None, 2, None, None))


def test_drop_sets_are_part_of_the_set_before_them() -> None:
    """Neither the calendar nor the weekly volume counts them, and their effort is no one's."""
    text = BLOCKS.replace("3x8 @RIR 4", "3x8 @RIR 4, 2x8 drop @80%")
    with_drops, without = parse_programme(text, PATH), parse_programme(BLOCKS, PATH)
    routines = {"A": "ra", "B": "rb"}
    assert calendar_of(with_drops, routines) == calendar_of(without, routines)
    catalogue = programme_catalogue()
    assert weekly_hard_sets(with_drops, catalogue) == weekly_hard_sets(without, catalogue)


def test_a_day_without_a_routine_is_left_out() -> None:
    found = calendar_of(parse_programme(BLOCKS, PATH), {"A": "ra"})
    assert [day.title for day in found.days] == ["A"]


def test_an_exercise_twice_on_a_day_has_two_places() -> None:
    twice = BLOCKS.replace("Bench Press (Barbell)", "Squat (Barbell)")
    found = calendar_of(parse_programme(twice, PATH), {"A": "ra", "B": "rb"})
    assert [(each.base, each.occurrence) for each in found.days[0].exercises] == [(3, 1), (3, 2)]


@pytest.mark.parametrize(
    ("name", "weeks", "cycle_from"),
    [
        ("linear-novice", 1, 0),
        ("531", 4, 0),
        ("upper-lower-hypertrophy", 8, 2),
        ("full-body-hypertrophy", 5, None),
        ("powerlifting-peak", 9, None),
    ],
)
def test_programmes_go_on_or_end(name: str, weeks: int, cycle_from: int | None) -> None:
    programme = library()[name]
    found = calendar_of(programme, {day: day for day in programme.blocks[0].days})
    assert (len(found.phases), found.cycle_from) == (weeks, cycle_from)


def test_weeks_that_go_on_repeat_the_last_block() -> None:
    programme = library()["upper-lower-hypertrophy"]
    found = calendar_of(programme, {})
    assert [found.place_of(week) for week in (0, 7, 8, 13, 14)] == [0, 7, 2, 7, 2]
    ended = calendar_of(library()["powerlifting-peak"], {})
    assert [ended.place_of(week) for week in (8, 9)] == [8, None]
    assert ended.phase_of(4) == "deload"


def test_lifts_that_take_turns_are_not_left_out() -> None:
    """The Texas method swaps bench and press each week; the routine has one of them."""
    programme = library()["texas-method"]
    found = calendar_of(programme, {day: day for day in programme.blocks[0].days})
    assert all(0 not in each.sets for day in found.days for each in day.exercises)


def test_sessions_of_a_rolling_week_follow_the_last_one() -> None:
    """Starting strength alternates A and B; PHUL begins each week with its first day."""
    rolling, weekly = library()["linear-novice"], library()["phul"]
    first, second = rolling.blocks[0].days
    assert sessions_of_week(rolling, 0) == (first, second, first)
    assert sessions_of_week(rolling, 1, after=first) == (second, first, second)
    assert sessions_of_week(weekly, 3, after="Upper power") == tuple(weekly.blocks[0].days)


def test_a_day_without_sets_is_no_session_of_its_week() -> None:
    """In the last week before a meet the check asked for two more sessions."""
    peak = library()["powerlifting-peak"]
    assert sessions_of_week(peak, 7) == ("Day 1", "Day 2", "Day 3", "Day 4")
    assert sessions_of_week(peak, 8) == ("Day 1", "Day 2")
    request = ProgrammeRequest(
        days=4, goal="strength", level="advanced", weeks_to_event=8, days_in_last_week=1
    )
    built = build(request, programme_catalogue()).programme
    assert sessions_of_week(built, 6) == ("Upper A", "Lower A", "Upper B", "Lower B")
    assert sessions_of_week(built, 7) == ()


@pytest.mark.parametrize(
    ("level", "reserve"),
    [
        ("novice", (3, 2, 2, 2, 2, 2, 2)),
        ("intermediate", (3, 2, 2, 2, 1)),
        ("advanced", (3, 2, 2, 1)),
    ],
)
def test_a_built_programme_states_phases_and_effort(level: str, reserve: tuple[int, ...]) -> None:
    request = ProgrammeRequest.model_validate({"days": 3, "level": level})
    programme = build(request, programme_catalogue()).programme
    found = calendar_of(programme, {day: day for day in programme.blocks[0].days})
    cycle = (*["accumulate"] * (len(reserve) - 1), "intensify", "deload")
    assert (found.phases, found.cycle_from) == (cycle * 2, None)
    for day in found.days:
        for each in day.exercises:
            assert each.reserve == (*reserve, None) * 2
            assert each.sets[len(reserve)] == -(-each.base // 2)


def test_before_an_event_come_a_peak_and_a_taper() -> None:
    request = ProgrammeRequest(days=3, weeks_to_event=10, level="advanced")
    programme = build(request, programme_catalogue()).programme
    found = calendar_of(programme, {})
    build_weeks = ("accumulate", "accumulate", "intensify")
    assert found.phases == (*build_weeks, "deload", *["peak"] * 4, *["deload"] * 2)


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ('phase = ["peak"]', "blocks[0].phase: has 1 weeks; the block has 2"),
        ("reserve = [1, 2, 3]", "blocks[0].reserve: has 3 weeks; the block has 2"),
        ("reserve = 9", "reserve"),
        ('phase = "rest"', "phase"),
    ],
)
def test_wrong_weeks_have_a_line(key: str, problem: str) -> None:
    text = VALID.replace("weeks = 2\n", f"weeks = 2\n{key}\n")
    with pytest.raises(ProgrammeError, match=r"mine.toml, line 20") as caught:
        parse_programme(text, PATH)
    assert problem in str(caught.value)
