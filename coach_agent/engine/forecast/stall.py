"""Analysis of a stalled lift, from its trend and training only."""

from collections.abc import Sequence
from itertools import islice
from statistics import fmean

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import EFFORT_NEVER_RAISED
from coach_agent.domain.constants.recovery import (
    STALL_FIX_DELOAD,
    STALL_FIX_REP_RANGE,
    STALL_FIX_RPE_MIN,
    STALL_FIX_VARIATION,
    STALL_MIN_EXPOSURES,
)
from coach_agent.domain.constants.volume import INSIGHT_FALL
from coach_agent.domain.context import ExposureSet, Slot, SlotContext
from coach_agent.domain.plan import FixType, StallAnalysis, StallDetails
from coach_agent.domain.values import Value
from coach_agent.engine.forecast.trend import Trend, plateau_reason
from coach_agent.engine.history.attempts import WORKING_TYPES, done_sets
from coach_agent.engine.loads.increments import ASSISTED
from coach_agent.language.messages import decimals, phrase


class LiftTraining(Value):
    """The training of an exercise in the exposures of its trend.

    `set_counts` are working sets by exposure, oldest first, without deloads like the trend.
    `mean_rpe` is null if no set was rated. `false_alarm_rate` (0 to 1) is the rate at which the
    rule calls such a lifter stalled at a true gain of 0.5 % per exposure; null if unknown.
    """

    exercise_type: str | None = None
    primary_muscle_group: str | None = None
    mean_reps: float | None = None
    mean_rpe: float | None = None
    set_counts: tuple[int, ...] = ()
    false_alarm_rate: float | None = None


def stall_of(slot: SlotContext) -> StallAnalysis | None:
    """Analyse an exercise by the trend of the mart; None unless it is stalled.

    Also None if the load was never raised although all targets were reached: then the plan is
    stalled, not the athlete.
    """
    mart_trend = slot.trend
    if (
        mart_trend.verdict != "stalled"
        or mart_trend.exposure_count is None
        or mart_trend.slope_pct is None
        or (_was_never_raised(slot) and not is_at_limit(slot))
    ):
        return None
    trend = Trend(
        exposure_count=mart_trend.exposure_count,
        slope_pct=mart_trend.slope_pct,
        standard_error_pct=mart_trend.standard_error_pct or 0.0,
        lower_pct=mart_trend.slope_pct if mart_trend.lower_pct is None else mart_trend.lower_pct,
        upper_pct=mart_trend.slope_pct if mart_trend.upper_pct is None else mart_trend.upper_pct,
        residual_pct=mart_trend.residual_pct or 0.0,
    )
    counts = [
        len(done_sets(exposure, WORKING_TYPES))
        for exposure in reversed(slot.exposures)
        if not exposure.is_easy
    ]
    training = LiftTraining(
        exercise_type=slot.exercise_type,
        primary_muscle_group=slot.primary_muscle_group,
        mean_reps=mart_trend.mean_reps,
        mean_rpe=mart_trend.mean_rpe,
        set_counts=tuple(counts),
        false_alarm_rate=mart_trend.false_alarm_rate,
    )
    found = analyse_stall(trend, training)
    return found if found.is_stalled else None


def _was_never_raised(slot: Slot) -> bool:
    """Return whether all known workouts, at least the minimum number, had one load."""
    tops = [
        max((each.weight_kg or 0.0 for each in done_sets(exposure, WORKING_TYPES)), default=0.0)
        for exposure in slot.exposures
        if not exposure.is_easy
    ]
    is_loaded = len(tops) >= EFFORT_NEVER_RAISED.value and min(tops) > 0
    return is_loaded and max(tops) - min(tops) <= LOAD_TOLERANCE.value


def is_at_limit(slot: Slot) -> bool:
    """Return whether the latest workout that was not deliberately easy shows a limit.

    A limit is a set below its range, sets as hard as those of a stall, or fewer repetitions than
    the workout before without more load. With all targets reached, only the plan is stalled.
    """
    usual = (exposure for exposure in slot.exposures if not exposure.is_easy)
    latest = [done_sets(exposure, WORKING_TYPES) for exposure in islice(usual, 2)]
    if not latest:
        return False
    rpes = [each.rpe for each in latest[0] if each.rpe is not None]
    is_hard = bool(rpes) and fmean(rpes) >= STALL_FIX_RPE_MIN.value
    is_below = any((each.reps or 0) < (each.planned_reps_low or 0) for each in latest[0])
    pairs = zip(latest[1], latest[0], strict=False) if len(latest) > 1 else ()
    return is_hard or is_below or any(_fell_back(before, after) for before, after in pairs)


def stalled_beyond_chance(slots: Sequence[SlotContext]) -> list[str]:
    """Return the titles of the exercises stalled at their limit, if chance explains fewer.

    By chance the rule calls as many stalled as the sum of its false-alarm rates. An athlete that
    reached all targets is not tired.
    """
    stalled = {each.exercise_title for each in slots if each.trend.verdict == "stalled"}
    judged = {
        each.exercise_title: each.trend.false_alarm_rate or 0.0
        for each in slots
        if each.trend.verdict in {"stalled", "not_stalled"}
    }
    tired = {
        each.exercise_title
        for each in slots
        if each.exercise_title in stalled and is_at_limit(each)
    }
    return sorted(tired) if len(tired) > sum(judged.values()) else []


def analyse_stall(trend: Trend | None, training: LiftTraining) -> StallAnalysis:
    """Analyse a lift; `trend` is the result of `trend_of`.

    High effort: a small deload. Few repetitions: a range of 6 to 8. Fewer sets: as many as before.
    Otherwise another variation for some weeks. Time, distance and cardio never stall, and assisted
    lifts have no maximum with a trend.

    Source: practitioners' opinion; the rule itself see `trend_of`.
    """
    details = _details(trend, training)
    if not _can_stall(training):
        return _no_fix(phrase("stall-no-maximum"), details)
    if trend is None:
        return _no_fix(
            phrase("stall-too-few", workouts=STALL_MIN_EXPOSURES.value),
            details,
        )
    line = phrase(
        "stall-trend",
        slope=decimals(f"{trend.slope_pct:+.2f}"),
        workouts=trend.exposure_count,
        upper=decimals(f"{trend.upper_pct:+.2f}"),
    )
    if trend.verdict != "stalled":
        return _no_fix(phrase("stall-none", trend=line), details)
    fix, cause, advice = _fix(training, details)
    if training.false_alarm_rate is not None:
        share = f"{100 * training.false_alarm_rate:.0f}"
        line = phrase("stall-false-alarms", trend=line, share=share)
    return StallAnalysis(
        is_stalled=True,
        reason=phrase("stall-found", trend=line, cause=cause),
        suggested_fix=advice,
        fix_type=fix,
        details=details,
    )


def variation_advice() -> str:
    """Return the default advice for every stall."""
    return phrase("stall-variation", weeks=STALL_FIX_VARIATION.value)


def _fell_back(before: ExposureSet, after: ExposureSet) -> bool:
    no_heavier = (after.weight_kg or 0) <= (before.weight_kg or 0) + LOAD_TOLERANCE.value
    return no_heavier and (after.reps or 0) < (before.reps or 0)


def _fix(training: LiftTraining, details: StallDetails) -> tuple[FixType, str, str]:
    """Return the fix, the probable cause and the advice, a sentence each."""
    reps = training.mean_reps
    # A lift with unknown repetitions is not one of few.
    cause = plateau_reason(training.mean_rpe, float("inf") if reps is None else reps)
    if cause == "high_effort":
        return (
            "deload",
            phrase("stall-hard-sets", rpe=decimals(f"{training.mean_rpe:.1f}")),
            phrase("stall-deload", pct=decimals(f"{STALL_FIX_DELOAD.value:g}")),
        )
    if cause == "low_reps":
        low, high = STALL_FIX_REP_RANGE.value
        return (
            "rep_range",
            phrase("stall-short-sets", reps=decimals(f"{reps:.1f}")),
            phrase("stall-rep-range", low=low, high=high),
        )
    before, now = details.sets_before, details.sets_now
    if before is not None and now is not None and now <= before * (1 - INSIGHT_FALL.value / 100):
        return (
            "volume",
            phrase(
                "stall-fewer-sets",
                before=decimals(f"{before:.1f}"),
                now=decimals(f"{now:.1f}"),
            ),
            phrase("stall-more-sets", sets=round(before)),
        )
    return (
        "variation",
        phrase("stall-unexplained"),
        variation_advice(),
    )


def _can_stall(training: LiftTraining) -> bool:
    kind = training.exercise_type or ""
    is_endurance = "duration" in kind or "distance" in kind
    return not is_endurance and kind != ASSISTED and training.primary_muscle_group != "cardio"


def _no_fix(reason: str, details: StallDetails) -> StallAnalysis:
    return StallAnalysis(
        is_stalled=False,
        reason=reason,
        suggested_fix=phrase("stall-go-on"),
        fix_type="none",
        details=details,
    )


def _details(trend: Trend | None, training: LiftTraining) -> StallDetails:
    before, now = _halves(training.set_counts)
    return StallDetails(
        exposure_count=trend.exposure_count if trend else None,
        slope_pct=trend.slope_pct if trend else None,
        lower_pct=trend.lower_pct if trend else None,
        upper_pct=trend.upper_pct if trend else None,
        false_alarm_rate=training.false_alarm_rate,
        sets_before=before,
        sets_now=now,
        mean_reps=training.mean_reps,
        mean_rpe=training.mean_rpe,
    )


def _halves(counts: Sequence[int]) -> tuple[float | None, float | None]:
    """Return the means of the earlier and the later half, without the middle one of an odd
    number.
    """
    half = len(counts) // 2
    return (fmean(counts[:half]), fmean(counts[-half:])) if half else (None, None)
