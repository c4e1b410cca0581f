"""The numbers of programmes, each with its unit and evidence.

They decide no load of a plan, so they are not part of the version of the rules. Labels are those of
`coach_agent/domain/constants/`.
"""

from coach_agent.domain.constants.constant import Constant

HARD_SHARE = Constant(
    *("programme.hard_share", 0.63, "x estimated maximum of the hardest set", "O"),
    "easier sets of a lift are warm-ups, not hard sets",
)
# ACSM 2026 (137 reviews), Iversen 2021 and Schoenfeld 2017 bound them; the steps are a choice.
SETS_HEALTH = Constant(
    *("programme.sets_health", ((4, 6), (4, 8), (6, 10)), "sets by level", "P"),
    "weekly hard sets of a muscle for health, novice to advanced",
)
SETS_HYPERTROPHY = Constant(
    *("programme.sets_hypertrophy", ((6, 10), (10, 18), (12, 22)), "sets by level", "P"),
    "weekly hard sets of a muscle for size, novice to advanced",
)
# Published programmes: three to four exercises for novices, five to seven for size, at most eight.
MOST_EXERCISES = Constant(
    *("builder.most_exercises", (6, 7, 8), "exercises by level", "O"),
    "most exercises of a session, novice to advanced",
)
LEAST_SETS = Constant("builder.least_sets", 2, "sets", "O", "fewest sets of an exercise")
# ACSM 2026: 2 to 3 sets; Iversen 2021: a short session leaves out isolation before third sets.
USUAL_SETS = Constant(
    *("builder.usual_sets", 3, "sets", "P"),
    "sets of main and second lifts before single joints have any",
)
MOST_SETS = Constant("builder.most_sets", 5, "sets", "O", "most sets of an exercise")
# Published programmes have one to four heavy pulls a day; those for the three lifts have more.
MOST_HINGE_SETS = Constant(
    *("builder.most_hinge_sets", (4, 3), "sets for strength, other goals", "O"),
    "most sets of an exhausting hinge such as the deadlift; novices lift too little to need it",
)
SESSION_MUSCLE_SETS = Constant(
    *("builder.session_muscle_sets", 9.0, "fractional sets", "O"),
    "most hard sets of a muscle in a session",
)
HARD_DAY_SETS = Constant(
    *("builder.hard_day_sets", 4, "sets", "O"),
    "direct sets from which a muscle has a hard day",
)
HARD_DAY_GAP = Constant(
    "builder.hard_day_gap", 2, "days", "O", "least distance of two hard days of a muscle"
)
WARMUP_MINUTES = Constant("builder.warmup", 6.0, "min", "O", "warm-up of a session")
CHANGE_MINUTES = Constant("builder.change", 2.0, "min", "O", "way from an exercise to the next")
HINGE_TO_SQUAT = Constant(
    *("builder.hinge_to_squat", (0.67, 1.5), "x sets", "O"),
    "weekly sets of hinges and bridges by those of squats and lunges",
)
ROW_SHARE = Constant(
    "builder.row_share", 0.5, "x sets of pulls", "O", "least share of horizontal pulls"
)
# Robinson 2024, Refalo 2023: near failure is enough for size, strength hardly depends on it.
RESERVE_BY_WEEK = Constant(
    *("builder.reserve", (3, 2, 2, 1), "reps in reserve by week", "P"),
    "repetitions left in each set, week by week of a block",
)
RESERVE_LEAST_NOVICE = Constant(
    *("builder.reserve_novice", 2, "reps in reserve", "O"),
    "least reserve of a novice: technique comes first, and ratings are not learned yet",
)
EASY_SHARE = Constant(
    *("programme.easy_share", 0.67, "x sets", "O"),
    "a week of a held block with at most this share of the fullest week's sets is an easy one",
)
# Coaches plan an easy week every 5.6 weeks (Rogerson 2024). Novice programmes plan none;
# with one the block is as long as their exercises stay.
BLOCK_WEEKS = Constant(
    *("builder.block_weeks", (7, 5, 4), "weeks by level", "P"),
    "training weeks before an easy one, novice to advanced",
)
# Reps by goal: main, second and single-joint exercises. ACSM 2009 and 2026, Schoenfeld 2021.
REPS_STRENGTH = Constant(
    *("builder.reps_strength", ((4, 6), (6, 10), (10, 15)), "reps", "P"),
    "ranges of main, second and single-joint exercises for strength",
)
REPS_BOTH = Constant(
    *("builder.reps_both", ((5, 8), (8, 12), (10, 15)), "reps", "P"),
    "the same for strength and size",
)
REPS_HYPERTROPHY = Constant(
    *("builder.reps_hypertrophy", ((6, 10), (8, 12), (12, 20)), "reps", "P"), "the same for size"
)
REPS_HEALTH = Constant(
    *("builder.reps_health", ((8, 12), (10, 15), (10, 15)), "reps", "P"), "the same for health"
)
MINIMUM_MINUTES = Constant(
    *("builder.minimum_minutes", 30, "min", "O"),
    "from so long a session on, one for the whole body has a squat or hinge, a push and a pull",
)
# Iversen 2021: with little time shorter rests cost less than exercises left out.
SHORT_SESSION_MINUTES = Constant(
    "builder.short_session", 45, "min", "O", "shorter sessions have short rests, and few sides"
)
SHORT_SESSION_REST = Constant(
    "builder.short_session_rest", 120, "s", "P", "longest rest in a short session"
)
# Pain monitoring (Silbernagel 2007): 3 to 5 of 10 is acceptable without an increase.
CAREFUL_REPS = Constant(
    *("builder.careful_reps", 8, "reps", "O"),
    "fewest repetitions of exercises that load a part with moderate pain somewhat",
)
CAREFUL_RESERVE = Constant(
    "builder.careful_reserve", 3, "reps in reserve", "O", "reserve of the same exercises"
)
CAREFUL_SETS = Constant("builder.careful_sets", 3, "sets", "O", "most sets of the same exercises")
# Handstands and pistols have no lighter load; ladders of published body-weight programmes reach
# pull-ups and dips after rows and push-ups.
BODY_WEIGHT_SKILL = Constant(
    *("builder.body_weight_skill", (1, 2, 3), "skill by level", "O"),
    "most skill of an exercise with body weight, novice to advanced",
)
HOLD_SETS = Constant(
    "builder.hold_sets", 3, "sets", "O", "most sets of an exercise held for a time"
)
HOLD_SECONDS = Constant("builder.hold", (20, 40), "s", "O", "exercises held for a time")
PEAK_WEEKS = Constant("builder.peak_weeks", 4, "weeks", "O", "heavier weeks before an event")
# Sets of 4 to 6 near failure are about 82 % of a maximum, so these are 84 to 90 % of it.
PEAK_SETS = Constant(
    *("builder.peak_sets", ((103, 3), (105, 3), (108, 2), (110, 2)), "% of the load, reps", "O"),
    "lifts of a meet by week of the peak",
)
# Travis 2021: half of the sets, the last heavy ones 7 to 10 days before, then 75 to 80 %.
TAPER_SETS = Constant(
    *("builder.taper_sets", ((104, 2), (95, 2)), "% of the load, reps", "P"),
    "lifts of a meet in the week before the last one, and in the last one",
)
MEET_SESSIONS = Constant(
    "builder.meet_sessions", 2, "sessions", "O", "most sessions in the last week before a meet"
)
REST_BEFORE_EVENT = Constant(
    "builder.rest_before_event", 2, "days", "P", "days without training before an event"
)
ACCESSORY_SHARE = Constant(
    *("builder.accessory_share", 0.4, "x weekly sets", "O"), "other lifts before a meet, at most"
)
SHORT_SEASON = Constant(
    *("builder.short_season", 4, "weeks", "O"),
    "weeks to an event that have one heavier week and one of taper at most",
)
TAPER_WEEKS = Constant("builder.taper_weeks", 2, "weeks", "P", "easier weeks before an event")
