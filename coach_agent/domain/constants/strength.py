"""Estimated maxima and the load that effort is worth."""

from coach_agent.domain.constants.constant import Constant

E1RM_MAX_REPS = Constant(
    "e1rm.max_reps_eff", 10.0, "reps", "P", "above, an estimated maximum has low confidence"
)
E1RM_HARD_MAX_REPS = Constant(
    "e1rm.hard_max_reps_eff", 12.0, "reps", "O", "above, no maximum is estimated"
)
E1RM_TESTED_SINGLE_RPE = Constant(
    "e1rm.tested_single_rpe_min", 9.5, "RPE", "O", "a single at or above is a tested maximum"
)
E1RM_BAND_LE_5 = Constant(
    "e1rm.band80_le5", 5.0, "+-%", "O", "80 % band up to 5 effective repetitions"
)
E1RM_BAND_6_8 = Constant("e1rm.band80_6_8", 8.0, "+-%", "O", "80 % band from 6 to 8")
E1RM_BAND_9_10 = Constant("e1rm.band80_9_10", 12.0, "+-%", "O", "80 % band from 9 to 10")
E1RM_BAND_11_12 = Constant("e1rm.band80_11_12", 15.0, "+-%", "O", "80 % band from 11 to 12")

E1RM_TESTED_DAYS = Constant(
    "e1rm.tested_days", 14, "days", "O", "for as long nothing is planned above a tested maximum"
)
E1RM_TRAINED_WORKOUTS = Constant(
    "e1rm.trained_workouts", 5, "workouts", "O", "after them a planned single is no new maximum"
)
E1RM_SINGLE_HABIT = Constant(
    "e1rm.single_habit", 3, "workouts", "O", "with a single of about this load; then it is no test"
)
E1RM_TESTED_SPARE = Constant(
    "e1rm.tested_spare", 1, "reps", "O", "left below what a tested maximum allows in these days"
)

RPE_LOAD_PER_HALF_POINT = Constant(
    "rpe.load_per_half_point", 2.0, "%", "P", "load that half a point of RPE is worth"
)
RPE_SHRINK_WEIGHT = Constant(
    "rpe.shrink_weight",
    0.5,
    "share of what was in reserve",
    "O",
    "how much of a stated reserve a forecast believes",
)
