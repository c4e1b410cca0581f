"""The numbers that the rules use, each with its unit and evidence.

Labels: "P" a published paper, "M" measured on public training logs, "O" practitioners' opinion or a
choice of this project without a trial, "S" a source that could not be checked.
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
    """A named number of the engine; `meaning` describes its effect in one line."""

    key: str
    value: T
    unit: str
    label: Literal["P", "M", "O", "S"]
    meaning: str


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

INCREMENT_LEARN_MIN_USES = Constant(
    "increment.learn_min_uses", 3, "uses", "O", "a rise used as often is the athlete's own step"
)
INCREMENT_BARBELL_UPPER = Constant(
    "increment.barbell_upper", 2.5, "kg", "O", "step of barbell lifts, and of hung or held plates"
)
INCREMENT_BARBELL_LOWER = Constant(
    "increment.barbell_lower", 5.0, "kg", "O", "step of barbell lifts of the lower body"
)
INCREMENT_DUMBBELL = Constant(
    "increment.dumbbell", 2.0, "kg", "O", "step of dumbbells, kettlebells and what is unknown"
)
INCREMENT_CABLE = Constant("increment.cable", 2.5, "kg", "O", "step of cables")
INCREMENT_CABLE_ISOLATION = Constant(
    "increment.cable_isolation", 1.25, "kg", "O", "step of cables for a single joint"
)
INCREMENT_MACHINE = Constant("increment.machine", 5.0, "kg", "O", "step of machines")
INCREMENT_MICRO = Constant(
    "increment.micro", 1.25, "kg", "O", "step where the usual one is above the jump cap"
)
INCREMENT_LB_BARBELL = Constant(
    "increment.lb_barbell", 5.0, "lb", "O", "step of barbells and machines in pounds"
)
INCREMENT_LB_SMALL = Constant(
    "increment.lb_small", 2.5, "lb", "O", "step of everything else in pounds"
)
INCREMENT_TIMED = Constant("increment.timed", 5, "s", "O", "step of exercises held for a time")
# A hold of 10 s is not held for 15 s the next time.
INCREMENT_TIMED_SHARE = Constant(
    "increment.timed_share", 0.2, "x time", "O", "largest step of a time, for short holds"
)
JUMP_MAX_STEPS = Constant(
    "jump.max_steps", 1, "step", "O", "loads that exist by which one decision may pass the cap"
)
JUMP_PROVED_PCT = Constant(
    "jump.proved_pct", 10.0, "%", "O", "the same after sets far beyond the target with plenty left"
)
JUMP_PROVED_REPS = Constant(
    "jump.proved_reps", 5, "reps", "O", "beyond the target in each set are far"
)
JUMP_WIDER_REPS = Constant(
    "jump.wider_reps", 4, "reps", "O", "beyond the target at most before a step above the cap"
)
JUMP_MAX_PCT = Constant("jump.max_pct", 5.0, "%", "O", "jump cap: highest rise over the load done")
BODY_KG = Constant(
    "body.assumed_kg", 70.0, "kg", "O", "body weight moved with added loads where it is unknown"
)
BODY_MEASURED_DAYS = Constant(
    "body.measured_days", 365, "days", "O", "for as long a measured body weight counts"
)
LOAD_TOLERANCE = Constant(
    "align.load_tolerance", 0.25, "kg", "O", "loads closer than this are equal"
)

# Between two sets. A set at 94 % of the first one is usual; these are far below.
NEXT_SET_FAILURE = Constant(
    "next_set.failure", 0.5, "x target", "O", "fewer repetitions end the exercise"
)
NEXT_SET_DROP_OFF = Constant(
    "next_set.drop_off", 0.7, "x reps of the first set", "O", "fewer ask for less load"
)
NEXT_SET_UNKNOWN_STEP = Constant(
    "next_set.unknown_step", 2.5, "kg", "O", "step of an unknown exercise"
)

# On four public logs forecasts hardly depend on it: they err by 0.85 repetitions with 7 to 42 days,
# by 0.87 from the own place alone. A routine that is trained now and then keeps its own loads.
CONTEXT_OWN_PLACE = Constant(
    "context.own_place_days", 42, "days", "O", "newer work elsewhere outweighs the own place"
)
# Five hard repetitions elsewhere are no failed twelve.
CONTEXT_ALIKE_REPS = Constant(
    "context.alike_reps", 1.4, "x", "O", "factor within which repetitions are similar work"
)
TYPO_ALIKE = Constant("typo.alike", 1.6, "x", "M", "numbers within this factor confirm each other")
TYPO_RAMP = Constant("typo.ramp", 0.2, "x heaviest set", "O", "a lighter set is no part of a ramp")
# Counting both dumbbells instead of one makes it 2.
TYPO_REPEATED = Constant(
    "typo.repeated", 2.5, "x median", "O", "up to here a load is believed that several sets have"
)
# Pounds typed as kilograms make it 2.2, in each set.
TYPO_POUNDS = Constant(
    "typo.pounds", 0.06, "share", "O", "loads so near to the usual ones in pounds are doubted"
)
TYPO_HI = Constant("typo.hi", 1.6, "x median", "O", "a load above is doubted")
TYPO_LO = Constant("typo.lo", 0.4, "x median", "O", "a load below is doubted")
TYPO_ODD = Constant(
    "typo.odd",
    ((0.6, 0.75), (1.15, 1.4)),
    "x median",
    "O",
    "a first load in these bands, and as far from the usual maximum, waits for a second time",
)
TYPO_EFFORT = Constant(
    "typo.effort", 9.0, "RPE", "O", "a set at or above shows that a light first load was real"
)
TYPO_WINDOW = Constant(
    "typo.window", 7, "exposures", "O", "exposures before, of which the median is taken"
)
TYPO_MIN_OTHERS = Constant(
    "typo.min_others", 3, "exposures", "O", "with fewer there is no median to compare with"
)
# Added or assisting load is a small part of all that is moved: 5 and 10 kg are close, 25 and 2.5
# not.
TYPO_PART_KG = Constant(
    "typo.part_kg", 15.0, "kg", "O", "where the body is moved too, less of a difference is no doubt"
)
# Five public logs have 4 of 5,281 exposures above: 111, 212, 111 and 55 for 12, 24, 10 and 12.
TYPO_COUNT_HI = Constant(
    "typo.count_hi", 3.0, "x median", "O", "repetitions or seconds above are doubted"
)
TYPO_COUNT_LEAST = Constant(
    "typo.count_least", 20, "reps or s", "O", "fewer repetitions or seconds are never doubted"
)
# The best of three sets at failure stays above two thirds of the target; 5 of 8 are other work.
OTHER_WORK_REPS = Constant(
    "other_work.reps", 2 / 3, "x target", "O", "sets that all stay below were for another target"
)
OTHER_WORK_LOAD_PCT = Constant(
    "other_work.load_pct", 10.0, "%", "O", "other work is this much heavier than before"
)

LINEAR_FAIL_LIMIT = Constant(
    "linear.fail_limit", 3, "misses", "O", "misses in a row until the load is reset"
)
LINEAR_FAIL_LIMIT_HARD = Constant(
    "linear.fail_limit_hard", 2, "misses", "O", "the same where each had a set at RPE 10"
)
# A stated reserve is about one repetition too high: training-science, RIR rating bias.
EFFORT_RESERVE = Constant(
    "effort.reserve", 3.0, "reps", "O", "left in reserve in each set: more than one step at once"
)
EFFORT_RESERVE_BIAS = Constant(
    "effort.reserve_bias", 1.0, "reps", "P", "less than stated is believed of such a reserve"
)
EFFORT_NEVER_RAISED = Constant(
    "effort.never_raised", 4, "exposures", "O", "with one load; then the text states it"
)
LINEAR_RESET_FACTOR = Constant("linear.reset_factor", 0.90, "x", "O", "load after such a reset")
DOUBLE_DOWN_EXPOSURES = Constant(
    "double.down_exposures", 2, "exposures", "O", "exposures below the range until a step down"
)
DOUBLE_DOWN_FACTOR = Constant(
    "double.down_factor", 0.925, "x", "O", "load of that step down: two to three reps more"
)
# Half of the range with a load that was never held is a mistake, not a bad day.
DOUBLE_FAR_BELOW = Constant(
    "double.far_below", 0.5, "x low end", "O", "all sets below with a new load: a step down at once"
)
DOUBLE_QUICK_REPS = Constant(
    "double.quick_reps", 2, "reps", "O", "more on each set while nothing fell short; about 5 %"
)
TOP_REPS = Constant("top.reps", (4, 6), "reps", "O", "range of a top set without one of its own")
TOP_RPE = Constant("top.rpe", (7.5, 8.5), "RPE", "O", "effort of a top set; above, it stays")
BACKOFF_FACTOR = Constant(
    "backoff.factor", 0.90, "x", "O", "load of back-off sets by the top set's"
)
BACKOFF_REPS = Constant(
    "backoff.reps", (6, 10), "reps", "O", "range of back-off sets without one of their own"
)
TM_FACTOR = Constant("tm.factor", 0.90, "x e1RM", "S", "training max at the start")
TM_MISSED_FACTOR = Constant(
    "tm.missed_factor", 0.90, "x", "O", "training max after a missed minimum of a set"
)
TM_LEAST_TOP = Constant(
    "tm.least_top",
    70.0,
    "% of TM",
    "O",
    "a week below it is light, and a miss there lowers nothing",
)
TM_CYCLE_UPPER = Constant("tm.cycle_upper", 2.5, "kg", "S", "training max up after a cycle")
TM_CYCLE_LOWER = Constant(
    "tm.cycle_lower", 5.0, "kg", "S", "training max up after a cycle, lower body"
)
TM_AMRAP_TABLE = Constant(
    "tm.amrap_table",
    ((5, 3.0), (4, 2.0), (3, 1.5), (2, 1.0), (1, 0.5), (0, 0.0), (-1, -2.0), (-2, -5.0)),
    "% of TM",
    "O",
    "change of the training max by extra repetitions of the last AMRAP set",
)
TM_WAVE = Constant(
    "tm.wave",
    (
        ("65x5", "75x5", "85x5+"),
        ("70x3", "80x3", "90x3+"),
        ("75x5", "85x3", "95x1+"),
    ),
    "% of TM by week",
    "S",
    "weeks of a cycle without a wave of its own: 5/3/1",
)
GZCLP_STAGES = Constant(
    "gzclp.stages", ("5x3+", "6x2+", "10x1+"), "stages", "S", "stages without any of one's own"
)
GZCLP_T3_AMRAP = Constant(
    "gzclp.t3_amrap", 25, "reps", "O", "last set of a single open stage that makes a step"
)
GZCLP_DELOAD_FACTOR = Constant(
    "gzclp.deload_factor", 0.85, "x", "O", "load after the last stage was missed"
)

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
# One curve for breaks of trained lifters, by whole weeks w beyond the hold. Strength is kept for
# some weeks (Hortobagyi 1993, Kraemer 2002, Ogasawara 2013), about half of what was gained after
# 20 to 48 (Psilander, Fatouros 2005), repetitions fall faster (Bosquet 2013, 103 studies: -0.62
# against -0.46 SD). Between these points the curve is a choice of this project.
LAYOFF_HOLD_WEEKS = Constant(
    "layoff.hold_weeks", 2, "weeks", "M", "a break from here on adds nothing, beyond it takes"
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
    "layoff.sets", (0.5, 3.0), "most, weeks to 63 %", "O", "sets less on the first day back"
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

PREDICT_REP_DROPOFF = Constant(
    "predict.rep_dropoff", (1.0, 0.974, 0.944), "x reps of set 1", "M", "repetitions of later sets"
)

TIME_MAIN_SETS = Constant(
    "time.main_sets", 3, "sets", "O", "to which all exercises are cut before any is cut further"
)
TIME_LEAST_SETS = Constant(
    "time.least_sets", 2, "sets", "O", "fewest of an exercise that stays when time is short"
)

WARMUP_BAR_MIN_TOP = Constant(
    "warmup.bar_min_top", 30.0, "kg", "O", "the empty bar is lifted only before more than this"
)
WARMUP_RAMP = Constant(
    "warmup.ramp", ((40, 5), (60, 5), (80, 3)), "% of top set x reps", "O", "sets of the ramp"
)
WARMUP_SINGLE = Constant(
    "warmup.single", (90, 1), "% of top set x reps", "O", "its last one, before heavy sets"
)
WARMUP_ISOLATION = Constant(
    "warmup.isolation", (55, 8), "% of top set x reps", "O", "a warm-up of more repetitions"
)

REST_HEAVY_COMPOUND = Constant(
    "rest.heavy_compound", 210, "s", "O", "rest where more than one muscle group works hard"
)
REST_COMPOUND = Constant(
    "rest.compound", 150, "s", "O", "rest where more than one muscle group works"
)
REST_ISOLATION = Constant("rest.isolation", 90, "s", "O", "rest where one does")
REST_SUPERSET = Constant("rest.superset", 90, "s", "O", "rest in a superset")
REST_HEAVY_REPS = Constant("rest.heavy_reps", 6, "reps", "O", "sets of up to so many are heavy")
DURATION_SEC_PER_REP = Constant(
    "duration.sec_per_rep", 3.5, "s", "O", "what a repetition takes, before the own pace is known"
)
DURATION_PERSONAL_MIN_N = Constant(
    "duration.personal_min_n", 10, "sessions", "O", "from so many on the own pace counts"
)
# On five public logs the pace of all workouts erred by 21 %, that of the latest 20 by 18 %.
DURATION_WINDOW = Constant(
    "duration.window", 20, "workouts", "M", "latest workouts that the own pace is estimated from"
)
DURATION_REPORT_BAND = Constant(
    "duration.report_band", 20.0, "+-%", "M", "band around the minutes of a session"
)

TAPER_VOLUME = Constant("taper.volume", -45.0, "%", "S", "sets less in a taper")
TAPER_DAYS = Constant("taper.days", 14, "days", "S", "training is made easier before an event")
# Travis 2021: last heavy squat and deadlift 7 to 10 days out, bench press under 7 days.
MEET_LAST_HEAVY_LOWER = Constant(
    "meet.last_heavy_lower", 7, "days", "P", "from then on legs and back are lighter before a meet"
)
MEET_LAST_HEAVY_UPPER = Constant(
    "meet.last_heavy_upper", 5, "days", "P", "from then on the rest is lighter before a meet"
)
MEET_SHARP_LOAD = Constant(
    "meet.sharp_load", 0.9, "x", "P", "load after the last heavy day before a meet"
)
MEET_LIGHT_DAYS = Constant(
    "meet.light_days", 3, "days", "O", "from then on only light main lifts before a meet"
)
MEET_LIGHT_REPS = Constant("meet.light_reps", 2, "reps", "O", "most of a set on these light days")
MEET_LIGHT_LOAD = Constant("meet.light_load", 0.6, "x", "O", "load of these light days")
MEET_REST_DAYS = Constant("meet.rest_days", 1, "days", "O", "no workout so soon before a meet")
MEET_RECOVERY_DAYS = Constant("meet.recovery_days", 7, "days", "O", "easy training after a meet")
MEET_RECOVERY_LOAD = Constant("meet.recovery_load", 0.6, "x", "O", "load after a meet")
MEET_RECOVERY_SETS = Constant("meet.recovery_sets", 0.5, "x", "O", "sets after a meet")
MEET_RECOVERY_RPE = Constant("meet.recovery_rpe", 6.0, "RPE", "O", "hardest set after a meet")
MEET_ATTEMPTS = Constant(
    "meet.attempts", (91, 96, 100), "% of the estimate", "O", "the three attempts of a lift"
)
MEET_WARMUP = Constant(
    "meet.warmup",
    ((40, 5), (55, 3), (68, 2), (78, 1), (85, 1)),
    "% x reps",
    "O",
    "warm-up before the first attempt",
)
MEET_EVIDENCE_DAYS = Constant(
    "meet.evidence_days", 28, "days", "O", "sets of these days give the estimate for attempts"
)
MEET_MOST_ABOVE = Constant(
    "meet.most_above", 1.025, "x", "O", "most that an estimate is above the heaviest single"
)
MEET_ROUNDING = Constant("meet.rounding", 2.5, "kg", "O", "attempts are multiples of it")

VOLUME_PRIMARY = Constant(
    "volume.primary", 1.0, "set", "P", "what a set counts for the primary muscle group"
)
VOLUME_SECONDARY = Constant(
    "volume.secondary", 0.5, "set", "P", "what a set counts for each secondary muscle group"
)
VOLUME_LOW_BELOW = Constant(
    "volume.low_below", 4.0, "fractional sets/wk", "P", "fewer are reported as few"
)
VOLUME_CHECK_ABOVE = Constant(
    "volume.check_above", 20.0, "fractional sets/wk", "O", "more are reported as many"
)
VOLUME_MAX_CHANGE = Constant(
    "volume.max_change", 20.0, "% per week", "O", "most that a muscle's weekly sets may change"
)

INSIGHT_FATIGUE = Constant(
    "insight.fatigue",
    0.25,
    "share of planned sets missed",
    "O",
    "from here on a workout shows fatigue",
)
INSIGHT_SKIPPED = Constant(
    "insight.skipped",
    0.2,
    "share of planned sets left out",
    "O",
    "from here on that is what it shows",
)
INSIGHT_FALL = Constant(
    "insight.volume_fall", 20.0, "%", "O", "sets that fell so far explain a stall"
)

# Measured on four public logs: forecasts hardly change within wide ranges of these numbers.
PREDICT_EXPOSURES = Constant(
    "predict.exposures", 5, "exposures", "M", "latest ones that a forecast rests on"
)
PREDICT_DECAY = Constant(
    "predict.decay", 0.5, "weight per exposure", "M", "weight of an exposure by the next newer one"
)
PREDICT_LOAD_REACH = Constant(
    "predict.load_reach", 4.0, "%", "M", "load distance at which an exposure weighs 1/e"
)
PREDICT_AGE_REACH = Constant(
    "predict.age_reach", 5.0, "exposures", "M", "age at which an exposure weighs 1/e"
)
PREDICT_IN_REACH = Constant(
    "predict.in_reach", 3, "exposures", "M", "what the best of the latest showed is within reach"
)
# Fitted to 3,847 sets of four public logs, each asked for as many repetitions as the time before:
# leaving out one lifter each time moves the level by 0.3 and the slope by 0.1. The spread is a
# choice wide enough that 50 own sets outweigh it.
PREDICT_CHANCE = Constant(
    "predict.chance", (0.15, 1.05), "level, slope", "M", "logistic chance by the excess of a target"
)
PREDICT_CHANCE_SPREAD = Constant(
    "predict.chance_spread", (0.6, 0.4), "level, slope", "O", "how far lifters differ from it"
)
# Targets far beyond what is expected are reached more often than a logarithm suggests, and the
# first repetition beyond it costs most.
PREDICT_CHANCE_EXCESS = Constant(
    "predict.chance_excess",
    (0.1, 0.5),
    "log reps, step",
    "M",
    "excess that counts in full, and what exceeding the expectation at all counts",
)
PREDICT_CHANCE_BOUND = Constant(
    "predict.chance_bound", 0.02, "chance", "O", "no chance is nearer to 0 or 1"
)
# Of 527 top sets after two weeks and more without the exercise, on five public logs: with the load
# that lifters chose themselves they lost that little, or had trained something similar in between.
PREDICT_BREAK_SHARE = Constant(
    "predict.break_share", 0.08, "x strength lost", "M", "of a break's loss, what is expected"
)
INTERVAL_LEVEL = Constant(
    "interval.level", 80.0, "%", "O", "of so many sets the interval holds what comes"
)
INTERVAL_MIN_RESIDUALS = Constant(
    "interval.min_residuals",
    20,
    "residuals",
    "O",
    "with fewer own errors those of all lifters count",
)
INTERVAL_WINDOW = Constant("interval.window", 300, "residuals", "M", "latest own errors that count")
# Of the sets of four lifters 75 % came within it on average, and 81 % with own errors included.
INTERVAL_POOLED = Constant(
    "interval.pooled", 0.2, "log reps, half the 80 % interval", "M", "spread of all lifters"
)
# Of the lifter with most sessions, 2,308 sets, the errors were never smaller: one in ten.
INTERVAL_LEAST = Constant(
    "interval.least", 0.095, "log reps, half the 80 % interval", "M", "no interval is narrower"
)

# Measured on four public logs and on series with the noise and drift of forty lifters: errors
# hardly change within wide ranges of these numbers. A usual miss is that of repeating the last one.
FORECAST_REGAINED = Constant(
    "forecast.regained", 0.5, "x the fall", "M", "share of the last fall that comes back"
)
FORECAST_LEVEL = Constant(
    "forecast.level",
    (0.7, 0.15),
    "x the way from below, from above",
    "M",
    "way back to the mean of the exposures before the last",
)
FORECAST_LEVEL_EXPOSURES = Constant(
    "forecast.level_exposures", 3, "exposures", "M", "of which that mean is taken"
)
FORECAST_MAX_TRUST = Constant(
    "forecast.max_trust",
    (3.0, 1.0, 1.0, 1.0),
    "weights",
    "M",
    "of last, fall regained, level and mean before anything is learned",
)
FORECAST_MAX_MISS = Constant(
    "forecast.max_miss", (0.078, 0.15), "log kg", "M", "a usual miss, and the most that counts"
)
FORECAST_LEARNING_RATE = Constant(
    "forecast.learning_rate", 0.2, "per usual miss", "M", "how fast a way that misses loses trust"
)

# Of 569 workouts of three public logs 82 % had the title that this rule expects; 1 % had the one
# that was not trained for longest.
ROTATION_WINDOW = Constant(
    "rotation.window",
    24,
    "workouts",
    "M",
    "latest ones that the order of routines is inferred from",
)
ROTATION_PATTERN = Constant(
    "rotation.pattern", 2, "workouts", "M", "those in a row that are looked for among them"
)

LLM_TOLERANCE_VOLUME = Constant(
    "llm.tolerance_volume",
    20.0,
    "+-%",
    "O",
    "how far a language model may change the number of sets, at least one set either way",
)
LLM_LIGHTER = Constant(
    "llm.lighter", 10.0, "%", "O", "most that it may take off a load without need, in one step"
)
LLM_LIGHTER_STEPS = Constant(
    "llm.lighter_steps", 2, "steps", "O", "the same where pain, fatigue or a stall asks for it"
)
LLM_REPS = Constant(
    "llm.reps", (2, 1), "reps", "O", "how many it may take off a set's goal, and add to it"
)


def constants() -> tuple[Constant[object], ...]:
    """Return all constants in the order of their definition."""
    return tuple(value for value in globals().values() if isinstance(value, Constant))


@cache
def rule_version() -> str:
    """Return the version of the current rules."""
    return version_of(constants())


def constants_markdown() -> str:
    """Build the page `docs/constants.md`: every constant with its evidence."""
    lines = [
        "# Constants of the progression engine",
        "",
        "Every number that a decision rests on, from `coach_agent/domain/constants.py`.",
        "Another value is another version of the rules. Labels give the evidence: P a published",
        "paper, M measured on public training logs, O practitioners' opinion or a choice of this",
        "project, S a source that could not be checked.",
        "",
        "| Key | Default | Unit | Label | Meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for each in constants():
        value = _text(each.value, " x " if " x " in each.unit else "-")
        lines.append(f"| `{each.key}` | {value} | {each.unit} | {each.label} | {each.meaning} |")
    return "\n".join((*lines, ""))


def _text(value: object, between: str) -> str:
    if not isinstance(value, tuple):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if any(isinstance(each, tuple) for each in value):
        within = between if between != "-" else " "
        return ", ".join(_text(each, within) for each in value)
    if any(isinstance(each, str) for each in value):
        between = " "
    return between.join(_text(each, between) for each in value)


def version_of(values: Sequence[Constant[object]]) -> str:
    """Return one number for the code and a digest of the constants, which changes with each
    constant.
    """
    content = json.dumps([(constant.key, constant.value) for constant in values])
    return f"1.{hashlib.sha256(content.encode()).hexdigest()[:8]}"
