"""The order of routines, and the windows of a language model."""

from coach_agent.domain.constants.constant import Constant

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
