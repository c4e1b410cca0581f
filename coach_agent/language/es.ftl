# Textos para deportistas, en español. docs/languages.md explains how to add a language.

## Numbers, days and lists

decimal-separator = ,
list-and = { $items } y { $last }
list-or = { $items } o { $last }
day-and-month = d 'de' MMMM
day-with-weekday = EEEE, d 'de' MMMM 'de' y

## Loads, repetitions and sets

load-assistance = { $load } de ayuda
load-body-alone = solo el peso corporal
load-up = sube a { $load }
load-down = baja a { $load }
reps =
    { $count ->
        [one] { $count } rep
       *[other] { $count } reps
    }
reps-text = { $reps } reps
reps-between = { $low } a { $high } reps

# Series como lugar: "Llegaste a 8 reps en las 3 series".
sets-all =
    { $count ->
        [1] en la serie
        [2] en ambas series
       *[other] en las { $count } series
    }
sets-single = en la serie { $number }
sets-range = en las series { $first }-{ $last }
sets-only = en la serie
sets-some =
    { $count ->
        [one] en la serie { $numbers }
       *[other] en las series { $numbers }
    }
sets-part = { $sets } de { $total }

## What was done, as the start of a reason

what-reached = Llegaste a { $reps } { $sets }
what-not-all-reached = Aún no llegas a { $reps } en todas las series
what-missed = No llegaste a { $reps } { $sets }
what-missed-goal = No llegaste al objetivo { $sets }
what-misses-in-a-row = { $what }, { $count } veces seguidas
what-below = { $subject } te quedaste por debajo de { $reps }
what-none-near = { $what }, y lejos en todas
what-times-in-a-row = { $what }, { $count } veces seguidas
what-workouts-in-a-row = { $what }, { $count } entrenos seguidos
what-sum = { $total } de { $target } reps en total
what-and = { $what }. { $reason }
what-at = { $what } con { $load }
what-in-reserve = { $what } y al menos { $reserve } reps en reserva
what-never-raised = { $what }, y en { $workouts } entrenos no has subido el peso
what-instead-of = { $what } en lugar de { $load }
what-once-more = { $what }, pero { $load } es un salto grande, así que repite primero
what-too-few-for = { $what }, pocas para { $load }
what-far-above = { $what }, muy por encima de los { $load } de antes
what-too-big = { $what }, pero { $load } es un salto demasiado grande
what-nothing-heavier = { $what }, y no hay nada más pesado
what-nothing-lighter = { $what }, y no hay nada más ligero que { $load }

stay-sets-missing = Solo hiciste { $done } de { $planned } series
stay-above-rpe = { $subject } pasaste de RPE { $rpe }
stay-at-limit = Llegaste al límite (RPE { $rpe }) { $sets }
stay-other-sets-first = Primero van las otras series
stay-only-easy = Desde entonces solo hubo trabajo suave, durante más de dos semanas
stay-too-soon = Con este peso llevas { $count } de { $needed } entrenos
stay-lighter = Lo hiciste con menos peso del planeado

## Reasons of an exercise

reason-next-step = { $what }: siguiente paso, { $load }.
reason-light-before = Antes eran { $load }: si fue suave a propósito, ese sigue siendo tu nivel.
reason-repeat = { $what }: repite { $load }{ $then }.
reason-repeat-before = Repite { $load } del entreno anterior.
reason-repeat-sets = { $what }: repite.
reason-repeat-sets-before = Repite el entreno anterior.
reason-no-such-load = En tu gimnasio no hay { $load }.
reason-made-up = Haz { $count } reps con eso.
reason-down = { $what }: { $change }.
reason-build-up = { $what }: empieza con { $reps } reps y ve subiendo.
reason-other-way = Las mancuernas o la ayuda de un compañero son la otra opción.
reason-more = { $what }: { $more }.
reason-add-load = { $what }: añade { $load }.
reason-again-more = { $what }: otra vez { $load }, { $more }.
reason-share-of-top = { $what }: el { $share } % de la serie principal son { $load }.
reason-until-then = { $what }. { $note } Hasta entonces, { $more }.
reason-first = { $what }. { $note } Primero, { $more }.
reason-from-there = { $what }: toma lo que hiciste y sube desde ahí.
reason-goal-reached = Cumpliste el objetivo { $sets }: { $gain }.
reason-way-back = De vuelta a { $old } tras { $span } de parón, y las series fueron fáciles: { $load }.
reason-turn-back = { $last } fue demasiado tan pronto tras el parón: { $load }, y luego vuelve a subir.
reason-stuck = Sin avances con { $load }. { $fix }
reason-tested-max = Tu máximo probado en los últimos { $days } días es { $maximum }, así que no más de { $load } para { $reps }.
reason-last-maximum = La última vez probaste un máximo de { $maximum }, que no es un peso de entrenamiento: { $load } para { $reps }.
reason-reserve = Esta semana te guardas { $reps }: { $target }.
load-planned = los { $load } planeados

then-one-more = , una más { $sets }
then-more = , { $more }
then-until-heavier = { "" } hasta que suba la serie principal
more-reps =
    { $count ->
        [1] una más { $sets }
        [2] dos más { $sets }
       *[other] { $count } más { $sets }
    }
more-reps-up-to =
    { $count ->
        [1] hasta una más { $sets }
        [2] hasta dos más { $sets }
       *[other] hasta { $count } más { $sets }
    }
gain-rep = una rep más
gain-seconds = { $seconds } s más
gain-up-to-seconds = hasta { $seconds } s más

note-nothing-heavier = No hay nada más pesado: sigue con un tempo más lento o una variante más difícil.
note-too-big-step = { $load } es un salto demasiado grande.
note-harder-variation = Toca una variante más difícil o un tempo más lento.
note-variation = Toca { $exercise }, desde el mínimo de tu rango.
note-variation-with-plate = Toca { $exercise } con el disco más pequeño, desde el mínimo de tu rango.
note-too-hard = ¿Hoy es demasiado? Haz { $reps } reps fáciles con banda o en la máquina asistida.

doubt-set = No se sube mientras haya una serie dudosa
doubt-a-set = Una serie
doubt-unusual = { $what } se aleja de tu habitual { $usual }, así que cuenta cuando lo repitas.
doubt-other-work = { $what } con muchas menos reps parece otro tipo de trabajo y no cuenta.
doubt-confirmed = { $what }: un error al escribir, como dijiste, y no cuenta.
doubt-typo = { $what } parece un error al escribir y no cuenta.

day-heavy = Día pesado: los pesados y los ligeros se alternan.
day-medium = Día medio: los pesados, ligeros y medios se alternan.
day-light = Día ligero: los pesados y los ligeros se alternan.
load-search = Aún no lo has hecho, así que busca primero tu peso: { $sets } y así, hasta que una serie te deje 2 o 3 reps en reserva. Haz tus series con ese peso.
load-search-body = Aún no lo has hecho: para cada serie con 2 o 3 reps en reserva, también por debajo del objetivo.
load-search-assisted = Aún no lo has hecho, así que busca primero tu ayuda: empieza con mucha y quita de serie en serie, hasta que una te deje 2 o 3 reps en reserva. Haz tus series con esa.
load-search-added = Aún no lo has hecho: empieza solo con tu peso y para cada serie con 2 o 3 reps en reserva. Añade el disco más pequeño cuando llegues así a todas las reps.
kept = Como en tu rutina: { $why }.
kept-sets = Como en tu rutina { $sets }: { $why }.
kept-only-warmups = Como en tu rutina: sin series efectivas.
kept-no-history = aún no lo has hecho
kept-target-changed = aún no lo has hecho con este objetivo
kept-suspected-typo = lo último parece un error al escribir
kept-no-target = sin objetivo hacia el que progresar
kept-not-progressed = el cardio lo llevas tú

## Stages, steps of the athlete's own, and waves

stage-reached = { $stage }: llegaste a { $reps } { $sets }
stage-changed = No salió { $before }, así que la etapa cambia a { $what }
stage-missed = { $stage }: no llegaste a { $reps } { $sets }
stage-next = { $what }, así que ahora toca { $stage }
stage-again = { $what }, así que vuelve { $stage }
stage-start = Las etapas empiezan con { $stage }
stage-last-set = { $stage }: { $reached } de { $target } reps en la última serie
stage-last-set-missing = { $stage }: faltó la última serie
own-step = Tu paso { $number } ({ $conditions })
own-step-none = No se cumple ninguno de tus pasos
own-step-more = { $what }, { $count } más en cada serie
own-step-always = siempre
tm-week = { $change }, semana { $week } de { $weeks }.
tm-too-heavy = Más parece demasiado para lo que has hecho.
tm-change = { $why }: máximo de entrenamiento { $load }
tm-now = Máximo de entrenamiento { $load }
tm-own = Máximo de entrenamiento { $load }, según tú
tm-proposed = Máximo de entrenamiento { $load }, el { $share } % del máximo estimado
tm-missed-minimum = Una serie de la semana { $week } no llegó al mínimo
tm-not-as-planned = El ciclo no salió entero como estaba planeado
tm-cycle-done = Ciclo completado
tm-top-missing = Faltó la serie principal de la última semana
tm-no-amrap = Ninguna serie AMRAP muestra cómo fue el ciclo
tm-amrap = { $reps } reps en la última serie AMRAP

## Changes since the last time

sentence = { $text }.
no-increase = Hoy no se sube.
heavy-day = Día pesado.
medium-day = Día medio.
light-day = Día ligero.
without-that = Sin eso: { $reason }
without-that-sets = Sin eso: { $sets }. { $reason }
change-load = { $now } en lugar de { $before }
change-reps = { $now } en lugar de { $before } reps
change-seconds = { $now } s en lugar de { $before } s
change-top-set = Serie principal { $change }
change-up-to = hasta { $change }
change-sets =
    { $now ->
        [one] { $now } serie en lugar de { $before }
       *[other] { $now } series en lugar de { $before }
    }
change-more = { $pct } % más que la última vez
change-less = { $pct } % menos que la última vez
summary = Ejercicios: { $parts }.
summary-up =
    { $count ->
        [one] { $count } sube
       *[other] { $count } suben
    }
summary-same =
    { $count ->
        [one] { $count } igual
       *[other] { $count } iguales
    }
summary-down =
    { $count ->
        [one] { $count } baja
       *[other] { $count } bajan
    }
summary-out = { $count } fuera

## Deloads, readiness, pain, breaks and meets

deload-asked = Descarga, como pediste
deload-calendar = Semana de descarga planeada
deload-block = Semana suave de tu programa
deload-running = Semana de descarga, sigue en marcha
deload-stalls = Descarga: varios ejercicios están estancados
deload-rpe-drift = Descarga: lo mismo se siente cada vez más duro
deload-readiness = Descarga: llevas un tiempo con fatiga
effort-reserve = Guárdate { $reps } en cada serie.
effort-timed = Haz cada serie suave: para bastante antes de tu límite.
left-out-avoided = Fuera: tu perfil lo evita
left-out-pain = Fuera: dolor fuerte ({ $part })
left-out-equipment = Fuera: aquí falta el material ({ $kind })
left-out-new = Fuera: los ejercicios nuevos empiezan un día normal
left-out-exchanged = Fuera: hoy el entrenador pone { $exercise } en su lugar.
chosen-load = Elegido por el entrenador: { $now } en lugar de { $before }.
chosen-reps = Elegido por el entrenador: { $now } reps en lugar de { $before }.
chosen-seconds = Elegido por el entrenador: { $now } s en lugar de { $before }.
chosen-sets = Elegido por el entrenador: { $now } series efectivas en lugar de { $before }.
pain = Dolor ({ $part }): hoy no se sube
pain-advice = Si una serie duele, para y elige otro ejercicio.
pain-severe-advice = Que lo mire un profesional antes de volver a entrenarlo.
pain-mild = Dolor leve ({ $part }): entrena como estaba planeado y para si empeora.
not-either = Tampoco { $exercise }: { $reason }.
unfit-equipment = aquí también falta el material ({ $kind })
unfit-pain = también carga: { $part }
instead = En su lugar: { $exercises }.
trainable = Puedes entrenar { $exercises }.
readiness-low = Poca energía según tu check-in
readiness-very-low = Muy poca energía según tu check-in
sore-low = Tienes agujetas
sore-very-low = Tienes muchas agujetas
readiness-recovery = Recuperación peor que lo habitual en ti ({ $day }): { $signals }
recovery-worse-hrv = variabilidad del pulso { $value } ms en vez de { $usual } o más ({ $source })
recovery-worse-resting-hr = pulso en reposo { $value } en vez de { $usual } o menos ({ $source })
recovery-worse-sleep = dormiste { $usual } esa noche; en siete noches faltan { $value } ({ $source })
recovery-worse-check-in = cómo te sientes: { $value } de 5 en vez de { $usual } o más ({ $source })
break-weeks = { $count } semanas
break-months = { $count } meses
break-years = { $count ->
    [one] { $count } año
   *[other] { $count } años
}
break-over-years = más de { $count } años
layoff = { $span } de parón
layoff-like-this = Hace { $span } que no lo haces así
taper = Taper
meet-light = Día ligero antes de la competición
meet-left-out = Fuera tan cerca de la competición
meet-recovery = Semana de recuperación tras la competición
meet-yours = tu competición
meet-tomorrow = Mañana es { $event }: hoy descansa, sin entreno. Prepara tus cosas, come y duerme bien.
meet-today = Hoy es { $event }: sin entreno.
meet-attempts = { $exercise }: abre con { $opener }, luego { $second }, y { $third } si el segundo salió bien. Hiciste { $best } el { $day }. Calienta con { $warmup }.
meet-pain = Sin intentos en { $exercises }: dolor ({ $part }). Que un profesional lo mire antes de volver a levantar pesado.
meet-pain-mild = { $exercises }: para si el dolor ({ $part }) empeora.
meet-pain-any = Dolor ({ $part }): no hagas intentos que la carguen. Que un profesional lo mire antes de volver a levantar pesado.
meet-good-luck = ¡Mucha suerte!
time-cap = Recortado para que quepa en { $minutes } minutos.
body-assumed = Se supone que pesas { $weight }: anota tu peso en Hevy o pon body_weight_kg.
volume-jump = { $muscle }: { $sets } series duras esta semana, { $fullest } en la más cargada de las cuatro anteriores; no añadas mucho más.
volume-low = { $muscle }: { $sets } series duras por semana últimamente; a partir de { $least } se notan.
volume-high = { $muscle }: { $sets } series duras por semana últimamente; procura recuperarte bien.

## The week of a programme

block-place = Semana { $week } de { $weeks }
block-of-programme = { $place } de { $programme }.
block-week = { $place }: { $parts }.
block-easy = { $place }: { $phase }: { $sets }.
block-sets-each =
    { $count ->
        [one] { $count } serie de cada
       *[other] { $count } series de cada
    }
block-half-the-sets = más o menos la mitad de las series
block-reserve = guárdate { $reps } en cada serie
block-more-sets = más series de { $exercises }
block-left-out = Fuera en la semana { $week } de tu programa.
block-sets =
    { $count ->
        [one] { $count } serie en la semana { $week } de tu programa, tu rutina tiene { $whole }.
       *[other] { $count } series en la semana { $week } de tu programa, tu rutina tiene { $whole }.
    }
block-over =
    { $weeks ->
        [one] { $title } está terminado, { $weeks } semana. Los planes siguen sin él. Crea el siguiente bloque: spotter program new. O repite este: spotter program use { $name }
       *[other] { $title } está terminado, las { $weeks } semanas. Los planes siguen sin él. Crea el siguiente bloque: spotter program new. O repite este: spotter program use { $name }
    }
phase-accumulate = semana de carga
phase-intensify = semana más dura
phase-peak = semana pico
phase-deload = semana suave

## The last workout, the last week, and stalled lifts

insight-short =
    { $share ->
        [all] { $missed } de { $planned } series planeadas se quedaron cortas: { $exercise }.
        [most] { $missed } de { $planned } series planeadas se quedaron cortas, la mayoría en { $exercise }.
       *[some] { $missed } de { $planned } series planeadas se quedaron cortas.
    }
insight-rest-longer = Descansa más antes de las series duras.
insight-too-heavy-reps = { $exercise }: { $load } en lugar de { $planned } te costó reps, { $done } de { $goal }.
insight-too-heavy-seconds = { $exercise }: { $load } en lugar de { $planned } te costó segundos, { $done } de { $goal }.
insight-clean-reps = Pon { $planned } y haz las { $goal } reps limpias.
insight-clean-seconds = Pon { $planned } y aguanta los { $goal } s limpios.
insight-skipped =
    { $share ->
        [all] { $skipped } de { $planned } series planeadas quedaron sin hacer: { $exercise }.
        [most] { $skipped } de { $planned } series planeadas quedaron sin hacer, la mayoría de { $exercise }.
       *[some] { $skipped } de { $planned } series planeadas quedaron sin hacer.
    }
insight-do-earlier = Haz { $exercise } antes la próxima vez, o planea menos series.
insight-plan-fewer = Planea menos series de { $exercise }.
insight-better = { $exercise } mejoró de { $before } a { $now }.
insight-better-too = { $exercise } mejoró de { $before } a { $now }. También mejoró: { $others }.
insight-worse = { $exercise } bajó de { $before } a { $now }.
insight-worse-too = { $exercise } bajó de { $before } a { $now }. También bajó: { $others }.
insight-next-step = Da el siguiente paso como estaba planeado.
insight-get-back = Lleva { $exercise } otra vez a { $before }, paso a paso.
insight-reached = { $reached } de { $planned } series planeadas cumplieron su objetivo.
insight-next-workout = Haz el próximo entreno como estaba planeado.
insight-first-time =
    { $sets ->
        [one] Hiciste { $sets } serie efectiva por primera vez.
       *[other] Hiciste { $sets } series efectivas por primera vez.
    }
insight-done =
    { $sets ->
        [one] Hiciste { $sets } serie efectiva.
       *[other] Hiciste { $sets } series efectivas.
    }
insight-next-time = La próxima vez: { $sets }.
week-workouts =
    { $workouts ->
        [one] { $workouts } entreno esta semana.
       *[other] { $workouts } entrenos esta semana.
    }
week-more-sets = Más series que últimamente para { $muscles }.
week-fewer-sets = Menos series que últimamente para { $muscles }.
week-stalled = { $exercise } no avanza. { $fix }
stall-no-maximum = En tiempo, distancia, cardio y ejercicios asistidos no hay máximo que se pueda estancar.
stall-too-few = Para juzgarlo hacen falta { $workouts } entrenos con una mejor serie comparable.
stall-trend = { $slope } % por entreno en { $workouts } entrenos, como mucho { $upper } %
stall-false-alarms = { $trend }; el { $share } % de quienes sí progresan recibe este aviso
stall-none = Sin estancamiento: { $trend }.
stall-found = Sin progreso: { $trend }. { $cause }
stall-hard-sets = Las series fueron duras, RPE { $rpe } de media.
stall-deload = Baja un { $pct } % el peso y vuelve a subir.
stall-short-sets = Las series fueron cortas, { $reps } reps de media.
stall-rep-range = Haz series de { $low } a { $high } reps con menos peso durante unas semanas.
stall-fewer-sets = Cada vez hay menos series, de { $before } a { $now } por entreno.
stall-more-sets = Vuelve a { $sets } series efectivas con el mismo peso.
stall-unexplained = Ni el esfuerzo ni el número de series lo explican.
stall-variation = Entrena una variante parecida { $weeks } semanas y luego vuelve.
stall-go-on = Sigue como estaba planeado.

## Between two sets

count-reps = { $count } reps
count-s = { $count } s
next-reason = { $what }: { $then }.
next-stop = { $what }: deja este ejercicio por hoy.
next-rated = { $reps } a RPE { $rpe }
next-rated-aim = { $what }, el objetivo es RPE { $rpe }
next-of = { $done } de { $goal }
next-beyond = { $what }, más que el objetivo
next-less-than-half = { $done } de { $goal } es menos de la mitad
next-drop = De { $first } a { $last }
next-same = lo mismo otra vez
next-stay = quédate en { $load }
next-aim = apunta a { $reps }
next-nothing-lighter = no hay nada más ligero, apunta a { $reps } con { $load }
next-not-there = en tu gimnasio no hay { $load }, usa { $taken }
next-held-same = hoy no se sube nada, lo mismo otra vez
next-held-stay = hoy no se sube nada, { $stay }
next-jump-cap-stay = eso era lo máximo por hoy, { $stay }
next-too-big-stay = el siguiente peso es un salto demasiado grande, { $stay }
next-typo = { $what } parece un error al escribir: { $then }.
next-seconds-less = { $seconds } de { $goal } s: aguanta { $seconds } s.
next-seconds-same = { $seconds } s: lo mismo otra vez.
next-seconds-more = { $seconds } s, más que el objetivo: { $goal } s.
next-pain-stop = Dolor fuerte ({ $part }): para. Que lo mire un profesional antes de volver a entrenarlo.
next-unknown = { $exercise } no está en el catálogo de Hevy, así que no se sabe qué material usa.
next-unknown-steps = { $exercise } no está en el catálogo de Hevy, así que no se sabe qué material usa: se suponen pasos de { $step }.

## Red flags

red-flag-reported = Has avisado de: { $signs }.
red-flag-advice-emergency = Deja de entrenar ya. Si te está pasando ahora, es nuevo o vuelve, llama a emergencias (112 o 911). Si no, ve al médico hoy mismo.
red-flag-advice-doctor = Deja de entrenar ya y ve al médico antes de volver a entrenar.
red-flag-advice-rest = Deja de entrenar y descansa hasta que estés bien. Ve al médico si es fuerte o no mejora.
red-flag-skip = Hasta entonces, sáltate todos los entrenos, también los que ya están en Hevy.
red-flag-clear = Cuando esté aclarado: spotter check-in --cleared, y quítalo de [pain] en tu perfil si está ahí
red-flag-sign-chest = dolor o presión en el pecho
red-flag-sign-heart = problemas de corazón
red-flag-sign-breath = falta de aire fuera de lo normal
red-flag-sign-faint = desmayo, mareo o pérdida de equilibrio
red-flag-sign-head = dolor de cabeza o un golpe en la cabeza
red-flag-sign-stroke = señales de un ictus
red-flag-sign-nerve = entumecimiento, hormigueo o debilidad
red-flag-sign-spine = dolor de espalda con problemas de vejiga, intestino o ingle
red-flag-sign-pain = dolor repentino, agudo, que se extiende o insoportable
red-flag-sign-joint = una articulación caliente, hinchada, bloqueada o inestable
red-flag-sign-clot = una pantorrilla hinchada o caliente
red-flag-sign-blood = orina oscura o sangre
red-flag-sign-ill = fiebre o enfermedad
red-flag-sign-surgery = una operación reciente
red-flag-sign-medical = el consejo de un médico de no entrenar

## Names

equipment-barbell = barra
equipment-dumbbell = mancuernas
equipment-kettlebell = kettlebell
equipment-machine = máquina
equipment-cable = polea
muscle-abdominals = abdominales
muscle-abductors = abductores
muscle-adductors = aductores
muscle-biceps = bíceps
muscle-calves = gemelos
muscle-cardio = cardio
muscle-chest = pecho
muscle-forearms = antebrazos
muscle-full-body = cuerpo completo
muscle-glutes = glúteos
muscle-hamstrings = isquios
muscle-lats = dorsales
muscle-lower-back = lumbares
muscle-neck = cuello
muscle-other = otros
muscle-quadriceps = cuádriceps
muscle-shoulders = hombros
muscle-traps = trapecios
muscle-triceps = tríceps
muscle-upper-back = espalda alta
side-left = { $part }, lado izquierdo
side-right = { $part }, lado derecho
part-neck = cuello
part-shoulder = hombro
part-chest = pecho
part-upper-back = espalda alta
part-lower-back = zona lumbar
part-upper-arm = brazo
part-biceps = bíceps
part-triceps = tríceps
part-elbow = codo
part-forearm = antebrazo
part-wrist = muñeca
part-hand = mano
part-abdomen = abdomen
part-hip = cadera
part-groin = ingle
part-glute = glúteo
part-thigh = muslo
part-quadriceps = cuádriceps
part-hamstring = isquio
part-knee = rodilla
part-calf = gemelo
part-ankle = tobillo
part-foot = pie

## Dates and days

day-short = EEE d MMM y
day-near = EEE d MMM
day-two-digits = d 'de' MMMM 'de' y
weekday = EEEE
weekday-and-day = EEEE, d 'de' MMMM
today = hoy
yesterday = ayer
tomorrow = mañana
on-day = el { $day }
from-day = desde { $day }
in-days =
    { $days ->
        [0] hoy
        [1] mañana
       *[other] faltan { $days } días
    }

## State of a plan

state-new = aún no está en Hevy: lo publica la próxima ejecución
state-unwritten = solo vista previa: sin cuenta de Hevy conectada
state-previewed = solo vista previa: publish.mode es "preview"
state-waiting = te espera a ti: spotter plan approve latest (o: reject)
state-approved = aprobado: lo publica la próxima ejecución
state-withheld = no publicado, por seguridad: mira spotter publications
state-rejected = lo rechazaste; el próximo llega con datos nuevos
state-expired = no publicado: antes llegaron datos nuevos
state-rolled-back = deshecho
state-publishing = se interrumpió al publicar; lo termina la próxima ejecución
state-published = publicado en Hevy
state-unchanged = ya está en Hevy
state-conflict = no publicado: cambiaste la rutina; la próxima ejecución lo revisa
state-superseded = no publicado: hay otro plan activo
state-failed = no publicado: mira la última ejecución
not-in-hevy = No está en Hevy: { $reason }
late-reading = Tu cuenta se leyó entera por última vez el { $day }: spotter status
stale = Tus datos tienen { $days } días: el último entreno es del { $day }.
stale-run = Carga entrenos nuevos: spotter run
stale-import = Importa entrenos nuevos: spotter import-csv FILE --athlete { $athlete }
rejected-before = Rechazaste el plan anterior el { $day } («{ $reason }»).
rejected-model-knew = { $model } lo sabía cuando eligió estas series.
rejected-newer = Este viene de datos nuevos.
rejected-how-to = Las reglas no pueden leer un motivo. Para cambiar el plan, usa spotter check-in o tu perfil.
rejected-nothing-new = Rechazaste estas series el { $day } («{ $reason }»), y desde entonces no ha llegado nada nuevo.
rejected-same = Rechazaste estas mismas series el { $day } («{ $reason }»).
rejected-model-stays = { $model } lo sabía y las mantiene.
rejected-again = Los datos nuevos las vuelven a pedir.
no-plan-no-file = No hay plan para '{ $athlete }': aún no se importó ningún archivo con entrenos. Ejecuta: spotter import-csv FILE --athlete { $athlete }, y luego spotter run
no-plan-unsafe = No hay plan para '{ $athlete }', porque ninguno era seguro: { $reason }
no-plan-yet = Aún no hay plan para '{ $athlete }'. Ejecuta: spotter run
nothing-left = Hoy no queda entreno. { $reasons }
nothing-left-all-pain = Todos los ejercicios de hoy cargan lo que te duele ({ $parts }).
nothing-left-all-equipment = Para todos los ejercicios de hoy falta aquí el material ({ $kinds }).
nothing-left-all-avoided = Tu perfil evita todos los ejercicios de hoy.
nothing-left-all-day = En un día así se deja fuera cada ejercicio.
nothing-left-pain = { $exercises }: dolor ({ $parts }).
nothing-left-equipment = { $exercises }: aquí falta el material ({ $kinds }).
nothing-left-avoided = { $exercises }: tu perfil lo evita.
nothing-left-day = { $exercises }: fuera en un día así.
nothing-left-advice = Que un profesional mire lo que te duele antes de volver a entrenarlo.
nothing-left-but = Esto suele ir bien: { $exercises }.
nothing-left-better = Cuando esté mejor, avisa: spotter check-in --pain PART:mild

## A plan on the terminal and on the page Today

plan-of =
    { $athlete ->
        [me] tu próximo entreno
       *[other] próximo entreno de { $athlete }
    }
plan-of-minutes =
    { $athlete ->
        [me] tu próximo entreno, unos { $minutes } min
       *[other] próximo entreno de { $athlete }, unos { $minutes } min
    }
plan-why = Por qué: spotter plan show --why
plan-rule = regla: { $rule }
plan-limits = límites: { $limits }
plan-rest = descanso: { $seconds } s
plan-last-workout = Último entreno: { $text }
plan-marks = Series: { $marks }.
plan-rules = Reglas { $version }
comment = Comentario del entrenador
comment-on-workout = Comentario sobre el último entreno de { $models }.
comment-on-stalls = Comentario sobre los ejercicios estancados de { $models }.
comment-by-model = Comentario del entrenador, escrito por { $model }, un modelo de lenguaje.
chosen-by = Elegido dentro de los límites de las reglas por { $model }.
written-by-model = Escrito por { $model }, un modelo de lenguaje.
superset = superserie { $number }
last = Última vez
last-time = última vez { $sets }
first-time = Primera vez
left-out = fuera
left-out-this-time = Fuera esta vez
no-set = sin serie
no-sets = sin series
rest-seconds = Descanso { $seconds } s.
unit-reps = reps
unit-s = s
unit-m = m
range = { $low } a { $high } { $unit }
time-personal = Duración: { $low } a { $high } min, según tu ritmo.
time-prior = Duración: { $low } a { $high } min, según reps y descansos.
mark-warmup = W de calentamiento
mark-dropset = D serie descendente
mark-failure = F al fallo
legend-warmup = W: calentamiento
legend-dropset = D: serie descendente
legend-failure = F: al fallo
legend-decided = Decidido { $moment }. Toca un ejercicio para ver los motivos.
chances = %: probabilidad de cumplir el objetivo en la serie más dura (de un rango, su extremo inferior).
chances-own-steps = %: probabilidad de cumplir el objetivo en la serie más dura (de un rango, su extremo inferior; con tus propios pasos, lo que piden).
no-chances = Sin probabilidades: aún hay muy pocas series anteriores.
set-free = libre
amount-in-time = { $amount } en { $time }
change-out = fuera
change-new = nuevo
change-same = igual
change-help = { $load } de ayuda
change-harder = más duro
change-easier = más suave
change-count-sets =
    { $count ->
        [one] { $change } serie
       *[other] { $change } series
    }
change-count-reps =
    { $count ->
        [one] { $change } rep
       *[other] { $change } reps
    }
change-each-set = { $change } por serie
change-all-sets = { $change } en total
column-set = Serie
column-next = Hoy
column-chance = Probabilidad
column-last = Última vez
notes-on-plan =
    { $count ->
        [one] { $count } nota sobre este plan
       *[other] { $count } notas sobre este plan
    }
upcoming = Próximamente
event-name = competición
event-none = ninguna. Añade una en Goal and profile.
easy-week = Semana suave
easy-workout = Entreno suave
programme = Programa

## The briefing

brief-next = Toca: { $routine }
brief-no-workout = No hay entreno planeado
brief-minutes = Unos { $minutes } minutos.
brief-to-do = Tu entreno
brief-changes = Qué cambia
brief-last-week = La semana pasada
brief-progress = Progreso
brief-look-at = Échale un ojo
brief-ahead = Lo que viene
brief-last-workout = { $routine }, { $ago }: { $sets } series efectivas.
brief-last-workout-minutes = { $routine }, { $ago }: { $sets } series efectivas, { $minutes } minutos.
brief-up = Sube
brief-down = Baja
brief-out = Fuera
brief-focus = Siguiente
brief-rising = En alza
brief-rise = { $exercise } ({ $slope } % por entreno en { $workouts })
brief-more-records =
    { $count ->
        [one] y { $count } récord más esta semana
       *[other] y { $count } récords más esta semana
    }
brief-met-sets = { $met } de { $planned } series planeadas hechas como estaba planeado o mejor
brief-mistyped =
    { $count ->
        [one] { $count } serie de las últimas semanas parece mal escrita: spotter correct list
       *[other] { $count } series de las últimas semanas parecen mal escritas: spotter correct list
    }
last-workout = Último entreno
this-week = Esta semana
count-workouts =
    { $count ->
        [one] { $count } entreno
       *[other] { $count } entrenos
    }
count-weeks-in-a-row =
    { $count ->
        [one] { $count } semana seguida
       *[other] { $count } semanas seguidas
    }
record-heaviest = lo más pesado hasta ahora, { $sets } ({ $gain })
record-least-help = la menor ayuda hasta ahora, { $sets } ({ $gain } tuyos)
record-maximum = mejor máximo estimado hasta ahora, { $maximum }
record-maximum-from = mejor máximo estimado hasta ahora, { $maximum } con { $sets }
record-most = lo máximo hasta ahora, { $most } ({ $gain })
record-most-with = lo máximo hasta ahora, { $most } con { $load } ({ $gain })
event = la competición
in-the-taper = { $when }, en el taper
phase = Fase
phase-week = { $phase }, semana { $week } de { $weeks }
planned-deload = Esta semana hay una descarga planeada.

## Recovery

recovery = Recuperación
recovery-missing = aparece aquí cuando lleguen datos de sueño o pulso (docs/health.md).
recovery-together = En conjunto
recovery-not-enough = faltan datos.
recovery-feeling = Sensación
recovery-feeling-score = { $score } de 5, lo peor entre energía y agujetas en tu check-in.
recovery-display-only = Solo para mostrar: ningún plan depende de esto.
recovery-in-plan = Dos señales peores hacen tu plan más fácil.
recovery-verdict =
    { $count ->
        [one] { $worse } de { $count } señal peor que lo habitual en ti.
       *[other] { $worse } de { $count } señales peor que lo habitual en ti.
    }
hrv = Variabilidad del pulso
resting-hr = Pulso en reposo
sleep = Sueño
night-last = anoche
night-to = en la noche al { $day }
band-below =
    { $days ->
        [one] { $value } de media en { $days } día, por debajo de tu habitual { $low } a { $high } { $source }.
       *[other] { $value } de media en { $days } días, por debajo de tu habitual { $low } a { $high } { $source }.
    }
band-within =
    { $days ->
        [one] { $value } de media en { $days } día, dentro de tu habitual { $low } a { $high } { $source }.
       *[other] { $value } de media en { $days } días, dentro de tu habitual { $low } a { $high } { $source }.
    }
band-above =
    { $days ->
        [one] { $value } de media en { $days } día, por encima de tu habitual { $low } a { $high } { $source }.
       *[other] { $value } de media en { $days } días, por encima de tu habitual { $low } a { $high } { $source }.
    }
band-not-enough =
    { $days ->
        [one] { $value } de media en { $days } día { $source }; faltan datos: { $days } día de esta semana, { $before } antes.
       *[other] { $value } de media en { $days } días { $source }; faltan datos: { $days } días de esta semana, { $before } antes.
    }
sleep-debt =
    { $nights ->
        [one] { $slept }; { $debt } menos que { $need } por noche en { $nights } noche ({ $source }).
       *[other] { $slept }; { $debt } menos que { $need } por noche en { $nights } noches ({ $source }).
    }
sleep-not-enough =
    { $nights ->
        [one] { $slept } ({ $source }); faltan datos, { $nights } noche.
       *[other] { $slept } ({ $source }); faltan datos, { $nights } noches.
    }

## Check-ins, reviews and withdrawn plans

noted = Anotado.
cleared-but-pain = Solo las señales de alarma están aclaradas. Por el dolor fuerte ({ $parts }) aún se omiten ejercicios: indícalo como mild cuando haya pasado, y quítalo de [pain] en tu perfil si está ahí.
session-rpe-noted = Anotado: RPE { $rpe } para el último entreno que empezaste. La próxima ejecución lo suma a tu carga.
check-in-no-plan = Aún no hay plan que ajustar. Ejecuta: spotter run
check-in-model = Planeado por las reglas; la próxima ejecución también consulta tu modelo de lenguaje.
withdrawn-note = Plan retirado. Sáltatelo hasta que Spotter vuelva a planear.
withdrawn = { $routine } tiene ahora en Hevy una nota en cada ejercicio: sáltatela.
withdrawn-skip = Sáltate { $routine } en Hevy.
withdrawn-skip-exercises = Sáltate { $routine } en Hevy: { $exercises }.
withdrawn-preview = No lleva nota: publish.mode es "preview".
withdrawn-failed = No lleva nota: { $reason }
withdrawn-unknown = se desconoce su estado.
action-same = Igual
action-more = Más
action-less = Menos
action-stop = Para
review-week = Semana del { $day }
review-none = Esta semana no hay entrenos de tus rutinas.
review-muscle = { $muscle }: { $sets } series duras
review-muscle-usual = { $muscle }: { $sets } series duras, normalmente { $usual }
review-by-rules = Escrito por las reglas.
review-by-model = Comentario del entrenador, escrito por { $model }.

## Sessions besides lifting
brief-besides = Además de las pesas
session-minutes = { $minutes } min
session-for-warm-up = antes de { $exercise }
session-for-mobility = para { $muscles } tras tu último entreno
session-for-cardio = ninguna sesión de resistencia en los últimos { $days } días
session-for-easy-week = es una semana suave
session-for-recovery = tu recuperación está por debajo de lo habitual
session-warm-up-lower-body = Calentamiento de piernas
session-warm-up-pressing = Calentamiento para empujes
session-warm-up-pulling = Calentamiento para tirones
session-hip-mobility = Movilidad de cadera
session-hamstring-and-back-mobility = Movilidad de isquios y zona lumbar
session-ankle-mobility = Movilidad de tobillo
session-shoulder-mobility = Movilidad de hombro
session-upper-back-mobility = Movilidad de la espalda alta
session-easy-walk = Paseo suave
session-easy-bike = Bici suave
session-easy-row = Remo suave
session-breathing = Respiración lenta
session-recovery-walk = Paseo corto

## Progress, part Muscles: gains and weekly sets
response-title = Series y progreso
response-meaning = Así cambiaron tus máximos estimados con tus series duras por semana. No es una prueba: junto con las series pueden haber cambiado otras cosas.
response-few = Aún faltan datos. Un músculo necesita { $least } períodos de { $length } semanas con máximos estimados, unos con más series y otros con menos. Tienes { $count }, así que hacen falta al menos { $weeks } semanas más de entrenamiento.
response-alike = Aún faltan datos: tu progreso no cambia lo bastante entre semanas con más series y semanas con menos. No pasa nada; puede llevar años.
response-muscle = Músculo
response-slope = Una serie más por semana, % en 4 semanas
response-sets = Series por semana
response-interval = { $slope } ({ $low } a { $high })
response-range = { $least } a { $most }
