"""The target of a heavy or a light day, if such days take turns with their own repetitions."""

from coach_agent.domain.context import SlotContext
from coach_agent.engine.models.block_history import next_goal
from coach_agent.engine.models.select import block_of, select_model, working_sets
from coach_agent.profile.model import Rules


def with_day_targets(slot: SlotContext, rules: Rules) -> SlotContext:
    """Return the slot with the repetitions of the next kind of day, if its days have their own.

    The routine has one number for all, that of one kind. Another number or a range is the athlete's
    choice, and so is a rule of the profile.
    """
    working = working_sets(slot.planned_sets)
    numbers = {each.reps if each.rep_range_start is None else None for each in working}
    is_ruled = select_model(slot, rules) or rules.for_exercise(slot.exercise_title).rep_range
    if is_ruled or len(numbers) != 1 or None in numbers:
        return slot
    (number,) = numbers
    found = next_goal(slot, slot.planned_sets, block_of(slot, working, rules))
    if found is None or (number, number) not in found[1]:
        return slot
    (low, high), _ = found
    if low != high:
        return slot
    sets = tuple(
        each.model_copy(update={"reps": low}) if each in working else each
        for each in slot.planned_sets
    )
    return slot.model_copy(update={"planned_sets": sets})
