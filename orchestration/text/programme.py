"""Programmes as text: sets of a session, and weekly sets by muscle."""

from collections.abc import Sequence
from itertools import groupby, islice
from math import ceil, floor

from coach_agent.domain.pain import Pain
from coach_agent.engine.explain.plan_texts import number
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.language.messages import capitalise, phrase
from coach_agent.programmes.calendar import length_of
from coach_agent.programmes.first_weeks import PlannedExercise, PlannedGroup, Session, weeks_of
from coach_agent.programmes.model import Block, Programme
from coach_agent.programmes.request import BuiltProgramme, ProgrammeRequest
from coach_agent.programmes.volume import LIMITED_MUSCLES
from coach_agent.programmes.week_findings import MuscleWeekEffect, WeekCheck, WeekOutline
from coach_agent.programmes.weekly_volume import MuscleSets

VERDICTS = {"fine": "fine", "caution": "caution", "advise_against": "better not"}
ACTIONS = {"go_on": "go on", "move": "move it", "merge": "merge", "drop": "drop it"}
AS_PLANNED = "All as planned: go on."


def built_line(name: str, built: BuiltProgramme) -> str:
    """Return a programme in a line: its days, the longest session and its weeks."""
    days = ", ".join(day.day for day in built.week)
    longest = max((day.minutes for day in built.week), default=0)
    weeks = sum(block.weeks * block.repeats for block in built.programme.blocks)
    return f"A programme for {name}: {days}; up to {longest} min, {weeks} weeks."


def request_changes(before: ProgrammeRequest, after: ProgrammeRequest) -> list[str]:
    """Format the fields of a request that differ: `days: 3 → 4`."""
    return [
        f"{name.replace('_', ' ')}: {_wish(old)} → {_wish(new)}"
        for name, new in after
        if (old := getattr(before, name)) != new
    ]


def _wish(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_wish, value)) or "none"
    if isinstance(value, Pain):
        return f"{value.part} ({value.level})"
    return "none" if value is None else str(value)


def sets_text(exercise: PlannedExercise) -> str:
    """Format the sets of an exercise: `1x5 45 kg, 1x5+ 57.5 kg`, or `3x8 (8-12)`."""
    return ", ".join(map(_group_text, exercise.groups))


def _group_text(group: PlannedGroup) -> str:
    reps = "max" if group.reps is None else f"{group.reps}{'s' * group.is_timed}"
    plus = "+" if group.is_open and group.reps is not None else ""
    text = f"{group.count}x{reps}{plus}"
    if group.reps_high is not None:
        text = f"{group.count}x{reps} (up to {group.reps_high})"
    text += " drop" * group.is_drop
    if group.weight_kg is not None:
        return f"{text} {number(group.weight_kg)} kg"
    if group.rpe is not None:
        return f"{text} at RPE {number(group.rpe)}"
    if group.rir is not None:
        return f"{text} with {group.rir} in reserve"
    return text if group.load_pct is None else f"{text} at {number(group.load_pct)} %"


def week_lines(sessions: Sequence[Session]) -> list[str]:
    """Format sessions, week by week."""
    lines = []
    for week, own in groupby(sessions, key=lambda session: session.week):
        lines.append(f"Week {week}")
        trained = [session for session in own if session.exercises]
        for session in trained:
            lines += [f"  {line}" for line in session_lines(session)]
        if not trained:
            lines.append("  No training")
    return lines


def session_lines(session: Session) -> list[str]:
    """Format a session: its day, then a line for each exercise."""
    exercises = [f"  {each.exercise}: {_exercise_text(each)}" for each in session.exercises]
    return [session.day, *exercises]


def plan_of(programme: Programme) -> list[tuple[Block, int | None]]:
    """Return the block of each week, and the repetitions in reserve; easy blocks have none."""
    weeks, _ = length_of(programme)
    return [
        (block, None if block.is_held else block.reserve_in(place))
        for block, place, _ in islice(weeks_of(programme), weeks)
    ]


def plan_lines(programme: Programme) -> list[str]:
    """Format the weeks of a programme, alike ones together: `Weeks 2 to 4: Build, 2 in reserve`."""
    _, goes_on = length_of(programme)
    texts = [
        block.title if reserve is None else f"{block.title}, {reserve} in reserve"
        for block, reserve in plan_of(programme)
    ]
    lines = []
    for text, own in groupby(enumerate(texts, start=1), key=lambda each: each[1]):
        numbers = [week for week, _ in own]
        span = f"Week {numbers[0]}"
        if len(numbers) > 1:
            span = f"Weeks {numbers[0]} to {numbers[-1]}"
        lines.append(f"{span}: {text}")
    return [*lines, "Then on"] if goes_on else lines


def _exercise_text(exercise: PlannedExercise) -> str:
    note = f" ({exercise.note})" if exercise.note else ""
    return f"{sets_text(exercise)}{note}"


def muscle_lines(muscles: Sequence[MuscleSets]) -> list[str]:
    """Format the weekly hard sets by muscle, with the range for goal and level if it has one.

    Muscles such as the neck and the forearms have none: other exercises train them.
    """
    lines = []
    for each in muscles:
        text = f"  {each.muscle.replace('_', ' ')}: {number(each.sets)}"
        if each.muscle in LIMITED_MUSCLES:
            place = "below" if each.sets < each.low else "above" if each.sets > each.high else "in"
            text += f", {place} {each.low} to {each.high}"
        lines.append(text)
    return lines


def check_lines(check: WeekCheck) -> list[str]:
    """Format the check of a week: sessions, differences with verdict and action, and muscles."""
    days = f"{check.begins} to {check.ends}"
    lines = [f"Week {check.week} of {check.weeks} of {check.programme}, {days}"]
    lines.append(f"Done: {', '.join(check.done) or 'nothing yet'}")
    lines.append(f"To do: {', '.join(check.remaining) or 'nothing more'}")
    if not check.findings:
        lines.append(AS_PLANNED)
    lines += [
        f"- {VERDICTS[each.verdict]}: {each.text} ({ACTIONS[each.action]})"
        for each in check.findings
    ]
    lines.append("Weekly hard sets by muscle: done, expected by the end of the week, planned")
    for effect in check.muscles:
        name = effect.muscle.replace("_", " ")
        sets = " / ".join(map(number, (effect.done, effect.expected, effect.planned)))
        lines.append(f"  {name}: {sets}, range {range_text(effect)}")
    return lines


def range_text(effect: MuscleWeekEffect) -> str:
    """Format the range of weekly sets of a muscle: `4 to 8`, with the verdict if it is not fine.

    Muscles such as the neck have none.
    """
    verdict = "" if effect.verdict == "fine" else f", {VERDICTS[effect.verdict]}"
    if effect.muscle not in LIMITED_MUSCLES:
        return f"none{verdict}"
    return f"{effect.low} to {effect.high}{verdict}"


def length_text(weeks: int, cycle_from: int | None) -> str:
    """Format the length of a programme: `5 weeks`, `5 weeks, then on`, `the same every week`."""
    if weeks == 1 and cycle_from is not None:
        return "the same every week"
    return f"{weeks} weeks" if cycle_from is None else f"{weeks} weeks, then on"


def demand_text(outline: WeekOutline) -> str:
    """Return what a week asks for: `Build-up week, 34 sets. Leave 3 reps in the tank on each set.`.

    Empty for a week of stages without a phase, for which nothing is stated.
    """
    low, high = outline.least_reserve, outline.most_reserve
    parts = [_phase_and_sets(outline)]
    if outline.load_ratio is not None:
        parts.append(f"at least {100 * outline.load_ratio:.0f} % of the load")
    if low is not None and low == high:
        parts.append(phrase("block-reserve", reps=count_reps(low)))
    elif low is not None and high is not None:
        parts.append(f"leave {floor(low)} to {ceil(high)} reps in the tank")
    return "".join(f"{capitalise(part)}. " for part in parts if part).rstrip()


def outline_text(outline: WeekOutline) -> str:
    """Return a week in a short line: `build-up week, 34 sets, 3 in reserve`."""
    low, high = outline.least_reserve, outline.most_reserve
    parts = [_phase_and_sets(outline)]
    if low is not None and high is not None:
        least, most = floor(low), ceil(high)
        reserve = f"{least}" if least == most else f"{least} to {most}"
        parts.append(f"{reserve} in reserve")
    return ", ".join(part for part in parts if part) or "as the routines are"


def _phase_and_sets(outline: WeekOutline) -> str:
    parts = [] if outline.phase is None else [phrase(f"phase-{outline.phase}")]
    if outline.sets is not None:
        parts.append("1 set" if outline.sets == 1 else f"{outline.sets} sets")
    return ", ".join(parts)
