"""The programmes of the library against tables worked out by hand from their sources."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from coach_agent.programmes.files import LIBRARY, library, load_programme, parse_programme
from coach_agent.programmes.first_weeks import (
    PlannedExercise,
    PlannedGroup,
    Result,
    Session,
    first_weeks,
)
from hevy_connector.exercise_templates import built_in_templates
from tests.coach.programmes.test_files import PATH, VALID

TABLES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("first_weeks.toml").read_text(encoding="utf-8")
)
TITLES = [template["title"] for template in built_in_templates()]


def results_of(table: dict[str, Any]) -> dict[tuple[int, str], Result]:
    found: dict[tuple[int, str], Result] = {}
    for lift, sessions in table.get("missed", {}).items():
        found |= {(session, lift): Result(is_missed=True) for session in sessions}
    for lift, pairs in table.get("open_reps", {}).items():
        found |= {(session, lift): Result(open_reps=reps) for session, reps in pairs}
    for lift, pairs in table.get("totals", {}).items():
        found |= {(session, lift): Result(total_reps=reps) for session, reps in pairs}
    return found


def group_text(group: PlannedGroup) -> str:
    reps = "max" if group.reps is None else str(group.reps)
    if group.rpe is not None:
        return (
            f"{reps}@{group.rpe:g}" if group.count == 1 else f"{group.count}x{reps}@{group.rpe:g}"
        )
    if group.weight_kg is None:
        return f"{group.count}x{reps}"
    plus = "+" if group.is_open else ""
    if group.count == 1:
        return f"{group.weight_kg:g}x{reps}{plus}"
    return f"{group.count}x{reps}{plus}@{group.weight_kg:g}"


def exercise_text(exercise: PlannedExercise, like: str) -> str:
    """The exercise in the form of the table's text."""
    weights = [f"{group.weight_kg:g}" for group in exercise.groups if group.weight_kg is not None]
    if like.startswith("top "):
        return f"top {max(map(float, weights)):g}"
    full = " ".join(group_text(group) for group in exercise.groups)
    if like.startswith(exercise.exercise):
        return f"{exercise.exercise} {full}"
    if "x" in like or "@" in like:
        return full
    return weights[0] if len(set(weights)) == 1 else " ".join(weights)


def compare(session: Session, expected: str) -> None:
    day, _, lifts = expected.partition(": ")
    assert session.day == day
    done = {exercise.lift: exercise for exercise in session.exercises}
    for text in lifts.split(", "):
        lift, _, sets = text.partition(" ")
        assert exercise_text(done[lift], sets) == sets, (session.week, session.day, lift)


def test_each_programme_has_its_table() -> None:
    assert set(TABLES) == set(library())
    assert len(TABLES) >= 16
    assert all(len(table["weeks"]) >= 4 for table in TABLES.values())


@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_first_weeks_are_those_of_the_source(name: str) -> None:
    programme, table = library()[name], TABLES[name]
    weeks = table["weeks"]
    sessions = first_weeks(programme, table["numbers"], len(weeks), results_of(table))
    expected = [(week, text) for week, texts in enumerate(weeks, 1) for text in texts]
    assert [session.week for session in sessions] == [week for week, _ in expected]
    for session, (_, text) in zip(sessions, expected, strict=True):
        compare(session, text)
        for exercise in session.exercises:
            sets = table.get("sets", {}).get(exercise.lift)
            groups = [f"{each.count}x{each.reps}{'+' * each.is_open}" for each in exercise.groups]
            assert sets is None or " ".join(groups) == sets


@pytest.mark.parametrize("name", sorted(TABLES))
def test_each_file_is_named_as_its_programme_and_uses_exercises_of_hevy(name: str) -> None:
    programme = load_programme(LIBRARY / f"{name}.toml", TITLES)
    assert programme.name == name
    assert all(re.search(r"[A-Za-z]", source) for source in programme.sources)


@pytest.mark.parametrize(
    ("name", "lift", "load", "missed", "expected"),
    [
        ("linear-novice", "squat", 70, [1, 2], [70, 70, 62.5]),
        ("five-by-five", "squat", 60, [1, 2, 3], [60, 60, 60, 52.5]),
        ("fierce-five", "squat", 75, [1, 3], [75, 75, 62.5]),
    ],
)
def test_misses_in_a_row_take_the_load_down(
    name: str, lift: str, load: float, missed: list[int], expected: list[float]
) -> None:
    """63 and 54 kg are rounded down to 62.5 and 52.5, as 63.75 is."""
    results = {(session, lift): Result(is_missed=True) for session in missed}
    sessions = first_weeks(library()[name], {lift: load}, 2, results)
    loads = [
        exercise.groups[0].weight_kg
        for session in sessions
        for exercise in session.exercises
        if exercise.lift == lift
    ]
    assert loads[: len(expected)] == expected


def test_the_last_stage_that_is_missed_starts_again_lighter() -> None:
    """Squat 67.5, missed in each stage: 85 % of it is 57.4, rounded down to 55, in triples."""
    results = {(session, "squat"): Result(is_missed=True) for session in (1, 5, 9)}
    sessions = first_weeks(library()["gzclp"], {"squat": 80}, 5, results)
    squats = [
        " ".join(group_text(group) for group in exercise.groups)
        for session in sessions
        for exercise in session.exercises
        if exercise.lift == "squat"
    ]
    assert squats == [
        "4x3@67.5 67.5x3+",
        "5x2@67.5 67.5x2+",
        "9x1@67.5 67.5x1+",
        "4x3@55 55x3+",
    ]


def test_three_sessions_without_a_better_total_go_two_pairs_back() -> None:
    """Totals of 27, 27, 26 and 27 with pairs of 17.5 kg: 12.5 kg."""
    totals = {1: 27, 4: 27, 7: 26, 10: 27}
    results = {(session, "bench"): Result(total_reps=total) for session, total in totals.items()}
    sessions = first_weeks(library()["dumbbell-ppl"], {"bench": 17.5}, 5, results)
    loads = [each.exercises[0].groups[0].weight_kg for each in sessions if each.day == "Push"]
    assert loads == [17.5, 17.5, 17.5, 17.5, 12.5]


def test_fewer_repetitions_than_the_first_step_change_no_load() -> None:
    """5 open repetitions are two steps of 2.5 kg, 2 are one, and 1 is none."""
    text = VALID.replace(
        'kind = "linear"', 'kind = "amrap", steps_by_reps = [[2, 1], [5, 2]]'
    ).replace('squat = "3x5"', 'squat = "1x1+"')
    programme = parse_programme(text, PATH)
    results = {(n, "squat"): Result(open_reps=reps) for n, reps in ((1, 5), (3, 1), (5, 2))}
    sessions = first_weeks(programme, {"squat": 100}, 4, results)
    squats = [each.exercises[0].groups[0].weight_kg for each in sessions if each.day == "A"]
    assert squats == [100, 105, 105, 107.5]


def shown(toml: str, weeks: int) -> list[str]:
    """The first group of sets of each week, as `3x5-8`."""
    programme = parse_programme(toml, Path("mine.toml"))
    groups = [each.exercises[0].groups[0] for each in first_weeks(programme, {}, weeks)]
    return [f"{each.count}x{each.reps}-{each.reps_high}" for each in groups]


ONE_LIFT = """
name = "one"
title = "One"
summary = "One lift."
level = "novice"
goal = "both"
days_per_week = 1
minutes = 30
sources = ["test"]
[lifts.lift]
exercise = "Push Up"
step_kg = {step}
progression = {{ kind = "{kind}"{rungs} }}
[[blocks]]
title = "One"
weeks = 3
days.A.lift = "3x5-8"
[[blocks]]
title = "Two"
weeks = {weeks}
days.A.lift = "{sets}"
"""


@pytest.mark.parametrize(
    ("sets", "expected"), [("5x2-4", ["5x2-4", "5x3-4"]), ("3x10-12", ["3x10-12", "3x11-12"])]
)
def test_repetitions_stay_within_the_range_of_the_week(sets: str, expected: list[str]) -> None:
    """Sets of 5 to 8 reached 8; the next block showed 8 of at most 4."""
    toml = ONE_LIFT.format(step=2.5, kind="double", rungs="", weeks=2, sets=sets)
    assert shown(toml, 5) == ["3x5-8", "3x6-8", "3x7-8", *expected]


def test_each_group_of_sets_has_its_own_range() -> None:
    toml = ONE_LIFT.format(step=2.5, kind="double", rungs="", weeks=1, sets="1x5-8, 2x10-12")
    programme = parse_programme(toml, Path("mine.toml"))
    *_, last = first_weeks(programme, {}, 4)
    assert [each.reps for each in last.exercises[0].groups] == [8, 10]


@pytest.mark.parametrize(("kind", "rungs"), [("double", ""), ("ladder", ', rungs = ["Push Up"]')])
def test_without_a_harder_step_repetitions_stay_at_the_top(kind: str, rungs: str) -> None:
    """Push-ups began again with five every fourth week."""
    toml = ONE_LIFT.format(step=0, kind=kind, rungs=rungs, weeks=3, sets="3x5-8")
    expected = ["3x5-8", "3x6-8", "3x7-8", "3x8-8", "3x8-8", "3x8-8"]
    assert shown(toml, 6) == expected
