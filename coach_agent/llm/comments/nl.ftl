# Teksten tijdens de training, in het Nederlands. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = Vorige keer haalde je alle herhalingen.
reason-top-of-range = Vorige keer haalde je de bovenkant van het bereik.
reason-add-reps = Zelfde gewicht, eerst meer herhalingen.
reason-repeat = Nog eens hetzelfde, zodat het vast zit.
reason-fell-short = Vorige keer kwamen sommige sets tekort.
reason-lighter = Iets lichter dan vorige keer.
reason-easy-day = Vandaag bewust rustig.
reason-check-in = Aangepast aan je check-in.
reason-fits-time = Ingekort zodat het in je tijd past.
reason-flat = Deze oefening staat al een tijd stil.
reason-stands-in = Vandaag in plaats van { $title }.

## Cues

cue-same-form = Elke herhaling dezelfde techniek.
cue-slow-lowering = Laat langzaam en gecontroleerd zakken.
cue-full-range = Gebruik de volledige beweging.
cue-press-with-intent = Gecontroleerd zakken, krachtig duwen.
cue-shoulder-blades = Schouderbladen naar achteren en omlaag.
cue-elbows-close = Houd je ellebogen dichtbij.
cue-feet-planted = Voeten plat, duw in de vloer.
cue-flat-back = Houd je rug recht.
cue-tight-core = Houd je core strak.
cue-lead-with-elbows = Leid met je ellebogen.
cue-no-swing = Niet zwaaien.
cue-bar-close = Houd de stang dichtbij.
cue-straight-line = Blijf in een rechte lijn.
cue-stop-when-form-slips = Stop de set als je techniek verslapt.
cue-smooth-reps = Soepele herhalingen, zonder forceren.
cue-first-set = Maak van de eerste set je beste.
cue-last-like-first = De laatste herhaling zoals de eerste.
cue-take-your-time = Neem de tijd voor je startpositie.
cue-chest-up = Borst vooruit.
cue-knees-in-line = Knieën in lijn met je tenen.
cue-wrists-straight = Polsen recht.
cue-squeeze-at-the-top = Span bovenaan elke herhaling aan.
cue-hips-back = Eerst de heupen naar achteren.

## Facts

fact-last-time = Vorige keer { $sets }.
fact-planned = Vandaag { $sets }.
fact-target = Doel: { $counts }.
fact-target-range = Doel: { $low } tot { $high } herhalingen.
fact-step-up = { $step } meer dan vorige keer.
fact-step-down = { $step } minder dan vorige keer.
fact-step-same = Zelfde als vorige keer.
fact-record =
    { $workouts ->
        [one] Beste tot nu toe: { $sets }.
       *[other] Beste van de laatste { $workouts } trainingen: { $sets }.
    }
fact-rest = Rust { $seconds } s.
fact-trend-up = Geschat maximum stijgt { $pct } % per training.
fact-trend-down = Geschat maximum daalt { $pct } % per training.
fact-trend-flat = Geschat maximum de laatste tijd gelijk.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = lichaamsgewicht
load-added = lichaamsgewicht + { $load }
load-assistance = { $load } ondersteuning
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } herhaling
       *[other] { $count } herhalingen
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
        [one] In de laatste training werd het doel gemist.
       *[other] Het doel werd { $workouts } trainingen op rij gemist.
    }
next-step = De volgende stap komt als elke set { $count } herhalingen haalt.
all-targets-reached = Vorige keer haalde je alle doelen.
most-targets-reached = Vorige keer haalde je de meeste doelen.
keep-going = Ga zo door.
day = Oefeningen vandaag: { $parts }.
day-up = { $count } omhoog
day-same = { $count } gelijk
day-down = { $count } omlaag
week =
    { $workouts ->
        [one] { $workouts } training deze week.
       *[other] { $workouts } trainingen deze week.
    }
