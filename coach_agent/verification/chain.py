"""The stored chain of a decision: input, engine, answer, plan, sets, and requests.

Each part has a hash, and each is rebuilt from the parts before it (`rebuilding.py`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

import duckdb
from pydantic import ValidationError

from coach_agent.domain.plan import Plan
from coach_agent.domain.units import Unit
from coach_agent.domain.values import Value
from coach_agent.engine.engine import EngineInput
from coach_agent.journal.plan_record import (
    has_seal,
    set_rows,
    stored_rows,
)
from coach_agent.journal.publications import (
    payload_sha256,
    publication_sha256,
    stored_events,
)
from coach_agent.llm.answers import Answered, answer_sha256
from coach_agent.llm.planner import answer_identity
from coach_agent.llm.text_policy import FIRST
from coach_agent.planning.decide import decision_identity
from coach_agent.profile.equipment import RACK_KEYS, Rack
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.schema import PAYLOADS_SEALED, SEALED
from coach_agent.store.sealed_rows import Row, rows_of

PartState = Literal["equal", "damaged", "differs", "unverified"]

# They follow from bytes, and are compared with those.
IDENTIFYING = ("plan_id", "decision_id")
_IDS = frozenset({*IDENTIFYING, "athlete_id", "routine_id"})


class Part(Value):
    """A part of the chain and the result of its verification.

    `equal`: rebuilt with the same content. `damaged`: it does not match its own hash, or
    contradicts another part. `differs`: intact, but this code builds another one from the same
    parts, a fault. `unverified`: its inputs were not stored, or another version of the code built
    it.
    """

    name: str
    state: PartState
    detail: str = ""


@dataclass(frozen=True)
class StoredChain:
    """The stored rows of a decision, by column name.

    `engines` is the engine's decision that a model chose from, `answer` that model's answer.
    `publications` are those of the plan and rollbacks to it, oldest first, `events` the steps of
    each. `migrated_at` has the time of each migration of the warehouse.
    """

    decision: Row
    plan: Row
    sets: tuple[Row, ...]
    record: Row | None
    answer: Row | None
    publications: tuple[Row, ...]
    events: tuple[tuple[Row, ...], ...]
    migrated_at: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def is_models(self) -> bool:
        """Return whether a language model chose the plan."""
        return self.decision["model"] is not None

    @property
    def engine_input(self) -> EngineInput:
        """Parse the input of the engine.

        Raises:
            pydantic.ValidationError: its schema is unknown to this code.
        """
        return EngineInput.model_validate_json(self.decision["input"])

    @property
    def stored_plan(self) -> Plan:
        """Parse the stored plan.

        Raises:
            pydantic.ValidationError: its schema is unknown to this code.
        """
        return Plan.model_validate_json(self.plan["plan"])


def read_stored_chain(
    con: duckdb.DuckDBPyConnection, decision_id: str, plan_id: str
) -> StoredChain:
    """Return the rows of an existing decision and its plan."""
    decision, plan, sets = stored_rows(con, decision_id, plan_id)
    # Each is found by either of its keys, so that a changed one does not hide it.
    records = rows_of(
        con,
        "coach.plan_records where $1 in (plan_id, decision_id) "
        "or decision_id = (select decision_id from coach.plans where plan_id = $1)",
        plan_id,
    )
    answers = rows_of(con, "coach.llm_answers where decision_id = $1", decision_id)
    publications = rows_of(
        con,
        "coach.publications where plan_id = $1 "
        "or starts_with(publication_id, 'pub_' || substr($1, 6) || '_') "
        "order by publication_number",
        plan_id,
    )
    return StoredChain(
        decision=decision,
        plan=plan,
        sets=tuple(sets),
        record=next(iter(records), None),
        answer=next(iter(answers), None),
        publications=tuple(publications),
        events=tuple(tuple(stored_events(con, row["publication_id"])) for row in publications),
        migrated_at=_migrations(con),
    )


def _migrations(con: duckdb.DuckDBPyConnection) -> dict[str, datetime]:
    """By name the times of the warehouse's migrations, UTC; empty in a warehouse without them."""
    try:
        rows: list[tuple[str, datetime]] = con.execute(
            "select name, applied_at from meta.migrations"
        ).fetchall()
    except duckdb.CatalogException:
        return {}
    return dict(rows)


def is_sealed(stored: StoredChain) -> bool:
    """Return whether plan, sets and their record have the hash that was stored with them."""
    record = stored.record
    return record is not None and has_seal(record, stored.decision, stored.plan, stored.sets)


def damaged_parts(stored: StoredChain) -> Iterator[Part]:
    """Find parts that lack their own hash or contradict another part, without any rules."""
    record = stored.record
    if record is not None:
        yield from _identity(stored, record)
        if not is_sealed(stored):
            yield _damaged(
                "plan",
                "coach.plans, coach.plan_sets, coach.decisions and coach.plan_records do not "
                "have the hash that was stored with them",
            )
    else:
        if _is_since(stored, PAYLOADS_SEALED, stored.plan["created_at"]):
            yield _damaged("plan", "its row in coach.plan_records is missing")
        yield from _inner_contradictions(stored)
    answer = stored.answer
    if answer is not None and not _has_hash(
        answer["sha256"], answer_sha256(answer), stored, SEALED, answer["answered_at"]
    ):
        yield _damaged("answer", "coach.llm_answers does not have the hash that was stored with it")
    for row, events in zip(stored.publications, stored.events, strict=True):
        latest = max([row["staged_at"], *(event["happened_at"] for event in events)])
        expected = publication_sha256(row, events)
        if not _has_hash(row["sha256"], expected, stored, SEALED, latest):
            yield _damaged(
                publication_name(row),
                "coach.publications and coach.publication_events do not have the hash that was "
                "stored with them",
            )
        expected = payload_sha256(row)
        # A later step of an old row adds no hash of its payload.
        if not _has_hash(
            row["payload_sha256"], expected, stored, PAYLOADS_SEALED, row["staged_at"]
        ):
            yield _damaged(
                publication_name(row), "coach.publications does not have the hash of its payload"
            )


def _has_hash(
    found: str | None, expected: str, stored: StoredChain, migration: str, written_at: datetime
) -> bool:
    """Return whether a row has its hash; only a row from before the migration may have none."""
    if found is not None:
        return found == expected
    return not _is_since(stored, migration, written_at)


def _is_since(stored: StoredChain, migration: str, written_at: datetime) -> bool:
    """Return whether a row was written after a migration that the warehouse records."""
    since = stored.migrated_at.get(migration)
    return since is not None and written_at >= since


def parse_recorded_profile(profile_json: str, guessed_racks: Sequence[Rack]) -> AthleteProfile:
    """Parse the decision-relevant profile.

    A rack that the file did not describe is stored with its default; the default is removed again.
    """
    recorded = json.loads(profile_json)
    guessed = {f"{RACK_KEYS[rack]}_{unit}" for rack in guessed_racks for unit in get_args(Unit)}
    places = recorded.get("places") or {}
    for table in filter(None, (recorded.get("equipment"), *places.values())):
        for key in guessed & table.keys():
            del table[key]
    return AthleteProfile.model_validate_json(json.dumps(recorded))


def stored_situation(stored: StoredChain) -> Situation | None:
    """Parse the situation of a decision; None for one from before situations were stored.

    Raises:
        pydantic.ValidationError: its schema is unknown to this code.
    """
    if stored.record is None:
        return None
    return Situation.model_validate_json(stored.record["situation"])


def other_version(error: ValidationError) -> str:
    """Describe the first problem of a record that today's models reject, and its place."""
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"It was written by another version of the code: {place}: {problem['msg']}."


def _identity(stored: StoredChain, record: Row) -> Iterator[Part]:
    """Check that the ids match the content that they identify."""
    decision, plan = stored.decision, stored.plan
    for row in (decision, record):
        if any(row[name] != plan[name] for name in row.keys() & _IDS):
            yield _damaged("decision", "its ids differ between its tables")
    name = "input"
    identity = decision_identity(decision["input"].encode(), decision["rule_version"])
    engines = f"dec_{identity}"
    if stored.is_models:
        if record["engine_decision_id"] != engines:
            yield _damaged("input", "the engine's decision has another id than its input gives")
        if stored.answer is None:
            yield _damaged("answer", "the answer of the model is not in coach.llm_answers")
            return
        policy = text_policy_of(stored)
        if policy is None:
            return  # the ids depend on it; the hash of the plan is verified below
        name, identity = "answer", answer_identity(engines, answered_of(stored.answer), policy)
        of_answer = (stored.answer["decided_by"], stored.answer["prompt_version"])
        if of_answer != (decision["model"], decision["prompt_version"]):
            yield _damaged("answer", "model or prompt in coach.decisions are not the answer's")
        if stored.answer["engine_decision_id"] != engines:
            yield _damaged("answer", "it is not about the engine's decision")
    if (decision["decision_id"], plan["plan_id"]) != (f"dec_{identity}", f"plan_{identity}"):
        yield _damaged(name, "the decision has another id than its content gives")


def text_policy_of(stored: StoredChain) -> str | None:
    """Return the rules that rendered the texts of the plan; None if the plan cannot be read."""
    try:
        words = stored.stored_plan.words
    except ValidationError:
        return None
    return FIRST if words is None else words.text_policy


def _inner_contradictions(stored: StoredChain) -> Iterator[Part]:
    """Find contradictions in a decision without a record: its rows repeat parts of the plan."""
    row, output = stored.plan, stored.decision["output"]
    try:
        plan = stored.stored_plan
        engine_plan = None if output is None else Plan.model_validate_json(output)
    except ValidationError:
        return  # the replay itself reports it
    repeated = (plan.athlete_id, plan.routine_id, plan.routine_title, plan.decided_by, plan.summary)
    if repeated != tuple(row[name] for name in _REPEATED):
        yield _damaged("plan", "the columns of coach.plans contradict the plan in it")
    if not stored.is_models and engine_plan is not None and not _is_engines(plan, engine_plan):
        yield _damaged("plan", "the plan in coach.plans is not the one that the engine returned")
    # The wording of reasons belongs to the version that wrote it.
    expected = [
        {name: value for name, value in each.items() if name != "reason"}
        for each in set_rows(row["plan_id"], plan)
    ]
    if not same_rows(stored.sets, expected):
        yield _damaged("sets", "coach.plan_sets contradicts the plan in coach.plans")


_REPEATED = ("athlete_id", "routine_id", "routine_title", "decided_by", "summary")


def _is_engines(plan: Plan, engine_plan: Plan) -> bool:
    """Return whether a plan is the engine's except for the parts that Hevy's routine adds."""
    if len(plan.slots) != len(engine_plan.slots):
        return False
    of_hevy = ("types_in_hevy", "replaces_ranges", "notes")
    slots = tuple(
        engines.model_copy(update={name: getattr(slot, name) for name in of_hevy})
        for engines, slot in zip(engine_plan.slots, plan.slots, strict=True)
    )
    update = {"slots": slots, "takes_out": plan.takes_out}
    return engine_plan.model_copy(update=update) == plan


def same_rows(stored: Sequence[Row], rebuilt: Sequence[Row]) -> bool:
    """Compare rows by the columns that are stored; an older version left some empty."""
    return len(stored) == len(rebuilt) and all(
        one[name] == other[name]
        for one, other in zip(stored, rebuilt, strict=True)
        for name in other.keys() & one.keys()
        if one[name] is not None or name not in _LATER
    )


_LATER = frozenset(
    {
        "is_easy",
        "predicted_reps",
        "predicted_reps_low",
        "predicted_reps_high",
        "success_probability",
    }
)


def answered_of(row: Row) -> Answered:
    """Return the stored answer of a model."""
    return Answered(row["answer"], row["decided_by"], row["prompt_version"], row["prompt_sha256"])


def _damaged(name: str, detail: str) -> Part:
    return Part(name=name, state="damaged", detail=detail)


def publication_name(row: Row) -> str:
    """Return the name of the part of the chain that a publication is."""
    return f"publication {row['publication_id']}"
