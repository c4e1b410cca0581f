"""A model's answer with a plan: its validation against the windows, and its effect."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.plan import CoachWords, Plan, SlotPrescription
from coach_agent.domain.units import Unit
from coach_agent.language.messages import in_language
from coach_agent.llm.answer_schema import BlockChoice, PlanAnswer, SlotChoice
from coach_agent.llm.block_windows import BlockWindow
from coach_agent.llm.choices import Pick, arrange_routine, chosen, in_place, index_before
from coach_agent.llm.comments.comment import (
    REASONING,
    SENTENCE,
    SUMMARY,
    Rejected,
    RejectedText,
    comment_language,
    comment_of,
)
from coach_agent.llm.comments.known import known_of_plan
from coach_agent.llm.comments.note import note_of
from coach_agent.llm.comments.sentences import plain
from coach_agent.llm.comments.statements import Statement
from coach_agent.llm.prompting import prompt_load
from coach_agent.llm.text_policy import text_policy
from coach_agent.llm.windows import (
    ExerciseWindow,
    PlanWindows,
    SlotWindow,
    muscle_sets,
    working_count,
)
from coach_agent.planning.guardrails import GuardrailError, violations

MOST_FEEDBACK = 20
"""Maximum broken rules in one feedback to a model; of more, the first ones are sufficient."""

_SAME = 0.005  # half of the smallest step in which loads are shown
_ROUNDING = 1e-9


class AnswerError(ValueError):
    """An invalid answer; `feedback` has a sentence for each broken rule."""

    def __init__(self, feedback: tuple[str, ...]) -> None:
        super().__init__("\n".join(feedback))
        self.feedback = feedback


def broken_rules(answer: PlanAnswer, windows: PlanWindows) -> tuple[str, ...]:
    """Return a sentence for each broken rule: slot, rule, given and allowed; empty for a valid
    plan.

    It contains none of the athlete's text: slots are identified by number, exercises by id. The
    guardrails check the rest after the windows.
    """
    found = [*_slot_rules(answer, windows), *_order_rules(answer, windows)]
    if not found:
        plan = _arrange_plan(answer, windows)
        found = [*_volume_rules(answer, plan, windows), *_guardrail_rules(answer, plan, windows)]
    return tuple(found[:MOST_FEEDBACK])


def apply_answer(
    answer: PlanAnswer, windows: PlanWindows, *, decided_by: str, prompt_version: str, language: str
) -> Plan:
    """Return the plan of `apply_answer_with_texts`, without the rejected texts.

    Raises:
        AnswerError: the answer breaks a rule.
        GuardrailError: the plan breaks its limits.
    """
    return apply_answer_with_texts(
        answer, windows, decided_by=decided_by, prompt_version=prompt_version, language=language
    )[0]


def apply_answer_with_texts(
    answer: PlanAnswer, windows: PlanWindows, *, decided_by: str, prompt_version: str, language: str
) -> tuple[Plan, tuple[RejectedText, ...]]:
    """Return the engine's plan with the choices of the answer, its notes and its comment.

    Notes are rendered from the answer's codes. The comment has the permitted statements that the
    answer's sentences select; sentences without one are returned with their reasons.

    Raises:
        AnswerError: the answer breaks a rule.
        GuardrailError: the plan breaks its limits.
    """
    if broken := broken_rules(answer, windows):
        raise AnswerError(broken)
    plan = _arrange_plan(answer, windows)
    if found := violations(
        plan, _arrange_routine(answer, plan, windows), windows.profile, windows.today
    ):
        raise GuardrailError(found)
    return _with_words(answer, plan, windows, decided_by, prompt_version, language)


def with_stored_texts(plan: Plan, stored: Plan) -> Plan:
    """Return a rebuilt plan with the texts of the stored one.

    A plan of this text policy has the same texts anyway, and is returned unchanged. Texts of
    another policy cannot be rendered again, so the stored ones are used.
    """
    words = stored.words
    if words is None or words.text_policy == text_policy():
        return plan
    notes = {slot.exercise_index: slot.note for slot in stored.slots}
    slots = tuple(
        slot.model_copy(update={"note": notes.get(slot.exercise_index)}) for slot in plan.slots
    )
    return plan.model_copy(update={"slots": slots, "words": words, "summary": stored.summary})


@dataclass(frozen=True)
class _Chosen:
    """A slot's choice with its window."""

    window: SlotWindow
    exercise: ExerciseWindow
    choice: SlotChoice


def _slot_rules(answer: PlanAnswer, windows: PlanWindows) -> Iterator[str]:
    by_number = {window.number: window for window in windows.slots}
    counts = Counter(choice.slot for choice in answer.slots)
    known = _format_list(by_number)
    for number in by_number:
        if number not in counts:
            yield f"slot {number}: slots: given none; allowed: each of {known} once."
    for number, count in counts.items():
        if number not in by_number:
            yield f"slot {number}: slots: given {number}; allowed: {known}."
        elif count > 1:
            yield f"slot {number}: slots: given {count} times; allowed: once."
    ids = Counter(choice.exercise for choice in answer.slots)
    for choice in answer.slots:
        if choice.slot not in by_number or counts[choice.slot] > 1:
            continue
        window = by_number[choice.slot]
        exercise = _exercise(choice, window)
        if exercise is None:
            allowed = _format_list(
                each.option.slot.exercise_template_id for each in window.exercises
            )
            given = _sanitize(choice.exercise)
            yield f"slot {choice.slot}: exercise: given {given}; allowed: {allowed}."
            continue
        if exercise.option.is_swap and ids[choice.exercise] > 1:
            yield (
                f"slot {choice.slot}: exercise: given {_sanitize(choice.exercise)} in several "
                "slots; allowed: one of them."
            )
        yield from _block_rules(choice, exercise, windows.plan.load_unit)


def _exercise(choice: SlotChoice, window: SlotWindow) -> ExerciseWindow | None:
    return next(
        (
            each
            for each in window.exercises
            if each.option.slot.exercise_template_id == choice.exercise
        ),
        None,
    )


def _block_rules(choice: SlotChoice, exercise: ExerciseWindow, unit: Unit) -> Iterator[str]:
    where, blocks = f"slot {choice.slot}", exercise.blocks
    if not choice.blocks and not exercise.has_choice:
        return
    if len(choice.blocks) != len(blocks):
        yield f"{where}: blocks: given {len(choice.blocks)}; allowed: {len(blocks)}."
        return
    for number, (picked, block) in enumerate(zip(choice.blocks, blocks, strict=True), start=1):
        at = where if len(blocks) == 1 else f"{where}, block {number}"
        if block.loads_kg and _load_kg(picked.load, block, unit) is None:
            allowed = _format_list(f"{prompt_load(each, unit):g}" for each in block.loads_kg)
            yield f"{at}: load: given {_number(picked.load, unit)}; allowed: {allowed} {unit}."
        if not block.loads_kg and picked.load is not None:
            yield f"{at}: load: given {_number(picked.load, unit)}; allowed: null."
        if not block.least_sets <= picked.sets <= block.most_sets:
            allowed = _between(block.least_sets, block.most_sets)
            yield f"{at}: sets: given {picked.sets}; allowed: {allowed}."
            continue
        yield from _count_rules(at, picked, block)


def _count_rules(at: str, picked: BlockChoice, block: BlockWindow) -> Iterator[str]:
    what = "seconds" if block.is_timed else "reps"
    expected = picked.sets if block.counts else 0
    if len(picked.reps) != expected:
        yield f"{at}: {what}: given {len(picked.reps)} numbers; allowed: {expected}."
        return
    for place, count in enumerate(picked.reps):
        low, high = block.range_at(place)
        if not low <= count <= high:
            allowed = _between(low, high)
            yield f"{at}, set {place + 1}: {what}: given {count}; allowed: {allowed}."


def _order_rules(answer: PlanAnswer, windows: PlanWindows) -> Iterator[str]:
    if answer.order is None:
        return
    numbers = [window.number for window in windows.slots]
    if sorted(answer.order) != numbers:
        given = _format_list(answer.order[:MOST_FEEDBACK])
        yield f"order: given {given}; allowed: null, or each of {_format_list(numbers)} once."
        return
    for window, number in zip(windows.slots, answer.order, strict=True):
        if window.number != number and not window.is_movable:
            yield f"slot {window.number}: order: given slot {number} in its place; allowed: itself."


def _volume_rules(answer: PlanAnswer, plan: Plan, windows: PlanWindows) -> Iterator[str]:
    """Check the volume around the engine's proposal for the chosen exercises."""
    proposals = list(windows.plan.slots)
    for index, each in _picks_by_place(answer, windows).items():
        proposals[index] = each.exercise.option.proposal
    volume = windows.volume(proposals)
    count = sum(working_count(slot.sets) for slot in plan.slots)
    if not volume.least_sets <= count <= volume.most_sets:
        allowed = _between(volume.least_sets, volume.most_sets)
        yield f"all slots: working sets: given {count}; allowed: {allowed}."
    sets = muscle_sets(plan.slots)
    for target in volume.muscles:
        given = sets.get(target.muscle_group, 0.0)
        if not target.least - _ROUNDING <= given <= target.most + _ROUNDING:
            allowed = f"{target.least:g} to {target.most:g}"
            group = _sanitize(target.muscle_group)
            yield f"all slots: sets of {group}: given {given:g}; allowed: {allowed}."


def _guardrail_rules(answer: PlanAnswer, plan: Plan, windows: PlanWindows) -> Iterator[str]:
    routine = _arrange_routine(answer, plan, windows)
    for violation in violations(plan, routine, windows.profile, windows.today):
        at = violation.exercise_index
        slot = None if at is None else plan.slots[at]
        number = "all slots" if slot is None else f"slot {index_before(slot) + 1}"
        place = "" if violation.set_index is None else f", set {violation.set_index + 1}"
        yield f"{number}{place}: {violation.code}: beyond the limits; allowed: the proposal."


def _picks_by_place(answer: PlanAnswer, windows: PlanWindows) -> dict[int, _Chosen]:
    """Return the choices by index of the place in the routine; the answer must be complete."""
    choices = {choice.slot: choice for choice in answer.slots}
    found = {}
    for window in windows.slots:
        choice = choices[window.number]
        exercise = _exercise(choice, window)
        if exercise is not None:
            found[window.number - 1] = _Chosen(window, exercise, choice)
    return found


def _arrange_plan(answer: PlanAnswer, windows: PlanWindows) -> Plan:
    """Return the plan with the answer's choices in its order, without its texts."""
    unit = windows.plan.load_unit
    found: list[tuple[SlotPrescription, ...]] = [(slot,) for slot in windows.plan.slots]
    for index, each in _picks_by_place(answer, windows).items():
        # An exercise without a choice needs no blocks.
        blocks = each.exercise.blocks if each.choice.blocks else ()
        picks = [
            Pick(_load_kg(picked.load, block, unit), tuple(picked.reps), picked.sets)
            for picked, block in zip(each.choice.blocks, blocks, strict=True)
        ]
        with in_language(windows.plan.language):
            found[index] = in_place(each.window.own.option, each.exercise.option, picks)
    numbers = [window.number for window in windows.slots]
    in_order = list(found)
    for number, other in zip(numbers, answer.order or numbers, strict=True):
        in_order[number - 1] = found[other - 1]
    with in_language(windows.plan.language):
        return chosen(windows.plan, in_order, windows.engine_input.background)


def _arrange_routine(answer: PlanAnswer, plan: Plan, windows: PlanWindows) -> RoutineContext:
    exchanged = {
        index: each.exercise.option.slot for index, each in _picks_by_place(answer, windows).items()
    }
    return arrange_routine(windows.routine, plan, exchanged)


def _with_words(
    answer: PlanAnswer,
    plan: Plan,
    windows: PlanWindows,
    decided_by: str,
    prompt_version: str,
    language: str,
) -> tuple[Plan, tuple[RejectedText, ...]]:
    picked = _picks_by_place(answer, windows)
    contexts = [_context(slot, picked, windows) for slot in plan.slots]
    known = known_of_plan(zip(contexts, plan.slots, strict=True), plan, comment_language(language))
    rejected: list[RejectedText] = []
    told: list[Statement] = []

    def kept(field: str, found: tuple[Rejected, ...]) -> None:
        rejected.extend(RejectedText(field, each.reason, each.sentence) for each in found)

    def comment(field: str, text: str, limit: int) -> str:
        found = comment_of(text, known, limit, told)
        kept(field, found.rejected)
        told.extend(found.statements)
        return found.text

    noted: list[SlotPrescription] = []
    for slot, lift in zip(plan.slots, known.lifts, strict=True):
        each = picked.get(index_before(slot))
        if each is None or each.exercise.option.is_swap != (slot.replaces is not None):
            noted.append(slot)
            continue
        choice = each.choice
        note = note_of(
            slot,
            lift,
            plan.load_unit,
            language,
            reason=choice.reason,
            cues=choice.cues,
            facts=choice.facts,
        )
        kept(f"slot {choice.slot}", note.rejected)
        noted.append(slot.model_copy(update={"note": note.text}))
    words = CoachWords(
        decided_by=decided_by,
        prompt_version=prompt_version,
        summary=comment("summary", answer.summary, SUMMARY),
        adjustments=tuple(
            text for each in answer.adjustments if (text := comment("adjustments", each, SENTENCE))
        ),
        reasoning=comment("reasoning", answer.reasoning, REASONING),
        dropped_sentences=len(rejected),
        text_policy=text_policy(),
    )
    return plan.model_copy(update={"slots": tuple(noted), "words": words}), tuple(rejected)


def _context(
    slot: SlotPrescription, picked: Mapping[int, _Chosen], windows: PlanWindows
) -> SlotContext:
    """Return the history of a slot's exercise, also of a replacement."""
    index = index_before(slot)
    if slot.replaces is not None and index in picked:
        return picked[index].exercise.option.slot
    return windows.routine.slots[index]


def _load_kg(load: float | None, block: BlockWindow, unit: Unit) -> float | None:
    """Return the load of the window that matches; None without a match."""
    if load is None:
        return None
    return next(
        (each for each in block.loads_kg if abs(prompt_load(each, unit) - load) <= _SAME), None
    )


def _number(value: float | None, unit: Unit) -> str:
    return "null" if value is None else f"{value:g} {unit}"


def _between(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _format_list(values: Iterable[object]) -> str:
    return ", ".join(str(each) for each in values)


def _sanitize(text: str) -> str:
    """Shorten and sanitize a model's value so that it can be sent back."""
    return "".join(char for char in plain(text)[:40] if char.isalnum() or char in "-_ ")
