# Teksty podczas treningu, po polsku. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = Ostatnio udały się wszystkie powtórzenia.
reason-top-of-range = Ostatnio udało się dojść do górnej granicy zakresu.
reason-add-reps = Ten sam ciężar, najpierw więcej powtórzeń.
reason-repeat = Jeszcze raz to samo, żeby się utrwaliło.
reason-fell-short = Ostatnio w niektórych seriach zabrakło powtórzeń.
reason-lighter = Trochę lżej niż ostatnio.
reason-easy-day = Dziś celowo lekko.
reason-check-in = Dopasowane do Twojego samopoczucia.
reason-fits-time = Skrócone, żeby zmieścić się w czasie.
reason-flat = To ćwiczenie od dawna stoi w miejscu.
reason-stands-in = Dziś zamiast { $title }.

## Cues

cue-same-form = Każde powtórzenie z tą samą techniką.
cue-slow-lowering = Opuszczaj powoli i pod kontrolą.
cue-full-range = Używaj pełnego zakresu ruchu.
cue-press-with-intent = Opuszczaj z kontrolą, wyciskaj zdecydowanie.
cue-shoulder-blades = Łopatki do tyłu i w dół.
cue-elbows-close = Łokcie blisko ciała.
cue-feet-planted = Stopy płasko, mocno w podłogę.
cue-flat-back = Trzymaj proste plecy.
cue-tight-core = Trzymaj napięty tułów.
cue-lead-with-elbows = Prowadź łokciami.
cue-no-swing = Bez bujania.
cue-bar-close = Trzymaj sztangę blisko.
cue-straight-line = Trzymaj jedną prostą linię.
cue-stop-when-form-slips = Zakończ serię, gdy technika się psuje.
cue-smooth-reps = Płynne powtórzenia, bez szarpania.
cue-first-set = Niech pierwsza seria będzie najlepsza.
cue-last-like-first = Ostatnie powtórzenie jak pierwsze.
cue-take-your-time = Ustaw się bez pośpiechu.
cue-chest-up = Klatka w górę.
cue-knees-in-line = Kolana w linii ze stopami.
cue-wrists-straight = Nadgarstki proste.
cue-squeeze-at-the-top = Dopnij na górze każdego powtórzenia.
cue-hips-back = Najpierw biodra do tyłu.

## Facts

fact-last-time = Ostatnio { $sets }.
fact-planned = Dziś { $sets }.
fact-target = Cel: { $counts }.
fact-target-range = Cel: { $low } do { $high } powtórzeń.
fact-step-up = { $step } więcej niż ostatnio.
fact-step-down = { $step } mniej niż ostatnio.
fact-step-same = Tak samo jak ostatnio.
fact-record =
    { $workouts ->
        [one] Najlepszy wynik: { $sets }.
       *[other] Najlepszy wynik z ostatnich { $workouts } treningów: { $sets }.
    }
fact-rest = Przerwa { $seconds } s.
fact-trend-up = Szacowane maksimum rośnie o { $pct } % na trening.
fact-trend-down = Szacowane maksimum spada o { $pct } % na trening.
fact-trend-flat = Szacowane maksimum ostatnio bez zmian.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = masa ciała
load-added = masa ciała + { $load }
load-assistance = { $load } odciążenia
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } powtórzenie
        [few] { $count } powtórzenia
       *[other] { $count } powtórzeń
    }
sets =
    { $count ->
        [one] { $count } seria
        [few] { $count } serie
       *[other] { $count } serii
    }

## Statements of a comment

about = { $title }: { $text }
misses =
    { $workouts ->
        [one] Na ostatnim treningu cel nie został osiągnięty.
        [few] Cel nieosiągnięty przez { $workouts } treningi z rzędu.
       *[other] Cel nieosiągnięty przez { $workouts } treningów z rzędu.
    }
next-step = Następny krok, gdy każda seria osiągnie { $count } powtórzeń.
all-targets-reached = Ostatnio wszystkie cele zostały osiągnięte.
most-targets-reached = Ostatnio większość celów została osiągnięta.
keep-going = Tak trzymaj.
day = Ćwiczenia dziś: { $parts }.
day-up = { $count } w górę
day-same = { $count } bez zmian
day-down = { $count } w dół
week =
    { $workouts ->
        [one] { $workouts } trening w tym tygodniu.
        [few] { $workouts } treningi w tym tygodniu.
       *[other] { $workouts } treningów w tym tygodniu.
    }
