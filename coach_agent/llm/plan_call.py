"""The plan question: its model tier, prompt and answer."""

from functools import partial
from itertools import islice
from typing import Any

from coach_agent.domain.model_calls import Prompt, Tier, TypedCall
from coach_agent.domain.own_notes import own_texts, with_own
from coach_agent.domain.plan import SlotPrescription
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.block_windows import BlockWindow
from coach_agent.llm.comments.comment import comment_language
from coach_agent.llm.plan_answer import broken_rules
from coach_agent.llm.prompting import (
    Wishes,
    code,
    codes,
    data_block,
    instructions,
    prompt_history,
    prompt_load,
    prompt_sets,
    prompt_version,
    untrusted,
    without_empty,
)
from coach_agent.llm.windows import ExerciseWindow, PlanWindows, SlotWindow
from coach_agent.profile.season import phase_on
from coach_agent.store.rejections import Rejection

STRONG_MUSCLES = 5
"""Muscle groups in a plan from which the strong tier is used."""
STRONG_EXPOSURES = 4
"""Exposures of an exercise from which its history is informative."""
EXPOSURES = 4
"""Workouts of each exercise in the prompt."""
MOST_NOTES = 8
MOST_REJECTIONS = 3
LONGEST_REASON = 200
"""Characters of the athlete's reason for a rejected plan."""

_OF_THE_BODY = ("pain_", "readiness_")


def plan_call(windows: PlanWindows, wishes: Wishes | None = None) -> TypedCall[PlanAnswer]:
    """Build the question for the next workout within the windows."""
    return TypedCall(
        name="plan",
        tier=plan_tier(windows),
        prompt=plan_prompt(windows, wishes or Wishes()),
        output=PlanAnswer,
        check=partial(broken_rules, windows=windows),
        prompt_version=prompt_version("plan", PlanAnswer),
    )


def plan_tier(windows: PlanWindows) -> Tier:
    """Return "strong" for pain, a stall, or much training with a history; otherwise "cheap"."""
    slots = [slot for slot in windows.plan.slots if slot.sets]
    has_trouble = bool(windows.today.circumstances.pains) or any(slot.stall for slot in slots)
    muscles = {slot.primary_muscle_group for slot in slots} - {None}
    history = max((len(slot.exposures) for slot in windows.routine.slots), default=0)
    is_much = len(muscles) >= STRONG_MUSCLES and history >= STRONG_EXPOSURES
    return "strong" if has_trouble or is_much else "cheap"


def plan_prompt(windows: PlanWindows, wishes: Wishes) -> Prompt:
    """Build the prompt: constant part, part that changes per workout, part that changes per day."""
    seldom = (
        data_block("profile", _profile(windows, wishes)),
        data_block("history", _history(windows)),
    )
    today = (
        data_block("windows", _windows(windows, wishes)),
        data_block("day", _day(windows, wishes)),
        data_block("words", _athlete_texts(windows, wishes)),
    )
    return Prompt(
        static=instructions("plan"),
        profile="\n".join(seldom),
        recent="\n".join((*today, "Plan the next workout.")),
    )


def _profile(windows: PlanWindows, wishes: Wishes) -> dict[str, Any]:
    profile = windows.profile
    day = phase_on(profile.season, windows.situation.today)
    return without_empty(
        {
            "goal": profile.goal.kind,
            "language": comment_language(wishes.language),
            "unit": windows.plan.load_unit,
            "session_minutes": profile.session_minutes,
            "phase": without_empty(
                {
                    "kind": day.phase,
                    "week": day.phase_week,
                    "weeks_left": day.phase_weeks_left,
                    "taper": day.is_taper or None,
                }
            ),
            "days_to_event": None if day.days_to_event is None else max(day.days_to_event, 0),
            "slots": [
                without_empty(
                    {
                        "slot": slot.exercise_index + 1,
                        "muscle": code(slot.primary_muscle_group),
                        "also": codes(slot.secondary_muscle_groups),
                        "equipment": code(slot.equipment),
                        "type": code(slot.exercise_type),
                        "rest_s": slot.rest_s,
                        "superset": slot.superset_id,
                    }
                )
                for slot in windows.routine.slots
            ],
        }
    )


def _history(windows: PlanWindows) -> dict[str, Any]:
    """Return the data that only changes with a workout, so that caches keep it all day."""
    unit, today = windows.plan.load_unit, windows.today
    lifts = [
        without_empty(
            {
                "slot": slot.exercise_index + 1,
                **prompt_history(slot, unit, EXPOSURES),
                "asks": prescribed.reason,
            }
        )
        for slot, prescribed in zip(windows.routine.slots, windows.plan.slots, strict=True)
    ]
    muscles = {
        target.muscle_group: without_empty(
            {
                "this_week": target.this_week,
                "before": [round(sets, 1) for sets in today.weeks.get(target.muscle_group, ())],
            }
        )
        for target in windows.volume().muscles
        if code(target.muscle_group)
    }
    return {"lifts": lifts, "muscles": {name: data for name, data in muscles.items() if data}}


def _day(windows: PlanWindows, wishes: Wishes) -> dict[str, Any]:
    circumstances, volume = windows.today.circumstances, windows.volume()
    day: dict[str, Any] = {
        "today": windows.situation.today.isoformat(),
        "deload": circumstances.deload,
        "minutes": circumstances.minutes,
        "muscles": {
            target.muscle_group: [target.least, target.most]
            for target in volume.muscles
            if code(target.muscle_group)
        },
        "total_sets": [volume.least_sets, volume.most_sets],
    }
    if "body" not in wishes.leave_out:
        day["readiness"] = circumstances.readiness
        day["pain"] = {each.part: each.level for each in circumstances.pains}
    return without_empty(day)


def _windows(windows: PlanWindows, wishes: Wishes) -> list[dict[str, Any]]:
    return [_slot(window, windows, wishes) for window in windows.slots]


def _slot(window: SlotWindow, windows: PlanWindows, wishes: Wishes) -> dict[str, Any]:
    swaps = [_exercise(each, windows, wishes) for each in window.exercises[1:]]
    return {
        "slot": window.number,
        **_exercise(window.own, windows, wishes),
        **without_empty({"movable": window.is_movable or None, "swaps": swaps}),
    }


def _exercise(window: ExerciseWindow, windows: PlanWindows, wishes: Wishes) -> dict[str, Any]:
    slot, unit = window.option.proposal, windows.plan.load_unit
    return without_empty(
        {
            "id": window.option.slot.exercise_template_id,
            "proposal": prompt_sets(slot.sets, slot.exercise_type, unit) or "left out",
            "goes": slot.direction,
            "held_by": _held_by(slot, wishes),
            "expect": _expected_reps(slot),
            "blocks": [_block(each, windows) for each in window.blocks if window.has_choice],
        }
    )


def _held_by(slot: SlotPrescription, wishes: Wishes) -> list[str]:
    reductions = (each.rule for each in slot.adjustments if not each.is_remark)
    held = dict.fromkeys((*slot.limits, *reductions))
    is_hidden = "body" in wishes.leave_out
    return [each for each in held if not (is_hidden and each.startswith(_OF_THE_BODY))]


def _expected_reps(slot: SlotPrescription) -> list[float] | None:
    """Return the expected minimum and maximum repetitions of the first working set, and the chance
    in %.
    """
    first = next((each for each in slot.predictions if each is not None and each.reps), None)
    if first is None:
        return None
    expected = [round(first.low, 1), round(first.high, 1)]
    return expected if first.p_success is None else [*expected, round(100 * first.p_success)]


def _block(block: BlockWindow, windows: PlanWindows) -> dict[str, Any]:
    unit = windows.plan.load_unit
    is_alike = len(set(block.counts)) == 1
    pairs = [list(pair) for pair in (block.counts[:1] if is_alike else block.counts)]
    return without_empty(
        {
            "loads": [prompt_load(each, unit) for each in block.loads_kg],
            "sets": [block.least_sets, block.most_sets],
            "reps": pairs,
            "s": block.is_timed or None,
        }
    )


def _athlete_texts(windows: PlanWindows, wishes: Wishes) -> dict[str, Any]:
    """Return people's own texts; they come last, so that caches do not keep them."""
    names = {
        str(slot.exercise_index + 1): untrusted(slot.exercise_title, 80)
        for slot in windows.routine.slots
    }
    for window in windows.slots:
        for each in window.exercises[1:]:
            slot = each.option.slot
            names[slot.exercise_template_id] = untrusted(slot.exercise_title, 80)
    words: dict[str, Any] = {"names": names}
    if "names" not in wishes.leave_out:
        words["athlete"] = untrusted(windows.profile.name, 60)
        words["routine"] = untrusted(windows.plan.routine_title, 80)
        words["event"] = untrusted(windows.profile.goal.event or "", 80)
    if "notes" not in wishes.leave_out:
        notes = {
            str(slot.exercise_index + 1): untrusted(_athlete_note(slot.notes))
            for slot in windows.routine.slots
        }
        own_notes = [(number, note) for number, note in notes.items() if note]
        words["notes"] = dict(own_notes[:MOST_NOTES])
        words["rejected"] = [
            {
                "date": f"{each.rejected_at:%Y-%m-%d}",
                "because": untrusted(each.because, LONGEST_REASON),
            }
            for each in prompt_rejections(windows, wishes)
        ]
    return without_empty(words)


def prompt_rejections(windows: PlanWindows, wishes: Wishes) -> tuple[Rejection, ...]:
    """Return the rejections of the routine's plans for the prompt, newest first."""
    if "notes" in wishes.leave_out:
        return ()
    of_routine = (
        each
        for each in windows.situation.rejections
        if each.routine_id == windows.routine.routine_id
    )
    return tuple(islice(of_routine, MOST_REJECTIONS))


def _athlete_note(note: str | None) -> str:
    """Return a note without the text of our plans, which is not the athlete's."""
    return with_own(note, None, own_texts(note)) or ""
