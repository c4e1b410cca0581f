"""Replay: rebuild a decision from its stored input, and compare it byte for byte.

The engine runs first; then guardrails, a model's answer, plan, sets and requests are rebuilt.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Literal

import duckdb
from pydantic import ValidationError

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.domain.plan import Plan
from coach_agent.domain.units import Unit
from coach_agent.domain.values import Value
from coach_agent.engine.engine import EngineInput, prescribe
from coach_agent.verification.chain import (
    Part,
    StoredChain,
    damaged_parts,
    is_sealed,
    other_version,
    read_stored_chain,
)
from coach_agent.verification.rebuilding import rebuilt_parts

Verdict = Literal["equal", "same_plan", "differs", "other_rules", "damaged", "unreadable"]

LATEST = "latest"


class DamagedDecisionError(Exception):
    """The rows of a decision are damaged and cannot be parsed; the message names the table."""


class UnknownDecisionError(Exception):
    """A requested decision that the journal does not have."""


@dataclass(frozen=True)
class JournaledDecision:
    """A stored decision with its plan; times are UTC.

    `output_json` is the engine's answer, None for a decision from before it was stored, and so are
    the profile's hash and text. `plan` is the plan for the routine, `stored` has all rows of the
    decision.
    """

    decision_id: str
    plan_id: str
    athlete_id: str
    decided_at: datetime
    run_id: str
    decided_by: str
    rule_version: str
    input_sha256: str
    input_json: str
    output_sha256: str
    output_json: str | None
    profile_sha256: str | None
    profile_json: str | None
    prompt_version: str | None
    model: str | None
    seed: int | None
    plan: Plan
    stored: StoredChain | None = None

    @property
    def unit(self) -> Unit:
        """The unit of the gym's load labels."""
        return self.plan.load_unit

    @property
    def engine_plan(self) -> Plan:
        """The engine's plan; the fallback, if it was not stored, is the plan for the routine."""
        return self.plan if self.output_json is None else Plan.model_validate_json(self.output_json)

    @property
    def engine_input(self) -> EngineInput:
        """Parse the input of the engine.

        Raises:
            pydantic.ValidationError: its schema is unknown to this code.
        """
        return EngineInput.model_validate_json(self.input_json)


class Difference(Value):
    """A field that differs from the decision; without an exercise it belongs to the whole plan.

    `exercise` and `set` count from 1. Values are as in the plan's JSON, null is "no target".
    """

    exercise: int | None = None
    exercise_title: str | None = None
    set: int | None = None
    field: str
    decided: Any = None
    replayed: Any = None


class Replay(Value):
    """The result of running the engine again.

    `equal`: the same bytes. `same_plan`: the same plan with additional empty fields of this
    version. `differs`: another plan by the same rules, a fault. `other_rules`: the rules changed
    since, so the results are not comparable. `damaged`: stored content does not match its hash.
    `unreadable`: the schema of input or answer is unknown to this code. `problem` has the details
    of the last two.

    `parts` are those of the chain after the engine: a damaged or differing one determines the
    verdict, an `unverified` one does not.

    `differences` is empty, and both plans of the engine are null, if its answer was not compared.
    """

    decision_id: str
    athlete_id: str
    routine_title: str
    decided_at: datetime
    verdict: Verdict
    rule_version: str
    current_rule_version: str
    input_sha256: str
    output_sha256: str
    replayed_sha256: str | None = None
    output_bytes: int | None = None
    problem: str | None = None
    parts: tuple[Part, ...] = ()
    differences: tuple[Difference, ...] = ()
    decided: Plan | None = None
    replayed: Plan | None = None


def replay(decided: JournaledDecision, *, with_current_rules: bool = False) -> Replay:
    """Run the engine again on the stored input.

    If the rules changed since, nothing is compared by default. `with_current_rules` returns the
    differences to the current rules' plan, and the verdict stays `other_rules`.
    """
    about = {
        "decision_id": decided.decision_id,
        "athlete_id": decided.athlete_id,
        "routine_title": decided.plan.routine_title,
        "decided_at": decided.decided_at,
        "rule_version": decided.rule_version,
        "current_rule_version": rule_version(),
        "input_sha256": decided.input_sha256,
        "output_sha256": decided.output_sha256,
    }
    if problem := _damage(decided):
        return Replay(**about, verdict="damaged", problem=problem)
    if damaged := () if decided.stored is None else tuple(damaged_parts(decided.stored)):
        return Replay(**about, verdict="damaged", problem=_problem(damaged[0]), parts=damaged)
    is_current = decided.rule_version == rule_version()
    if not is_current and not with_current_rules:
        return Replay(**about, verdict="other_rules")
    try:
        answer, engine_plan = prescribe(decided.engine_input), decided.engine_plan
    except ValidationError as error:
        return Replay(**about, verdict="unreadable", problem=other_version(error))
    replayed = answer.to_json()
    about |= {
        "decided": engine_plan,
        "replayed": answer,
        "replayed_sha256": _sha256(replayed),
        "output_bytes": len(replayed),
    }
    is_equal = _sha256(replayed) == decided.output_sha256
    found = tuple(
        _differences(_original_answer(engine_plan, decided), answer.model_dump(mode="json"))
    )
    if not is_current:
        return Replay(**about, verdict="equal" if is_equal else "other_rules", differences=found)
    if found:
        return Replay(**about, verdict="differs", differences=found)
    about["parts"] = parts = _rebuilt_parts(decided)
    if different := [part for part in parts if part.state == "differs"]:
        return Replay(**about, verdict="differs", problem=_problem(different[0]))
    return Replay(**about, verdict="equal" if is_equal else "same_plan")


def read_decision(
    con: duckdb.DuckDBPyConnection, decision_id: str, athlete_id: str | None = None
) -> JournaledDecision:
    """Return a decision by its own id or its plan's id, of any athlete by default.

    "latest" is the active one, otherwise the last decision.

    Raises:
        UnknownDecisionError: there is none.
        DamagedDecisionError: its plan cannot be parsed, and does not match its hash.
        pydantic.ValidationError: the schema of its plan is unknown to this code.
    """
    rows: list[tuple[Any, ...]] = con.execute(
        """
        select
            decisions.decision_id, plans.plan_id, decisions.athlete_id, decisions.decided_at,
            decisions.run_id, plans.decided_by, decisions.rule_version, decisions.input_sha256,
            decisions.input, decisions.output_sha256, decisions.output, decisions.profile_sha256,
            decisions.profile, decisions.prompt_version, decisions.model, decisions.seed, plans.plan
        from coach.decisions as decisions
        inner join coach.plans as plans on decisions.decision_id = plans.decision_id
        left join coach.current_plans as current_plans on plans.plan_id = current_plans.plan_id
        where
            ($1 is null or decisions.athlete_id = $1)
            and ($2 = $3 or $2 in (decisions.decision_id, plans.plan_id))
        order by
            current_plans.plan_id is not null desc,
            decisions.decided_at desc,
            decisions.decision_id
        limit 1
        """,
        [athlete_id, decision_id, LATEST],
    ).fetchall()
    if not rows:
        which = "no decision yet" if decision_id == LATEST else f"no decision '{decision_id}'"
        whose = "" if athlete_id is None else f" of '{athlete_id}'"
        raise UnknownDecisionError(
            f"There is {which}{whose}. `spotter replay latest` takes the active "
            "one; ids are in coach.decisions and `spotter plan show --json`."
        )
    first = rows[0][:-1]
    names = list(JournaledDecision.__dataclass_fields__)[: len(first)]
    values = dict(zip(names, first, strict=True))
    values["decided_at"] = values["decided_at"].replace(tzinfo=UTC)
    stored = read_stored_chain(con, values["decision_id"], values["plan_id"])
    try:
        plan = Plan.model_validate_json(rows[0][-1])
    except ValidationError as error:
        if stored.record is None or is_sealed(stored):
            raise
        raise DamagedDecisionError(
            f"The plan of {values['decision_id']} in coach.plans cannot be read and does not have "
            "the hash that was stored with it. Restore a backup: spotter restore FILE --replace"
        ) from error
    return JournaledDecision(**values, plan=plan, stored=stored)


def _rebuilt_parts(decided: JournaledDecision) -> tuple[Part, ...]:
    if decided.stored is None:
        return ()
    racks = decided.engine_input.rules.guessed_racks
    return tuple(rebuilt_parts(decided.stored, decided.profile_json, racks))


def _problem(part: Part) -> str:
    return f"{part.name}: {part.detail}."


def _damage(decided: JournaledDecision) -> str | None:
    """Describe the first stored part that does not match its hash, if any."""
    kept = {
        "input": (decided.input_json, decided.input_sha256),
        "output": (decided.output_json, decided.output_sha256),
        "profile": (decided.profile_json, decided.profile_sha256),
    }
    for name, (text, expected) in kept.items():
        if text is not None and _sha256(text.encode()) != expected:
            return f"The {name} in coach.decisions does not match its stored hash."
    return None


def _original_answer(engine_plan: Plan, decided: JournaledDecision) -> dict[str, Any]:
    """Return the engine's original answer as plain values, with the current fields of plans.

    For a decision without a stored answer, it is the plan without the fields from Hevy's routine.
    """
    values = engine_plan.model_dump(mode="json")
    if decided.output_json is None:
        for slot in values["slots"]:
            slot.update(types_in_hevy=None, replaces_ranges=False, notes=None)
    return values


def _differences(decided: Mapping[str, Any], replayed: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare field by field: those of the plan, then of each exercise, each of its sets after
    it.
    """
    for field, before, after in _unequal(decided, replayed, {"slots", "rule_version"}):
        yield Difference(field=field, decided=before, replayed=after)
    pairs = zip_longest(decided["slots"], replayed["slots"])
    for number, (before, after) in enumerate(pairs, start=1):
        title = (before or after)["exercise_title"]
        where = {"exercise": number, "exercise_title": title}
        if before is None or after is None:
            yield Difference(
                **where,
                field="exercise",
                decided=before and before["exercise_title"],
                replayed=after and after["exercise_title"],
            )
            continue
        for field, was, would_be in _unequal(before, after, {"sets"}):
            yield Difference(**where, field=field, decided=was, replayed=would_be)
        sets = zip_longest(before["sets"], after["sets"])
        for place, (one, other) in enumerate(sets, start=1):
            for field, was, would_be in _unequal(one or {}, other or {}, set()):
                yield Difference(**where, set=place, field=field, decided=was, replayed=would_be)


def _unequal(
    one: Mapping[str, Any], other: Mapping[str, Any], without: set[str]
) -> Iterator[tuple[str, Any, Any]]:
    for name in dict.fromkeys([*one, *other]):
        if name not in without and one.get(name) != other.get(name):
            yield name, one.get(name), other.get(name)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
