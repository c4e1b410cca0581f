# Texte am Ort des Geschehens, auf Deutsch. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = Letztes Mal hast du alle Wiederholungen geschafft.
reason-top-of-range = Letztes Mal hast du das obere Ende des Bereichs erreicht.
reason-add-reps = Gleiche Last, erst mehr Wiederholungen.
reason-repeat = Noch einmal dasselbe, damit es sitzt.
reason-fell-short = Letztes Mal fehlten in einigen Sätzen Wiederholungen.
reason-lighter = Etwas leichter als letztes Mal.
reason-easy-day = Heute bewusst leicht.
reason-check-in = An deinen Check-in angepasst.
reason-fits-time = Gekürzt, damit es in deine Zeit passt.
reason-flat = Diese Übung steht seit einer Weile still.
reason-stands-in = Heute anstelle von { $title }.

## Cues

cue-same-form = Jede Wiederholung mit gleicher Technik.
cue-slow-lowering = Langsam und kontrolliert ablassen.
cue-full-range = Nutze den vollen Bewegungsumfang.
cue-press-with-intent = Kontrolliert senken, entschlossen drücken.
cue-shoulder-blades = Schulterblätter nach hinten und unten.
cue-elbows-close = Ellbogen nah am Körper.
cue-feet-planted = Füße flach, fest in den Boden.
cue-flat-back = Halte den Rücken gerade.
cue-tight-core = Halte den Rumpf fest.
cue-lead-with-elbows = Führe mit den Ellbogen.
cue-no-swing = Kein Schwung.
cue-bar-close = Stange nah am Körper.
cue-straight-line = Bleib in einer geraden Linie.
cue-stop-when-form-slips = Beende den Satz, wenn die Technik nachlässt.
cue-smooth-reps = Flüssige Wiederholungen, kein Quälen.
cue-first-set = Mach den ersten Satz zu deinem besten.
cue-last-like-first = Die letzte Wiederholung wie die erste.
cue-take-your-time = Nimm dir Zeit für die Startposition.
cue-chest-up = Brust raus.
cue-knees-in-line = Knie in einer Linie mit den Zehen.
cue-wrists-straight = Handgelenke gerade.
cue-squeeze-at-the-top = Spanne oben in jeder Wiederholung an.
cue-hips-back = Zuerst die Hüfte nach hinten.

## Facts

fact-last-time = Letztes Mal { $sets }.
fact-planned = Heute { $sets }.
fact-target = Ziel: { $counts }.
fact-target-range = Ziel: { $low } bis { $high } Wiederholungen.
fact-step-up = { $step } mehr als letztes Mal.
fact-step-down = { $step } weniger als letztes Mal.
fact-step-same = Wie letztes Mal.
fact-record =
    { $workouts ->
        [one] Bisher am besten: { $sets }.
       *[other] Am besten in den letzten { $workouts } Trainings: { $sets }.
    }
fact-rest = Pause { $seconds } s.
fact-trend-up = Geschätztes Maximum steigt um { $pct } % pro Training.
fact-trend-down = Geschätztes Maximum sinkt um { $pct } % pro Training.
fact-trend-flat = Geschätztes Maximum zuletzt unverändert.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = Körpergewicht
load-added = Körpergewicht + { $load }
load-assistance = { $load } Unterstützung
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } Wiederholung
       *[other] { $count } Wiederholungen
    }
sets =
    { $count ->
        [one] { $count } Satz
       *[other] { $count } Sätze
    }

## Statements of a comment

about = { $title }: { $text }
misses =
    { $workouts ->
        [one] Im letzten Training wurden die Ziele verfehlt.
       *[other] Die Ziele wurden { $workouts } Trainings in Folge verfehlt.
    }
next-step = Weiter geht es, sobald jeder Satz { $count } Wiederholungen erreicht.
all-targets-reached = Letztes Mal hast du alle Ziele erreicht.
most-targets-reached = Letztes Mal hast du die meisten Ziele erreicht.
keep-going = Weiter so.
day = Übungen heute: { $parts }.
day-up = { $count } mehr
day-same = { $count } gleich
day-down = { $count } weniger
week =
    { $workouts ->
        [one] { $workouts } Training diese Woche.
       *[other] { $workouts } Trainings diese Woche.
    }
