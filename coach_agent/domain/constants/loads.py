"""Steps of loads, the largest jumps, and equal loads."""

from coach_agent.domain.constants.constant import Constant

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
STACK_WIDEST_STEP = Constant(
    "stack.widest_step", 10.0, "kg", "O", "loads of a log further apart have others between them"
)
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
JUMP_ONCE_MORE = Constant(
    "jump.once_more", 1.25, "x all before", "O", "a load at or above is done twice, then raised"
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
