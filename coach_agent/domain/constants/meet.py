"""The weeks before and after a meet or event."""

from coach_agent.domain.constants.constant import Constant

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
