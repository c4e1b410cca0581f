"""Windows of a plan: the allowed loads, counts, sets and substitutes per exercise.

They surround the engine's proposal and exclude plans that the guardrails would reject: every corner
of a window passes them before it is offered. Loads are kg, as in a plan; assistance is its amount.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Literal

from coach_agent.domain.constants.planning import LLM_TOLERANCE_VOLUME
from coach_agent.domain.context import RoutineContext
from coach_agent.domain.muscle_sets import fractional_sets
from coach_agent.domain.plan import DoneSet, Plan, SetPrescription, SlotPrescription
from coach_agent.engine.engine import EngineInput
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.limits.rest import kind_of
from coach_agent.llm.block_windows import BlockWindow, block_windows, without_added_sets
from coach_agent.llm.choices import Option, Pick, apply_picks
from coach_agent.llm.substitutes import substitutes
from coach_agent.planning.day_limits import Today, most_weekly_sets
from coach_agent.planning.decide import today_of
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation

MayChange = Literal["never", "within_windows"]

_SHARE = LLM_TOLERANCE_VOLUME.value / 100


@dataclass(frozen=True)
class ExerciseWindow:
    """An exercise allowed in a place, and the choices for it.

    Without blocks it is left out today, or its sets have no choice.
    """

    option: Option
    blocks: tuple[BlockWindow, ...]

    @property
    def has_choice(self) -> bool:
        """True if more than the proposal is allowed."""
        return not all(block.is_exact for block in self.blocks)


@dataclass(frozen=True)
class SlotWindow:
    """A place of the routine: its own exercise first, then its substitutes.

    `number` counts the places of the routine from 1. `is_movable`: an accessory that may change
    places with another one.
    """

    number: int
    exercises: tuple[ExerciseWindow, ...]
    is_movable: bool

    @property
    def own(self) -> ExerciseWindow:
        """The routine's own exercise."""
        return self.exercises[0]


@dataclass(frozen=True)
class MuscleTarget:
    """Fractional sets of a muscle group: so far this week, proposed, and their allowed range."""

    muscle_group: str
    this_week: float
    proposed: float
    least: float
    most: float


@dataclass(frozen=True)
class Volume:
    """The allowed number of working sets of a plan, in total and by muscle group."""

    least_sets: int
    most_sets: int
    muscles: tuple[MuscleTarget, ...]


@dataclass(frozen=True)
class PlanWindows:
    """All choices in a plan, with the inputs of their validation."""

    plan: Plan
    routine: RoutineContext
    situation: Situation
    profile: AthleteProfile
    today: Today
    engine_input: EngineInput
    slots: tuple[SlotWindow, ...]
    is_free: bool

    def volume(self, proposals: Iterable[SlotPrescription] | None = None) -> "Volume":
        """Return the allowed volume around these proposals; by default the engine's."""
        return _volume(
            self.plan.slots if proposals is None else proposals, self.today, is_free=self.is_free
        )


def plan_windows(
    situation: Situation,
    profile: AthleteProfile,
    decision: Decision,
    may_change: MayChange = "within_windows",
) -> PlanWindows:
    """Build the windows around the plan of a decision of this situation.

    With "never" they hold exactly the proposal: only texts are left to write.
    """
    plan = decision.plan
    routine = next(each for each in situation.routines if each.routine_id == plan.routine_id)
    engine_input = EngineInput.model_validate_json(decision.input_json)
    today = today_of(situation, profile, routine)
    is_free = may_change == "within_windows"
    slots = []
    for index, prescribed in enumerate(plan.slots):
        own = Option(
            prescribed,
            routine.slots[index],
            engine_input.slots[index],
            engine_input.rules,
            engine_input.background,
        )
        others = substitutes(own, plan, situation, profile, engine_input) if is_free else ()
        if not prescribed.sets and not others:
            continue
        exercises = tuple(
            ExerciseWindow(
                option, block_windows(option, plan, routine, profile, today, is_free=is_free)
            )
            for option in (own, *others)
        )
        is_movable = is_free and _is_movable(index, plan, engine_input)
        slots.append(SlotWindow(index + 1, exercises, is_movable))
    windows = PlanWindows(
        plan=plan,
        routine=routine,
        situation=situation,
        profile=profile,
        today=today,
        engine_input=engine_input,
        slots=tuple(slots),
        is_free=is_free,
    )
    return _without_too_many_sets(windows)


def muscle_sets(slots: Iterable[SlotPrescription]) -> dict[str, float]:
    """Return fractional working sets by muscle group."""
    return fractional_sets(
        (working_count(each.sets), each.primary_muscle_group, each.secondary_muscle_groups)
        for each in slots
    )


def working_count(sets: Iterable[SetPrescription | DoneSet]) -> int:
    """Return the number of working sets."""
    return sum(each.set_type in WORKING_TYPES for each in sets)


def _volume(proposals: Iterable[SlotPrescription], today: Today, *, is_free: bool) -> Volume:
    """Return the range of a fixed % around the proposal, at least one set either way."""
    slots = tuple(proposals)
    targets = []
    for group, sets in sorted(muscle_sets(slots).items()):
        slack = max(1.0, _SHARE * sets) if is_free else 0.0
        so_far = today.this_week.get(group, 0.0)
        targets.append(MuscleTarget(group, so_far, sets, max(0.0, sets - slack), sets + slack))
    count = sum(working_count(slot.sets) for slot in slots)
    slack = max(1.0, _SHARE * count) if is_free else 0.0
    return Volume(min(count, max(1, ceil(count - slack))), floor(count + slack), tuple(targets))


def _is_movable(index: int, plan: Plan, engine_input: EngineInput) -> bool:
    """Return whether a place is a movable accessory: not first, single joint or optional, no
    superset.
    """
    slot = plan.slots[index]
    same = [each for each in plan.slots if each.exercise_template_id == slot.exercise_template_id]
    kind = kind_of(slot.primary_muscle_group, slot.secondary_muscle_groups)
    is_optional = engine_input.rules.for_exercise(slot.exercise_title).is_optional
    is_accessory = kind == "isolation" or is_optional
    return bool(
        index and slot.sets and slot.superset_id is None and len(same) == 1 and is_accessory
    )


def _without_too_many_sets(windows: PlanWindows) -> PlanWindows:
    """Return the windows without added sets for muscle groups that could exceed their week."""
    pct = windows.profile.limits.weekly_volume_pct
    most: dict[str, float] = defaultdict(float)
    for slot in windows.slots:
        for group, sets in _most_by_muscle(slot).items():
            most[group] += sets
    full = {
        group
        for group, sets in most.items()
        if (weeks := windows.today.weeks.get(group))
        and windows.today.this_week.get(group, 0.0) + sets > most_weekly_sets(weeks, pct)
    }
    slots = tuple(
        replace(slot, exercises=tuple(_within_the_week(each, full) for each in slot.exercises))
        for slot in windows.slots
    )
    return replace(windows, slots=slots)


def _most_by_muscle(slot: SlotWindow) -> dict[str, float]:
    """Return by muscle group the maximum fractional sets of any exercise of the place."""
    most: dict[str, float] = defaultdict(float)
    for each in slot.exercises:
        fullest = apply_picks(each.option, [_fullest(block) for block in each.blocks])
        for group, sets in muscle_sets([fullest]).items():
            most[group] = max(most[group], sets)
    return most


def _within_the_week(window: ExerciseWindow, full: set[str]) -> ExerciseWindow:
    slot = window.option.proposal
    if full.isdisjoint({slot.primary_muscle_group or "", *slot.secondary_muscle_groups}):
        return window
    return replace(window, blocks=tuple(map(without_added_sets, window.blocks)))


def _fullest(window: BlockWindow) -> Pick:
    """Return the proposal with the maximum number of sets."""
    pick, count = window.proposed, window.most_sets
    counts = pick.counts and (*pick.counts, *pick.counts[-1:] * (count - pick.sets))
    return Pick(pick.load_kg, counts, count)
