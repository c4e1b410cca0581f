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

INCREMENT_BARBELL_UPPER = Constant("increment.barbell_upper", 2.5, "kg", "O")
INCREMENT_BARBELL_LOWER = Constant("increment.barbell_lower", 5.0, "kg", "O")
INCREMENT_DUMBBELL = Constant("increment.dumbbell", 2.0, "kg", "O")
INCREMENT_CABLE = Constant("increment.cable", 2.5, "kg", "O")
INCREMENT_MACHINE = Constant("increment.machine", 5.0, "kg", "O")
INCREMENT_TIMED = Constant("increment.timed", 5, "s", "O")
JUMP_MAX_PCT = Constant("jump.max_pct", 5.0, "%", "O")
LOAD_TOLERANCE = Constant("align.load_tolerance", 0.25, "kg", "O")

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

DELOAD_DAYS = Constant("deload.days", 7, "days", "P")
DELOAD_CALENDAR_WEEKS = Constant("deload.calendar_weeks", 6, "weeks", "P")

# Least and most exposures, threshold and confidence rest on simulations of the rule.
STALL_MIN_EXPOSURES = Constant("stall.min_exposures", 8, "exposures", "M")
STALL_MAX_EXPOSURES = Constant("stall.max_exposures", 12, "exposures", "M")
STALL_SLOPE_THRESHOLD = Constant("stall.slope_threshold", 0.25, "% per exposure", "O")
STALL_CONFIDENCE = Constant("stall.confidence", 0.8, "one-sided", "O")
STALL_FIX_RPE_MIN = Constant("stall.fix_rpe_min", 9.0, "mean RPE", "O")
STALL_FIX_LOW_REPS = Constant("stall.fix_low_reps", 4.0, "mean reps", "O")
TAPER_DAYS = Constant("taper.days", 14, "days", "S")

VOLUME_MAX_CHANGE = Constant("volume.max_change", 20.0, "% per week", "O")

# Of 569 workouts of three public logs 82 % had the title that this rule expects; 1 % had the one
# that was not trained for longest.
ROTATION_WINDOW = Constant("rotation.window", 24, "workouts", "M")
ROTATION_PATTERN = Constant("rotation.pattern", 2, "workouts", "M")

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
