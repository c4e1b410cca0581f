# Testi durante l'allenamento, in italiano. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = L'ultima volta hai fatto tutte le ripetizioni.
reason-top-of-range = L'ultima volta hai raggiunto il limite alto delle ripetizioni.
reason-add-reps = Stesso carico, prima più ripetizioni.
reason-repeat = Di nuovo lo stesso, per consolidarlo.
reason-fell-short = L'ultima volta in alcune serie sono mancate ripetizioni.
reason-lighter = Un po' più leggero dell'ultima volta.
reason-easy-day = Oggi leggero di proposito.
reason-check-in = Adattato al tuo check-in.
reason-fits-time = Accorciato per stare nel tuo tempo.
reason-flat = Questo esercizio è fermo da un po'.
reason-stands-in = Oggi al posto di { $title }.

## Cues

cue-same-form = La stessa tecnica in ogni ripetizione.
cue-slow-lowering = Scendi lentamente e con controllo.
cue-full-range = Usa tutta l'escursione.
cue-press-with-intent = Scendi con controllo, spingi con decisione.
cue-shoulder-blades = Scapole indietro e in basso.
cue-elbows-close = Gomiti vicini al corpo.
cue-feet-planted = Piedi ben piantati, spingi il pavimento.
cue-flat-back = Tieni la schiena dritta.
cue-tight-core = Tieni il core contratto.
cue-lead-with-elbows = Guida con i gomiti.
cue-no-swing = Niente slancio.
cue-bar-close = Tieni il bilanciere vicino.
cue-straight-line = Resta in linea retta.
cue-stop-when-form-slips = Ferma la serie quando la tecnica cede.
cue-smooth-reps = Ripetizioni fluide, senza strappi.
cue-first-set = Fai della prima serie la migliore.
cue-last-like-first = L'ultima ripetizione come la prima.
cue-take-your-time = Prenditi il tempo per posizionarti.
cue-chest-up = Petto in fuori.
cue-knees-in-line = Ginocchia in linea con i piedi.
cue-wrists-straight = Polsi dritti.
cue-squeeze-at-the-top = Contrai in alto a ogni ripetizione.
cue-hips-back = Prima il bacino indietro.

## Facts

fact-last-time = L'ultima volta { $sets }.
fact-planned = Oggi { $sets }.
fact-target = Obiettivo: { $counts }.
fact-target-range = Obiettivo: da { $low } a { $high } ripetizioni.
fact-step-up = { $step } in più dell'ultima volta.
fact-step-down = { $step } in meno dell'ultima volta.
fact-step-same = Come l'ultima volta.
fact-record =
    { $workouts ->
        [one] Il meglio finora: { $sets }.
       *[other] Il meglio degli ultimi { $workouts } allenamenti: { $sets }.
    }
fact-rest = Recupero { $seconds } s.
fact-trend-up = Massimale stimato: sale del { $pct } % ad allenamento.
fact-trend-down = Massimale stimato: scende del { $pct } % ad allenamento.
fact-trend-flat = Massimale stimato stabile di recente.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = peso corporeo
load-added = peso corporeo + { $load }
load-assistance = { $load } di assistenza
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } ripetizione
       *[other] { $count } ripetizioni
    }
sets = { $count } serie

## Statements of a comment

about = { $title }: { $text }
misses =
    { $workouts ->
        [one] Nell'ultimo allenamento l'obiettivo è stato mancato.
       *[other] Obiettivo mancato per { $workouts } allenamenti di fila.
    }
next-step = Il prossimo passo arriva quando ogni serie raggiunge { $count } ripetizioni.
all-targets-reached = L'ultima volta hai raggiunto tutti gli obiettivi.
most-targets-reached = L'ultima volta hai raggiunto la maggior parte degli obiettivi.
keep-going = Continua così.
day = Esercizi di oggi: { $parts }.
day-up = { $count } in aumento
day-same = { $count } invariati
day-down = { $count } in calo
week =
    { $workouts ->
        [one] { $workouts } allenamento questa settimana.
       *[other] { $workouts } allenamenti questa settimana.
    }
