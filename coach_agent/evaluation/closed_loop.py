"""Closed loop of a policy and a simulated lifter: plan, train, log, plan again.

No policy has access to the lifter's true state.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from coach_agent.evaluation.diary import FIRST_DAY, Diary
from coach_agent.evaluation.planned_workouts import (
    EditedExercise,
    Logged,
    SlotPlan,
    Target,
    Workout,
)
from coach_agent.evaluation.policies import Policy
from coach_agent.store.check_ins import CheckIn


class Day(Protocol):
    """A session of the lifter, in days after the first one."""

    @property
    def day(self) -> int: ...  # noqa: D102
    @property
    def is_early(self) -> bool: ...  # noqa: D102


AnyDay = TypeVar("AnyDay", bound=Day, contravariant=True)


class TrueSet(Logged, Protocol):
    """A logged set, with the repetitions that the planned load had allowed."""

    @property
    def possible(self) -> int: ...  # noqa: D102
    @property
    def reserve(self) -> int: ...  # noqa: D102


class Edited(EditedExercise, Protocol):
    """An exercise of an edited routine; `has_own_load`: its loads are the lifter's, not the
    plan's.
    """

    @property
    def has_own_load(self) -> bool: ...  # noqa: D102


class Lifter(Protocol[AnyDay]):
    """A lifter in training. Planned sessions must be trained in the order of the days."""

    @property
    def injuries(self) -> int:
        """The number of injuries caused by plans so far."""
        ...

    def strength(self, template_id: str) -> float:
        """Return the maximum in kg of the rested lifter."""
        ...

    def overshoot(self, template_id: str, load_kg: float, reps: int) -> float:
        """Return the share of a load above what the rested lifter can do `reps` times."""
        ...

    def edit(
        self, today: AnyDay, plan: Sequence[tuple[str, Sequence[Target]]]
    ) -> Sequence[Edited] | None:
        """Return the routine as edited by the lifter before training; None if unchanged."""
        ...

    def train(
        self,
        today: AnyDay,
        plan: Sequence[tuple[str, Sequence[Target]]],
        own_loads: Collection[str] = (),
    ) -> Sequence[Sequence[TrueSet]]:
        """Return the log of each exercise of the plan, in its order; empty if left out.

        `own_loads` are the exercises with the lifter's own loads, which do not count against the
        plan.
        """
        ...


class SetOutcome(NamedTuple):
    """A prescribed set and its result.

    `possible` are the repetitions that its load allowed at that moment, `reserve` the remaining
    ones; `excess` is the share of the load above the rested lifter's ability for the low end of the
    range. `chance` is the stated probability of the target. `has_own_load`: the lifter put the load
    into the routine, so it does not measure the plan.
    """

    day: int
    template_id: str
    target: Target
    done_kg: float
    reps: int
    possible: int
    reserve: int
    excess: float
    chance: float | None
    is_easy: bool
    has_own_load: bool = False


class Verdict(NamedTuple):
    """The stall rule's verdict on an exercise after its n-th exposure, n = `exposure`.

    The latest `judged` exposures count; `stated_rate` is the rule's stated error rate.
    """

    template_id: str
    exposure: int
    verdict: str
    judged: int
    stated_rate: float | None


@dataclass(frozen=True)
class Run:
    """One lifter under one policy.

    `strength` has by exercise the rested maximum before its first session, after each, and at the
    end. `muscles` are the primary muscles of the exercises, `weekly_sets` has the fractional hard
    sets by muscle and week from 0.
    """

    sets: tuple[SetOutcome, ...]
    verdicts: tuple[Verdict, ...]
    strength: dict[str, tuple[float, ...]]
    muscles: tuple[str, ...]
    weekly_sets: dict[tuple[str, int], float]
    sessions: int
    deloads: int
    injuries: int

    @property
    def gains_pct(self) -> dict[str, float]:
        """The gain in strength of each exercise, in percent."""
        return {name: 100 * (each[-1] / each[0] - 1) for name, each in self.strength.items()}


def run(
    lifter: Lifter[AnyDay],
    days: Iterable[AnyDay],
    diary: Diary,
    policy: Policy,
    *,
    check_in: Callable[[AnyDay], CheckIn | None] = lambda _: None,
    is_judged: bool = True,
) -> Run:
    """Plan and train every session of a lifter without earlier coaching.

    A lifter that trains early trains the present routine; after an edit the lifter trains the
    edited routine, and the next plan is built for it. `is_judged=False` skips the stall check,
    which is faster.

    Raises:
        GuardrailError: a plan broke its limits.
    """
    outcomes: list[SetOutcome] = []
    verdicts: list[Verdict] = []
    templates = {slot.exercise_template_id for each in diary.routines for slot in each.slots}
    strength = {name: [lifter.strength(name)] for name in sorted(templates)}
    sessions = 0
    for today in days:
        if (submitted := check_in(today)) is not None:
            diary.check_ins.insert(0, submitted)
        workout = planned_in_routine(diary) if today.is_early else policy(diary, today.day)
        own_loads: frozenset[str] = frozenset()
        if (edit := lifter.edit(today, _plan(diary, workout))) is not None:
            workout = diary.edited(workout, edit)
            own_loads = frozenset(each.template_id for each in edit if each.has_own_load)
        plan = _plan(diary, workout)
        excess = {
            name: lifter.overshoot(name, targets[0].load_kg, targets[0].low)
            for name, targets in plan
            if targets
        }
        for name in excess:
            strength.setdefault(name, [lifter.strength(name)])
        done = lifter.train(today, plan, own_loads)
        sessions += 1
        diary.add(today.day, workout, done)
        for (name, _), slot, sets in zip(plan, workout.slots, done, strict=True):
            if not sets:
                continue
            strength[name].append(lifter.strength(name))
            found = _outcomes(today.day, name, slot, sets, excess[name])
            outcomes += [each._replace(has_own_load=name in own_loads) for each in found]
            if is_judged:
                trend = diary.trend(name)
                verdicts.append(
                    Verdict(
                        name,
                        len(strength[name]) - 1,
                        trend.verdict or "insufficient",
                        trend.exposure_count or 0,
                        trend.false_alarm_rate,
                    )
                )
    for name, known in strength.items():
        known.append(lifter.strength(name))
    return Run(
        sets=tuple(outcomes),
        verdicts=tuple(verdicts),
        strength={name: tuple(known) for name, known in strength.items()},
        muscles=tuple(
            sorted(
                {
                    slot.primary_muscle_group or ""
                    for routine in diary.routines
                    for slot in routine.slots
                }
            )
        ),
        weekly_sets={
            (group, (monday - FIRST_DAY).days // 7): count
            for (group, monday), count in diary.weekly_sets().items()
        },
        sessions=sessions,
        deloads=diary.deload_count,
        injuries=lifter.injuries,
    )


def planned_in_routine(diary: Diary) -> Workout:
    """Return the workout in the routine, without a new plan."""
    held = diary.in_hevy[diary.next_routine]
    return held._replace(slots=tuple(each._replace(chances=()) for each in held.slots))


def _plan(diary: Diary, workout: Workout) -> list[tuple[str, tuple[Target, ...]]]:
    """Return the working sets of a day by exercise, as shown to the lifter."""
    slots = zip(diary.routines[workout.routine].slots, workout.slots, strict=True)
    return [(slot.exercise_template_id, plan.targets) for slot, plan in slots]


def _outcomes(
    day: int, name: str, slot: SlotPlan, sets: Sequence[TrueSet], excess: float
) -> Iterator[SetOutcome]:
    for index, (target, each) in enumerate(zip(slot.targets, sets, strict=True)):
        yield SetOutcome(
            day=day,
            template_id=name,
            target=target,
            done_kg=each.load_kg,
            reps=each.reps,
            possible=each.possible,
            reserve=each.reserve,
            excess=excess,
            chance=slot.chances[index] if index < len(slot.chances) else None,
            is_easy=slot.is_easy,
        )
