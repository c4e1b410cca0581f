"""Readiness, pain, deloads, breaks and stalls."""

from coach_agent.domain.constants.constant import Constant

READINESS_VALID_HOURS = Constant(
    "readiness.valid_hours", 36, "h", "O", "how long a check-in counts"
)
READINESS_LOW_MAX = Constant(
    "readiness.low_max", 2, "of 5", "O", "at or below, an athlete feels low"
)
READINESS_VERY_LOW_MAX = Constant("readiness.very_low_max", 1, "of 5", "O", "at or below, very low")
READINESS_LOW_RPE_CAP = Constant(
    "readiness.low_rpe_cap", 7.5, "RPE", "O", "highest effort while low, or the own cap"
)
READINESS_LOW_SETS = Constant("readiness.low_sets", -1, "sets", "O", "sets less while low")
READINESS_VERY_LOW_LOAD = Constant(
    "readiness.very_low_load", -10.0, "%", "O", "load less while very low"
)
PAIN_NO_INCREASE_FROM = Constant(
    "pain.no_increase_from", "moderate", "level", "O", "from here on nothing is increased"
)
PAIN_DROP_FROM = Constant(
    "pain.drop_from", "severe", "level", "O", "from here on the exercise is left out"
)

DELOAD_SETS_FACTOR = Constant(
    "deload.sets_factor", 0.5, "x", "O", "share of the sets in a deload, rounded up"
)
DELOAD_LOAD_FACTOR = Constant("deload.load_factor", 0.90, "x", "O", "share of the load in a deload")
DELOAD_RIR_MIN = Constant("deload.rir_min", 4, "RIR", "O", "repetitions to spare in a deload")
# Its weeks ask for 3 to 1 in reserve; with as many the load keeps what a taper and easy weeks of
# published programmes keep, which take 40 to 50 % of the volume off (Travis 2021).
DELOAD_BLOCK_UNRATED = Constant(
    "deload.block_unrated", 2, "RIR", "O", "spare of unrated sets before a programme's easy week"
)
# Deloads and tapers cut sets first and keep most of the load (Bell 2022, Travis 2021). As many as
# the first week of a block leaves.
DELOAD_BLOCK_RIR = Constant(
    "deload.block_rir", 3, "RIR", "O", "repetitions to spare in a programme's easy week"
)
# Lifters leave 0.95 repetitions more than they predict (Halperin 2022).
BLOCK_UNNOTICED = Constant(
    "block.unnoticed", 1, "reps", "P", "left more than rated in a programme's set; none at RPE 10"
)
DELOAD_DAYS = Constant("deload.days", 7, "days", "P", "how long training is made easier")
DELOAD_CALENDAR_WEEKS = Constant(
    "deload.calendar_weeks", 6, "weeks", "P", "a planned deload is the last of so many weeks"
)
DELOAD_TRIGGER_STALLED_LIFTS = Constant(
    "deload.trigger_stalled_lifts", 2, "lifts", "O", "stalled lifts that trigger a deload"
)
DELOAD_TRIGGER_RPE_DRIFT = Constant(
    "deload.trigger_rpe_drift", 1.0, "RPE", "O", "so much harder at equal work asks for one"
)
DELOAD_TRIGGER_DRIFT_EXPOSURES = Constant(
    "deload.trigger_drift_exposures", 3, "exposures", "O", "over so many"
)
DELOAD_TRIGGER_DAYS = Constant(
    "deload.trigger_days", 21, "days", "O", "older training is no sign of fatigue"
)
DELOAD_TRIGGER_READINESS_MEAN = Constant(
    "deload.trigger_readiness_mean", 2.0, "of 5", "O", "a mean at or below asks for one"
)
DELOAD_TRIGGER_READINESS_N = Constant(
    "deload.trigger_readiness_n", 3, "check-ins", "O", "of so many at least"
)
DELOAD_TRIGGER_READINESS_DAYS = Constant(
    "deload.trigger_readiness_days", 14, "days", "O", "in so many days"
)
LAYOFF_HOLD_UNTIL = Constant(
    "layoff.hold_until", 16, "days", "M", "a break up to here changes nothing"
)
# One curve for breaks of trained lifters, by whole weeks. Strength is kept for
# some weeks (Hortobagyi 1993, Kraemer 2002, Ogasawara 2013), about half of what was gained after
# 20 to 48 (Psilander, Fatouros 2005), repetitions fall faster (Bosquet 2013, 103 studies: -0.62
# against -0.46 SD). Between these points the curve is a choice of this project.
LAYOFF_HOLD_WEEKS = Constant(
    "layoff.hold_weeks",
    2,
    "weeks",
    "M",
    "the shortest break; up to layoff.hold_until it takes nothing",
)
LAYOFF_KEPT_WEEKS = Constant(
    "layoff.kept_weeks", 1, "weeks", "O", "where the curves of strength and repetitions begin"
)
LAYOFF_STRENGTH = Constant(
    "layoff.strength", (0.40, 35.0), "most lost, weeks to 63 %", "P", "strength lost by a break"
)
LAYOFF_FIRST_DAY = Constant(
    "layoff.first_day", (0.08, 12.0), "most, weeks to 63 %", "O", "load less than strength allows"
)
LAYOFF_REPS = Constant(
    "layoff.reps", (0.55, 28.0), "most lost, weeks to 63 %", "P", "repetitions and seconds lost"
)
LAYOFF_SETS = Constant(
    "layoff.sets", (0.5, 2.0), "most, weeks to 63 %", "O", "sets less on the first day back"
)
LAYOFF_USUAL_GAPS = Constant(
    "layoff.usual_gaps", 3, "gaps", "O", "of which the median is an exercise's usual rest"
)
# Strength is kept best with the repetitions that are trained, and some of it with others.
LAYOFF_ELSEWHERE = Constant(
    "layoff.elsewhere", 0.5, "x weeks", "O", "what counts of a break with other work elsewhere"
)
# Retraining is faster than training: old strength is back in about half of the break (Halonen
# 2024, Staron 1991), twice the step of an ordinary increase.
LAYOFF_RETURN_FROM = Constant(
    "layoff.return_from", 3, "weeks", "O", "after a break so long the old load comes back faster"
)
LAYOFF_RETURN_STEP = Constant(
    "layoff.return_step", 5.0, "%", "P", "step on the way back while sets are easy"
)
LAYOFF_RETURN_UNTIL = Constant(
    "layoff.return_until", 0.95, "x old load", "O", "from here on steps are ordinary ones"
)
LAYOFF_RETURN_RPE = Constant(
    "layoff.return_rpe", (8.0, 9.5), "RPE", "O", "sets up to here are easy, from there on too hard"
)
LAYOFF_RETURN_SPARE = Constant(
    "layoff.return_spare", 3, "reps", "O", "to spare where the way back turns, RPE 7"
)
FLOOR_LOAD = Constant(
    "floor.load", 0.90, "x last load", "O", "least load but after a break or on a red day"
)

# Least and most exposures, threshold and confidence rest on simulations of the rule.
STALL_MIN_EXPOSURES = Constant(
    "stall.min_exposures", 8, "exposures", "M", "with fewer there is no verdict"
)
STALL_MAX_EXPOSURES = Constant(
    "stall.max_exposures", 12, "exposures", "M", "latest exposures that count"
)
STALL_SLOPE_THRESHOLD = Constant(
    "stall.slope_threshold", 0.25, "% per exposure", "O", "a slope surely below is a stall"
)
STALL_CONFIDENCE = Constant("stall.confidence", 0.8, "one-sided", "O", "how sure that has to be")
STALL_FIX_RPE_MIN = Constant(
    "stall.fix_rpe_min", 9.0, "mean RPE", "O", "from here a stall is one of high effort"
)
STALL_FIX_DELOAD = Constant("stall.fix_deload", 8.0, "%", "O", "load less where sets were hard")
STALL_FIX_LOW_REPS = Constant(
    "stall.fix_low_reps", 4.0, "mean reps", "O", "up to here it is one of few repetitions"
)

STALL_FIX_REP_RANGE = Constant(
    "stall.fix_rep_range", (6, 8), "reps", "O", "range where sets were short"
)
STALL_FIX_VARIATION = Constant(
    "stall.fix_variation", 4, "weeks", "O", "how long another variation is trained"
)
