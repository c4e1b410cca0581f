"""The inputs of a plan's forecasts on past days, made by the function that makes those of plans."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from coach_agent.domain.plan import Prediction
from coach_agent.domain.units import Unit
from coach_agent.engine.forecast.accuracy import Accuracy
from coach_agent.engine.forecast.reps import SetSeries, predict, series_of_plan
from coach_agent.engine.loads.ladder import known_body_kg, load_of
from coach_agent.engine.models.select import working_sets
from coach_agent.engine.models.slots import SlotInput
from coach_agent.evaluation.past_days import PastDay, past_days
from coach_agent.evaluation.past_sessions import Session
from coach_agent.planning.decide import input_for


@dataclass(frozen=True)
class PlanInput:
    """The engine's input for an exercise on a day."""

    slot: SlotInput
    accuracy: Accuracy
    body_kg: float = 0.0

    @cached_property
    def _working(self) -> list[int]:
        return [each.set_index for each in working_sets(self.slot.sets)]

    @cached_property
    def _series(self) -> SetSeries:
        slot = self.slot
        return series_of_plan(slot, self._working, slot.layoff, slot.elsewhere, self.body_kg)

    def forecast(self, place: int, load_kg: float, target: int | None = None) -> Prediction | None:
        """Return the plan's forecast of the working set at a place, from 0, with a load in kg.

        A set beyond the planned ones has that of the last one; None without a basis.
        """
        if not self._working:
            return None
        at = min(place, len(self._working) - 1)
        load = load_of(self.slot.exercise_type, load_kg)
        return predict(self._series, at, load, target, self.accuracy)


def plan_inputs(
    sessions: Sequence[Session], wanted: Iterable[str], unit: Unit
) -> Mapping[tuple[str, str], PlanInput]:
    """Return the inputs of plans as of the morning of the wanted sessions, each from sessions known
    before it, by session and exercise template.
    """
    ids = set(wanted)
    places = [place for place, each in enumerate(sessions) if each.workout_id in ids]
    return {
        (day.session.workout_id, template_id): found
        for day in past_days(sessions, "fixed", places)
        for template_id, found in inputs_on(day, unit).items()
    }


def inputs_on(day: PastDay, unit: Unit) -> dict[str, PlanInput]:
    """Return the inputs of the plan of a day by exercise template.

    Of an exercise that is planned twice, those of its first place.
    """
    found = input_for(day.trained_routine, day.situation, day.profile(unit))
    return {
        slot.exercise_template_id: PlanInput(
            slot, found.background.accuracy, known_body_kg(slot, found.rules)
        )
        for slot in reversed(found.slots)
    }
