"""The loads of one exercise as a ladder: available rungs, and the maximum step."""

from dataclasses import dataclass
from functools import lru_cache

from coach_agent.domain.constants.loads import (
    BODY_KG,
    INCREMENT_BARBELL_UPPER,
    INCREMENT_MICRO,
    JUMP_MAX_STEPS,
    JUMP_PROVED_PCT,
    LOAD_TOLERANCE,
)
from coach_agent.domain.constants.recovery import FLOOR_LOAD
from coach_agent.domain.context import SameHistory, Slot
from coach_agent.domain.units import Unit, load_text
from coach_agent.engine.loads.increments import (
    ASSISTED,
    WEIGHTED,
    customary_kg,
    is_cable,
    prior_increment_kg,
)
from coach_agent.engine.loads.logged_stack import logged_stack, with_logged_loads
from coach_agent.engine.loads.logged_steps import (
    ROUNDED_KG,
    pound_step_kg,
    round_step_kg,
    stack_step_kg,
)
from coach_agent.engine.loads.plates import (
    Loads,
    assistance_loads,
    barbell_loads,
    listed_loads,
    plate_loads,
    stepped_loads,
    with_more_pairs,
)
from coach_agent.language.messages import phrase
from coach_agent.profile.equipment import Equipment
from coach_agent.profile.model import Rules

# Dumbbells come in steps of 2 or 2.5 kg: the fallback if the default ones are not there.
_UNKNOWN_RACK = INCREMENT_BARBELL_UPPER
_GRAM_KG = 0.001
# The places of a few routines; each is kept with its exposures.
_REMEMBERED = 256


@dataclass(frozen=True)
class Ladder:
    """The available loads of an exercise, in kg, and the rules for moving between them.

    `is_whole_load`: the load is all that is moved; otherwise the body is part of it, and no maximum
    can be estimated from the load. `micro_kg` is tried if the increment is too much. Assistance
    counts as negative load, so that more load is more work for every exercise. `unit` is the unit
    of loads in texts. `has_bar`: the lightest load is an empty bar. `body_kg` is moved with an
    added load, or less assistance: shares and the jump cap are those of the total. `is_own_step`:
    the increment is the profile's. `plates_kg` is a round step of a bar in the gym's unit.
    """

    loads: Loads
    increment_kg: float
    jump_pct: float
    is_whole_load: bool
    is_assistance: bool
    micro_kg: float = INCREMENT_MICRO.value
    unit: Unit = "kg"
    has_bar: bool = False
    body_kg: float = 0.0
    is_own_step: bool = False
    plates_kg: float = INCREMENT_BARBELL_UPPER.value

    def moved(self, load_kg: float) -> float:
        """Return the total load moved, in kg: with an added load or assistance also the body."""
        return max(load_kg + self.body_kg, 0.0) if self.body_kg else abs(load_kg)

    def share(self, load_kg: float, factor: float) -> float:
        """Return the load at which this share of the total is moved; may be less than any load."""
        return self.moved(load_kg) * factor - self.body_kg

    def existing(self, load_kg: float) -> float:
        """Return the load itself if it exists, otherwise the next one down.

        A load below the lightest one stays: the athlete has lifted it, and a heavier one would be
        wrong.
        """
        aligned = self._align(load_kg)
        floor = self.loads.floor(aligned)
        return aligned if floor is None else floor

    def up(self, load_kg: float, *, is_small: bool = False) -> float | None:
        """Return one step up: the increment, on the nearest available load; None at the top.

        If that is no step at all, or too much, a micro step is tried, and finally the smallest
        available step. This one may exceed the cap: light lifts could otherwise never move. With
        `is_small` the micro step comes first, unless the athlete chose the increment.
        """
        base = self._align(load_kg)
        highest = self.highest_from(load_kg)
        steps = self.increment_kg, min(self.increment_kg, self.micro_kg)
        for increment in steps[1:] if is_small and not self.is_own_step else steps:
            wished = self.loads.nearest(base + increment)
            if base < wished <= highest:
                return wished
        return self.loads.next_above(base)

    def highest_from(self, load_kg: float, *, is_proved: bool = False) -> float:
        """Return the maximum of one decision: the jump cap, or one available step.

        `is_proved`: the sets before were far beyond their target, so that `jump.proved_pct`
        applies.
        """
        highest = base = self._align(load_kg)
        for _ in range(JUMP_MAX_STEPS.value):
            above = self.loads.next_above(highest)
            highest = highest if above is None else above  # the body alone is 0
        moved = self.moved(base)
        cap_pct = JUMP_PROVED_PCT.value if is_proved and self.is_whole_load else self.jump_pct
        return max(highest, base + moved * max(cap_pct, self.jump_pct) / 100)

    def is_wide_step(self, load_kg: float, next_kg: float) -> bool:
        """Return whether a step raises the total load by more than the jump cap.

        A bar is light for a short time only. Machines take off less than their marks, so a step of
        assistance has no known size.
        """
        if self.has_bar or self.is_assistance:
            return False
        moved = self.moved(load_kg)
        return self.moved(next_kg) > moved * (1 + self.jump_pct / 100) + LOAD_TOLERANCE.value

    def within_cap(self, wanted_kg: float, load_kg: float, *, is_proved: bool = False) -> float:
        """Return the heaviest available load up to `wanted_kg` that may follow `load_kg`.

        If none is so light, the lightest one, or `load_kg` itself if it is lighter still.
        `is_proved`: see `highest_from`.
        """
        highest = self.highest_from(load_kg, is_proved=is_proved)
        floor = self.loads.floor(min(wanted_kg, highest))
        return min(self.loads.lightest, load_kg) if floor is None else floor

    def down(self, load_kg: float) -> float | None:
        """Return one step down; None at the bottom."""
        return self.loads.next_below(self._align(load_kg))

    def reduced(
        self, load_kg: float, factor: float, *, has_floor: bool = True, is_needed: bool = False
    ) -> float:
        """Return the load nearest to this share of it, at most the load itself.

        With `has_floor` none below the floor of `floor.load`. If loads are too far apart for that,
        it is the load itself, or with `is_needed` the next one down. Without its smallest plate an
        added load is 0.
        """
        if factor >= 1:
            return load_kg
        below = self.down(load_kg)
        wished = self.share(load_kg, factor)
        if self.hangs_on_body and load_kg > 0:
            below = below or 0.0
            if wished < self.loads.lightest / 2:
                is_low = has_floor and self.moved(0.0) < self.moved(load_kg) * FLOOR_LOAD.value
                return self.loads.lightest if is_low else 0.0
        if below is None:
            return load_kg
        near = self.loads.nearest(wished)
        if has_floor and near < self.share(load_kg, FLOOR_LOAD.value) - _GRAM_KG:
            above = self.loads.next_above(near)
            near = load_kg if above is None else above
        if near > below:
            return below if is_needed else load_kg
        return near

    @property
    def hangs_on_body(self) -> bool:
        """True for an added load: without it the body alone is moved."""
        return self.body_kg > 0 and not self.is_assistance

    def reset(self, load_kg: float, factor: float) -> float | None:
        """Return the share of the load for a programme's reset: rounded down, without a floor.

        None at the bottom, such as the empty bar. Assistance grows by one step.
        """
        if self.is_assistance:
            return self.down(load_kg)
        if self.loads.lightest >= load_kg:
            return None
        return self.loads.floor(max(self.share(load_kg, factor), self.loads.lightest))

    def text(self, load_kg: float) -> str:
        """Format the load for people: `62.5 kg`, `135 lb`, `20 kg of assistance`."""
        if not load_kg and (self.hangs_on_body or self.is_assistance):
            return phrase("load-body-alone")
        load = load_text(abs(load_kg), self.unit)
        return phrase("load-assistance", load=load) if self.is_assistance else load

    def change_text(self, load_kg: float, *, is_up: bool) -> str:
        """Describe a harder load, or an easier one without `is_up`: `down to 60 kg`.

        Assistance has the other sign: `up to 35 kg of assistance` is easier.
        """
        is_more = is_up is not (self.is_assistance and load_kg < 0)
        return phrase("load-up" if is_more else "load-down", load=self.text(load_kg))

    def _align(self, load_kg: float) -> float:
        """Return the matching available load: logged pounds and kilograms differ by grams."""
        nearest = self.loads.nearest(load_kg)
        return nearest if abs(nearest - load_kg) <= LOAD_TOLERANCE.value else load_kg


def load_of(exercise_type: str | None, weight_kg: float | None) -> float | None:
    """Convert a recorded weight to a load: assistance negative; None without a load."""
    if weight_kg is None:
        return None
    if exercise_type == ASSISTED:
        return 0.0 - abs(weight_kg)
    return weight_kg if weight_kg > 0 else None


def ladder_for(
    slot: Slot, rules: Rules, through_kg: float, up_to_kg: float | None = None
) -> Ladder:
    """Build the ladder of an exercise; `through_kg` is a load on it, the origin of stacks.

    It reaches at least a step above that load, and above `up_to_kg`.
    """
    return _ladder(_Asked(slot, rules), through_kg, up_to_kg)


class _Asked:
    """An exercise as a key of a cache, equal for the same exposures, see `SameHistory`, and equal
    rules.
    """

    def __init__(self, slot: Slot, rules: Rules) -> None:
        self.slot, self.rules = slot, rules
        self._key = (
            slot.exercise_title,
            slot.exercise_template_id,
            slot.exercise_type,
            slot.equipment,
            slot.primary_muscle_group,
            slot.learned_increment_kg,
            *map(id, slot.exposures),
        )

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Asked) or self._key != other._key:
            return False
        return self.rules is other.rules or self.rules == other.rules


@lru_cache(maxsize=_REMEMBERED, typed=True)
def _ladder(asked: _Asked, through_kg: float, up_to_kg: float | None) -> Ladder:
    slot, rules = asked.slot, asked.rules
    rule = rules.for_exercise(slot.exercise_title)
    is_assistance = slot.exercise_type == ASSISTED
    own_kg = rule.increment_kg or slot.learned_increment_kg
    increment_kg = own_kg or _default_increment_kg(slot, rules, through_kg)
    highest_kg = max(through_kg, up_to_kg or through_kg)
    is_guessed = slot.equipment in rules.guessed_racks
    pairs_kg = rules.equipment.plate_pairs_kg
    if is_guessed and (bar_kg := bar_of(slot, rules)) is not None:
        pairs_kg = with_more_pairs(pairs_kg, highest_kg + 2 * increment_kg - bar_kg)
    loads = _loads(slot, rules, pairs_kg, through_kg, highest_kg, increment_kg)
    if is_guessed and _is_another_rack(slot, loads, through_kg):
        step_kg = _other_rack_step_kg(slot, rules, through_kg)
        increment_kg = own_kg or step_kg
        step_kg = min(increment_kg, step_kg)
        loads = stepped_loads(step_kg, through_kg, highest_kg + 2 * increment_kg)
    return Ladder(
        loads=loads,
        # A default increment is rounded to one that the gym can build.
        increment_kg=own_kg or loads.step_of(increment_kg),
        micro_kg=customary_kg(INCREMENT_MICRO.value, rules.equipment),
        jump_pct=rules.limits.jump_pct,
        is_whole_load=not is_assistance and slot.exercise_type != WEIGHTED,
        is_assistance=is_assistance,
        unit=rules.equipment.unit,
        has_bar=slot.equipment == "barbell",
        body_kg=body_kg_of(slot, rules),
        is_own_step=rule.increment_kg is not None,
        plates_kg=customary_kg(INCREMENT_BARBELL_UPPER.value, rules.equipment),
    )


def body_kg_of(slot: Slot, rules: Rules) -> float:
    """Return the body weight that is moved with the exercise's loads; 0 for loads of their own."""
    if slot.exercise_type not in {ASSISTED, WEIGHTED}:
        return 0.0
    return rules.body_kg or BODY_KG.value


def known_body_kg(slot: Slot, rules: Rules) -> float:
    """Return the body weight as `body_kg_of`, but 0 if it is unknown."""
    return body_kg_of(slot, rules) if rules.body_kg else 0.0


def bar_of(slot: Slot, rules: Rules) -> float | None:
    """Return the weight of the exercise's empty bar; None without a bar."""
    if slot.equipment != "barbell":
        return None
    return rules.for_exercise(slot.exercise_title).bar_kg or rules.equipment.bar_kg


def _is_another_rack(slot: Slot, guessed: Loads, through_kg: float) -> bool:
    """Return whether a default rack lacks this load, and another set had such a load as well.

    A load that is only nearly there is another one if no app rounds so far.
    """

    def is_there(load_kg: float) -> bool:
        return abs(guessed.nearest(load_kg) - load_kg) <= ROUNDED_KG

    if slot.exercise_type == WEIGHTED or is_there(through_kg):
        return False
    others = (
        done.weight_kg and not done.is_typo_suspect and not is_there(done.weight_kg)
        for exposure in slot.exposures
        for done in exposure.sets
    )
    return sum(map(bool, others)) > 1


def _other_rack_step_kg(slot: Slot, rules: Rules, through_kg: float) -> float:
    """Return the step of a rack that is unlike the default: the usual one, or half of it.

    Half of it needs loads between the usual steps.
    """
    customary = customary_kg(_UNKNOWN_RACK.value, rules.equipment)
    step_kg = round_step_kg(slot, customary, through_kg, rules.equipment.unit)
    return step_kg if step_kg >= customary / 2 - _GRAM_KG else customary


def _loads(
    slot: Slot,
    rules: Rules,
    plate_pairs_kg: tuple[float, ...],
    through_kg: float,
    highest_kg: float,
    increment_kg: float,
) -> Loads:
    gym = rules.equipment
    if slot.exercise_type == ASSISTED:
        step_kg = _assistance_step_kg(slot, gym, through_kg)
        return assistance_loads(step_kg, through_kg, body_kg_of(slot, rules))
    if slot.exercise_type == WEIGHTED or slot.equipment == "plate":
        return plate_loads(plate_pairs_kg)
    if (bar_kg := bar_of(slot, rules)) is not None:
        return barbell_loads(bar_kg, plate_pairs_kg)
    if slot.equipment == "dumbbell":
        return listed_loads(gym.dumbbells_kg)
    if slot.equipment == "kettlebell":
        return listed_loads(gym.kettlebells_kg)
    if slot.equipment == "machine":
        step_kg = gym.cable_step_kg if is_cable(slot) else gym.machine_step_kg
        if gym.unit == "kg":
            step_kg = pound_step_kg(slot, through_kg) or step_kg
    else:
        # Balls, sleds, bands, the athlete's own: any load may exist, so steps are as requested.
        step_kg = increment_kg
    step_kg = stack_step_kg(slot, step_kg, through_kg)
    up_to_kg = highest_kg + 2 * max(step_kg, increment_kg)
    is_default = slot.equipment is None and step_kg == _default_increment_kg(
        slot, rules, through_kg
    )
    coarse_kg = prior_increment_kg(slot, gym) if is_default else step_kg
    if stack := logged_stack(SameHistory(slot), coarse_kg, through_kg, up_to_kg):
        return stack
    origin_kg = _usual_origin(slot, step_kg, through_kg)
    if origin_kg is None:
        return with_logged_loads(SameHistory(slot), stepped_loads(step_kg, through_kg, up_to_kg))
    # The load between the steps was lifted, so it is there as well.
    stack = stepped_loads(step_kg, origin_kg, up_to_kg)
    stack = listed_loads((*stack.loads_kg, through_kg))
    return with_logged_loads(SameHistory(slot), stack)


def _default_increment_kg(slot: Slot, rules: Rules, through_kg: float) -> float:
    """Return the default increment, or of unknown equipment the step that the logged loads show."""
    prior_kg = prior_increment_kg(slot, rules.equipment)
    if slot.equipment is not None or slot.exercise_type is not None:
        return prior_kg
    return round_step_kg(slot, prior_kg, through_kg, rules.equipment.unit)


def _assistance_step_kg(slot: Slot, gym: Equipment, through_kg: float) -> float:
    """Return the step of an assistance stack: the gym's, or the one of the logged loads."""
    step_kg = gym.machine_step_kg
    if gym.unit == "kg":
        step_kg = pound_step_kg(slot, abs(through_kg)) or step_kg
    shown_kg = stack_step_kg(slot, step_kg, abs(through_kg))
    return min(shown_kg, slot.learned_increment_kg or shown_kg)


def _usual_origin(slot: Slot, step_kg: float, through_kg: float) -> float | None:
    """Return the newest load of the stack that most days show; None if `through_kg` is on it.

    A small plate on the stack once does not move all of its steps.
    """

    def is_on(load_kg: float, origin_kg: float) -> bool:
        steps = round((load_kg - origin_kg) / step_kg)
        return abs(load_kg - origin_kg - steps * step_kg) <= LOAD_TOLERANCE.value

    days = _loads_by_day(SameHistory(slot))
    known = dict.fromkeys(load for loads in days for load in loads)
    others = [load for load in known if not is_on(load, through_kg)]
    if not others:
        return None
    like_it = sum(any(load not in others for load in loads) for loads in days)
    for origin_kg in others:
        if sum(any(is_on(load, origin_kg) for load in loads) for loads in days) > max(1, like_it):
            return origin_kg
    return None


@lru_cache(maxsize=_REMEMBERED)
def _loads_by_day(history: SameHistory) -> tuple[tuple[float, ...], ...]:
    """Return the loads (kg) of each exposure that the marts do not doubt."""
    return tuple(
        tuple(
            each.weight_kg for each in exposure.sets if each.weight_kg and not each.is_typo_suspect
        )
        for exposure in history.slot.exposures
    )
