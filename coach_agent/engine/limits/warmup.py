"""The warm-up ramp: loads that lead up to the first working set."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, floor

from coach_agent.domain.constants.session import (
    WARMUP_BAR_MIN_TOP,
    WARMUP_ISOLATION,
    WARMUP_RAMP,
    WARMUP_SINGLE,
)
from coach_agent.domain.context import Slot
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.loads.plates import Loads

_HALF_A_TENTH, _ROUNDING = 0.05, 1e-6
# Before 80 kg or 160 lb warm-ups are multiples of 5 kg or 10 lb.
_HEAVY_STEPS = 32
_BAR_REPS = 10
# A single is for strength work only; its distance from 85 % of the maximum would need a tested one.
_SINGLE_UP_TO_REPS = 3


@dataclass(frozen=True)
class RampStep:
    """One warm-up set."""

    load_kg: float
    reps: int


def ramp(
    top_kg: float, top_reps: int | None, loads: Loads, bar_kg: float | None
) -> tuple[RampStep, ...]:
    """Return the warm-up sets before `top_reps` with `top_kg`, in ascending order.

    The bar (if there is one), 40, 60 and 80 %, and 90 % before heavy sets of up to 3, on available
    loads. Steps below the lightest load are left out; if nothing is left, that load is the only
    step. Percentages are practitioners' opinion.
    """
    steps = []
    if bar_kg is not None and top_kg > WARMUP_BAR_MIN_TOP.value:
        steps.append(RampStep(bar_kg, _BAR_REPS))
    heavy = [WARMUP_SINGLE.value] if top_reps and top_reps <= _SINGLE_UP_TO_REPS else []
    for pct, reps in (*WARMUP_RAMP.value, *heavy):
        target_kg = top_kg * pct / 100
        load = loads.nearest(target_kg)
        is_heavier = not steps or load > steps[-1].load_kg
        if target_kg >= loads.lightest and is_heavier and load < top_kg:
            steps.append(RampStep(load, reps))
    return tuple(steps) or (RampStep(min(loads.lightest, top_kg), WARMUP_RAMP.value[0][1]),)


def warmup_loads(
    slot: Slot,
    reps: Sequence[int | None],
    top_kg: float,
    top_reps: int | None,
    ladder: Ladder,
    bar_kg: float | None,
) -> tuple[float, ...]:
    """Return the loads of the athlete's warm-up sets with these repetitions, before `top_kg`.

    The athlete's own pattern is kept: each set stays within the tenth of the top set that it had,
    and its load is the same for as long as that is true, so that one step of the top set does not
    move all of them. The lightest load or the empty bar is unchanged, and for unknown equipment the
    lightest of the warm-ups: it may be a bar. By default the pattern is that of `ramp`.
    """
    loads = ladder.loads
    done = _last_warmups(slot, len(reps))
    if not done:
        return fit_ramp(ramp(top_kg, top_reps, loads, bar_kg), reps, top_kg, loads)
    is_known = slot.equipment is not None
    lightest = max(loads.lightest, bar_kg or 0.0, 0.0 if is_known else min(done)[0])
    fitted = [
        load if load <= lightest else max(lightest, _next_warmup(load, share, top_kg, ladder))
        for load, share in done
    ]
    is_rising = all(before <= after for (before, _), (after, _) in pairwise(done))
    return tuple(min(load, top_kg) for load in (accumulate(fitted, max) if is_rising else fitted))


def _next_warmup(load_kg: float, share: float, top_kg: float, ladder: Ladder) -> float:
    """Return the load of a warm-up set with its share of the last top set, before `top_kg`.

    A bar gets large plates: a multiple of 2.5 kg, or of 5 kg before heavy sets, rounded up where
    the top set outgrew the warm-up, so that it does not lag behind again after the next step.
    """
    tenth = floor(10 * share + 0.5) / 10
    again = ladder.loads.nearest(load_kg)
    ratio = again / top_kg
    if tenth - _HALF_A_TENTH - _ROUNDING <= ratio < min(tenth + _HALF_A_TENTH, 1.0):
        return again
    wished = share * top_kg
    if ladder.has_bar:
        plates = ladder.plates_kg * (2 if top_kg >= _HEAVY_STEPS * ladder.plates_kg else 1)
        count = wished / plates
        wished = plates * (ceil(count - _ROUNDING) if ratio < tenth else floor(count + 0.5))
    fitting = ladder.loads.nearest(wished)
    return fitting if fitting < top_kg else ladder.loads.nearest(share * top_kg)


def _last_warmups(slot: Slot, count: int) -> tuple[tuple[float, float], ...]:
    """Return loads of the newest workout with `count` warm-ups, each with its share of the top
    set.
    """
    for exposure in slot.exposures:
        known = [each for each in exposure.sets if each.weight_kg and not each.is_typo_suspect]
        warmups = [each.weight_kg or 0.0 for each in known if each.set_type == "warmup"]
        top = max((each.weight_kg or 0.0 for each in known if each.set_type != "warmup"), default=0)
        if count and not exposure.is_easy and len(warmups) == count and max(warmups) < top:
            return tuple((load, load / top) for load in warmups)
    return ()


def fit_ramp(
    steps: Sequence[RampStep], reps: Sequence[int | None], top_kg: float, loads: Loads
) -> tuple[float, ...]:
    """Return the loads of the athlete's warm-up sets with these repetitions, before `top_kg`.

    They are the ramp's last ones, or all with its lightest one repeated; a set with more
    repetitions than its step gets the load for that number, so that no warm-up is harder than the
    work. The number of sets is the athlete's decision.
    """
    missing = max(0, len(reps) - len(steps))
    fitted = (*[steps[0]] * missing, *steps[len(steps) - len(reps) + missing :])
    return tuple(
        min(step.load_kg, loads.nearest(top_kg * _most_pct(count) / 100))
        for step, count in zip(fitted, reps, strict=True)
    )


def _most_pct(reps: int | None) -> float:
    """Return the maximum load of a warm-up set of so many repetitions, in percent of the top
    set.
    """
    known = (*WARMUP_RAMP.value, WARMUP_SINGLE.value, WARMUP_ISOLATION.value)
    fitting = [pct for pct, most_reps in known if reps is None or reps <= most_reps]
    return float(max(fitting, default=min(pct for pct, _ in known)))
