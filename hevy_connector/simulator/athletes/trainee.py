"""A simulated lifter in training: receives a plan for the day, trains it and logs the sets."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random

from hevy_connector.simulator.athletes.cohort import SimulatedLifter
from hevy_connector.simulator.athletes.editing import Edit, KnownLift, Plan, apply_edit
from hevy_connector.simulator.athletes.habits import Performed, Target, choose_load, perform
from hevy_connector.simulator.athletes.physiology import Body, Effort, reps_possible
from hevy_connector.simulator.athletes.training_days import TrainingDay


class Trainee:
    """A lifter from session to session; deterministic for the same plans.

    Randomness depends on the lifter's seed, the day and the exercise, so good and bad days are
    independent of the plans.
    """

    def __init__(self, lifter: SimulatedLifter) -> None:
        self.lifter = lifter
        self._body = Body(lifter.body, lifter.lifts)
        self._today = 0
        self._exposures = dict.fromkeys(lifter.lifts, 0)
        self._injuries = 0

    @property
    def injuries(self) -> int:
        """Return the number of injuries by plans; lifting more than planned does not count."""
        return self._injuries

    def strength(self, template_id: str) -> float:
        """Return the rested lifter's maximum in kg."""
        return self._body.strength(template_id)

    def overshoot(self, template_id: str, load_kg: float, reps: int) -> float:
        """Return the share by which a load exceeds the rested lifter's maximum for `reps`."""
        return self._body.excess(template_id, load_kg, reps)

    def reserve(self, template_id: str, load_kg: float, reps: int) -> int:
        """Return the repetitions in reserve after `reps` with a load, rested; negative: too few."""
        endurance = self.lifter.lifts[template_id].endurance
        return reps_possible(self._body.strength(template_id), load_kg, endurance) - reps

    def edit(self, today: TrainingDay, plan: Plan) -> Edit | None:
        """Return the lifter's edit of a plan in the app before training; None: no change.

        The exercise and the kind of change are independent of the planned loads.
        """
        if today.edit is None:
            return None
        rng = Random(f"{self.lifter.seed}/{today.day}/edit")  # noqa: S311 - not a secret
        return apply_edit(plan, today.edit, self.lifter.similar, self._known_lift, rng)

    def train(
        self, today: TrainingDay, plan: Plan, own_loads: Collection[str] = ()
    ) -> list[list[Performed]]:
        """Train a plan; return the logged sets of each exercise in order, none for skipped ones.

        Days must be in order. An exercise with an injured muscle is skipped, and so is the last one
        of a short day. `own_loads` are the exercises with loads chosen by the lifter.
        """
        self._body.rest(today.day - self._today)
        self._today = today.day
        if today.accident is not None:
            self._body.hurt(today.accident)
        left_out = len(plan) - 1 if today.is_short and len(plan) > 1 else None
        return [
            []
            if place == left_out or self._body.is_hurt(template_id)
            else self._exercise(today, place, template_id, targets, template_id in own_loads)
            for place, (template_id, targets) in enumerate(plan)
        ]

    def _known_lift(self, template_id: str) -> KnownLift:
        endurance = self.lifter.lifts[template_id].endurance
        return KnownLift(self.strength(template_id), endurance, self.lifter.loads(template_id))

    def _exercise(
        self,
        today: TrainingDay,
        place: int,
        template_id: str,
        targets: Sequence[Target],
        has_own_load: bool,
    ) -> list[Performed]:
        if not targets:
            return []
        lifter, body = self.lifter, self._body
        rng = Random(f"{lifter.seed}/{today.day}/{template_id}")  # noqa: S311 - not a secret
        form = today.form * (1 + rng.gauss(0, lifter.lift_noise))
        loads, habits = lifter.loads(template_id), lifter.habits
        done: list[Performed] = []
        efforts: list[Effort] = []
        shift = choose_load(targets[0].load_kg, loads, habits, rng) - targets[0].load_kg
        for target in targets:
            load = choose_load(target.load_kg + shift, loads, replace(habits, steps_off=0), rng)
            max_kg = body.current_max_kg(template_id, form, place, efforts)
            endurance = lifter.lifts[template_id].endurance
            performed, effort = perform(target, load, max_kg, endurance, loads, habits, rng)
            efforts.append(effort)
            done.append(performed)
        for effort in efforts:
            body.work(template_id, effort)
        is_injured = body.apply_exposure(template_id, targets[0].load_kg + shift, targets[0].low)
        self._injuries += is_injured and shift <= 0 and not has_own_load
        if self._exposures[template_id] == habits.tenfold_exposure:
            done = [each._replace(load_kg=10 * each.load_kg) for each in done]
        self._exposures[template_id] += 1
        return done
