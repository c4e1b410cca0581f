"""A meet: attempts from demonstrated performance, and the text for the days without a workout.

Source: elite and practitioners' attempt charts and the survey of Travis et al. 2021 on the last
week; the percentages are practitioners' opinion.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import floor
from operator import itemgetter
from statistics import median

from coach_agent.domain.constants.history import TYPO_ODD
from coach_agent.domain.constants.meet import (
    MEET_ATTEMPTS,
    MEET_EVIDENCE_DAYS,
    MEET_MOST_ABOVE,
    MEET_ROUNDING,
    MEET_WARMUP,
)
from coach_agent.domain.constants.recovery import PAIN_NO_INCREASE_FROM
from coach_agent.domain.context import Exposure, ExposureSet, RoutineContext, SlotContext
from coach_agent.domain.days import local_date
from coach_agent.domain.e1rm import estimated_max
from coach_agent.domain.pain import Pain, Titled, part_name, worst_pain
from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit, load_text
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.language.messages import day_text, in_language, join_words, phrase
from coach_agent.planning.decide import circumstances_of
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.season import phase_on
from coach_agent.situation.situation import Situation

# The lifts of a meet, by words of their titles; variations are no competition lifts.
_LIFTS = (
    ("squat (barbell)", "low bar squat"),
    ("bench press (barbell)",),
    ("deadlift (barbell)", "sumo deadlift"),
    ("snatch",),
    ("clean and jerk",),
)


@dataclass(frozen=True)
class Attempts:
    """The three attempts of a lift in kg, their evidence, and the warm-up as load and reps."""

    title: str
    opener_kg: float
    second_kg: float
    third_kg: float
    best: ExposureSet
    best_on: date
    warmups: tuple[tuple[float, int], ...]


def attempts(situation: Situation, profile: AthleteProfile) -> tuple[Attempts, ...]:
    """Return the attempts of each competition lift done in the last weeks, in meet order.

    The estimate is the median of the singles at RPE 8 and more, limited above the heaviest one;
    without any, the best of the last weeks. An opener is never above a load that was lifted in
    these weeks. A workout far above all others is no evidence: its loads were mistyped.
    """
    found = (_attempts_of(titles, situation, profile) for titles in _LIFTS)
    return tuple(each for each in found if each is not None)


def meet_text(situation: Situation, profile: AthleteProfile) -> str | None:
    """Return instructions for the day of a meet and the day before it; None on other days.

    In the athlete's language. A lift that loads a part with more than mild pain has no attempts.
    """
    pains = circumstances_of(situation, profile).pains
    return meet_day_text(profile, situation.today, attempts(situation, profile), pains)


def meet_day_text(
    profile: AthleteProfile,
    today: date,
    lifts: Sequence[Attempts] = (),
    pains: Sequence[Pain] | None = None,
) -> str | None:
    """Return these instructions with the attempts of these lifts.

    `pains` are those of the day, by default the profile's.
    """
    day = phase_on(profile.season, today)
    with in_language(profile.preferences.language):
        event = profile.goal.event or phrase("meet-yours")
        hurting, fit = _by_pain(lifts, profile.lasting_pains if pains is None else pains)
        warnings = [_format_pain(pain, titles) for pain, titles in hurting.items()]
        if day.meet == "rest":
            return " ".join((phrase("meet-tomorrow", event=event), *warnings))
        if day.meet != "meet":
            return None
        lines = [phrase("meet-today", event=event), *warnings]
        lines += [_format_attempts(each, profile.gym.unit) for each in fit]
        if fit or not hurting:
            lines.append(phrase("meet-good-luck"))
        return " ".join(lines)


def _by_pain(
    lifts: Sequence[Attempts], pains: Sequence[Pain]
) -> tuple[dict[Pain, list[str]], list[Attempts]]:
    """Return the titles of lifts that load a painful part by that pain, and the lifts with
    attempts.

    Without any known lift each more than mild pain stands alone.
    """
    bad = [pain for pain in pains if _forbids_attempts(pain)]
    hurting: dict[Pain, list[str]] = {} if lifts else {pain: [] for pain in bad}
    fit = []
    for lift in lifts:
        pain = worst_pain(pains, Titled(lift.title))
        if pain is not None:
            hurting.setdefault(pain, []).append(lift.title)
        if pain is None or not _forbids_attempts(pain):
            fit.append(lift)
    return hurting, fit


def _forbids_attempts(pain: Pain) -> bool:
    return pain.is_at_least(PAIN_NO_INCREASE_FROM.value)


def _format_pain(pain: Pain, titles: Sequence[str]) -> str:
    part, exercises = part_name(pain.part), join_words(titles)
    if not _forbids_attempts(pain):
        return phrase("meet-pain-mild", part=part, exercises=exercises)
    if not titles:
        return phrase("meet-pain-any", part=part)
    return phrase("meet-pain", part=part, exercises=exercises)


def _format_attempts(lift: Attempts, unit: Unit) -> str:
    opener, second, third = (
        load_text(each, unit) for each in (lift.opener_kg, lift.second_kg, lift.third_kg)
    )
    shown = f"{load_text(lift.best.weight_kg or 0.0, unit)} × {lift.best.reps}"
    warmup = ", ".join(f"{load_text(load, unit)} × {reps}" for load, reps in lift.warmups)
    return phrase(
        "meet-attempts",
        exercise=lift.title,
        opener=opener,
        second=second,
        third=third,
        best=shown,
        day=day_text(lift.best_on, "day-and-month"),
        warmup=warmup,
    )


def _attempts_of(
    titles: Sequence[str], situation: Situation, profile: AthleteProfile
) -> Attempts | None:
    since = situation.today - timedelta(days=MEET_EVIDENCE_DAYS.value)
    done = [
        (slot, local_date(exposure.started_at, profile.timezone), each)
        for slot, exposure, each in _credible_lifts(situation.routines, titles)
        if local_date(exposure.started_at, profile.timezone) >= since
    ]
    estimates = [
        (estimate.kg, slot, day, each)
        for slot, day, each in done
        if each.weight_kg and each.reps
        for estimate in [estimated_max(each.weight_kg, each.reps, each.rpe)]
        if estimate is not None
    ]
    if not estimates:
        return None
    singles = [each for each in estimates if each[3].reps == 1 and (each[3].rpe or 0.0) >= 8]
    heaviest = max(singles or estimates, key=lambda each: (each[3].weight_kg, each[0], each[2]))
    expected, slot, day, best = heaviest if singles else max(estimates, key=itemgetter(0, 2))
    if singles:
        most = (best.weight_kg or 0.0) * MEET_MOST_ABOVE.value
        expected = min(median(each[0] for each in singles), most)
    lifted = max(each.weight_kg or 0.0 for _, _, each in done if each.reps)
    mark_kg = MEET_ROUNDING.value if profile.gym.unit == "kg" else 5 * KILOGRAMS_PER_POUND
    first, second, third = (expected * pct / 100 for pct in MEET_ATTEMPTS.value)
    opener = _down(min(first, lifted), mark_kg)
    # No jump is much larger than that of the charts, also if the opener is a load lifted before.
    second = max(opener + mark_kg, min(_down(second, mark_kg), _down(opener * 1.075, mark_kg)))
    third = max(second + mark_kg, min(_down(third, mark_kg), _down(second * 1.05, mark_kg)))
    warmups = tuple((_down(expected * pct / 100, mark_kg), reps) for pct, reps in MEET_WARMUP.value)
    return Attempts(
        slot.exercise_title,
        *(opener, second, third, best, day),
        tuple(each for each in warmups if each[0] < opener),
    )


def _credible_lifts(
    routines: Iterable[RoutineContext], titles: Sequence[str]
) -> Iterator[tuple[SlotContext, Exposure, ExposureSet]]:
    done = list(_lifts_of(routines, titles))
    shown: defaultdict[datetime, float] = defaultdict(float)
    for _, exposure, each in done:
        shown[exposure.started_at] = max(shown[exposure.started_at], _shown_max(each))
    _, (_, far_above) = TYPO_ODD.value
    for slot, exposure, each in done:
        others = [best for at, best in shown.items() if at != exposure.started_at]
        is_credible = not others or _shown_max(each) <= far_above * max(others)
        if is_credible or each.is_confirmed:
            yield slot, exposure, each


def _shown_max(done: ExposureSet) -> float:
    """Return the estimated maximum of a set in kg, at least its load; 0 if it was not lifted."""
    if not done.weight_kg or not done.reps:
        return 0.0
    estimate = estimated_max(done.weight_kg, done.reps, done.rpe)
    return done.weight_kg if estimate is None else max(done.weight_kg, estimate.kg)


def _lifts_of(
    routines: Iterable[RoutineContext], titles: Sequence[str]
) -> Iterator[tuple[SlotContext, Exposure, ExposureSet]]:
    for routine in routines:
        for slot in (*routine.slots, *routine.left_out):
            if slot.exercise_title.casefold() not in titles:
                continue
            for exposure in slot.exposures:
                for each in exposure.sets:
                    is_right = each.is_confirmed is not False
                    if each.set_type in WORKING_TYPES and not each.is_typo_suspect and is_right:
                        yield slot, exposure, each


def _down(load_kg: float, mark_kg: float) -> float:
    return floor(load_kg / mark_kg + 1e-6) * mark_kg
