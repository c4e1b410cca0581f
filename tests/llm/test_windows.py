"""What a model may choose, for every athlete, history and day; and what it may not."""

from hypothesis import given, settings
from hypothesis import strategies as st

from coach_agent.coach import decide
from coach_agent.guardrails import violations
from coach_agent.llm.choices import Pick, arranged, chosen, with_picks
from coach_agent.llm.windows import BlockWindow, plan_windows
from coach_agent.profile import AthleteProfile
from coach_agent.situation import Situation
from tests.coach.random_training import athletes, situations

_FIXED = settings(derandomize=True, deadline=None, database=None)
many = settings(_FIXED, max_examples=150)


def pick_from(draw: st.DrawFn, block: BlockWindow) -> Pick:
    sets = draw(st.integers(block.least_sets, block.most_sets))
    load = draw(st.sampled_from(block.loads_kg)) if block.loads_kg else None
    places = range(sets) if block.counts else ()
    return Pick(load, tuple(draw(st.integers(*block.range_at(at))) for at in places), sets)


@many
@given(situations(), athletes(), st.data())
def test_all_that_can_be_chosen_passes_the_guardrails(
    situation: Situation, athlete: AthleteProfile, data: st.DataObject
) -> None:
    decision = decide(situation, athlete)
    if decision is None:
        return
    windows = plan_windows(situation, athlete, decision)
    for _ in range(5):
        slots = list(windows.plan.slots)
        exchanged = {}
        for window in windows.slots:
            exercise = data.draw(st.sampled_from(window.exercises))
            picks = [pick_from(data.draw, each) for each in exercise.blocks]
            slots[window.number - 1] = with_picks(exercise.option, picks)
            exchanged[window.number - 1] = exercise.option.slot
        plan = chosen(windows.plan, slots, windows.given.background)
        routine = arranged(windows.routine, plan, exchanged)
        assert violations(plan, routine, athlete, windows.today) == ()
