# Textos en el momento de entrenar, en español. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = La última vez hiciste todas las repeticiones.
reason-top-of-range = La última vez llegaste al tope del rango.
reason-add-reps = Misma carga, primero más repeticiones.
reason-repeat = Lo mismo otra vez, para afianzarlo.
reason-fell-short = La última vez algunas series se quedaron cortas.
reason-lighter = Un poco más ligero que la última vez.
reason-easy-day = Hoy suave a propósito.
reason-check-in = Ajustado a tu registro de hoy.
reason-fits-time = Acortado para que quepa en tu tiempo.
reason-flat = Este ejercicio lleva un tiempo estancado.
reason-stands-in = Hoy en lugar de { $title }.

## Cues

cue-same-form = Misma técnica en cada repetición.
cue-slow-lowering = Baja despacio y con control.
cue-full-range = Usa el recorrido completo.
cue-press-with-intent = Baja con control, empuja con intención.
cue-shoulder-blades = Escápulas atrás y abajo.
cue-elbows-close = Codos cerca del cuerpo.
cue-feet-planted = Pies firmes, empuja el suelo.
cue-flat-back = Mantén la espalda recta.
cue-tight-core = Mantén el abdomen firme.
cue-lead-with-elbows = Guía con los codos.
cue-no-swing = Sin balanceo.
cue-bar-close = Mantén la barra cerca.
cue-straight-line = Mantente en línea recta.
cue-stop-when-form-slips = Termina la serie cuando falle la técnica.
cue-smooth-reps = Repeticiones fluidas, sin forzar.
cue-first-set = Que la primera serie sea la mejor.
cue-last-like-first = La última repetición como la primera.
cue-take-your-time = Tómate tu tiempo para colocarte.
cue-chest-up = Pecho arriba.
cue-knees-in-line = Rodillas en línea con los pies.
cue-wrists-straight = Muñecas rectas.
cue-squeeze-at-the-top = Aprieta arriba en cada repetición.
cue-hips-back = Primero la cadera hacia atrás.

## Facts

fact-last-time = La última vez { $sets }.
fact-planned = Hoy { $sets }.
fact-target = Objetivo: { $counts }.
fact-target-range = Objetivo: de { $low } a { $high } repeticiones.
fact-step-up = { $step } más que la última vez.
fact-step-down = { $step } menos que la última vez.
fact-step-same = Igual que la última vez.
fact-record =
    { $workouts ->
        [one] Lo mejor hasta ahora: { $sets }.
       *[other] Lo mejor de los últimos { $workouts } entrenamientos: { $sets }.
    }
fact-rest = Descanso { $seconds } s.
fact-trend-up = Máximo estimado: sube { $pct } % por entrenamiento.
fact-trend-down = Máximo estimado: baja { $pct } % por entrenamiento.
fact-trend-flat = Máximo estimado sin cambios últimamente.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = peso corporal
load-added = peso corporal + { $load }
load-assistance = { $load } de asistencia
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } repetición
       *[other] { $count } repeticiones
    }
sets =
    { $count ->
        [one] { $count } serie
       *[other] { $count } series
    }

## Statements of a comment

about = { $title }: { $text }
misses =
    { $workouts ->
        [one] En el último entrenamiento no se alcanzó el objetivo.
       *[other] { $workouts } entrenamientos seguidos sin alcanzar el objetivo.
    }
next-step = El próximo paso llega cuando cada serie tenga { $count } repeticiones.
all-targets-reached = La última vez alcanzaste todos los objetivos.
most-targets-reached = La última vez alcanzaste la mayoría de los objetivos.
keep-going = Sigue así.
day = Ejercicios de hoy: { $parts }.
day-up = { $count } con más
day-same = { $count } sin cambios
day-down = { $count } con menos
week =
    { $workouts ->
        [one] { $workouts } entrenamiento esta semana.
       *[other] { $workouts } entrenamientos esta semana.
    }
