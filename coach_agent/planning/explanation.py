"""Explanation of a decision, exercise by exercise: facts, bounds, and loads on the rack.

Computed from the stored input with the engine's own functions, so it cannot contradict the
decision.
"""

from collections.abc import Iterator

from coach_agent.domain.context import ExposureSet
from coach_agent.domain.e1rm import estimated_max
from coach_agent.domain.plan import SetPrescription, StallAnalysis
from coach_agent.domain.units import Unit, load_text
from coach_agent.domain.values import Value
from coach_agent.engine.engine import EngineInput, prescribe
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.history.breaks import Layoff
from coach_agent.engine.history.filter import CredibleAttempts, Outlier
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import bar_of, ladder_for
from coach_agent.engine.models.block_history import history
from coach_agent.engine.models.select import LOAD_MODELS, Block, Group, Model, working_sets
from coach_agent.engine.models.slots import SlotInput
from coach_agent.engine.models.training_max import highest_supported_load
from coach_agent.profile.model import Rules
from hevy_connector.schemas import UtcTime

_GRAM_KG = 0.001


class EstimatedKg(Value):
    """An estimated maximum in kg with its 80 % band."""

    kg: float
    low_kg: float
    high_kg: float


class Seen(Value):
    """A workout as input of the decision: the sets of one exercise, and their use.

    `use` states whether it counted and, if not, the reason. `estimated_max` is the best of its
    working sets.
    """

    workout_id: str
    started_at: UtcTime
    sets: tuple[ExposureSet, ...]
    use: str
    is_counted: bool
    estimated_max: EstimatedKg | None


class Bounds(Value):
    """The allowed loads of these working sets; `sets` count from 1, loads are kg.

    `done_kg` is the last load of all of them, `highest_kg` the maximum of one decision: above it by
    `jump_pct` or one step, or in a wave the load proved possible for `shown_reps` repetitions.
    `rack_kg` are the available loads, from a step below to a step above these.
    """

    model: Model
    sets: tuple[int, ...]
    low_reps: int | None
    high_reps: int | None
    done_kg: float | None = None
    jump_pct: float | None = None
    shown_reps: int | None = None
    highest_kg: float | None = None
    rack_kg: tuple[float, ...] = ()
    doubts: tuple[str, ...] = ()


class SlotFacts(Value):
    """The facts of an exercise that the decision used; `stall` and `layoff` are null without
    one.
    """

    exercise_template_id: str
    exercise_title: str
    occurrence: int
    seen: tuple[Seen, ...]
    layoff: Layoff | None
    stall: StallAnalysis | None
    bounds: tuple[Bounds, ...]


def facts_of(engine_input: EngineInput) -> tuple[SlotFacts, ...]:
    """Return the facts of each exercise of the input, in its order."""
    planned = prescribe(engine_input).slots
    return tuple(
        _facts(slot, prescribed.sets, engine_input.rules)
        for slot, prescribed in zip(engine_input.slots, planned, strict=True)
    )


def plates_text(target: SetPrescription, slot: SlotInput, rules: Rules, unit: Unit) -> str | None:
    """Format the plates for each side of the bar; None without a bar, or without a matching set.

    The way with the fewest plates is used, the heaviest plate first.
    """
    bar_kg = bar_of(slot, rules)
    if bar_kg is None or target.weight_kg is None or slot.exercise_type == WEIGHTED:
        return None
    side = _plates((target.weight_kg - bar_kg) / 2, rules.equipment.plate_pairs_kg)
    if side is None:
        return None
    side_text = " + ".join(load_text(plate, unit).removesuffix(f" {unit}") for plate in side)
    bar = f"bar {load_text(bar_kg, unit)}"
    return f"{bar} + {side_text} {unit} a side" if side_text else f"{bar} alone"


def _plates(side_kg: float, pairs_kg: tuple[float, ...]) -> tuple[float, ...] | None:
    ways: dict[int, tuple[float, ...]] = {0: ()}
    for plate in sorted(pairs_kg, reverse=True):
        grams = round(plate * 1000)
        for total, way in list(ways.items()):
            known = ways.get(total + grams)
            if known is None or len(known) > len(way) + 1:
                ways[total + grams] = (*way, plate)
    side_g = round(side_kg * 1000)
    return min(
        (way for total, way in ways.items() if abs(total - side_g) <= len(way)),
        key=len,
        default=None,
    )


def _facts(slot: SlotInput, prescribed: Group, rules: Rules) -> SlotFacts:
    pasts = {block: history(slot, slot.sets, block) for block in slot.blocks}
    used = {attempt.at for past in pasts.values() for attempt in past.attempts}
    of_other_kind = {attempt.at for past in pasts.values() for attempt in past.other}
    is_decided = any(block.model != "keep" for block in slot.blocks)
    seen = []
    for exposure in slot.exposures:
        is_counted = exposure.started_at in used
        if exposure.is_easy:
            use = "left out: it was easy on purpose"
        elif is_counted:
            use = "counts"
        elif exposure.started_at in of_other_kind:
            use = "left out: heavy and light days take turns, and it was of the other kind"
        elif is_decided:
            use = "left out: it was for another target, not believed, or too long ago"
        else:
            use = "kept: nothing is decided from it"
        estimates = [
            found
            for each in exposure.sets
            if each.set_type in WORKING_TYPES
            and (found := estimated_max(each.weight_kg or 0.0, each.reps or 0, each.rpe))
        ]
        best = max(estimates, key=lambda each: each.kg, default=None)
        seen.append(
            Seen(
                workout_id=exposure.workout_id,
                started_at=exposure.started_at,
                sets=exposure.sets,
                use=use,
                is_counted=is_counted,
                estimated_max=None
                if best is None or slot.exercise_type in {ASSISTED, WEIGHTED}
                else EstimatedKg(kg=best.kg, low_kg=best.low_kg, high_kg=best.high_kg),
            )
        )
    return SlotFacts(
        exercise_template_id=slot.exercise_template_id,
        exercise_title=slot.exercise_title,
        occurrence=slot.occurrence,
        seen=tuple(seen),
        layoff=slot.layoff,
        stall=slot.stall,
        bounds=tuple(
            _bounds(slot, block, past, prescribed, rules) for block, past in pasts.items()
        ),
    )


def _bounds(
    slot: SlotInput, block: Block, past: CredibleAttempts, prescribed: Group, rules: Rules
) -> Bounds:
    found = Bounds(
        model=block.model,
        sets=tuple(index + 1 for index in block.set_indexes),
        low_reps=block.target and block.target.low,
        high_reps=block.target and block.target.high,
        doubts=tuple(_format_outlier(each, rules.equipment.unit) for each in past.doubts),
    )
    newest = past.attempts[0] if past.attempts else None
    if newest is None or block.model not in LOAD_MODELS or not newest.loads:
        return found
    # The weeks of a wave are bounded by proved performance, not by the last workout.
    shown_reps = None
    if block.model == "training_max":
        shown_reps = min((each.reps or 1 for each in working_sets(prescribed)), default=1)
    shown = shown_reps and highest_supported_load(past.attempts, shown_reps)
    ladder = ladder_for(slot, rules, newest.load, shown)
    highest = shown or ladder.highest_from(newest.load)
    low_end = ladder.loads.next_below(newest.load) or newest.load
    high_end = ladder.loads.next_above(highest) or highest
    return found.model_copy(
        update={
            "done_kg": newest.load,
            "jump_pct": None if shown_reps else rules.limits.jump_pct,
            "shown_reps": shown_reps,
            "highest_kg": highest,
            "rack_kg": tuple(
                load
                for load in ladder.loads.loads_kg
                if low_end - _GRAM_KG <= load <= high_end + _GRAM_KG
            ),
        }
    )


def _format_outlier(doubt: Outlier, unit: Unit) -> str:
    return ", ".join(_describe_outlier(doubt, unit))


def _describe_outlier(doubt: Outlier, unit: Unit) -> Iterator[str]:
    if doubt.is_said:
        yield "you called it an error"
    elif doubt.code == "suspected_typo":
        yield "looks mistyped"
    else:
        yield "was other work"
    if doubt.load is not None:
        yield load_text(abs(doubt.load), unit)
    if doubt.reps is not None:
        yield f"{doubt.reps} reps"
    if doubt.duration_s is not None:
        yield f"{doubt.duration_s} s"
