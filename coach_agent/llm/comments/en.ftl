# Text at the point of action, in English. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = You made all your reps last time.
reason-top-of-range = You reached the top of the range last time.
reason-add-reps = Same load, more reps first.
reason-repeat = Same again, to make it solid.
reason-fell-short = Some sets fell short last time.
reason-lighter = A bit lighter than last time.
reason-easy-day = Easy on purpose today.
reason-check-in = Adjusted to your check-in.
reason-fits-time = Shortened to fit your time.
reason-flat = This lift has been flat for a while.
reason-stands-in = In today for { $title }.

## Cues

cue-same-form = Same form on every rep.
cue-slow-lowering = Lower it slowly and under control.
cue-full-range = Use the full range.
cue-press-with-intent = Lower with control, press with intent.
cue-shoulder-blades = Shoulder blades back and down.
cue-elbows-close = Keep your elbows close.
cue-feet-planted = Feet flat, drive into the floor.
cue-flat-back = Keep your back flat.
cue-tight-core = Keep your core tight.
cue-lead-with-elbows = Lead with your elbows.
cue-no-swing = No swing.
cue-bar-close = Keep the bar close.
cue-straight-line = Stay in one straight line.
cue-stop-when-form-slips = Stop the set when your form slips.
cue-smooth-reps = Smooth reps, no grinding.
cue-first-set = Make the first set your best one.
cue-last-like-first = Make the last rep look like the first.
cue-take-your-time = Take your time setting up.
cue-chest-up = Chest up.
cue-knees-in-line = Keep your knees in line with your toes.
cue-wrists-straight = Keep your wrists straight.
cue-squeeze-at-the-top = Squeeze at the top of each rep.
cue-hips-back = Push your hips back first.

## Facts

fact-last-time = Last time { $sets }.
fact-planned = Today { $sets }.
fact-target = Go for { $counts }.
fact-target-range = Go for { $low } to { $high } reps.
fact-step-up = { $step } more than last time.
fact-step-down = { $step } less than last time.
fact-step-same = Same as last time.
fact-record =
    { $workouts ->
        [one] Best so far: { $sets }.
       *[other] Best of the last { $workouts } workouts: { $sets }.
    }
fact-rest = Rest { $seconds } s.
fact-trend-up = Estimated maximum up { $pct } % a workout.
fact-trend-down = Estimated maximum down { $pct } % a workout.
fact-trend-flat = Estimated maximum flat lately.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = bodyweight
load-added = bodyweight + { $load }
load-assistance = { $load } of assistance
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } rep
       *[other] { $count } reps
    }
sets =
    { $count ->
        [one] { $count } set
       *[other] { $count } sets
    }

## Statements of a comment

about = { $title }: { $text }
misses =
    { $workouts ->
        [one] The targets were missed in the last workout.
       *[other] The targets were missed { $workouts } workouts in a row.
    }
next-step = The next step comes once every set reaches { $count } reps.
all-targets-reached = You reached all your targets last time.
most-targets-reached = You reached most of your targets last time.
keep-going = Keep it up.
day = Exercises today: { $parts }.
day-up = { $count } up
day-same = { $count } unchanged
day-down = { $count } down
week =
    { $workouts ->
        [one] { $workouts } workout this week.
       *[other] { $workouts } workouts this week.
    }
