"""Cut the working sets of an exercise to the number that restraints leave."""

from collections.abc import Iterable, Sequence

from coach_agent.domain.constants.recovery import FLOOR_LOAD
from coach_agent.domain.plan import SetPrescription
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.limits.restraints import Restraint
from coach_agent.engine.models.select import Group


def remaining_sets(count: int, restraining: Iterable[Restraint]) -> int:
    """Return the number of remaining working sets of `count`, at least one."""
    return max(1, min((each.sets_of(count) for each in restraining), default=count))


def cut_sets(
    sets: Group, whole: Group, restraining: Iterable[Restraint], *, is_wave: bool = False
) -> Group:
    """Return the remaining sets: the first ones, so that they keep their indexes.

    A wave leads to its last set and stays whole, and so does a ramp of the unreduced sets `whole`.
    """
    active = tuple(restraining)
    if any(each.drops for each in active):
        return ()
    if is_wave:
        return sets
    working = [each for each in sets if each.set_type in WORKING_TYPES]
    unreduced = [each for each in whole if each.set_type in WORKING_TYPES]
    left = near_end(unreduced, remaining_sets(len(working), active))
    if left >= len(working):
        return sets
    last = working[left - 1].set_index
    return tuple(each for each in sets if each.set_index <= last)


def near_end(working: Sequence[SetPrescription], left: int) -> int:
    """Return the number of sets, at least `left`, that leads near the end of a ramp."""
    while is_ramp(working, left):
        left += 1
    return left


def is_ramp(working: Sequence[SetPrescription], left: int) -> bool:
    """Return whether loads rise, and the first `left` working sets are below the floor of the last
    one.
    """
    loads = [each.weight_kg or 0.0 for each in working]
    if len(loads) <= left or loads != sorted(loads):
        return False
    return 0 < loads[left - 1] < FLOOR_LOAD.value * loads[-1]
