"""Edits of a programme's routine by the athlete, and their effect on the week."""

from collections.abc import Iterator, Mapping, Sequence

from coach_agent.domain.block import BlockDay
from coach_agent.programmes.week_findings import (
    Finding,
    MuscleWeekEffect,
)
from coach_agent.programmes.week_input import VERDICTS, Placed, WeekInput, exercise_of, muscles_of
from coach_agent.programmes.weekly_volume import credits_of


def edits_of_routine(
    given: WeekInput, day: BlockDay, effects: Sequence[MuscleWeekEffect]
) -> Iterator[Finding]:
    """Yield the athlete's edits of a routine in Hevy."""
    if day.routine_id not in given.routines:
        text = f"The routine of {day.title} is not in Hevy any more. Publish the programme again."
        yield Finding(
            kind="deleted", verdict="caution", subject=day.title, text=text, action="merge"
        )
        return
    present = _titles(given.routines[day.routine_id])
    planned = _titles(day.exercises)
    yield from _exchanges(given, day.title, planned, present, effects)
    both = [title for title in planned if title in present]
    if both and [title for title in present if title in planned] != both:
        before = present[: present.index(planned[0])] if planned[0] in present else []
        tiring = next((each for each in before if _same_muscle(given, each, planned[0])), None)
        text = f"{day.title} has another order. That is fine."
        if tiring is not None:
            text = f"{day.title}: {tiring} tires you for {planned[0]}. Do the main lift first."
        yield Finding(
            kind="reordered",
            verdict="fine" if tiring is None else "caution",
            subject=day.title,
            text=text,
            action="go_on" if tiring is None else "move",
        )


def _titles(exercises: Sequence[Placed]) -> list[str]:
    return list(dict.fromkeys(each.exercise_title for each in exercises))


def _exchanges(
    given: WeekInput,
    where: str,
    planned: Sequence[str],
    present: Sequence[str],
    effects: Sequence[MuscleWeekEffect],
) -> Iterator[Finding]:
    """Yield exercises that were swapped, removed and added."""
    gone = [title for title in planned if title not in present]
    new = [title for title in present if title not in planned]
    verdicts = {each.muscle: each for each in effects}
    for title in gone:
        other = next((each for each in new if _same_muscle(given, title, each)), None)
        if other is not None:
            new.remove(other)
            text = f"{where}: {other} instead of {title}. It trains the same muscle."
            yield Finding(kind="swapped", verdict="fine", subject=other, text=text, action="go_on")
            continue
        short = [
            effect
            for muscle in muscles_of(given, {title: 1})
            if (effect := verdicts.get(muscle)) is not None
            and effect.expected < min(effect.planned, effect.low)
            and effect.verdict != "fine"
        ]
        if short:
            worst = min(short, key=lambda each: each.expected - each.low)
            have = f"{worst.muscle.replace('_', ' ')} has {worst.expected:g} of {worst.low} sets"
            text = f"{where}: {title} is missing, and {have}. Do it in another session."
            yield Finding(
                kind="removed", verdict="caution", subject=title, text=text, action="merge"
            )
        else:
            text = f"{where}: {title} is missing. The week has enough without it."
            yield Finding(kind="removed", verdict="fine", subject=title, text=text, action="go_on")
    for title in new:
        yield _added(given, where, title, verdicts)


def _added(
    given: WeekInput, where: str, title: str, effects: Mapping[str, MuscleWeekEffect]
) -> Finding:
    if given.is_easy:
        text = f"{where}: {title} is extra work in the easy week. Leave it out."
        return Finding(kind="added", verdict="caution", subject=title, text=text, action="drop")
    above = [
        effect
        for muscle in muscles_of(given, {title: 1})
        if (effect := effects.get(muscle)) is not None and effect.expected > effect.high
    ]
    worst = max(above, key=lambda each: VERDICTS.index(each.verdict), default=None)
    if worst is None or worst.verdict == "fine":
        text = f"{where}: {title} is extra. It fits into the week."
        return Finding(kind="added", verdict="fine", subject=title, text=text, action="go_on")
    have = f"{worst.muscle.replace('_', ' ')} would have {worst.expected:g} of at most {worst.high}"
    text = f"{where}: {title} is extra, and {have} sets. Leave it out."
    return Finding(kind="added", verdict=worst.verdict, subject=title, text=text, action="drop")


def _same_muscle(given: WeekInput, one: str, other: str) -> bool:
    muscles = [_main_muscle(given, each) for each in (one, other)]
    return muscles[0] is not None and muscles[0] == muscles[1]


def _main_muscle(given: WeekInput, title: str) -> str | None:
    exercise = exercise_of(given, title)
    found = {} if exercise is None else credits_of(exercise)
    return next((muscle for muscle, credit in found.items() if credit == 1), None)
