"""One workout: drop-off, cuts for time, warm-up, rest and duration."""

from coach_agent.domain.constants.constant import Constant

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
REST_WARMUP = Constant(
    "rest.warmup", 90, "s", "O", "most rest after a warm-up if the routine has none"
)
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
