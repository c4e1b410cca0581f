"""Cuts never multiply, and texts have the numbers of the finished sets."""

import re

from hypothesis import given

from coach_agent.domain.constants.recovery import FLOOR_LOAD
from coach_agent.domain.plan import Plan, SlotPrescription
from coach_agent.engine.engine import EngineInput, prescribe
from coach_agent.engine.explain.plan_texts import short_reasons
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.limits.conditions import Circumstances
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import ladder_for
from coach_agent.engine.models.block_history import history
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from tests.coach.random_training import athletes, situations
from tests.profiles import examples

some = examples(120, quick=40, derandomize=True)


def one_at_a_time(given: EngineInput) -> list[EngineInput]:
    """The input with each of its circumstances alone, and with none."""
    day = given.circumstances
    alone = [
        Circumstances(deload=day.deload, deloaded_titles=day.deloaded_titles),
        Circumstances(is_taper=day.is_taper, meet=day.meet),
        Circumstances(readiness=day.readiness),
        Circumstances(pains=day.pains),
        Circumstances(),
    ]
    rested = tuple(slot.model_copy(update={"layoff": None}) for slot in given.slots)
    return [
        given.model_copy(update={"circumstances": Circumstances()}),
        *(given.model_copy(update={"circumstances": each, "slots": rested}) for each in alone),
    ]


@some
@given(situations(), athletes())
def test_a_deload_after_a_cut_of_training_is_no_second_one(
    situation: Situation, athlete: AthleteProfile
) -> None:
    """Neither goes below the floor under the last load, so both do not."""
    decision = decide(situation, athlete)
    if decision is None:
        return
    whole = without_time(EngineInput.model_validate_json(decision.input_json))
    rested = tuple(slot.model_copy(update={"layoff": None}) for slot in whole.slots)
    free, easy = (
        prescribe(whole.model_copy(update={"circumstances": each, "slots": rested}))
        for each in (Circumstances(), Circumstances(deload="asked"))
    )
    for slot, before, after in zip(rested, free.slots, easy.slots, strict=True):
        for block in slot.blocks:
            found = history(slot, slot.sets, block)
            if block.model not in {"linear", "double"} or not found.attempts or found.doubts:
                continue
            last = found.attempts[0].load
            below = ladder_for(slot, whole.rules, last).down(last)
            if last <= 0 or below is None or below < FLOOR_LOAD.value * last:
                continue  # then the rack takes more
            for index in block.set_indexes:
                loads = [
                    each.weight_kg or 0
                    for sets in (before.sets, after.sets)
                    for each in sets
                    if each.set_index == index
                ]
                if len(loads) == 2:
                    assert loads[1] >= min(loads[0], FLOOR_LOAD.value * last - 0.01)


def without_time(given: EngineInput) -> EngineInput:
    day = given.circumstances.model_copy(update={"minutes": None})
    return given.model_copy(update={"circumstances": day})


@some
@given(situations(), athletes())
def test_the_total_cut_is_the_strictest_one(situation: Situation, athlete: AthleteProfile) -> None:
    decision = decide(situation, athlete)
    if decision is None:
        return
    whole = without_time(EngineInput.model_validate_json(decision.input_json))
    together = prescribe(whole)
    alone = [prescribe(each) for each in one_at_a_time(whole)]
    for index, slot in enumerate(together.slots):
        others = [each.slots[index] for each in alone]
        if slot.exercise_type == ASSISTED or slot.is_left_out:
            continue
        assert len(slot.sets) == min(len(each.sets) for each in others if not each.is_left_out)
        for place, target in enumerate(slot.sets):
            loads = [load_kg(each, place) for each in others if place < len(each.sets)]
            known = [load for load in loads if load is not None]
            if target.set_type in WORKING_TYPES and known:
                assert load_kg(slot, place) == min(known)


def load_kg(slot: SlotPrescription, place: int) -> float | None:
    """The load of a set; without its plate an added load is 0."""
    weight_kg = slot.sets[place].weight_kg
    return 0.0 if weight_kg is None and slot.exercise_type == WEIGHTED else weight_kg


def sentences(plan: Plan) -> list[tuple[SlotPrescription, str]]:
    """The lines of exercises that the day reduces; others name sets and rules by their numbers."""
    return [
        (slot, line)
        for slot in plan.slots
        if any(each.forbids_increase for each in slot.adjustments)
        for line in short_reasons(slot, "kg", {each.text for each in slot.adjustments})
    ]


@some
@given(situations(), athletes())
def test_a_text_has_no_number_that_its_prescription_has_not(
    situation: Situation, athlete: AthleteProfile
) -> None:
    """Percentages compare with what was lifted the last time, not with a load that failed."""
    decision = decide(situation, athlete)
    if decision is None:
        return
    for slot, line in sentences(decision.plan):
        sets = [each for each in slot.sets if each.set_type in WORKING_TYPES]
        done = [each for each in slot.last_done if each.set_type in WORKING_TYPES]
        whole = [each for each in slot.structure if each.set_type in WORKING_TYPES]
        known = (*sets, *done, *whole)
        loads = [each.weight_kg for each in known if each.weight_kg is not None]
        numbers = {
            *(round(load, 2) for load in loads),
            *(each.reps for each in known),
            *(each.duration_s for each in known),
            *(len(sets), len(whole)),
        }
        for load in re.findall(r"([\d.]+) kg", line):
            assert float(load) in {round(each.weight_kg or 0, 2) for each in known}
        for percent, word in re.findall(r"(\d+) % (less|more)", line):
            top = max(each.weight_kg or 0 for each in sets)
            last = max(each.weight_kg or 0 for each in done if each.has_result)
            change = 100 * (top / last - 1)
            assert abs(abs(change) - float(percent)) <= 0.5 + 1e-9
            assert (change < 0) is (word == "less")
            numbers.add(int(percent))
        for number in re.findall(r"\d+(?:\.\d+)?", line):
            assert float(number) in numbers
    for slot in decision.plan.slots:
        if any(each.forbids_increase for each in slot.adjustments) or not slot.sets:
            continue
        prescribed = {round(each.weight_kg or 0, 2) for each in slot.sets}
        for load in re.findall(r"(?:next step|repeat|down to) ([\d.]+\d) kg", slot.reason):
            assert float(load) in prescribed, slot.reason
