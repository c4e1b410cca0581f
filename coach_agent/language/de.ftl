# Texte für Sportler, auf Deutsch. docs/languages.md explains how to add a language.

## Numbers, days and lists

decimal-separator = ,
list-and = { $items } und { $last }
list-or = { $items } oder { $last }
day-and-month = d. MMMM
day-with-weekday = EEEE, d. MMMM y

## Loads, repetitions and sets

load-assistance = { $load } Unterstützung
load-body-alone = Körpergewicht ohne Zusatz
load-up = rauf auf { $load }
load-down = runter auf { $load }
reps = { $count } Wdh.
reps-text = { $reps } Wdh.
reps-between = { $low } bis { $high } Wdh.

# Sätze als Ort: "8 Wdh. in allen 3 Sätzen geschafft".
sets-all =
    { $count ->
        [1] im Satz
        [2] in beiden Sätzen
       *[other] in allen { $count } Sätzen
    }
sets-single = in Satz { $number }
sets-range = in den Sätzen { $first }-{ $last }
sets-only = im Satz
sets-some =
    { $count ->
        [one] in Satz { $numbers }
       *[other] in den Sätzen { $numbers }
    }
sets-part = { $sets } von { $total }

## What was done, as the start of a reason

what-reached = { $reps } { $sets } geschafft
what-not-all-reached = Noch nicht alle Sätze bei { $reps }
what-missed = { $reps } { $sets } verfehlt
what-missed-goal = Ziel { $sets } verfehlt
what-misses-in-a-row = { $what }, { $count } Mal in Folge
what-below = { $subject } unter { $reps } geblieben
what-none-near = { $what }, und zwar überall deutlich
what-times-in-a-row = { $what }, { $count } Mal in Folge
what-workouts-in-a-row = { $what }, { $count } Trainings in Folge
what-sum = { $total } von { $target } Wdh. insgesamt
what-and = { $what }. { $reason }
what-at = { $what }, mit { $load }
what-in-reserve = { $what } und mindestens { $reserve } Wdh. Reserve
what-never-raised = { $what }, und seit { $workouts } Trainings kein Gewicht draufgelegt
what-instead-of = { $what } statt { $load }
what-once-more = { $what }, aber { $load } ist ein großer Sprung, also erst noch einmal
what-too-few-for = { $what }, zu wenig für { $load }
what-far-above = { $what }, weit über den { $load } davor
what-too-big = { $what }, aber der Sprung auf { $load } ist zu groß
what-nothing-heavier = { $what }, und schwerer geht es hier nicht
what-nothing-lighter = { $what }, und leichter als { $load } geht es hier nicht

stay-sets-missing = Nur { $done } von { $planned } Sätzen gemacht
stay-above-rpe = { $subject } über RPE { $rpe } gekommen
stay-at-limit = Bis ans Limit gegangen (RPE { $rpe }) { $sets }
stay-other-sets-first = Erst kommen die anderen Sätze
stay-only-easy = Seitdem gab es über zwei Wochen nur leichtes Training
stay-too-soon = Mit diesem Gewicht erst { $count } von { $needed } Mal trainiert
stay-lighter = Weniger Gewicht genommen als geplant

## Reasons of an exercise

reason-next-step = { $what }: nächster Schritt { $load }.
reason-light-before = Davor waren es { $load }: War es mit Absicht leicht, ist das weiter dein Stand.
reason-repeat = { $what }: noch einmal { $load }{ $then }.
reason-repeat-before = Noch einmal { $load } vom Training davor.
reason-repeat-sets = { $what }: noch einmal dasselbe.
reason-repeat-sets-before = Noch einmal das Training davor.
reason-no-such-load = { $load } gibt es in deinem Gym nicht.
reason-made-up = Mach damit { $count } Wdh.
reason-down = { $what }: { $change }.
reason-build-up = { $what }: von { $reps } Wdh. an aufbauen.
reason-other-way = Sonst gehen Kurzhanteln oder die Hilfe eines Partners.
reason-more = { $what }: { $more }.
reason-add-load = { $what }: { $load } dazunehmen.
reason-again-more = { $what }: wieder { $load }, { $more }.
reason-share-of-top = { $what }: { $share } % vom Topsatz sind { $load }.
reason-until-then = { $what }. { $note } Bis dahin { $more }.
reason-first = { $what }. { $note } Zuerst { $more }.
reason-from-there = { $what }: nimm, was du geschafft hast, und bau es von dort auf.
reason-goal-reached = Ziel { $sets } geschafft: { $gain }.
reason-way-back = Auf dem Weg zurück zu { $old } ({ $span } Pause), und die Sätze waren leicht: { $load }.
reason-turn-back = { $last } war so kurz nach der Pause zu viel: { $load }, dann wieder aufbauen.
reason-stuck = Du hängst bei { $load } fest. { $fix }
reason-tested-max = Dein getestetes Maximum der letzten { $days } Tage ist { $maximum }, also höchstens { $load } für { $reps }.
reason-last-maximum = Letztes Mal hast du ein Maximum von { $maximum } getestet, das ist kein Trainingsgewicht: { $load } für { $reps }.
reason-reserve = Diese Woche bleiben { $reps } im Tank: { $target }.
load-planned = die geplanten { $load }

then-one-more = , eine mehr { $sets }
then-more = , { $more }
then-until-heavier = , bis der Topsatz schwerer wird
more-reps =
    { $count ->
        [1] eine mehr { $sets }
        [2] zwei mehr { $sets }
       *[other] { $count } mehr { $sets }
    }
more-reps-up-to =
    { $count ->
        [1] bis zu eine mehr { $sets }
        [2] bis zu zwei mehr { $sets }
       *[other] bis zu { $count } mehr { $sets }
    }
gain-rep = eine Wdh. mehr
gain-seconds = { $seconds } s länger
gain-up-to-seconds = bis zu { $seconds } s länger

note-nothing-heavier = Schwerer geht es hier nicht: weiter mit langsamerem Tempo oder einer schwereren Variante.
note-too-big-step = Der Sprung auf { $load } ist zu groß.
note-harder-variation = Zeit für eine schwerere Variante oder ein langsameres Tempo.
note-variation = Zeit für { $exercise }, am unteren Ende deines Wdh.-Bereichs.
note-variation-with-plate = Zeit für { $exercise } mit der kleinsten Scheibe, am unteren Ende deines Wdh.-Bereichs.
note-too-hard = Heute zu schwer? Mach { $reps } leichte Wdh. mit Band oder an der Klimmzughilfe.

doubt-set = Keine Steigerung, solange ein Satz fraglich ist
doubt-a-set = Ein Satz
doubt-unusual = { $what } ist weit weg von deinen üblichen { $usual } und zählt erst, wenn du es wiederholst.
doubt-other-work = { $what } mit viel weniger Wdh. sieht nach anderem Training aus und zählt nicht.
doubt-confirmed = { $what }: ein Tippfehler, wie du sagst, und zählt nicht.
doubt-typo = { $what } sieht nach einem Tippfehler aus und zählt nicht.

day-heavy = Schwerer Tag: schwere und leichte wechseln sich ab.
day-medium = Mittlerer Tag: schwere, leichte und mittlere wechseln sich ab.
day-light = Leichter Tag: schwere und leichte wechseln sich ab.
load-search = Noch nie gemacht, also such zuerst dein Gewicht: { $sets } und so weiter in diesen Schritten, bis nach einem Satz noch 2 oder 3 Wdh. im Tank sind. Mit dem Gewicht machst du deine Sätze.
load-search-body = Noch nie gemacht: hör in jedem Satz auf, wenn noch 2 oder 3 Wdh. im Tank sind, auch unter dem Ziel.
load-search-assisted = Noch nie gemacht, also such zuerst deine Unterstützung: fang mit viel an und nimm von Satz zu Satz weniger, bis noch 2 oder 3 Wdh. im Tank sind. Damit machst du deine Sätze.
load-search-added = Noch nie gemacht: fang nur mit dem Körpergewicht an und hör in jedem Satz auf, wenn noch 2 oder 3 Wdh. im Tank sind. Nimm die kleinste Scheibe dazu, sobald du so alle Wdh. schaffst.
kept = Wie in deiner Routine: { $why }.
kept-sets = Wie in deiner Routine { $sets }: { $why }.
kept-only-warmups = Wie in deiner Routine: keine Arbeitssätze.
kept-no-history = noch nie gemacht
kept-target-changed = mit diesem Ziel noch nie gemacht
kept-suspected-typo = das letzte Training sieht nach einem Tippfehler aus
kept-no-target = kein Ziel, auf das du hinarbeiten kannst
kept-not-progressed = deine Ausdauer steuerst du selbst

## Stages, steps of the athlete's own, and waves

stage-reached = { $stage }: { $reps } { $sets } geschafft
stage-changed = { $before } verfehlt, also Wechsel der Stufe auf { $what }
stage-missed = { $stage }: { $reps } { $sets } verfehlt
stage-next = { $what }, also kommt jetzt { $stage }
stage-again = { $what }, also wieder { $stage }
stage-start = Die Stufen beginnen mit { $stage }
stage-last-set = { $stage }: { $reached } von { $target } Wdh. im letzten Satz
stage-last-set-missing = { $stage }: letzter Satz nicht gemacht
own-step = Dein Schritt { $number } ({ $conditions })
own-step-none = Keiner deiner Schritte trifft zu
own-step-more = { $what }, { $count } mehr in jedem Satz
own-step-always = immer
tm-week = { $change }, Woche { $week } von { $weeks }.
tm-too-heavy = Mehr wirkt zu schwer für das, was du gezeigt hast.
tm-change = { $why }: Trainingsmaximum { $load }
tm-now = Trainingsmaximum { $load }
tm-own = Trainingsmaximum { $load } nach deiner Angabe
tm-proposed = Trainingsmaximum { $load }, { $share } % vom geschätzten Maximum
tm-missed-minimum = Ein Satz der Woche { $week } blieb unter dem Minimum
tm-not-as-planned = Der Zyklus lief nicht ganz wie geplant
tm-cycle-done = Zyklus geschafft
tm-top-missing = Der Topsatz der letzten Woche fehlt
tm-no-amrap = Kein AMRAP-Satz zeigt, wie der Zyklus lief
tm-amrap = { $reps } Wdh. im letzten AMRAP-Satz

## Changes since the last time

sentence = { $text }.
no-increase = Heute keine Steigerung.
heavy-day = Schwerer Tag.
medium-day = Mittlerer Tag.
light-day = Leichter Tag.
without-that = Sonst: { $reason }
without-that-sets = Sonst: { $sets }. { $reason }
change-load = { $now } statt { $before }
change-reps = { $now } statt { $before } Wdh.
change-seconds = { $now } s statt { $before } s
change-top-set = Topsatz { $change }
change-up-to = bis zu { $change }
change-sets =
    { $now ->
        [one] { $now } Satz statt { $before }
       *[other] { $now } Sätze statt { $before }
    }
change-more = { $pct } % mehr als letztes Mal
change-less = { $pct } % weniger als letztes Mal
summary = Übungen: { $parts }.
summary-up = { $count } rauf
summary-same = { $count } gleich
summary-down = { $count } runter
summary-out = { $count } ausgelassen

## Deloads, readiness, pain, breaks and meets

deload-asked = Deload, wie du wolltest
deload-calendar = Geplante Deload-Woche
deload-block = Leichte Woche deines Programms
deload-running = Deload-Woche, läuft noch
deload-stalls = Deload: mehrere Übungen stecken fest
deload-rpe-drift = Deload: dasselbe fühlt sich jedes Mal schwerer an
deload-readiness = Deload: du bist seit einer Weile müde
effort-reserve = Lass in jedem Satz { $reps } im Tank.
effort-timed = Halte jeden Satz locker: hör deutlich vor deinem Limit auf.
left-out-avoided = Ausgelassen: steht in deinem Profil unter „vermeiden“
left-out-pain = Ausgelassen: starke Schmerzen ({ $part })
left-out-equipment = Ausgelassen: hier gibt es kein Gerät dafür ({ $kind })
left-out-new = Ausgelassen: neue Übungen beginnen an einem normalen Tag
left-out-exchanged = Ausgelassen: dafür hat der Coach heute { $exercise }.
chosen-load = Vom Coach gewählt: { $now } statt { $before }.
chosen-reps = Vom Coach gewählt: { $now } Wdh. statt { $before }.
chosen-seconds = Vom Coach gewählt: { $now } s statt { $before }.
chosen-sets = Vom Coach gewählt: { $now } Arbeitssätze statt { $before }.
pain = Schmerzen ({ $part }): heute keine Steigerung
pain-advice = Wenn ein Satz wehtut, hör auf und nimm eine andere Übung.
pain-severe-advice = Lass das abklären, bevor du es wieder trainierst.
pain-mild = Leichte Schmerzen ({ $part }): trainier wie geplant und hör auf, wenn es schlimmer wird.
not-either = Auch nicht { $exercise }: { $reason }.
unfit-equipment = dafür fehlt hier auch das Gerät ({ $kind })
unfit-pain = das belastet ebenfalls: { $part }
instead = Stattdessen: { $exercises }.
trainable = Das geht: { $exercises }.
readiness-low = Du fühlst dich laut Check-in nicht fit
readiness-very-low = Du fühlst dich laut Check-in gar nicht fit
sore-low = Du hast Muskelkater
sore-very-low = Du hast starken Muskelkater
readiness-recovery = Erholung schlechter als bei dir üblich ({ $day }): { $signals }
recovery-worse-hrv = Herzfrequenzvariabilität { $value } ms statt mindestens { $usual } ({ $source })
recovery-worse-resting-hr = Ruhepuls { $value } statt höchstens { $usual } ({ $source })
recovery-worse-sleep = { $usual } geschlafen, in sieben Nächten fehlen { $value } ({ $source })
recovery-worse-check-in = dein Befinden: { $value } von 5 statt mindestens { $usual } ({ $source })
break-weeks = { $count } Wochen
break-months = { $count } Monate
break-years = { $count ->
    [one] { $count } Jahr
   *[other] { $count } Jahre
}
break-over-years = mehr als { $count } Jahre
layoff = { $span } Pause
layoff-like-this = { $span } her, dass du es so gemacht hast
taper = Taper
meet-light = Leichter Tag vor dem Wettkampf
meet-left-out = So kurz vor dem Wettkampf ausgelassen
meet-recovery = Erholungswoche nach dem Wettkampf
meet-yours = dein Wettkampf
meet-tomorrow = Morgen ist { $event }: heute Pause, kein Training. Pack deine Sachen, iss und schlaf gut.
meet-today = Heute ist { $event }: kein Training.
meet-attempts = { $exercise }: Erstversuch { $opener }, dann { $second }, dann { $third }, wenn der zweite gut war. Dein Bestes: { $best } am { $day }. Aufwärmen: { $warmup }.
meet-pain = Keine Versuche für { $exercises }: Schmerzen ({ $part }). Lass das abklären, bevor du wieder schwer hebst.
meet-pain-mild = { $exercises }: hör auf, wenn die Schmerzen ({ $part }) schlimmer werden.
meet-pain-any = Schmerzen ({ $part }): keine Versuche, die das belasten. Lass das abklären, bevor du wieder schwer hebst.
meet-good-luck = Viel Erfolg!
time-cap = Gekürzt auf { $minutes } Minuten.
body-assumed = Gerechnet mit { $weight } Körpergewicht: trag dein Gewicht in Hevy ein oder setz body_weight_kg.
volume-jump = { $muscle }: { $sets } harte Sätze diese Woche, { $fullest } in der vollsten der vier davor; pack nicht noch mehr drauf.
volume-low = { $muscle }: zuletzt { $sets } harte Sätze pro Woche; ab { $least } bringt es etwas.
volume-high = { $muscle }: zuletzt { $sets } harte Sätze pro Woche; achte darauf, dass du dich davon erholst.

## The week of a programme

block-place = Woche { $week } von { $weeks }
block-of-programme = { $place } von { $programme }.
block-week = { $place }: { $parts }.
block-easy = { $place }: { $phase }: { $sets }.
block-sets-each =
    { $count ->
        [one] je { $count } Satz
       *[other] je { $count } Sätze
    }
block-half-the-sets = etwa die Hälfte der Sätze
block-reserve = lass in jedem Satz { $reps } im Tank
block-more-sets = mehr Sätze { $exercises }
block-left-out = In Woche { $week } deines Programms ausgelassen.
block-sets =
    { $count ->
        [one] { $count } Satz in Woche { $week } deines Programms, in deiner Routine { $whole }.
       *[other] { $count } Sätze in Woche { $week } deines Programms, in deiner Routine { $whole }.
    }
block-over =
    { $weeks ->
        [one] { $title } ist geschafft, { $weeks } Woche lang. Deine Pläne laufen ohne weiter. Bau den nächsten Block: spotter program new. Oder mach den noch einmal: spotter program use { $name }
       *[other] { $title } ist geschafft, alle { $weeks } Wochen. Deine Pläne laufen ohne weiter. Bau den nächsten Block: spotter program new. Oder mach den noch einmal: spotter program use { $name }
    }
phase-accumulate = Aufbauwoche
phase-intensify = härtere Woche
phase-peak = Spitzenwoche
phase-deload = leichte Woche

## The last workout, the last week, and stalled lifts

insight-short =
    { $share ->
        [all] { $missed } von { $planned } geplanten Sätzen blieben unter dem Ziel: { $exercise }.
        [most] { $missed } von { $planned } geplanten Sätzen blieben unter dem Ziel, die meisten bei { $exercise }.
       *[some] { $missed } von { $planned } geplanten Sätzen blieben unter dem Ziel.
    }
insight-rest-longer = Mach längere Pausen vor den harten Sätzen.
insight-too-heavy-reps = { $exercise }: { $load } statt { $planned } haben Wdh. gekostet, { $done } von { $goal }.
insight-too-heavy-seconds = { $exercise }: { $load } statt { $planned } haben Sekunden gekostet, { $done } von { $goal }.
insight-clean-reps = Nimm { $planned } und mach alle { $goal } Wdh. sauber.
insight-clean-seconds = Nimm { $planned } und halte alle { $goal } s sauber durch.
insight-skipped =
    { $share ->
        [all] { $skipped } von { $planned } geplanten Sätzen ausgelassen: { $exercise }.
        [most] { $skipped } von { $planned } geplanten Sätzen ausgelassen, die meisten bei { $exercise }.
       *[some] { $skipped } von { $planned } geplanten Sätzen ausgelassen.
    }
insight-do-earlier = Mach { $exercise } nächstes Mal früher oder plane weniger Sätze.
insight-plan-fewer = Plane weniger Sätze von { $exercise }.
insight-better = { $exercise } ist besser geworden: von { $before } auf { $now }.
insight-better-too = { $exercise } ist besser geworden: von { $before } auf { $now }. Auch besser: { $others }.
insight-worse = { $exercise } ist zurückgegangen: von { $before } auf { $now }.
insight-worse-too = { $exercise } ist zurückgegangen: von { $before } auf { $now }. Auch schwächer: { $others }.
insight-next-step = Mach den nächsten Schritt wie geplant.
insight-get-back = Bring { $exercise } Schritt für Schritt zurück auf { $before }.
insight-reached = { $reached } von { $planned } geplanten Sätzen haben ihr Ziel erreicht.
insight-next-workout = Mach das nächste Training wie geplant.
insight-first-time =
    { $sets ->
        [one] { $sets } Arbeitssatz gemacht, zum ersten Mal.
       *[other] { $sets } Arbeitssätze gemacht, zum ersten Mal.
    }
insight-done =
    { $sets ->
        [one] { $sets } Arbeitssatz gemacht.
       *[other] { $sets } Arbeitssätze gemacht.
    }
insight-next-time = Nächstes Mal: { $sets }.
week-workouts =
    { $workouts ->
        [one] { $workouts } Training diese Woche.
       *[other] { $workouts } Trainings diese Woche.
    }
week-more-sets = Mehr Sätze als zuletzt für { $muscles }.
week-fewer-sets = Weniger Sätze als zuletzt für { $muscles }.
week-stalled = { $exercise } kommt nicht voran. { $fix }
stall-no-maximum = Bei Zeit, Distanz, Cardio und unterstützten Übungen gibt es kein Maximum, das stagnieren kann.
stall-too-few = Für ein Urteil braucht es { $workouts } Trainings mit einem vergleichbaren besten Satz.
stall-trend = { $slope } % pro Training über { $workouts } Trainings, höchstens { $upper } %
stall-false-alarms = { $trend }; { $share } % derer, die Fortschritte machen, bekommen diese Meldung trotzdem
stall-none = Keine Stagnation: { $trend }.
stall-found = Kein Fortschritt: { $trend }. { $cause }
stall-hard-sets = Die Sätze waren hart, im Schnitt RPE { $rpe }.
stall-deload = Nimm { $pct } % Gewicht runter und bau wieder auf.
stall-short-sets = Die Sätze waren kurz, im Schnitt { $reps } Wdh.
stall-rep-range = Mach ein paar Wochen lang Sätze mit { $low } bis { $high } Wdh. und weniger Gewicht.
stall-fewer-sets = Es wurden weniger Sätze, von { $before } auf { $now } pro Training.
stall-more-sets = Geh zurück auf { $sets } Arbeitssätze mit demselben Gewicht.
stall-unexplained = Weder Anstrengung noch Satzzahl erklären es.
stall-variation = Trainier { $weeks } Wochen lang eine ähnliche Variante und komm dann zurück.
stall-go-on = Mach weiter wie geplant.

## Between two sets

count-reps = { $count } Wdh.
count-s = { $count } s
next-reason = { $what }: { $then }.
next-stop = { $what }: für heute Schluss mit dieser Übung.
next-rated = { $reps } bei RPE { $rpe }
next-rated-aim = { $what }, Ziel ist RPE { $rpe }
next-of = { $done } von { $goal }
next-beyond = { $what }, mehr als das Ziel
next-less-than-half = { $done } von { $goal } ist weniger als die Hälfte
next-drop = Von { $first } auf { $last }
next-same = noch einmal dasselbe
next-stay = bleib bei { $load }
next-aim = Ziel { $reps } Wdh.
next-nothing-lighter = leichter geht es hier nicht, Ziel { $reps } mit { $load }
next-not-there = { $load } gibt es in deinem Gym nicht, nimm { $taken }
next-held-same = heute wird nicht gesteigert, noch einmal dasselbe
next-held-stay = heute wird nicht gesteigert, { $stay }
next-jump-cap-stay = mehr gibt es heute nicht, { $stay }
next-too-big-stay = der nächste Sprung ist zu groß, { $stay }
next-typo = { $what } sieht nach einem Tippfehler aus: { $then }.
next-seconds-less = { $seconds } von { $goal } s: halte { $seconds } s.
next-seconds-same = { $seconds } s: noch einmal dasselbe.
next-seconds-more = { $seconds } s, mehr als das Ziel: { $goal } s.
next-pain-stop = Starke Schmerzen ({ $part }): Schluss. Lass das abklären, bevor du es wieder trainierst.
next-unknown = { $exercise } steht nicht in Hevys Katalog, das Gerät ist also unbekannt.
next-unknown-steps = { $exercise } steht nicht in Hevys Katalog, das Gerät ist also unbekannt: gerechnet wird mit Schritten von { $step }.

## Red flags

red-flag-reported = Du hast gemeldet: { $signs }.
red-flag-advice-emergency = Hör jetzt auf zu trainieren. Wenn es gerade passiert, neu ist oder wiederkommt, ruf den Notruf (112 oder 911). Sonst geh heute noch zum Arzt.
red-flag-advice-doctor = Hör jetzt auf zu trainieren und geh zum Arzt, bevor du weitermachst.
red-flag-advice-rest = Hör auf zu trainieren und ruh dich aus, bis du wieder gesund bist. Geh zum Arzt, wenn es schlimm ist oder nicht besser wird.
red-flag-skip = Lass bis dahin jedes Training aus, auch eins, das schon in Hevy steht.
red-flag-clear = Sobald es geklärt ist: spotter check-in --cleared, und nimm es aus [pain] in deinem Profil, falls es dort steht
red-flag-sign-chest = Schmerzen oder Druck in der Brust
red-flag-sign-heart = Herzbeschwerden
red-flag-sign-breath = ungewöhnliche Atemnot
red-flag-sign-faint = Ohnmacht, Schwindel oder Gleichgewichtsprobleme
red-flag-sign-head = Kopfschmerzen oder einen Schlag auf den Kopf
red-flag-sign-stroke = Anzeichen eines Schlaganfalls
red-flag-sign-nerve = Taubheit, Kribbeln oder Schwäche
red-flag-sign-spine = Rückenschmerzen mit Problemen an Blase, Darm oder im Schritt
red-flag-sign-pain = plötzliche, stechende, ausstrahlende oder unerträgliche Schmerzen
red-flag-sign-joint = ein heißes, geschwollenes, blockiertes oder instabiles Gelenk
red-flag-sign-clot = eine geschwollene oder heiße Wade
red-flag-sign-blood = dunklen Urin oder Blut
red-flag-sign-ill = Fieber oder Krankheit
red-flag-sign-surgery = eine kürzliche Operation
red-flag-sign-medical = ärztlichen Rat, nicht zu trainieren

## Names

equipment-barbell = Langhantel
equipment-dumbbell = Kurzhanteln
equipment-kettlebell = Kettlebell
equipment-machine = Maschine
equipment-cable = Kabelzug
muscle-abdominals = Bauch
muscle-abductors = Abduktoren
muscle-adductors = Adduktoren
muscle-biceps = Bizeps
muscle-calves = Waden
muscle-cardio = Cardio
muscle-chest = Brust
muscle-forearms = Unterarme
muscle-full-body = Ganzkörper
muscle-glutes = Po
muscle-hamstrings = Beinbeuger
muscle-lats = Latissimus
muscle-lower-back = unterer Rücken
muscle-neck = Nacken
muscle-other = Sonstiges
muscle-quadriceps = Quadrizeps
muscle-shoulders = Schultern
muscle-traps = Trapez
muscle-triceps = Trizeps
muscle-upper-back = oberer Rücken
side-left = { $part } links
side-right = { $part } rechts
part-neck = Nacken
part-shoulder = Schulter
part-chest = Brust
part-upper-back = oberer Rücken
part-lower-back = unterer Rücken
part-upper-arm = Oberarm
part-biceps = Bizeps
part-triceps = Trizeps
part-elbow = Ellbogen
part-forearm = Unterarm
part-wrist = Handgelenk
part-hand = Hand
part-abdomen = Bauch
part-hip = Hüfte
part-groin = Leiste
part-glute = Po
part-thigh = Oberschenkel
part-quadriceps = Quadrizeps
part-hamstring = Beinbeuger
part-knee = Knie
part-calf = Wade
part-ankle = Sprunggelenk
part-foot = Fuß

## Dates and days

day-short = EEE d. MMM y
day-near = EEE d. MMM
day-two-digits = d. MMMM y
weekday = EEEE
weekday-and-day = EEEE, d. MMMM
today = heute
yesterday = gestern
tomorrow = morgen
on-day = am { $day }
from-day = ab { $day }
in-days =
    { $days ->
        [0] heute
        [1] morgen
       *[other] noch { $days } Tage
    }

## State of a plan

state-new = noch nicht in Hevy: kommt mit dem nächsten Lauf
state-unwritten = nur Vorschau: kein Hevy-Konto verbunden
state-previewed = nur Vorschau: publish.mode ist "preview"
state-waiting = wartet auf dich: spotter plan approve latest (oder: reject)
state-approved = freigegeben: kommt mit dem nächsten Lauf nach Hevy
state-withheld = zur Sicherheit nicht veröffentlicht: siehe spotter publications
state-rejected = von dir abgelehnt; der nächste kommt mit neueren Daten
state-expired = nicht veröffentlicht: vorher kamen neuere Daten
state-rolled-back = zurückgenommen
state-publishing = beim Veröffentlichen unterbrochen; der nächste Lauf macht es fertig
state-published = in Hevy veröffentlicht
state-unchanged = steht schon in Hevy
state-conflict = nicht veröffentlicht: du hast die Routine geändert; der nächste Lauf schaut wieder nach
state-superseded = nicht veröffentlicht: ein anderer Plan gilt
state-failed = nicht veröffentlicht: siehe den letzten Lauf
not-in-hevy = Nicht in Hevy: { $reason }
late-reading = Dein Konto wurde zuletzt am { $day } vollständig gelesen: spotter status
stale = Deine Daten sind { $days } Tage alt: das letzte Training war am { $day }.
stale-run = Neueres Training laden: spotter run
stale-import = Neueres Training importieren: spotter import-csv FILE --athlete { $athlete }
rejected-before = Den Plan vor diesem hast du am { $day } abgelehnt („{ $reason }“).
rejected-model-knew = { $model } wusste das, als es diese Sätze gewählt hat.
rejected-newer = Dieser kommt aus neueren Daten.
rejected-how-to = Die Regeln können keinen Grund lesen. Um den Plan zu ändern, nimm spotter check-in oder dein Profil.
rejected-nothing-new = Diese Sätze hast du am { $day } abgelehnt („{ $reason }“), und seitdem kam nichts Neues dazu.
rejected-same = Genau diese Sätze hast du am { $day } abgelehnt („{ $reason }“).
rejected-model-stays = { $model } wusste das und bleibt dabei.
rejected-again = Neuere Daten sprechen wieder dafür.
no-plan-no-file = Es gibt keinen Plan für '{ $athlete }': noch keine Datei mit Trainings importiert. So geht's: spotter import-csv FILE --athlete { $athlete }, dann spotter run
no-plan-unsafe = Es gibt keinen Plan für '{ $athlete }', weil keiner sicher genug war: { $reason }
no-plan-yet = Noch gibt es keinen Plan für '{ $athlete }'. So geht's: spotter run
nothing-left = Heute bleibt kein Training übrig. { $reasons }
nothing-left-all-pain = Jede Übung heute belastet, was wehtut ({ $parts }).
nothing-left-all-equipment = Für jede Übung heute fehlt hier das Gerät ({ $kinds }).
nothing-left-all-avoided = Dein Profil vermeidet jede Übung von heute.
nothing-left-all-day = An so einem Tag fällt jede Übung weg.
nothing-left-pain = { $exercises }: Schmerzen ({ $parts }).
nothing-left-equipment = { $exercises }: hier fehlt das Gerät ({ $kinds }).
nothing-left-avoided = { $exercises }: steht in deinem Profil unter „vermeiden“.
nothing-left-day = { $exercises }: fällt an so einem Tag weg.
nothing-left-advice = Lass abklären, was wehtut, bevor du es wieder trainierst.
nothing-left-but = Das geht meistens: { $exercises }.
nothing-left-better = Sag Bescheid, sobald es besser ist: spotter check-in --pain PART:mild

## A plan on the terminal and on the page Today

plan-of =
    { $athlete ->
        [me] dein nächstes Training
       *[other] nächstes Training von { $athlete }
    }
plan-of-minutes =
    { $athlete ->
        [me] dein nächstes Training, etwa { $minutes } min
       *[other] nächstes Training von { $athlete }, etwa { $minutes } min
    }
plan-why = Warum: spotter plan show --why
plan-rule = Regel: { $rule }
plan-limits = Grenzen: { $limits }
plan-rest = Pause: { $seconds } s
plan-last-workout = Letztes Training: { $text }
plan-marks = Sätze: { $marks }.
plan-rules = Regeln { $version }
comment = Kommentar vom Coach
comment-on-workout = Kommentar zum letzten Training von { $models }.
comment-on-stalls = Kommentar zu festgefahrenen Übungen von { $models }.
comment-by-model = Kommentar vom Coach, geschrieben von { $model }, einem Sprachmodell.
chosen-by = Innerhalb der Grenzen der Regeln gewählt von { $model }.
written-by-model = Geschrieben von { $model }, einem Sprachmodell.
superset = Supersatz { $number }
last = Zuletzt
last-time = zuletzt { $sets }
first-time = Zum ersten Mal
left-out = ausgelassen
left-out-this-time = Diesmal ausgelassen
no-set = kein Satz
no-sets = keine Sätze
rest-seconds = { $seconds } s Pause.
unit-reps = Wdh.
unit-s = s
unit-m = m
range = { $low } bis { $high } { $unit }
time-personal = Dauer: { $low } bis { $high } min, nach deinem eigenen Tempo.
time-prior = Dauer: { $low } bis { $high } min, nach Wdh. und Pausen.
mark-warmup = W zum Aufwärmen
mark-dropset = D Dropsatz
mark-failure = F bis zum Muskelversagen
legend-warmup = W: Aufwärmsatz
legend-dropset = D: Dropsatz
legend-failure = F: bis zum Muskelversagen
legend-decided = Geplant { $moment }. Tipp auf eine Übung für die Gründe.
chances = %: Chance, das Ziel im schwersten Satz zu schaffen (bei einem Bereich sein unteres Ende).
chances-own-steps = %: Chance, das Ziel im schwersten Satz zu schaffen (bei einem Bereich sein unteres Ende, bei deinen eigenen Schritten das dort verlangte).
no-chances = Ohne Chancen: es gibt noch zu wenige frühere Sätze.
set-free = frei
amount-in-time = { $amount } in { $time }
change-out = raus
change-new = neu
change-same = gleich
change-help = { $load } Hilfe
change-harder = schwerer
change-easier = leichter
change-count-sets =
    { $count ->
        [one] { $change } Satz
       *[other] { $change } Sätze
    }
change-count-reps =
    { $count ->
        [one] { $change } Wdh.
       *[other] { $change } Wdh.
    }
change-each-set = { $change } pro Satz
change-all-sets = { $change } insgesamt
column-set = Satz
column-next = Heute
column-chance = Chance
column-last = Letztes Mal
notes-on-plan =
    { $count ->
        [one] { $count } Hinweis zu diesem Plan
       *[other] { $count } Hinweise zu diesem Plan
    }
upcoming = Demnächst
event-name = Wettkampf
event-none = keiner eingetragen. Trag einen unter Goal and profile ein.
easy-week = Leichte Woche
easy-workout = Leichtes Training
programme = Programm

## The briefing

brief-next = Als Nächstes: { $routine }
brief-no-workout = Kein Training geplant
brief-minutes = Etwa { $minutes } Minuten.
brief-to-do = Dein Training
brief-changes = Was sich ändert
brief-last-week = Letzte Woche
brief-progress = Fortschritt
brief-look-at = Schau hin
brief-ahead = Was kommt
brief-last-workout = { $routine }, { $ago }: { $sets } Arbeitssätze.
brief-last-workout-minutes = { $routine }, { $ago }: { $sets } Arbeitssätze, { $minutes } Minuten.
brief-up = Rauf
brief-down = Runter
brief-out = Ausgelassen
brief-focus = Als Nächstes
brief-rising = Im Aufwind
brief-rise = { $exercise } ({ $slope } % pro Training über { $workouts })
brief-more-records =
    { $count ->
        [one] und { $count } weiterer Rekord diese Woche
       *[other] und { $count } weitere Rekorde diese Woche
    }
brief-met-sets = { $met } von { $planned } geplanten Sätzen wie geplant oder besser
brief-mistyped =
    { $count ->
        [one] { $count } Satz der letzten Wochen sieht nach einem Tippfehler aus: spotter correct list
       *[other] { $count } Sätze der letzten Wochen sehen nach Tippfehlern aus: spotter correct list
    }
last-workout = Letztes Training
this-week = Diese Woche
count-workouts =
    { $count ->
        [one] { $count } Training
       *[other] { $count } Trainings
    }
count-weeks-in-a-row =
    { $count ->
        [one] { $count } Woche in Folge
       *[other] { $count } Wochen in Folge
    }
record-heaviest = so schwer wie nie, { $sets } ({ $gain })
record-least-help = so wenig Hilfe wie nie, { $sets } ({ $gain } aus eigener Kraft)
record-maximum = bestes geschätztes Maximum bisher, { $maximum }
record-maximum-from = bestes geschätztes Maximum bisher, { $maximum } aus { $sets }
record-most = so viel wie nie, { $most } ({ $gain })
record-most-with = so viel wie nie, { $most } mit { $load } ({ $gain })
event = der Wettkampf
in-the-taper = { $when }, im Taper
phase = Phase
phase-week = { $phase }, Woche { $week } von { $weeks }
planned-deload = Diese Woche ist ein Deload geplant.

## Recovery

recovery = Erholung
recovery-missing = erscheint hier, sobald Schlaf oder Herzfrequenz ankommen (docs/health.md).
recovery-together = Insgesamt
recovery-not-enough = zu wenig Daten.
recovery-feeling = Befinden
recovery-feeling-score = { $score } von 5, das Schlechtere aus Energie und Muskelkater in deinem Check-in.
recovery-display-only = Nur zur Anzeige: kein Plan hängt davon ab.
recovery-in-plan = Zwei schlechtere Werte machen deinen Plan leichter.
recovery-verdict =
    { $count ->
        [one] { $worse } von { $count } Wert schlechter als bei dir üblich.
       *[other] { $worse } von { $count } Werten schlechter als bei dir üblich.
    }
hrv = Herzfrequenzvariabilität
resting-hr = Ruhepuls
sleep = Schlaf
night-last = letzte Nacht
night-to = in der Nacht auf { $day }
band-below =
    { $days ->
        [one] { $value } im Schnitt von { $days } Tag, unter deinen üblichen { $low } bis { $high } { $source }.
       *[other] { $value } im Schnitt von { $days } Tagen, unter deinen üblichen { $low } bis { $high } { $source }.
    }
band-within =
    { $days ->
        [one] { $value } im Schnitt von { $days } Tag, in deinem üblichen Bereich { $low } bis { $high } { $source }.
       *[other] { $value } im Schnitt von { $days } Tagen, in deinem üblichen Bereich { $low } bis { $high } { $source }.
    }
band-above =
    { $days ->
        [one] { $value } im Schnitt von { $days } Tag, über deinen üblichen { $low } bis { $high } { $source }.
       *[other] { $value } im Schnitt von { $days } Tagen, über deinen üblichen { $low } bis { $high } { $source }.
    }
band-not-enough =
    { $days ->
        [one] { $value } im Schnitt von { $days } Tag { $source }; zu wenig Daten: { $days } Tag dieser Woche, { $before } davor.
       *[other] { $value } im Schnitt von { $days } Tagen { $source }; zu wenig Daten: { $days } Tage dieser Woche, { $before } davor.
    }
sleep-debt =
    { $nights ->
        [one] { $slept }; { $debt } weniger als { $need } pro Nacht, über { $nights } Nacht ({ $source }).
       *[other] { $slept }; { $debt } weniger als { $need } pro Nacht, über { $nights } Nächte ({ $source }).
    }
sleep-not-enough =
    { $nights ->
        [one] { $slept } ({ $source }); zu wenig Daten, { $nights } Nacht.
       *[other] { $slept } ({ $source }); zu wenig Daten, { $nights } Nächte.
    }

## Check-ins, reviews and withdrawn plans

noted = Notiert.
cleared-but-pain = Nur Warnzeichen sind geklärt. Wegen starker Schmerzen ({ $parts }) fallen weiter Übungen aus: Melde sie als mild, sobald sie vorbei sind, und nimm sie aus [pain] in deinem Profil, falls sie dort stehen.
session-rpe-noted = Notiert: RPE { $rpe } für das Training, das du zuletzt gestartet hast. Der nächste Lauf rechnet es in deine Belastung ein.
check-in-no-plan = Noch gibt es keinen Plan zum Anpassen. So geht's: spotter run
check-in-model = Von den Regeln geplant; der nächste Lauf fragt auch dein Sprachmodell.
withdrawn-note = Plan zurückgezogen. Lass das aus, bis Spotter wieder plant.
withdrawn = { $routine } hat in Hevy jetzt bei jeder Übung eine Notiz: lass das Training aus.
withdrawn-skip = Lass { $routine } in Hevy aus.
withdrawn-skip-exercises = Lass { $routine } in Hevy aus: { $exercises }.
withdrawn-preview = Dort steht keine Notiz: publish.mode ist "preview".
withdrawn-failed = Dort steht keine Notiz: { $reason }
withdrawn-unknown = der Stand ist unbekannt.
action-same = Gleich
action-more = Mehr
action-less = Weniger
action-stop = Stopp
review-week = Woche ab { $day }
review-none = Diese Woche kein Training aus deinen Routinen.
review-muscle = { $muscle }: { $sets } harte Sätze
review-muscle-usual = { $muscle }: { $sets } harte Sätze, sonst { $usual }
review-by-rules = Geschrieben von den Regeln.
review-by-model = Kommentar vom Coach, geschrieben von { $model }.

## Sessions besides lifting
brief-besides = Neben dem Training
session-minutes = { $minutes } Min.
session-for-warm-up = vor { $exercise }
session-for-mobility = für { $muscles } nach deinem letzten Training
session-for-cardio = keine Ausdauereinheit in den letzten { $days } Tagen
session-for-easy-week = es ist eine leichte Woche
session-for-recovery = deine Erholung ist schlechter als sonst
session-warm-up-lower-body = Aufwärmen für die Beine
session-warm-up-pressing = Aufwärmen fürs Drücken
session-warm-up-pulling = Aufwärmen fürs Ziehen
session-hip-mobility = Beweglichkeit der Hüfte
session-hamstring-and-back-mobility = Beweglichkeit von Beinbeugern und unterem Rücken
session-ankle-mobility = Beweglichkeit der Sprunggelenke
session-shoulder-mobility = Beweglichkeit der Schultern
session-upper-back-mobility = Beweglichkeit des oberen Rückens
session-easy-walk = Lockerer Spaziergang
session-easy-bike = Lockeres Radfahren
session-easy-row = Lockeres Rudern
session-breathing = Ruhiges Atmen
session-recovery-walk = Kurzer Spaziergang

## Progress, part Muscles: gains and weekly sets
response-title = Sätze und Fortschritt
response-meaning = So hat sich dein geschätztes Maximum mit den harten Sätzen pro Woche verändert. Ein Beweis ist das nicht: Mit den Sätzen kann sich auch anderes geändert haben.
response-few = Noch zu wenig Daten. Ein Muskel braucht { $least } Abschnitte von { $length } Wochen mit geschätzten Maxima, manche mit mehr und manche mit weniger Sätzen. Du hast { $count }, also dauert es noch mindestens { $weeks } Trainingswochen.
response-alike = Noch zu wenig Daten: Dein Fortschritt unterscheidet sich zu wenig zwischen Wochen mit mehr und mit weniger Sätzen. Das ist völlig in Ordnung und kann Jahre dauern.
response-muscle = Muskel
response-slope = Ein Satz pro Woche mehr, % in 4 Wochen
response-sets = Sätze pro Woche
response-interval = { $slope } ({ $low } bis { $high })
response-range = { $least } bis { $most }
