"""Recorded sets: which end an exercise, are comparable, or are doubted."""

from coach_agent.domain.constants.constant import Constant

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
TYPO_TENFOLD = Constant(
    "typo.tenfold", 8.0, "x", "O", "a load so far above another is mistyped by a decimal place"
)
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
TYPO_BAR_KG = Constant(
    "typo.bar_kg",
    20.0,
    "kg",
    "O",
    "a bar heavier by more than that is odd up to `typo.repeated`, too",
)
LIGHT_BEFORE = Constant(
    "history.light_before", 0.9, "x before", "O", "a first load below that may be a light day"
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
# Above a step with its cap of 5 % and the noise of about 4 % between two workouts.
ALTERNATION_GAP = Constant(
    "alternation.gap", 12.0, "%", "O", "least from a light day to a heavy one; more than a reset"
)
ALTERNATION_MEDIUM_GAP = Constant(
    "alternation.medium_gap", 5.0, "%", "O", "least between medium days and others; as the jump cap"
)
ALTERNATION_LEAST = Constant(
    "alternation.least", 2, "workouts", "O", "of each kind that show that they take turns"
)
# On the public log with most marked warm-ups these numbers find 132 of 162, and none of the 219
# other sets of these exercises; of the 14 in another log they find none. Weeks of percentages have
# 88 to 90 % before the top set, ascending sets of five 87.5 %.
UNMARKED_LOAD = Constant(
    "unmarked.load", 0.85, "x work", "M", "a heavier set before the work is no warm-up"
)
# Sets before a set of as many repetitions as possible have at least five, three or one.
UNMARKED_FEWER = Constant(
    "unmarked.fewer",
    0.95,
    "x work",
    "O",
    "lighter sets of far fewer reps lead up to one set of work",
)
UNMARKED_FEWER_REPS = Constant(
    "unmarked.fewer_reps", 0.6, "x reps of the work", "O", "more are not far fewer"
)
UNMARKED_LEAST_REPS = Constant(
    "unmarked.least_reps", 2, "reps", "O", "up to here also before a single set of work"
)
UNMARKED_LIGHT = Constant(
    "unmarked.light", 0.45, "x top set", "O", "lighter first sets are warm-ups before any work"
)
UNMARKED_EFFORT = Constant(
    "unmarked.effort", 0.45, "x reps to failure", "M", "more repetitions are no warm-up"
)
UNMARKED_LEVEL = Constant(
    "unmarked.level", 1.05, "x load", "M", "a set no heavier than this after one ends the ramp"
)
UNMARKED_REPEATED = Constant(
    "unmarked.repeated", 0.5, "x top set", "O", "up to here a load of the ramp may be repeated"
)
UNMARKED_RPE = Constant("unmarked.rpe", 6.0, "RPE", "O", "a harder set is no warm-up")
