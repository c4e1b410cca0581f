"""Programmes as text: sets of a session, and weekly sets by muscle."""

from collections.abc import Sequence
from itertools import groupby

from coach_agent.engine.explain.plan_texts import number
from coach_agent.programmes.first_weeks import PlannedExercise, PlannedGroup, Session
from coach_agent.programmes.request import BuiltProgramme
from coach_agent.programmes.week_findings import WeekCheck
from coach_agent.programmes.weekly_volume import MuscleSets

_VERDICTS = {"fine": "fine", "caution": "caution", "advise_against": "better not"}
_ACTIONS = {"go_on": "go on", "move": "move it", "merge": "merge", "drop": "drop it"}


def built_line(name: str, built: BuiltProgramme) -> str:
    """Return a programme in a line: its days, the longest session and its weeks."""
    days = ", ".join(day.day for day in built.week)
    longest = max((day.minutes for day in built.week), default=0)
    weeks = sum(block.weeks * block.repeats for block in built.programme.blocks)
    return f"A programme for {name}: {days}; up to {longest} min, {weeks} weeks."


def sets_text(exercise: PlannedExercise) -> str:
    """Format the sets of an exercise: `1x5 45 kg, 1x5+ 57.5 kg`, or `3x8 (8-12)`."""
    return ", ".join(map(_group_text, exercise.groups))


def _group_text(group: PlannedGroup) -> str:
    reps = "max" if group.reps is None else f"{group.reps}{'s' * group.is_timed}"
    plus = "+" if group.is_open and group.reps is not None else ""
    text = f"{group.count}x{reps}{plus}"
    if group.reps_high is not None:
        text = f"{group.count}x{reps} (up to {group.reps_high})"
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
        for session in own:
            lines.append(f"  {session.day}")
            lines += [f"    {each.exercise}: {sets_text(each)}" for each in session.exercises]
    return lines


def muscle_lines(muscles: Sequence[MuscleSets]) -> list[str]:
    """Format the weekly hard sets by muscle, with the range for goal and level."""
    lines = []
    for each in muscles:
        place = "below" if each.sets < each.low else "above" if each.sets > each.high else "in"
        name = each.muscle.replace("_", " ")
        lines.append(f"  {name}: {number(each.sets)}, {place} {each.low} to {each.high}")
    return lines


def check_lines(check: WeekCheck) -> list[str]:
    """Format the check of a week: sessions, differences with verdict and action, and muscles."""
    days = f"{check.begins} to {check.ends}"
    lines = [f"Week {check.week} of {check.weeks} of {check.programme}, {days}"]
    lines.append(f"Done: {', '.join(check.done) or 'nothing yet'}")
    lines.append(f"To do: {', '.join(check.remaining) or 'nothing more'}")
    if not check.findings:
        lines.append("All as planned: go on.")
    lines += [
        f"- {_VERDICTS[each.verdict]}: {each.text} ({_ACTIONS[each.action]})"
        for each in check.findings
    ]
    lines.append("Weekly hard sets by muscle: done, expected by the end of the week, planned")
    for effect in check.muscles:
        name = effect.muscle.replace("_", " ")
        sets = " / ".join(map(number, (effect.done, effect.expected, effect.planned)))
        verdict = "" if effect.verdict == "fine" else f", {_VERDICTS[effect.verdict]}"
        lines.append(f"  {name}: {sets}, range {effect.low} to {effect.high}{verdict}")
    return lines
