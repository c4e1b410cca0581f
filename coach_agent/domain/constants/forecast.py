"""Forecasts of repetitions and maxima, and their intervals."""

from coach_agent.domain.constants.constant import Constant

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
