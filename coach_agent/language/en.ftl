# Texts for athletes, in English. docs/languages.md explains how to add a language.

## Numbers, days and lists

# The character between whole number and fraction.
decimal-separator = .
list-and = { $items } and { $last }
list-or = { $items } or { $last }
# Patterns of dates, see unicode.org/reports/tr35/tr35-dates.html
day-and-month = d MMMM
day-with-weekday = EEEE, d MMMM y

## Loads, repetitions and sets

load-assistance = { $load } of assistance
load-body-alone = body weight alone
load-up = up to { $load }
load-down = down to { $load }
reps =
    { $count ->
        [one] { $count } rep
       *[other] { $count } reps
    }
reps-text = { $reps } reps
reps-between = { $low } to { $high } reps

# Sets as the place of something: "All 3 sets reached 5 reps". `sets` begins in lower case where it
# can, `subject` is the same with a capital letter.
sets-all =
    { $count ->
        [1] The set
        [2] Both sets
       *[other] All { $count } sets
    }
sets-single = Set { $number }
sets-range = Sets { $first }-{ $last }
sets-only = the set
sets-some =
    { $count ->
        [one] set { $numbers }
       *[other] sets { $numbers }
    }
sets-part = { $subject } of { $total }

## What was done, as the start of a reason: `what` in "what: next step 82.5 kg."

what-reached = { $sets } reached { $reps }
what-not-all-reached = Not all sets reached { $reps }
what-missed = Missed { $reps } on { $sets }
what-missed-goal = Missed the goal on { $sets }
what-misses-in-a-row = { $what }, { $count } misses in a row
what-below = { $subject } fell below { $reps }
what-none-near = { $what }, none came near it
what-times-in-a-row = { $what }, { $count } times in a row
what-workouts-in-a-row = { $what }, { $count } workouts in a row
what-sum = { $total } of { $target } reps in all
what-and = { $what }. { $reason }
what-at = { $what } at { $load }
what-in-reserve = { $what } with at least { $reserve } in reserve
what-never-raised = { $what }, and no load was added in { $workouts } workouts
what-instead-of = { $what } instead of { $load }
what-once-more = { $what }, but { $load } is a big step, so once more first
what-too-few-for = { $what }, too few for { $load }
what-far-above = { $what }, far above the { $load } before
what-too-big = { $what }, but { $load } is too big a step
what-nothing-heavier = { $what }, and nothing heavier is there
what-nothing-lighter = { $what }, and nothing lighter than { $load } is there

stay-sets-missing = Only { $done } of { $planned } sets were done
stay-above-rpe = { $subject } went above RPE { $rpe }
stay-at-limit = { $sets } went to the limit (RPE { $rpe })
stay-other-sets-first = The other sets come first
stay-only-easy = Since then it was only done easily, for more than two weeks
stay-too-soon = Done { $count } of { $needed } times with this load
stay-lighter = It was done with less load than planned

## Reasons of an exercise

reason-next-step = { $what }: next step { $load }.
reason-light-before = It was { $load } before: if you went light on purpose, that is still your level.
reason-repeat = { $what }: repeat { $load }{ $then }.
reason-repeat-before = Repeat { $load } from the workout before.
reason-repeat-sets = { $what }: repeat.
reason-repeat-sets-before = Repeat the workout before.
reason-no-such-load = There is no { $load } in the gym.
reason-made-up = Do { $count } reps of it.
reason-down = { $what }: { $change }.
reason-build-up = { $what }: build up from { $reps } reps.
reason-other-way = Dumbbells or a partner's help are the other way.
reason-more = { $what }: { $more }.
reason-add-load = { $what }: add { $load }.
reason-again-more = { $what }: { $load } again, { $more }.
reason-share-of-top = { $what }: { $share }% of the top set are { $load }.
reason-until-then = { $what }. { $note } Until then { $more }.
reason-first = { $what }. { $note } First { $more }.
reason-from-there = { $what }: take what you did and build up from there.
reason-goal-reached = { $sets } reached the goal: { $gain }.
reason-way-back = On the way back to { $old } after { $span } off, and the sets were easy: { $load }.
reason-turn-back = { $last } was too much so soon after a break: { $load }, then build up again.
reason-stuck = Stuck at { $load }. { $fix }
reason-tested-max = You tested a maximum of { $maximum } in the last { $days } days, so no more than { $load } for { $reps }.
reason-last-maximum = The last time you tested a maximum of { $maximum }, which is no load for training: { $load } for { $reps }.
reason-reserve = This week keeps { $reps } in the tank: { $target }.
load-planned = the { $load } that were planned

# The end of "repeat 80 kg".
then-one-more = , one more on { $sets }
then-more = , { $more }
then-until-heavier = { "" } until the top set is heavier
more-reps =
    { $count ->
        [1] one more on { $sets }
        [2] two more on { $sets }
       *[other] { $count } more on { $sets }
    }
more-reps-up-to =
    { $count ->
        [1] up to one more on { $sets }
        [2] up to two more on { $sets }
       *[other] up to { $count } more on { $sets }
    }
gain-rep = one rep more
gain-seconds = { $seconds } s more
gain-up-to-seconds = up to { $seconds } s more

note-nothing-heavier = Nothing heavier is there: a slower tempo or a harder variation is the way on.
note-too-big-step = { $load } is too big a step.
note-harder-variation = Time for a harder variation or a slower tempo.
note-variation = Time for { $exercise }, from the low end of your range.
note-variation-with-plate = Time for { $exercise } with the smallest plate, from the low end of your range.
note-too-hard = Too hard today? Do { $reps } easy reps with a band or the assisted machine.

doubt-set = No increase while a set is in doubt
doubt-a-set = A set
doubt-unusual = { $what } is far from your usual { $usual }, so it counts once you repeat it.
doubt-other-work = { $what } for far fewer reps looks like other work and was left out.
doubt-confirmed = { $what }: a typing error, as you said, and left out.
doubt-typo = { $what } looks like a typing error and was ignored.

day-heavy = Heavy day: heavy and light ones take turns.
day-medium = Medium day: heavy, light and medium ones take turns.
day-light = Light day: heavy and light ones take turns.
load-search = Not done yet, so find your load first: { $sets } and so on in such steps, until a set leaves 2 or 3 reps in the tank. Do your sets with that load.
load-search-body = Not done yet: stop each set with 2 or 3 reps in the tank, also below the goal.
load-search-assisted = Not done yet, so find your assistance first: start with plenty and take less from set to set, until one leaves 2 or 3 reps in the tank. Do your sets with that.
load-search-added = Not done yet: start with body weight alone and stop each set with 2 or 3 reps in the tank. Add the smallest plate once you reach all reps like that.
kept = Kept as the routine says: { $why }.
kept-sets = { $sets } kept as the routine says: { $why }.
kept-only-warmups = Kept as the routine says: no working sets.
kept-no-history = not done yet
kept-target-changed = not done with this target yet
kept-suspected-typo = what was done looks like a typing error
kept-no-target = no target to progress towards
kept-not-progressed = endurance work is the athlete's own

## Stages, steps of the athlete's own, and waves

stage-reached = { $stage }: { $inner } reached { $reps }
stage-changed = { $before } was missed, so the stage changed to { $what }
stage-missed = { $stage }: missed { $reps } on { $sets }
stage-next = { $what }, so { $stage } comes next
stage-again = { $what }, so { $stage } comes again
stage-start = The stages start with { $stage }
stage-last-set = { $stage }: the last set reached { $reached } of { $target } reps
stage-last-set-missing = { $stage }: the last set was not done
own-step = Your step { $number } ({ $conditions })
own-step-none = None of your steps applies
own-step-more = { $what }, { $count } more on each set
own-step-always = always
tm-week = { $change }, week { $week } of { $weeks }.
tm-too-heavy = More looks too heavy for what was done.
tm-change = { $why }: training max { $load }
tm-now = Training max { $load }
tm-own = Training max { $load } as you say
tm-proposed = Training max { $load }, { $share }% of the estimated maximum
tm-missed-minimum = A set of week { $week } missed its minimum
tm-not-as-planned = Not all of the cycle was done as planned
tm-cycle-done = Cycle done
tm-top-missing = The top set of the last week was not done
tm-no-amrap = No AMRAP set tells how the cycle went
tm-amrap = { $reps } reps on the last AMRAP set

## Changes since the last time

sentence = { $text }.
no-increase = No increase today.
heavy-day = Heavy day.
medium-day = Medium day.
light-day = Light day.
without-that = Without that: { $reason }
without-that-sets = Without that: { $sets }. { $reason }
change-load = { $now } instead of { $before }
change-reps = { $now } instead of { $before } reps
change-seconds = { $now } s instead of { $before } s
change-top-set = Top set { $change }
change-up-to = up to { $change }
change-sets =
    { $now ->
        [one] { $now } set instead of { $before }
       *[other] { $now } sets instead of { $before }
    }
change-more = { $pct } % more than last time
change-less = { $pct } % less than last time
summary = Exercises: { $parts }.
summary-up = { $count } up
summary-same = { $count } unchanged
summary-down = { $count } down
summary-out = { $count } left out

## Deloads, readiness, pain, breaks and meets: a sentence without its full stop, and advice

deload-asked = Deload, as you asked
deload-calendar = Planned deload week
deload-block = Easy week of your programme
deload-running = Deload week, still on
deload-stalls = Deload: several lifts are stuck
deload-rpe-drift = Deload: the same work feels harder each time
deload-readiness = Deload: you have felt tired for a while
effort-reserve = Leave { $reps } in the tank on each set.
effort-timed = Keep each set easy: stop well before you have to.
left-out-avoided = Left out: your profile avoids it
left-out-pain = Left out: severe pain ({ $part })
left-out-equipment = Left out: there is no { $kind } here
left-out-new = Left out: new exercises start on a normal day
left-out-exchanged = Left out: the coach has { $exercise } for it today.
chosen-load = Chosen by the coach: { $now } instead of { $before }.
chosen-reps = Chosen by the coach: { $now } reps instead of { $before }.
chosen-seconds = Chosen by the coach: { $now } s instead of { $before }.
chosen-sets = Chosen by the coach: { $now } working sets instead of { $before }.
pain = { $part } pain: no increase today
pain-advice = If a set hurts, stop and choose another exercise.
pain-severe-advice = Have it looked at before you train it again.
pain-mild = Mild pain ({ $part }): train as planned, and stop if it gets worse.
not-either = Not { $exercise } either: { $reason }.
unfit-equipment = there is no { $kind } either
unfit-pain = it loads the { $part }, too
instead = Instead: { $exercises }.
trainable = You can train { $exercises }.
readiness-low = Low readiness in your check-in
readiness-very-low = Very low readiness in your check-in
sore-low = You are sore
sore-very-low = You are very sore
readiness-recovery = Recovery worse than your usual ({ $day }): { $signals }
recovery-worse-hrv = heart rate variability { $value } ms instead of { $usual } or more ({ $source })
recovery-worse-resting-hr = resting heart rate { $value } instead of { $usual } or less ({ $source })
recovery-worse-sleep = slept { $usual } that night, { $value } short over seven nights ({ $source })
recovery-worse-check-in = how you feel: { $value } of 5 instead of { $usual } or more ({ $source })
break-weeks = { $count } weeks
break-months = { $count } months
break-years = { $count ->
    [one] { $count } year
   *[other] { $count } years
}
break-over-years = more than { $count } years
layoff = { $span } off
layoff-like-this = { $span } since you did it like this
taper = Taper
meet-light = Light day before the meet
meet-left-out = Left out so close to the meet
meet-recovery = Recovery week after the meet
meet-yours = your meet
meet-tomorrow = Tomorrow is { $event }: rest today, no workout. Check your kit, eat and sleep well.
meet-today = Today is { $event }: no workout.
meet-attempts = { $exercise }: open with { $opener }, then { $second }, then { $third } if the second was good. You did { $best } on { $day }. Warm up with { $warmup }.
meet-pain = No attempts for { $exercises }: pain ({ $part }). Have it looked at before you lift heavy again.
meet-pain-mild = { $exercises }: stop if the pain ({ $part }) gets worse.
meet-pain-any = Pain ({ $part }): make no attempts that load it. Have it looked at before you lift heavy again.
meet-good-luck = Good luck!
time-cap = Shortened to fit { $minutes } minutes.
body-assumed = Assumes that you weigh { $weight }: log your weight in Hevy, or set body_weight_kg.
volume-jump = { $muscle }: { $sets } hard sets this week, { $fullest } in the fullest of the four before; go easy on more.
volume-low = { $muscle }: { $sets } hard sets a week lately; it takes { $least } or more to grow.
volume-high = { $muscle }: { $sets } hard sets a week lately; see that you recover from them.

## The week of a programme

block-place = Week { $week } of { $weeks }
block-of-programme = { $place } of { $programme }.
block-week = { $place }: { $parts }.
block-easy = { $place }: { $phase }: { $sets }.
block-sets-each =
    { $count ->
        [one] { $count } set each
       *[other] { $count } sets each
    }
block-half-the-sets = about half the sets
block-reserve = leave { $reps } in the tank on each set
block-more-sets = more sets of { $exercises }
block-left-out = Left out in week { $week } of your programme.
block-sets =
    { $count ->
        [one] { $count } set in week { $week } of your programme, your routine has { $whole }.
       *[other] { $count } sets in week { $week } of your programme, your routine has { $whole }.
    }
block-over =
    { $weeks ->
        [one] { $title } is done, all { $weeks } week of it. Plans go on without it. Build the next block: spotter program new. Or do this one again: spotter program use { $name }
       *[other] { $title } is done, all { $weeks } weeks of it. Plans go on without it. Build the next block: spotter program new. Or do this one again: spotter program use { $name }
    }
phase-accumulate = build-up week
phase-intensify = harder week
phase-peak = peak week
phase-deload = easy week

## The last workout, the last week, and stalled lifts

insight-short =
    { $share ->
        [all] { $missed } of { $planned } planned sets fell short: { $exercise }.
        [most] { $missed } of { $planned } planned sets fell short, most of them in { $exercise }.
       *[some] { $missed } of { $planned } planned sets fell short.
    }
insight-rest-longer = Rest longer before the hard sets.
insight-too-heavy-reps = { $exercise }: { $load } instead of { $planned } cost reps, { $done } of { $goal }.
insight-too-heavy-seconds = { $exercise }: { $load } instead of { $planned } cost seconds, { $done } of { $goal }.
insight-clean-reps = Take { $planned } and make all { $goal } reps clean.
insight-clean-seconds = Take { $planned } and make all { $goal } s clean.
insight-skipped =
    { $share ->
        [all] { $skipped } of { $planned } planned sets were left out: { $exercise }.
        [most] { $skipped } of { $planned } planned sets were left out, most of them of { $exercise }.
       *[some] { $skipped } of { $planned } planned sets were left out.
    }
insight-do-earlier = Do { $exercise } earlier next time, or plan fewer sets.
insight-plan-fewer = Plan fewer sets of { $exercise }.
insight-better = { $exercise } improved from { $before } to { $now }.
insight-better-too = { $exercise } improved from { $before } to { $now }, and { $others } improved, too.
insight-worse = { $exercise } fell from { $before } to { $now }.
insight-worse-too = { $exercise } fell from { $before } to { $now }, and { $others } fell, too.
insight-next-step = Take the next step as planned.
insight-get-back = Get { $exercise } back to { $before }, step by step.
insight-reached = { $reached } of { $planned } planned sets reached their target.
insight-next-workout = Take the next workout as planned.
insight-first-time =
    { $sets ->
        [one] { $sets } working set was done for the first time.
       *[other] { $sets } working sets were done for the first time.
    }
insight-done =
    { $sets ->
        [one] { $sets } working set was done.
       *[other] { $sets } working sets were done.
    }
insight-next-time = Next time: { $sets }.
week-workouts =
    { $workouts ->
        [one] { $workouts } workout this week.
       *[other] { $workouts } workouts this week.
    }
week-more-sets = More sets than lately for { $muscles }.
week-fewer-sets = Fewer sets than lately for { $muscles }.
week-stalled = { $exercise } stands still. { $fix }
stall-no-maximum = Time, distance, cardio and assisted lifts have no maximum that could stall.
stall-too-few = A verdict needs { $workouts } workouts with a comparable best set.
stall-trend = { $slope } % a workout over { $workouts } workouts, at most { $upper } %
stall-false-alarms = { $trend }; { $share } % of such lifters who gain get this flag
stall-none = No stall: { $trend }.
stall-found = No progress: { $trend }. { $cause }
stall-hard-sets = The sets were hard, RPE { $rpe } on average.
stall-deload = Take { $pct } % off the load and build up again.
stall-short-sets = The sets were short, { $reps } reps on average.
stall-rep-range = Do sets of { $low } to { $high } reps with less load for some weeks.
stall-fewer-sets = Sets became fewer, from { $before } to { $now } a workout.
stall-more-sets = Go back to { $sets } working sets with the load as it is.
stall-unexplained = Neither effort nor the number of sets explains it.
stall-variation = Train a close variation for { $weeks } weeks, then come back.
stall-go-on = Go on as planned.

## Between two sets

count-reps = { $count } reps
count-s = { $count } s
next-reason = { $what }: { $then }.
next-stop = { $what }: stop this exercise for today.
next-rated = { $reps } at RPE { $rpe }
next-rated-aim = { $what }, the aim is RPE { $rpe }
next-of = { $done } of { $goal }
next-beyond = { $what }, more than the aim
next-less-than-half = { $done } of { $goal } is less than half
next-drop = From { $first } to { $last }
next-same = the same again
next-stay = stay at { $load }
next-aim = aim for { $reps }
next-nothing-lighter = nothing lighter is there, aim for { $reps } at { $load }
next-not-there = { $load } is not in your gym, take { $taken }
next-held-same = nothing goes up today, the same again
next-held-stay = nothing goes up today, { $stay }
next-jump-cap-stay = that was the most for today, { $stay }
next-too-big-stay = the next load is too big a step, { $stay }
next-typo = { $what } looks like a typing error: { $then }.
next-seconds-less = { $seconds } of { $goal } s: hold it for { $seconds } s.
next-seconds-same = { $seconds } s: the same again.
next-seconds-more = { $seconds } s, more than the aim: { $goal } s.
next-pain-stop = Severe pain ({ $part }): stop. Have it looked at before you train it again.
next-unknown = { $exercise } is not in Hevy's catalogue, so its equipment is unknown.
next-unknown-steps = { $exercise } is not in Hevy's catalogue, so its equipment is unknown: loads in steps of { $step } are assumed.

## Red flags

red-flag-reported = You reported { $signs }.
red-flag-advice-emergency = Stop training now. If it is happening now, is new or comes back, call your emergency number (112 or 911). Otherwise see a doctor today.
red-flag-advice-doctor = Stop training now and see a doctor before you train again.
red-flag-advice-rest = Stop training and rest until you are well again. See a doctor if it is bad or does not get better.
red-flag-skip = Until then skip every workout, also one that is in Hevy.
red-flag-clear = Once it is cleared up: spotter check-in --cleared, and take it out of [pain] in your profile if it is there
red-flag-sign-chest = chest pain or pressure
red-flag-sign-heart = heart trouble
red-flag-sign-breath = unusual breathlessness
red-flag-sign-faint = fainting, dizziness or loss of balance
red-flag-sign-head = headache or a knock on the head
red-flag-sign-stroke = signs of a stroke
red-flag-sign-nerve = numbness, tingling or weakness
red-flag-sign-spine = back trouble with bladder, bowel or saddle signs
red-flag-sign-pain = sudden, sharp, spreading or unbearable pain
red-flag-sign-joint = a hot, swollen, locked or unstable joint
red-flag-sign-clot = a swollen or hot calf
red-flag-sign-blood = dark urine or blood
red-flag-sign-ill = fever or illness
red-flag-sign-surgery = recent surgery
red-flag-sign-medical = a doctor's advice not to train

## Names

equipment-barbell = barbell
equipment-dumbbell = dumbbell
equipment-kettlebell = kettlebell
equipment-machine = machine
equipment-cable = cable
muscle-abdominals = abdominals
muscle-abductors = abductors
muscle-adductors = adductors
muscle-biceps = biceps
muscle-calves = calves
muscle-cardio = cardio
muscle-chest = chest
muscle-forearms = forearms
muscle-full-body = full body
muscle-glutes = glutes
muscle-hamstrings = hamstrings
muscle-lats = lats
muscle-lower-back = lower back
muscle-neck = neck
muscle-other = other
muscle-quadriceps = quadriceps
muscle-shoulders = shoulders
muscle-traps = traps
muscle-triceps = triceps
muscle-upper-back = upper back
side-left = left { $part }
side-right = right { $part }
part-neck = neck
part-shoulder = shoulder
part-chest = chest
part-upper-back = upper back
part-lower-back = lower back
part-upper-arm = upper arm
part-biceps = biceps
part-triceps = triceps
part-elbow = elbow
part-forearm = forearm
part-wrist = wrist
part-hand = hand
part-abdomen = abdomen
part-hip = hip
part-groin = groin
part-glute = glute
part-thigh = thigh
part-quadriceps = quadriceps
part-hamstring = hamstring
part-knee = knee
part-calf = calf
part-ankle = ankle
part-foot = foot

## Dates and days

day-short = EEE d MMM y
day-near = EEE d MMM
day-two-digits = dd MMMM y
weekday = EEEE
weekday-and-day = EEEE, d MMMM
today = today
yesterday = yesterday
tomorrow = tomorrow
on-day = on { $day }
from-day = from { $day }
in-days =
    { $days ->
        [0] today
        [1] tomorrow
       *[other] { $days } days to go
    }

## State of a plan

state-new = not in Hevy yet: the next run publishes it
state-unwritten = preview only: no Hevy account connected
state-previewed = preview only: publish.mode is "preview"
state-waiting = waits for you: spotter plan approve latest (or: reject)
state-approved = approved: the next run publishes it
state-withheld = not published, for safety: see spotter publications
state-rejected = you rejected it; the next one comes with newer data
state-expired = not published: it waited until newer data came
state-rolled-back = rolled back
state-publishing = interrupted while publishing; the next run finishes it
state-published = published to Hevy
state-unchanged = already in Hevy
state-conflict = not published: you edited the routine; the next run looks again
state-superseded = not published: another plan is active
state-failed = not published: see the last run
not-in-hevy = Not in Hevy: { $reason }
late-reading = Your account was last read completely on { $day }: spotter status
stale = Your data are { $days } days old: the last workout is from { $day }.
stale-run = Load newer training: spotter run
stale-import = Import newer training: spotter import-csv FILE --athlete { $athlete }
rejected-before = You rejected the plan before this one on { $day } ("{ $reason }").
rejected-model-knew = { $model } knew that when it chose these sets.
rejected-newer = This one comes from newer data.
rejected-how-to = The rules cannot read a reason. To change the plan, use spotter check-in or your profile.
rejected-nothing-new = You rejected these sets on { $day } ("{ $reason }"), and nothing new came in since.
rejected-same = You rejected these same sets on { $day } ("{ $reason }").
rejected-model-stays = { $model } saw your reason and kept the same sets.
rejected-again = Your newer workouts lead to the same sets.
no-plan-no-file = There is no plan for '{ $athlete }': no file with training was imported yet. Run: spotter import-csv FILE --athlete { $athlete }, then spotter run
no-plan-unsafe = There is no plan for '{ $athlete }': every candidate failed the safety check: { $reason }
no-plan-yet = There is no plan for '{ $athlete }' yet. Run: spotter run
nothing-left = No workout is left today. { $reasons }
nothing-left-all-pain = Every exercise today loads your { $parts }.
nothing-left-all-equipment = Every exercise today needs what is missing here ({ $kinds }).
nothing-left-all-avoided = Your profile avoids every exercise of today.
nothing-left-all-day = Every exercise is left out on a day like this.
nothing-left-pain = { $exercises }: pain ({ $parts }).
nothing-left-equipment = { $exercises }: no { $kinds } here.
nothing-left-avoided = { $exercises }: your profile avoids it.
nothing-left-day = { $exercises }: left out on a day like this.
nothing-left-advice = Have what hurts looked at before you train it again.
nothing-left-but = These are usually fine: { $exercises }.
nothing-left-better = Once it is better, say so: spotter check-in --pain PART:mild

## A plan on the terminal and on the page Today

plan-of =
    { $athlete ->
        [me] your next workout
       *[other] next workout of { $athlete }
    }
plan-of-minutes =
    { $athlete ->
        [me] your next workout, about { $minutes } min
       *[other] next workout of { $athlete }, about { $minutes } min
    }
plan-why = Why: spotter plan show --why
plan-rule = rule: { $rule }
plan-limits = limits: { $limits }
plan-rest = rest: { $seconds } s
plan-last-workout = Last workout: { $text }
plan-marks = Sets: { $marks }.
plan-rules = Rules { $version }
comment = Coach's comment
comment-on-workout = Comment on the last workout by { $models }.
comment-on-stalls = Comment on stalled lifts by { $models }.
comment-by-model = Coach's comment, written by { $model }, a language model.
chosen-by = Chosen within the rules' limits by { $model }.
written-by-model = Written by { $model }, a language model.
superset = superset { $number }
last = Last
last-time = last { $sets }
first-time = First time
left-out = left out
left-out-this-time = Left out this time
no-set = no set
no-sets = no sets
rest-seconds = Rest { $seconds } s.
unit-reps = reps
unit-s = s
unit-m = m
range = { $low } to { $high } { $unit }
time-personal = Time: { $low } to { $high } min, from your own pace.
time-prior = Time: { $low } to { $high } min, from repetitions and rest.
mark-warmup = W to warm up
mark-dropset = D drop set
mark-failure = F until failure
legend-warmup = W: warm-up
legend-dropset = D: drop set
legend-failure = F: to failure
legend-decided = Decided { $moment }. Tap an exercise for the reasons.
chances = %: chance to hit the target on the hardest set (of a range, its low end).
chances-own-steps = %: chance to hit the target on the hardest set (of a range, its low end; of your own steps, what they ask for).
no-chances = No chances are stated: there are too few earlier sets.
set-free = free
amount-in-time = { $amount } in { $time }
change-out = out
change-new = new
change-same = same
change-help = { $load } of help
change-harder = harder
change-easier = easier
change-count-sets =
    { $count ->
        [one] { $change } set
       *[other] { $change } sets
    }
change-count-reps =
    { $count ->
        [one] { $change } rep
       *[other] { $change } reps
    }
change-each-set = { $change } a set
change-all-sets = { $change } in all
column-set = Set
column-next = Next
column-chance = Chance
column-last = Last time
notes-on-plan =
    { $count ->
        [one] { $count } note on this plan
       *[other] { $count } notes on this plan
    }
upcoming = Upcoming
event-name = event
event-none = none set. Add one under Goal and profile.
easy-week = Easy week
easy-workout = Easy workout
programme = Programme

## The briefing

brief-next = Next: { $routine }
brief-no-workout = No workout is planned
brief-minutes = About { $minutes } minutes.
brief-to-do = What to do
brief-changes = What changed
brief-last-week = Last week
brief-progress = Progress
brief-look-at = Look at
brief-ahead = Ahead
brief-last-workout = { $routine }, { $ago }: { $sets } working sets.
brief-last-workout-minutes = { $routine }, { $ago }: { $sets } working sets, { $minutes } minutes.
brief-up = Up
brief-down = Down
brief-out = Left out
brief-focus = Next
brief-rising = Rising
brief-rise = { $exercise } ({ $slope } % a workout over { $workouts })
brief-more-records =
    { $count ->
        [one] and { $count } more records this week
       *[other] and { $count } more records this week
    }
brief-met-sets = { $met } of { $planned } planned sets done as planned or better
brief-mistyped =
    { $count ->
        [one] { $count } set of the last weeks looks mistyped: spotter correct list
       *[other] { $count } sets of the last weeks look mistyped: spotter correct list
    }
last-workout = Last workout
this-week = This week
count-workouts =
    { $count ->
        [one] { $count } workout
       *[other] { $count } workouts
    }
count-weeks-in-a-row =
    { $count ->
        [one] { $count } week in a row
       *[other] { $count } weeks in a row
    }
record-heaviest = heaviest yet, { $sets } ({ $gain })
record-least-help = least help yet, { $sets } ({ $gain } of your own)
record-maximum = best estimated maximum yet, { $maximum }
record-maximum-from = best estimated maximum yet, { $maximum } from { $sets }
record-most = most yet, { $most } ({ $gain })
record-most-with = most yet, { $most } with { $load } ({ $gain })
event = the event
in-the-taper = { $when }, in the taper
phase = Phase
phase-week = { $phase }, week { $week } of { $weeks }
planned-deload = This week is a planned deload.

## Recovery

recovery = Recovery
recovery-missing = shows here once sleep or heart rate data come in (docs/health.md).
recovery-together = Together
recovery-not-enough = not enough data.
recovery-feeling = Feeling
recovery-feeling-score = { $score } of 5, the worse of energy and soreness in your check-in.
recovery-display-only = For display only: no plan depends on it.
recovery-in-plan = Two worse signals make your plan easier.
recovery-verdict =
    { $count ->
        [one] { $worse } of { $count } signal worse than your usual.
       *[other] { $worse } of { $count } signals worse than your usual.
    }
hrv = Heart rate variability
resting-hr = Resting heart rate
sleep = Sleep
night-last = last night
night-to = in the night to { $day }
band-below =
    { $days ->
        [one] mean of { $days } day { $value }, below your usual { $low } to { $high } { $source }.
       *[other] mean of { $days } days { $value }, below your usual { $low } to { $high } { $source }.
    }
band-within =
    { $days ->
        [one] mean of { $days } day { $value }, within your usual { $low } to { $high } { $source }.
       *[other] mean of { $days } days { $value }, within your usual { $low } to { $high } { $source }.
    }
band-above =
    { $days ->
        [one] mean of { $days } day { $value }, above your usual { $low } to { $high } { $source }.
       *[other] mean of { $days } days { $value }, above your usual { $low } to { $high } { $source }.
    }
band-not-enough =
    { $days ->
        [one] mean of { $days } day { $value } { $source }; not enough data: { $days } day of this week, { $before } before it.
       *[other] mean of { $days } days { $value } { $source }; not enough data: { $days } days of this week, { $before } before it.
    }
sleep-debt =
    { $nights ->
        [one] { $slept }; { $debt } short of { $need } a night over { $nights } night ({ $source }).
       *[other] { $slept }; { $debt } short of { $need } a night over { $nights } nights ({ $source }).
    }
sleep-not-enough =
    { $nights ->
        [one] { $slept } ({ $source }); not enough data, { $nights } night.
       *[other] { $slept } ({ $source }); not enough data, { $nights } nights.
    }

## Check-ins, reviews and withdrawn plans

noted = Noted.
cleared-but-pain = Only red flags are cleared. Severe pain ({ $parts }) still leaves exercises out: report it as mild once it is over, and take it out of [pain] in your profile if it is there.
session-rpe-noted = Noted: session RPE { $rpe } for the workout that you started last. The next run adds it to your training load.
check-in-no-plan = There is no plan to adjust yet. Run: spotter run
check-in-model = Planned by the rules; the next run also asks your language model.
withdrawn-note = Plan withdrawn. Skip this until Spotter plans again.
withdrawn = { $routine } in Hevy now has a note at each exercise: skip it.
withdrawn-skip = Skip { $routine } in Hevy.
withdrawn-skip-exercises = Skip { $routine } in Hevy: { $exercises }.
withdrawn-preview = It has no note: publish.mode is "preview".
withdrawn-failed = It has no note: { $reason }
withdrawn-unknown = its state is unknown.
action-same = Same
action-more = More
action-less = Less
action-stop = Stop
review-week = Week of { $day }
review-none = No workouts from your routines this week.
review-muscle = { $muscle }: { $sets } hard sets
review-muscle-usual = { $muscle }: { $sets } hard sets, usually { $usual }
review-by-rules = Written by the rules.
review-by-model = Coach's comment, written by { $model }.

## Sessions besides lifting
brief-besides = Besides lifting
session-minutes = { $minutes } min
session-for-warm-up = before { $exercise }
session-for-mobility = for { $muscles } after your last workout
session-for-cardio = no endurance session in the last { $days } days
session-for-easy-week = it is an easy week
session-for-recovery = your recovery is below usual
session-warm-up-lower-body = Lower-body warm-up
session-warm-up-pressing = Pressing warm-up
session-warm-up-pulling = Pulling warm-up
session-hip-mobility = Hip mobility
session-hamstring-and-back-mobility = Hamstring and lower back mobility
session-ankle-mobility = Ankle mobility
session-shoulder-mobility = Shoulder mobility
session-upper-back-mobility = Upper back mobility
session-easy-walk = Easy walk
session-easy-bike = Easy bike ride
session-easy-row = Easy row
session-breathing = Slow breathing
session-recovery-walk = Short walk

## Progress, part Muscles: gains and weekly sets
response-title = Sets and gains
response-meaning = How your estimated maxima changed with your hard sets per week. It is no proof: other things may have changed along with your sets.
response-few = Not enough data. A muscle needs { $least } periods of { $length } weeks with estimated maxima, some with more sets and some with fewer. You have { $count }, so an answer takes at least { $weeks } more weeks of training.
response-alike = Not enough data: your gains do not differ enough between weeks with more sets and weeks with fewer. Nothing is wrong with that; it can take years.
response-muscle = Muscle
response-slope = One more set a week, % in 4 weeks
response-sets = Sets a week
response-interval = { $slope } ({ $low } to { $high })
response-range = { $least } to { $most }
