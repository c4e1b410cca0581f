"""Print the lineage and the replay of a decision in at most 80 columns."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from coach_agent.domain.context import LiftTrend
from coach_agent.domain.plan import Plan, SlotPrescription
from coach_agent.domain.units import Unit, in_unit, load_text
from coach_agent.engine.explain.plan_texts import (
    done_text,
    number,
    set_mark,
    target_text,
    targets_text,
    times,
)
from coach_agent.engine.explain.reasons import format_set_load
from coach_agent.planning.explanation import Bounds
from coach_agent.verification.audit import Audit
from coach_agent.verification.replay import Difference, JournaledDecision, Replay
from orchestration.services.planning.decision_lineage import Chain, RawRow, SeenWorkout, SlotChain
from orchestration.text.plan import state_text
from orchestration.text.wording import change_place, change_text

_DIGITS = 12
_MOST_DIFFERENCES = 30
_LONGEST_VALUE = 60
_MOST_LOADS = 8

Line = tuple[int, str]


def show_replay(console: Console, found: Replay, timezone: str) -> None:
    """Print the result of a replay: equality, differences, or the reason it is impossible."""
    at = _moment(found.decided_at, timezone)
    _print(console, f"{found.decision_id}, {found.routine_title} for {found.athlete_id}", 0, "bold")
    _print(console, f"decided {at} ({timezone}) by rules {found.rule_version}", 0)
    for line in _verdict(found):
        _print(console, line, 0)
    if found.decided is not None and found.replayed is not None:
        _show_side_by_side(console, found.decided, found.replayed)
    for line in _difference_lines(found):
        _print(console, line, 2)


def show_audit(console: Console, decided: JournaledDecision, found: Audit, timezone: str) -> None:
    """Print the comparison of the decision's input with the lake's snapshot."""
    at = _moment(decided.decided_at, timezone)
    whose = f"{decided.plan.routine_title} for {decided.athlete_id}"
    _print(console, f"{decided.decision_id}, {whose}", 0, "bold")
    _print(console, f"decided {at} ({timezone}), snapshot {found.snapshot} of the lake", 0)
    _print(console, _audit_text(decided, found), 0)
    shown = found.differences[:_MOST_DIFFERENCES]
    for each in shown:
        _print(console, f"{each.place}: {_short(each.decided)} → {_short(each.seen)}", 2)
    if len(found.differences) > len(shown):
        more = len(found.differences) - len(shown)
        _print(console, f"and {more} more; --json has all of them.", 2)


def _audit_text(decided: JournaledDecision, found: Audit) -> str:
    input_hash = found.input_sha256[:_DIGITS]
    if found.verdict == "equal":
        return f"Equal, byte for byte: the tables of then give the same input again ({input_hash})."
    if found.verdict == "differs":
        why = found.problem or "stored, and what they give:"
        return f"It differs: the tables of then do not give the input {input_hash}. {why}"
    if found.verdict == "other_rules":
        return (
            f"It was decided by rules {decided.rule_version}, which read otherwise than those of "
            "this code."
        )
    return f"The tables of then are of another version of the code: {found.problem}"


def _verdict(found: Replay) -> Iterator[str]:
    input_hash, output_hash = found.input_sha256[:_DIGITS], found.output_sha256[:_DIGITS]
    current = found.current_rule_version
    if found.verdict == "equal":
        yield (
            f"Equal, byte for byte: from the input {input_hash} the engine returns the same "
            f"{found.output_bytes} bytes again ({output_hash})."
        )
    elif found.verdict == "same_plan":
        yield (
            "The same plan. Its bytes are others only because this version of the code writes "
            "fields that there were not then."
        )
    elif found.verdict == "differs" and found.problem is not None:
        yield (
            f"It differs. {found.problem} The code has changed without its rules' version, or the "
            "stored situation was changed."
        )
    elif found.verdict == "differs":
        yield (
            f"It differs: by the same rules and from the same input {input_hash} the engine "
            "returns something else now. The code has changed without its rules' version."
        )
    elif found.verdict == "other_rules" and found.replayed is None:
        yield (
            f"This code has rules {current}, so it cannot replay a decision of those rules. What "
            f"it says today: spotter replay {found.decision_id} --rules current"
        )
    elif found.verdict == "other_rules":
        same = "" if found.differences else ": the same"
        yield f"Today's rules, {current}, would decide this instead{same}."
    elif found.verdict == "damaged":
        yield f"It was changed after it was stored. {found.problem}"
    else:
        yield f"It cannot be replayed. {found.problem}"
    if equal := [part.name for part in found.parts if part.state == "equal"]:
        yield f"Also made again and equal: {', '.join(equal)}."
    for part in found.parts:
        if part.state == "unverified":
            yield f"Not verified: {part.name}, because {part.detail.rstrip('.')}."


def _show_side_by_side(console: Console, decided: Plan, replayed: Plan) -> None:
    """Print each exercise with other sets: the decided and the replayed ones."""
    now = {(each.exercise_template_id, each.occurrence): each for each in replayed.slots}
    for slot in decided.slots:
        other = now.get((slot.exercise_template_id, slot.occurrence))
        if other is None or other.sets == slot.sets:
            continue
        _print(console, f"{slot.exercise_index + 1}. {slot.exercise_title}", 0, "bold")
        for name, each, unit in (
            ("decided", slot, decided.load_unit),
            ("now    ", other, replayed.load_unit),
        ):
            _print(
                console,
                f"{name}  {targets_text(each.sets, unit, each.exercise_type) or 'left out'}",
                2,
            )


def _difference_lines(found: Replay) -> Iterator[str]:
    shown = found.differences[:_MOST_DIFFERENCES]
    if shown:
        yield "Field by field, as in --json:"
    for each in shown:
        yield f"{_where(each)}{each.field}: {_short(each.decided)} → {_short(each.replayed)}"
    if len(found.differences) > len(shown):
        yield f"and {len(found.differences) - len(shown)} more; --json has all of them."


def _where(difference: Difference) -> str:
    if difference.exercise is None:
        return ""
    place = f"{difference.exercise}. {difference.exercise_title}"
    return f"{place}, " if difference.set is None else f"{place}, set {difference.set}, "


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def show_chain(console: Console, chain: Chain, unit: Unit, timezone: str) -> None:
    """Print the lineage from raw rows to loads and publications."""
    _print(console, f"{chain.routine_title} for {chain.athlete_id}", 0, "bold")
    for line in _decision_lines(chain, timezone):
        _print(console, line, 0)
    for slot in chain.slots:
        console.print()
        _print(console, f"{slot.number}. {slot.prescription.exercise_title}", 0, "bold")
        for indent, text in _slot_lines(slot, unit, timezone):
            _print(console, text, indent, "dim" if indent > 2 else "")
    console.print()
    _print(console, "In Hevy", 0, "bold")
    for line in _publication_lines(chain, timezone):
        _print(console, line, 2)


def _decision_lines(chain: Chain, timezone: str) -> Iterator[str]:
    yield f"{chain.decision_id}, decided {_moment(chain.decided_at, timezone)} ({timezone})"
    yield f"run {chain.run_id}"
    rules = f"rules {chain.rule_version}"
    if chain.rule_version != chain.current_rule_version:
        rules += f" (this code has {chain.current_rule_version}; facts follow these)"
    yield rules
    if chain.model is not None or chain.decided_by != "engine":
        yield f"chosen within the engine's limits by {chain.model or chain.decided_by}"
        if chain.prompt_version is not None:
            seed = "" if chain.seed is None else f", seed {chain.seed}"
            yield f"prompt {chain.prompt_version}{seed}"
    yield f"input {chain.input_sha256[:_DIGITS]}, engine's answer {chain.output_sha256[:_DIGITS]}"
    if chain.profile_sha256 is not None:
        yield f"profile {chain.profile_sha256[:_DIGITS]}: {_profile_text(chain)}"
    for row in chain.raw:
        yield from _raw_texts(row, timezone)
    if holds := _circumstances(chain):
        yield f"that day: {holds}"


def _profile_text(chain: Chain) -> str:
    """Format the profile of that time in one line; --json has all of it."""
    profile = chain.profile or {}
    said = {
        "goal": profile.get("goal", {}).get("kind"),
        "jump_pct": profile.get("limits", {}).get("jump_pct"),
        "weekly_volume_pct": profile.get("limits", {}).get("weekly_volume_pct"),
        "session_minutes": profile.get("session_minutes"),
        "time zone": profile.get("timezone"),
    }
    return ", ".join(f"{name} {value}" for name, value in said.items() if value is not None)


def _circumstances(chain: Chain) -> str:
    return ", ".join(
        name.replace("_", " ") if value is True else f"{name.replace('_', ' ')} {_short(value)}"
        for name, value in chain.circumstances.items()
        if value
    )


def _slot_lines(slot: SlotChain, unit: Unit, timezone: str) -> Iterator[Line]:
    yield 2, "What was recorded, newest first"
    if not slot.workouts:
        yield 4, "nothing yet"
    for workout in slot.workouts:
        yield from _workout_lines(workout, slot.prescription.exercise_type, unit, timezone)
    yield 2, "What it shows"
    yield from ((4, text) for text in _fact_texts(slot))
    yield 2, "What was decided"
    yield from ((4, text) for text in _decided_texts(slot.prescription))
    if slot.engine_sets is not None and slot.engine_sets != slot.prescription.sets:
        own = slot.prescription.replaces or slot.prescription
        told = targets_text(slot.engine_sets, unit, own.exercise_type) or "to leave it out"
        of_what = f"{own.exercise_title}: " if slot.prescription.replaces else ""
        yield 4, f"the engine proposed {of_what}{told}"
    bounds = [text for each in _bounds(slot) for text in _bound_texts(each, slot, unit)]
    if bounds:
        yield 2, "What a load may be"
        yield from ((4, text) for text in bounds)
    yield 2, "On the bar" if any(slot.plates) else "What to do"
    yield from ((4, text) for text in _load_texts(slot, unit))
    for change in slot.changes:
        place = change_place(change)
        what = place if place == change.field else f"set {place}, {change.field}"
        yield 4, f"in Hevy: {what} {change_text(change, unit)}"


def _workout_lines(
    workout: SeenWorkout, exercise_type: str | None, unit: Unit, timezone: str
) -> Iterator[Line]:
    done = ", ".join(done_text(each, unit, exercise_type) for each in workout.sets)
    yield 4, f"{_moment(workout.started_at, timezone)}  {done or 'no set'}"
    for row in workout.raw:
        yield from ((6, text) for text in _raw_texts(row, timezone))
    if workout.sets_now:
        keys = [each.set_key for each in workout.sets_now]
        last = "" if len(keys) == 1 else f" to …/{keys[-1].split('/')[-1]}"
        yield 6, f"marts.fct_set {keys[0]}{last}"
    if not workout.is_as_seen:
        yield 6, "edited or deleted since: the decision saw the sets above"
    if not workout.raw:
        yield 6, "no raw row of before the decision: the record was landed again since"
    if (found := workout.estimated_max) is not None:
        low, high = in_unit(found.low_kg, unit), in_unit(found.high_kg, unit)
        kg = load_text(round(found.kg, 1), unit)
        yield 6, f"estimated maximum {kg} ({number(round(low, 1))} to {number(round(high, 1))})"
    yield 6, workout.use


def _raw_texts(row: RawRow, timezone: str) -> Iterator[str]:
    yield f"raw.{row.entity} {row.record_id}"
    newer = "" if row.is_latest else ", changed since"
    at = _moment(row.loaded_at, timezone)
    yield f"  loaded {at} ({row.origin}), sha256 {row.payload_sha256[:_DIGITS]}{newer}"


def _fact_texts(slot: SlotChain) -> Iterator[str]:
    if slot.facts is None:
        replaced = slot.prescription.replaces
        stands_in = "" if replaced is None else f": it stands in for {replaced.exercise_title}"
        yield f"not in the engine's input{stands_in}"
        return
    counted = sum(each.is_counted for each in slot.facts.seen)
    yield f"{counted} of {len(slot.facts.seen)} workouts count"
    if slot.facts.layoff is not None:
        yield f"not done for {slot.facts.layoff.weeks} weeks"
    yield slot.facts.stall.reason if slot.facts.stall else "no stall"
    if slot.trend is not None:
        yield _trend_text(slot.trend)
    for bounds in slot.facts.bounds:
        yield from (f"not believed: {doubt}" for doubt in bounds.doubts)


def _trend_text(trend: LiftTrend) -> str:
    if trend.slope_pct is None or trend.lower_pct is None or trend.upper_pct is None:
        return "trend as the marts have it now: too few workouts"
    return (
        f"trend as the marts have it now: {trend.slope_pct:+.2f} % a workout "
        f"({trend.lower_pct:+.2f} to {trend.upper_pct:+.2f}) over {trend.exposure_count}, "
        f"{(trend.verdict or 'insufficient').replace('_', ' ')}"
    )


def _decided_texts(slot: SlotPrescription) -> Iterator[str]:
    yield f"rule {slot.rule} ({', '.join(slot.reason_codes)})"
    yield slot.reason
    for each in slot.adjustments:
        yield f"adjusted by {each.rule}: {each.text}"
    if slot.limits:
        yield f"held back by {', '.join(slot.limits)}"


def _bounds(slot: SlotChain) -> Sequence[Bounds]:
    found = () if slot.facts is None else slot.facts.bounds
    return [each for each in found if each.done_kg is not None and each.highest_kg is not None]


def _bound_texts(bounds: Bounds, slot: SlotChain, unit: Unit) -> Iterator[str]:
    def told(load_kg: float | None) -> str:
        return format_set_load(abs(load_kg or 0.0), slot.prescription.exercise_type, unit)

    sets = f"sets {', '.join(map(str, bounds.sets))}: " if len(_bounds(slot)) > 1 else ""
    if bounds.shown_reps is not None:
        how = f"what was shown to be possible for {bounds.shown_reps} reps"
    else:
        how = f"{number(bounds.jump_pct or 0)} % or one step above"
    done = f"{sets}{told(bounds.done_kg)} done, at most {told(bounds.highest_kg)} now"
    yield f"{done} ({how})"
    rack = [number(abs(in_unit(load, unit))) for load in bounds.rack_kg]
    if len(rack) > _MOST_LOADS:
        rack = [*rack[: _MOST_LOADS // 2], "…", *rack[-_MOST_LOADS // 2 :]]
    yield f"your gym has {', '.join(rack)} {unit}"


def _load_texts(slot: SlotChain, unit: Unit) -> Iterator[str]:
    if not slot.prescription.sets:
        yield "left out this time"
    kind = slot.prescription.exercise_type
    pairs = zip(slot.prescription.sets, slot.plates, strict=True)
    shown = (
        (set_mark(each.set_type), target_text(each, unit, kind), plates) for each, plates in pairs
    )
    for (mark, target, plates), group in groupby(shown):
        text = f"{mark} {times(target, sum(1 for _ in group))}".strip()
        yield text if plates is None else f"{text}  ({plates})"


def _publication_lines(chain: Chain, timezone: str) -> Iterator[str]:
    if not chain.publications:
        yield state_text(None)
    for each in chain.publications:
        at = each.finished_at or each.effective_at or each.staged_at
        words = state_text(each.state)
        yield f"{each.publication_id}, {_moment(at, timezone)}: {each.state}"
        yield f"  {words}" if each.detail is None else f"  {each.detail}"


def _moment(at: datetime, timezone: str) -> str:
    return at.astimezone(ZoneInfo(timezone)).strftime("%Y-%m-%d %H:%M")


def _print(console: Console, text: str, indent: int, style: str = "") -> None:
    console.print(Padding(Text(text, style=style), (0, 0, 0, indent)), highlight=False)
