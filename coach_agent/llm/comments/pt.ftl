# Textos na hora do treino, em português. `messages.py` lists the variables of each message.

## Why an exercise is what it is

reason-all-reps-done = Na última vez você fez todas as repetições.
reason-top-of-range = Na última vez você chegou ao topo da faixa.
reason-add-reps = Mesma carga, primeiro mais repetições.
reason-repeat = O mesmo de novo, para firmar.
reason-fell-short = Na última vez faltaram repetições em algumas séries.
reason-lighter = Um pouco mais leve que na última vez.
reason-easy-day = Leve de propósito hoje.
reason-check-in = Ajustado ao seu check-in.
reason-fits-time = Encurtado para caber no seu tempo.
reason-flat = Este exercício está parado há algum tempo.
reason-stands-in = Hoje no lugar de { $title }.

## Cues

cue-same-form = A mesma técnica em cada repetição.
cue-slow-lowering = Desça devagar e com controle.
cue-full-range = Use a amplitude completa.
cue-press-with-intent = Desça com controle, empurre com intenção.
cue-shoulder-blades = Escápulas para trás e para baixo.
cue-elbows-close = Cotovelos perto do corpo.
cue-feet-planted = Pés firmes, empurre o chão.
cue-flat-back = Mantenha as costas retas.
cue-tight-core = Mantenha o core firme.
cue-lead-with-elbows = Guie com os cotovelos.
cue-no-swing = Sem balanço.
cue-bar-close = Mantenha a barra perto.
cue-straight-line = Fique em linha reta.
cue-stop-when-form-slips = Pare a série quando a técnica cair.
cue-smooth-reps = Repetições fluidas, sem forçar.
cue-first-set = Faça da primeira série a melhor.
cue-last-like-first = A última repetição como a primeira.
cue-take-your-time = Posicione-se com calma.
cue-chest-up = Peito aberto.
cue-knees-in-line = Joelhos alinhados com os pés.
cue-wrists-straight = Punhos retos.
cue-squeeze-at-the-top = Contraia no topo de cada repetição.
cue-hips-back = Primeiro o quadril para trás.

## Facts

fact-last-time = Última vez { $sets }.
fact-planned = Hoje { $sets }.
fact-target = Meta: { $counts }.
fact-target-range = Meta: { $low } a { $high } repetições.
fact-step-up = { $step } a mais que na última vez.
fact-step-down = { $step } a menos que na última vez.
fact-step-same = Igual à última vez.
fact-record =
    { $workouts ->
        [one] O melhor até agora: { $sets }.
       *[other] O melhor dos últimos { $workouts } treinos: { $sets }.
    }
fact-rest = Descanso { $seconds } s.
fact-trend-up = Máximo estimado: sobe { $pct } % por treino.
fact-trend-down = Máximo estimado: cai { $pct } % por treino.
fact-trend-flat = Máximo estimado estável ultimamente.

## Parts of facts

load-kg = { $load } kg
load-lb = { $load } lb
load-bodyweight = peso corporal
load-added = peso corporal + { $load }
load-assistance = { $load } de assistência
block = { $load } × { $counts }
seconds = { $seconds } s
reps =
    { $count ->
        [one] { $count } repetição
       *[other] { $count } repetições
    }
sets =
    { $count ->
        [one] { $count } série
       *[other] { $count } séries
    }

## Statements of a comment

about = { $title }: { $text }
misses =
    { $workouts ->
        [one] No último treino a meta não foi atingida.
       *[other] Meta não atingida em { $workouts } treinos seguidos.
    }
next-step = O próximo passo vem quando cada série chegar a { $count } repetições.
all-targets-reached = Na última vez você atingiu todas as metas.
most-targets-reached = Na última vez você atingiu a maioria das metas.
keep-going = Continue assim.
day = Exercícios de hoje: { $parts }.
day-up = { $count } com mais
day-same = { $count } sem mudança
day-down = { $count } com menos
week =
    { $workouts ->
        [one] { $workouts } treino nesta semana.
       *[other] { $workouts } treinos nesta semana.
    }
