"""The progression models: when a target rises, stays or is reset."""

from coach_agent.domain.constants.constant import Constant

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
EFFORT_LIMIT = Constant(
    "effort.limit", 9.5, "RPE", "O", "mean of sets to the limit, of which the last one is at 10"
)
# A set that is managed again and again at the limit is no longer at it, whatever it feels like.
EFFORT_LIMIT_WORKOUTS = Constant(
    "effort.limit_workouts", 3, "workouts", "O", "at the limit with one load; then it may rise"
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
