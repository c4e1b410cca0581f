"""Weekly sets of a muscle, and what a workout shows about them."""

from coach_agent.domain.constants.constant import Constant

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
