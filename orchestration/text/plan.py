"""Print a plan on a narrow terminal, briefly or with all reasons."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from math import floor

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from coach_agent.domain.days import local_date
from coach_agent.domain.model_calls import SmallQuestion
from coach_agent.domain.plan import (
    BLOCK_SETS,
    OMITTING,
    TIME_CAP,
    Plan,
    Prediction,
    SlotPrescription,
)
from coach_agent.domain.units import Unit
from coach_agent.engine.explain.insight import is_next_step
from coach_agent.engine.explain.plan_texts import (
    reasons,
    short_reasons,
)
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.journal.current_plans import JournaledPlan
from coach_agent.language.messages import in_language, join_words, phrase
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.comments import CommentAuthor
from orchestration.text.readiness import Readiness, readiness_lines
from orchestration.text.rejection import rejection_text
from orchestration.text.sets import done_notation, forecasts, set_groups, superset_text
from orchestration.text.training_age import stale_training
from orchestration.text.wording import ARROWS

DIRECTION_STYLES = {"up": "green", "same": "dim", "down": "yellow", "out": "dim"}
_MARKED = ("warmup", "dropset", "failure")
_INDENT = 2


def state_words(state: str | None, profile: AthleteProfile | None) -> str:
    """Return the publication state of a plan in words for this athlete; None before publication."""
    if profile is not None and profile.hevy.account == "none":
        return phrase("state-unwritten")
    if state is None and profile is not None and profile.publish.mode == "preview":
        return phrase("state-previewed")
    return state_text(state)


def state_text(state: str | None) -> str:
    """Return a publication state in words; None before publication."""
    return phrase("state-new") if state is None else phrase(f"state-{state.replace('_', '-')}")


def comment_label() -> str:
    """Return the label of a language model's free text wherever it is shown."""
    return phrase("comment")


def show_plan(
    console: Console,
    profile: AthleteProfile,
    journaled: JournaledPlan,
    *,
    why: bool = False,
    now: datetime | None = None,
    readiness: Readiness | None = None,
) -> None:
    """Print the next workout and the previous sets, briefly; `why` adds all reasons.

    `readiness` is printed below the plan. All in the athlete's
    language.
    """
    with in_language(profile.preferences.language):
        _show_plan(console, profile, journaled, why=why, now=now, readiness=readiness)


def _show_plan(
    console: Console,
    profile: AthleteProfile,
    journaled: JournaledPlan,
    *,
    why: bool,
    now: datetime | None,
    readiness: Readiness | None,
) -> None:
    plan = journaled.plan
    about = phrase("plan-of", athlete=profile.id)
    if plan.minutes is not None:
        minutes = round(plan.minutes.minutes)
        about = phrase("plan-of-minutes", athlete=profile.id, minutes=minutes)
    console.print()
    today = local_date(now or journaled.decided_at, profile.timezone)
    if stale := stale_training(profile, journaled, today):
        _print(console, Text(stale, style="yellow"))
    _print(console, Text(plan.routine_title, style="bold"))
    _print(console, Text(about))
    _print(console, Text(state_words(journaled.state, profile), style="dim"))
    if plan.block is not None:
        _print(console, Text(plan.block.text))
    if rejected := rejection_text(journaled, profile):
        _print(console, Text(rejected, style="yellow"))
    if plan.words is not None and plan.words.summary:
        _print(console, Text(f"{comment_label()}: {plan.words.summary}"))
    for line in shared_adjustments(plan):
        _print(console, Text(line, style="yellow"))
    for slot in plan.slots:
        console.print()
        for text, indent in _slot_lines(
            slot,
            plan.load_unit,
            superset=superset_text(slot, plan.slots),
            is_told_above=set(shared_adjustments(plan)),
            why=why,
        ):
            _print(console, text, indent)
    console.print()
    if readiness is not None:
        _print(console, Text(phrase("recovery"), style="bold"))
        is_adjusting = profile.recovery.is_adjusting
        for name, words in readiness_lines(readiness, today, is_adjusting=is_adjusting):
            _print(console, Text(f"{name}: {words}"))
        console.print()
    if why:
        for line in _background(plan, journaled.remarks):
            _print(console, Text(line))
    else:
        if chances := _chances(plan):
            _print(console, Text(chances, style="dim"))
        console.print(phrase("plan-why"), style="dim")


def _print(console: Console, text: Text, indent: int = 0) -> None:
    console.print(Padding(text, (0, 0, 0, indent)), highlight=False)


def shared_adjustments(plan: Plan) -> list[str]:
    """Return the adjustments that all exercises share, to be printed once above them.

    The sentence on the effort of timed exercises is another one, and stays with them.
    """
    if len(plan.slots) < 2:
        return []
    rules = set.intersection(*({each.rule for each in slot.adjustments} for slot in plan.slots))
    slots = [slot for slot in plan.slots if any(each.reps for each in slot.structure)] or plan.slots
    texts = set.intersection(*({each.text for each in slot.adjustments} for slot in slots))
    shared = (each for each in slots[0].adjustments if each.rule in rules and each.text in texts)
    return [each.text for each in shared]


def last_workout_text(plan: Plan) -> str:
    """Return the insight on the last workout and the action; empty without one.

    The action "next step" is only printed if an exercise goes up: a plan that holds everything
    back, for example after a break, has its own explanation.
    """
    if plan.insight is None:
        return ""
    goes_on = any(slot.direction == "up" for slot in plan.slots)
    if is_next_step(plan.insight.action) and not goes_on:
        return plan.insight.insight
    return f"{plan.insight.insight} {plan.insight.action}"


def label_comment(
    text: str, remarks: Sequence[CommentAuthor], kind: SmallQuestion, subject: str
) -> str:
    """Return a text on a workout or lift, labelled if a model wrote it; "" is any subject."""
    is_comment = any(each.kind == kind and subject in {"", each.subject} for each in remarks)
    return f"{comment_label()}: {text}" if is_comment and text else text


def _slot_lines(
    slot: SlotPrescription, unit: Unit, *, superset: str, is_told_above: set[str], why: bool
) -> Iterator[tuple[Text, int]]:
    arrow, style = ARROWS[slot.direction], DIRECTION_STYLES[slot.direction]
    title = Text.assemble(
        (f"{arrow} ", style),
        (f"{slot.exercise_index + 1}. {slot.exercise_title}", "bold"),
        f"  {superset}" if superset else "",
    )
    yield title, 0
    for line in _set_lines(slot, unit, why=why):
        yield Text(line), _INDENT
    done = [each for each in slot.last_done if each.set_type in WORKING_TYPES]
    if done:
        last = done_notation(done, unit, slot.exercise_type)
        yield Text(phrase("last-time", sets=last), style="dim"), _INDENT
    if slot.note:
        yield Text(slot.note), _INDENT
    if why:
        for line in _reasons(slot, unit, is_told_above):
            yield Text(line, style="italic"), _INDENT
        return
    for line in short_reasons(slot, unit, is_told_above):
        yield Text(line, style="yellow"), _INDENT


def _set_lines(slot: SlotPrescription, unit: Unit, *, why: bool) -> Iterator[str]:
    """Yield a line per group of equal sets, warm-ups joined: `3 × 5 @ 100 kg  92%`."""
    if not slot.sets and not _names_omission(slot):
        yield phrase("left-out") if slot.is_left_out else phrase("no-sets")
    for group in set_groups(slot, unit):
        yield f"{group.mark} {group.text}{_chance(group.hardest, why=why)}".strip()


def _names_omission(slot: SlotPrescription) -> bool:
    """Return whether an adjustment says that the exercise is left out."""
    rules = {each.rule for each in slot.valid_adjustments}
    return not OMITTING.isdisjoint(rules) or (BLOCK_SETS in rules and TIME_CAP not in rules)


def _chance(hardest: Prediction | None, *, why: bool) -> str:
    """Format the success probability of the hardest set, and with `why` its prediction in whole
    numbers, as lifters log them.
    """
    if hardest is None:
        return ""
    chance = "" if hardest.p_success is None else f"  {hardest.p_success:.0%}"
    if why:
        low, high = (floor(each + 0.5) for each in (hardest.low, hardest.high))
        unit = phrase(f"unit-{hardest.unit}")
        if low != high:
            span = phrase("range", low=low, high=high, unit=unit)
        else:
            span = phrase("reps", count=low) if hardest.unit == "reps" else f"{low} {unit}"
        chance += f"  ({span})"
    return chance


def _reasons(slot: SlotPrescription, unit: Unit, is_told_above: set[str]) -> Iterator[str]:
    yield from (line for line in reasons(slot, unit) if line not in is_told_above)
    # RPE is not mentioned to an athlete who never records it.
    codes = [code for code in slot.reason_codes if code not in {"rpe_unknown", *slot.limits}]
    named = f"{slot.rule} ({', '.join(codes)})" if codes else slot.rule
    yield phrase("plan-rule", rule=named)
    if slot.limits:
        yield phrase("plan-limits", limits=", ".join(slot.limits))
    if slot.rest_s is not None or slot.advised_rest_s is not None:
        rest_s = slot.advised_rest_s if slot.rest_s is None else slot.rest_s
        yield phrase("plan-rest", seconds=f"{rest_s}")
    if slot.stall is not None:
        fix = slot.stall.suggested_fix
        yield slot.stall.reason if fix in slot.reason else f"{slot.stall.reason} {fix}"


def _background(plan: Plan, remarks: Sequence[CommentAuthor]) -> Iterator[str]:
    if plan.words is not None:
        more = (*plan.words.adjustments, plan.words.reasoning)
        yield from (f"{comment_label()}: {text}" for text in more if text)
        yield phrase("chosen-by", model=plan.words.decided_by)
    if told := last_workout_text(plan):
        yield phrase("plan-last-workout", text=told)
    for message, kind in (("comment-on-workout", "insight"), ("comment-on-stalls", "stall")):
        if models := join_words(sorted({each.decided_by for each in remarks if each.kind == kind})):
            yield phrase(message, models=models)
    for advice in plan.advice:
        yield advice.text
    if plan.minutes is not None:
        low, high = round(plan.minutes.low), round(plan.minutes.high)
        message = "time-personal" if plan.minutes.basis == "personal" else "time-prior"
        yield phrase(message, low=low, high=high)
    types = {each.set_type for slot in plan.slots for each in slot.sets}
    if marks := [phrase(f"mark-{set_type}") for set_type in _MARKED if set_type in types]:
        yield phrase("plan-marks", marks=", ".join(marks))
    yield _chances(plan) or phrase("no-chances")
    yield phrase("plan-rules", version=plan.rule_version)


def _chances(plan: Plan) -> str:
    """Return what the percentages of a plan mean; empty without any."""
    predictions = [each for slot in plan.slots for each in forecasts(slot)]
    if all(each is None or each.p_success is None for each in predictions):
        return ""
    has_own = any("steps" in slot.rule.split(", ") for slot in plan.slots)
    return phrase("chances-own-steps") if has_own else phrase("chances")
