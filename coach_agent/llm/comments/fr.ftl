# Textes au moment de s'entraîner, en français. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = La dernière fois, tu as fait toutes les répétitions.
reason-top-of-range = La dernière fois, tu as atteint le haut de la fourchette.
reason-add-reps = Même charge, d'abord plus de répétitions.
reason-repeat = La même chose, pour que ce soit solide.
reason-fell-short = La dernière fois, des répétitions ont manqué à certaines séries.
reason-lighter = Un peu plus léger que la dernière fois.
reason-easy-day = Volontairement léger aujourd'hui.
reason-check-in = Adapté à ton état du jour.
reason-fits-time = Raccourci pour tenir dans ton temps.
reason-flat = Cet exercice stagne depuis un moment.
reason-stands-in = Aujourd'hui à la place de { $title }.

## Cues

cue-same-form = La même technique à chaque répétition.
cue-slow-lowering = Descends lentement et sous contrôle.
cue-full-range = Utilise toute l'amplitude.
cue-press-with-intent = Descends sous contrôle, pousse avec intention.
cue-shoulder-blades = Omoplates en arrière et en bas.
cue-elbows-close = Coudes près du corps.
cue-feet-planted = Pieds à plat, pousse dans le sol.
cue-flat-back = Garde le dos plat.
cue-tight-core = Garde le tronc gainé.
cue-lead-with-elbows = Mène avec les coudes.
cue-no-swing = Pas d'élan.
cue-bar-close = Garde la barre près du corps.
cue-straight-line = Reste en ligne droite.
cue-stop-when-form-slips = Arrête la série quand la technique se dégrade.
cue-smooth-reps = Des répétitions fluides, sans forcer.
cue-first-set = Fais de la première série la meilleure.
cue-last-like-first = La dernière répétition comme la première.
cue-take-your-time = Prends le temps de te placer.
cue-chest-up = Poitrine haute.
cue-knees-in-line = Genoux alignés avec les pieds.
cue-wrists-straight = Poignets droits.
cue-squeeze-at-the-top = Contracte en haut de chaque répétition.
cue-hips-back = D'abord les hanches en arrière.

## Facts

fact-last-time = La dernière fois { $sets }.
fact-planned = Aujourd'hui { $sets }.
fact-target = Objectif : { $counts }.
fact-target-range = Objectif : { $low } à { $high } répétitions.
fact-step-up = { $step } de plus que la dernière fois.
fact-step-down = { $step } de moins que la dernière fois.
fact-step-same = Comme la dernière fois.
fact-record =
    { $workouts ->
        [one] Meilleure série : { $sets }.
       *[other] Meilleure série des { $workouts } dernières séances : { $sets }.
    }
fact-rest = Repos { $seconds } s.
fact-trend-up = Maximum estimé : hausse de { $pct } % par séance.
fact-trend-down = Maximum estimé : baisse de { $pct } % par séance.
fact-trend-flat = Maximum estimé stable ces derniers temps.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = poids du corps
load-added = poids du corps + { $load }
load-assistance = { $load } d'assistance
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } répétition
       *[other] { $count } répétitions
    }
sets =
    { $count ->
        [one] { $count } série
       *[other] { $count } séries
    }

## Statements of a comment

about = { $title } : { $text }
misses =
    { $workouts ->
        [one] L'objectif a été manqué à la dernière séance.
       *[other] L'objectif a été manqué { $workouts } séances de suite.
    }
next-step = L'étape suivante vient quand chaque série atteint { $count } répétitions.
all-targets-reached = La dernière fois, tu as atteint tous les objectifs.
most-targets-reached = La dernière fois, tu as atteint la plupart des objectifs.
keep-going = Continue comme ça.
day = Exercices du jour : { $parts }.
day-up = { $count } en hausse
day-same = { $count } sans changement
day-down = { $count } en baisse
week =
    { $workouts ->
        [one] { $workouts } séance cette semaine.
       *[other] { $workouts } séances cette semaine.
    }
