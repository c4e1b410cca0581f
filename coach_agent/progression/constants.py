"""The numbers behind the rules, each with its unit and the evidence it stands on.

Labels: "P" a published paper, "M" measured on public training logs, "O" practitioners' opinion
or a choice of this project: no trial stands behind it, "S" a secondary source that nobody checked.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, Literal, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Constant(Generic[T]):
    """A named number of the engine."""

    key: str
    value: T
    unit: str
    label: Literal["P", "M", "O", "S"]


E1RM_MAX_REPS = Constant("e1rm.max_reps_eff", 10.0, "reps", "P")
E1RM_HARD_MAX_REPS = Constant("e1rm.hard_max_reps_eff", 12.0, "reps", "O")
E1RM_TESTED_SINGLE_RPE = Constant("e1rm.tested_single_rpe_min", 9.5, "RPE", "O")
E1RM_BAND_LE_5 = Constant("e1rm.band80_le5", 5.0, "+-%", "O")
E1RM_BAND_6_8 = Constant("e1rm.band80_6_8", 8.0, "+-%", "O")
E1RM_BAND_9_10 = Constant("e1rm.band80_9_10", 12.0, "+-%", "O")
E1RM_BAND_11_12 = Constant("e1rm.band80_11_12", 15.0, "+-%", "O")

RPE_LOAD_PER_HALF_POINT = Constant("rpe.load_per_half_point", 2.0, "%", "P")
RPE_SHRINK_WEIGHT = Constant("rpe.shrink_weight", 0.5, "share of what was in reserve", "O")

INCREMENT_BARBELL_UPPER = Constant("increment.barbell_upper", 2.5, "kg", "O")
INCREMENT_BARBELL_LOWER = Constant("increment.barbell_lower", 5.0, "kg", "O")
INCREMENT_DUMBBELL = Constant("increment.dumbbell", 2.0, "kg", "O")
INCREMENT_CABLE = Constant("increment.cable", 2.5, "kg", "O")
INCREMENT_MACHINE = Constant("increment.machine", 5.0, "kg", "O")
INCREMENT_TIMED = Constant("increment.timed", 5, "s", "O")
JUMP_MAX_PCT = Constant("jump.max_pct", 5.0, "%", "O")
LOAD_TOLERANCE = Constant("align.load_tolerance", 0.25, "kg", "O")

# Between two sets. A set at 94 % of the first one's repetitions is usual; these are far below.
NEXT_SET_FAILURE = Constant("next_set.failure", 0.5, "x target", "O")
NEXT_SET_DROP_OFF = Constant("next_set.drop_off", 0.7, "x reps of the first set", "O")
NEXT_SET_UNKNOWN_STEP = Constant("next_set.unknown_step", 2.5, "kg", "O")

TYPO_HI = Constant("typo.hi", 1.6, "x median", "O")
TYPO_LO = Constant("typo.lo", 0.4, "x median", "O")
TYPO_WINDOW = Constant("typo.window", 7, "exposures", "O")
TYPO_MIN_OTHERS = Constant("typo.min_others", 3, "exposures", "O")
# The best of three sets at failure stays above two thirds of the target; 5 of 8 are other work.
OTHER_WORK_REPS = Constant("other_work.reps", 2 / 3, "x target", "O")
OTHER_WORK_LOAD_PCT = Constant("other_work.load_pct", 10.0, "%", "O")

LINEAR_FAIL_LIMIT = Constant("linear.fail_limit", 3, "misses", "O")
LINEAR_RESET_FACTOR = Constant("linear.reset_factor", 0.90, "x", "O")
DOUBLE_DOWN_EXPOSURES = Constant("double.down_exposures", 2, "exposures", "O")

READINESS_VALID_HOURS = Constant("readiness.valid_hours", 36, "h", "O")
READINESS_LOW_MAX = Constant("readiness.low_max", 2, "of 5", "O")
READINESS_VERY_LOW_MAX = Constant("readiness.very_low_max", 1, "of 5", "O")
READINESS_LOW_SETS = Constant("readiness.low_sets", -1, "sets", "O")
READINESS_VERY_LOW_LOAD = Constant("readiness.very_low_load", -10.0, "%", "O")

DELOAD_SETS_FACTOR = Constant("deload.sets_factor", 0.5, "x", "O")
DELOAD_LOAD_FACTOR = Constant("deload.load_factor", 0.90, "x", "O")
DELOAD_DAYS = Constant("deload.days", 7, "days", "P")
DELOAD_CALENDAR_WEEKS = Constant("deload.calendar_weeks", 6, "weeks", "P")
DELOAD_TRIGGER_STALLED_LIFTS = Constant("deload.trigger_stalled_lifts", 2, "lifts", "O")
DELOAD_TRIGGER_RPE_DRIFT = Constant("deload.trigger_rpe_drift", 1.0, "RPE", "O")
DELOAD_TRIGGER_DRIFT_EXPOSURES = Constant("deload.trigger_drift_exposures", 3, "exposures", "O")
DELOAD_TRIGGER_READINESS_MEAN = Constant("deload.trigger_readiness_mean", 2.0, "of 5", "O")
DELOAD_TRIGGER_READINESS_N = Constant("deload.trigger_readiness_n", 3, "check-ins", "O")
DELOAD_TRIGGER_READINESS_DAYS = Constant("deload.trigger_readiness_days", 14, "days", "O")
LAYOFF_HOLD_UNTIL = Constant("layoff.hold_until", 16, "days", "M")
LAYOFF_MID_UNTIL = Constant("layoff.mid_until", 41, "days", "M")
LAYOFF_MID_LOAD = Constant("layoff.mid_load", -2.5, "%", "O")
LAYOFF_MID_FIRST_SETS = Constant("layoff.mid_first_sets", -1, "sets", "O")
LAYOFF_LONG_LOAD = Constant("layoff.long_load", -7.5, "%", "O")
LAYOFF_LONG_RETURN = Constant("layoff.long_return", 3, "exposures", "O")
PLAN_REP_DROPOFF = Constant("plan.rep_dropoff", (1.0, 0.974, 0.944), "x reps of set 1", "M")

REST_HEAVY_COMPOUND = Constant("rest.heavy_compound", 210, "s", "O")
REST_COMPOUND = Constant("rest.compound", 150, "s", "O")
REST_ISOLATION = Constant("rest.isolation", 90, "s", "O")
REST_SUPERSET = Constant("rest.superset", 90, "s", "O")
REST_HEAVY_REPS = Constant("rest.heavy_reps", 6, "reps", "O")
DURATION_SEC_PER_REP = Constant("duration.sec_per_rep", 3.5, "s", "O")
DURATION_PERSONAL_MIN_N = Constant("duration.personal_min_n", 10, "sessions", "O")
DURATION_REPORT_BAND = Constant("duration.report_band", 20.0, "+-%", "M")

# Least and most exposures, threshold and confidence rest on simulations of the rule.
STALL_MIN_EXPOSURES = Constant("stall.min_exposures", 8, "exposures", "M")
STALL_MAX_EXPOSURES = Constant("stall.max_exposures", 12, "exposures", "M")
STALL_SLOPE_THRESHOLD = Constant("stall.slope_threshold", 0.25, "% per exposure", "O")
STALL_CONFIDENCE = Constant("stall.confidence", 0.8, "one-sided", "O")
STALL_FIX_RPE_MIN = Constant("stall.fix_rpe_min", 9.0, "mean RPE", "O")
STALL_FIX_DELOAD = Constant("stall.fix_deload", 8.0, "%", "O")
STALL_FIX_LOW_REPS = Constant("stall.fix_low_reps", 4.0, "mean reps", "O")
STALL_FIX_REP_RANGE = Constant("stall.fix_rep_range", (6, 8), "reps", "O")
STALL_FIX_VARIATION = Constant("stall.fix_variation", 4, "weeks", "O")

TAPER_VOLUME = Constant("taper.volume", -45.0, "%", "S")
TAPER_DAYS = Constant("taper.days", 14, "days", "S")


VOLUME_LOW_BELOW = Constant("volume.low_below", 4.0, "fractional sets/wk", "P")
VOLUME_CHECK_ABOVE = Constant("volume.check_above", 20.0, "fractional sets/wk", "O")
VOLUME_MAX_CHANGE = Constant("volume.max_change", 20.0, "% per week", "O")

# Of 569 workouts of three public logs, 81 % had the title that this rule expects.
ROTATION_WINDOW = Constant("rotation.window", 24, "workouts", "M")
ROTATION_PATTERN = Constant("rotation.pattern", 2, "workouts", "M")

INSIGHT_FATIGUE = Constant("insight.fatigue", 0.25, "share of planned sets missed", "O")
INSIGHT_SKIPPED = Constant("insight.skipped", 0.2, "share of planned sets left out", "O")
INSIGHT_FALL = Constant("insight.volume_fall", 20.0, "%", "O")

# Measured on five public logs, 15,898 sets with at least one earlier exposure: mean error 1.6 reps,
# half-width 17.7 %. (The 13.1 % known for the next session are of its maximum, not of its reps.)
PREDICT_EXPOSURES = Constant("predict.exposures", 5, "exposures", "M")
PREDICT_DECAY = Constant("predict.decay", 0.5, "weight per exposure", "M")
PREDICT_LOAD_SHARE = Constant("predict.load_share", 0.1, "x what Epley says", "M")
# What share of sets came where so much was stated: 78,772 cases in fifths, before this correction.
PREDICT_CALIBRATION = Constant(
    "predict.calibration",
    (
        *((0.0, 0.0), (0.089, 0.075), (0.286, 0.212), (0.504, 0.454), (0.717, 0.667)),
        *((0.93, 0.932), (1.0, 1.0)),
    ),
    "stated, came",
    "M",
)
INTERVAL_LEVEL = Constant("interval.level", 80.0, "%", "O")
INTERVAL_MIN_RESIDUALS = Constant("interval.min_residuals", 20, "residuals", "O")
INTERVAL_WINDOW = Constant("interval.window", 300, "residuals", "M")
INTERVAL_POOLED = Constant("interval.pooled", 0.177, "log reps, half the 80 % interval", "M")

WARMUP_BAR_MIN_TOP = Constant("warmup.bar_min_top", 30.0, "kg", "O")
WARMUP_RAMP = Constant("warmup.ramp", ((40, 5), (60, 5), (80, 3)), "% of top set x reps", "O")
WARMUP_SINGLE = Constant("warmup.single", (90, 1), "% of top set x reps", "O")


def constants() -> tuple[Constant[object], ...]:
    """All constants, in the order in which they are defined."""
    return tuple(value for value in globals().values() if isinstance(value, Constant))


@cache
def rule_version() -> str:
    """The version of the rules as they are."""
    return version_of(constants())


def version_of(values: Sequence[Constant[object]]) -> str:
    """One number for the code and a digest of the constants: changing one is a new version."""
    content = json.dumps([(constant.key, constant.value) for constant in values])
    return f"1.{hashlib.sha256(content.encode()).hexdigest()[:8]}"
