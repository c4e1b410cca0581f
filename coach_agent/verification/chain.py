"""Verification of a decision's chain: input, engine, answer, plan, sets, and requests.

Each part has a hash, and each is rebuilt from the parts before it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    plan_row,
    set_rows,
    stored_rows,
)
from coach_agent.journal.publications import (
    payload_sha256,
    publication_row,
    publication_sha256,
    stored_events,
)
from coach_agent.llm.answers import Answered, answer_sha256
from coach_agent.llm.plan_answer import AnswerError, with_stored_texts
from coach_agent.llm.planner import answer_identity, rebuilt
from coach_agent.llm.text_policy import FIRST, text_policy
from coach_agent.planning.decide import decide, decision_identity
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.equipment import RACK_KEYS, Rack
from coach_agent.profile.model import AthleteProfile, ProfileError
from coach_agent.publishing.publisher import rebuilt_request
from coach_agent.publishing.rebase import RebaseConflictError
from coach_agent.publishing.routine_changes import StructureConflictError, first_difference
from coach_agent.situation.situation import Situation
from coach_agent.store.schema import PAYLOADS_SEALED, SEALED
from coach_agent.store.sealed_rows import Row, rows_of

PartState = Literal["equal", "damaged", "differs", "unverified"]

_BEFORE = "it is older than stored situations"


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
                _publication(row),
                "coach.publications and coach.publication_events do not have the hash that was "
                "stored with them",
            )
        expected = payload_sha256(row)
        # A later step of an old row adds no hash of its payload.
        if not _has_hash(
            row["payload_sha256"], expected, stored, PAYLOADS_SEALED, row["staged_at"]
        ):
            yield _damaged(
                _publication(row), "coach.publications does not have the hash of its payload"
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


def rebuilt_parts(
    stored: StoredChain, profile_json: str | None, guessed_racks: Sequence[Rack]
) -> Iterator[Part]:
    """Rebuild an undamaged chain by the current rules, and yield each part's result."""
    if stored.record is None or profile_json is None:
        yield Part(name="guardrails", state="unverified", detail=_BEFORE)
        yield Part(
            name="plan",
            state="unverified",
            detail=f"{_BEFORE}; "
            + ("nothing was compared" if stored.is_models else "it matches the engine's answer"),
        )
    else:
        yield from _rebuilt_plan(stored, stored.record, profile_json, guessed_racks)
    for row in stored.publications:
        if row["kind"] in {None, "plan"}:
            yield from _rebuilt_publication(row, stored)


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
        policy = _text_policy(stored)
        if policy is None:
            return  # the ids depend on it; the hash of the plan is verified below
        name, identity = "answer", answer_identity(engines, _answered(stored.answer), policy)
        of_answer = (stored.answer["decided_by"], stored.answer["prompt_version"])
        if of_answer != (decision["model"], decision["prompt_version"]):
            yield _damaged("answer", "model or prompt in coach.decisions are not the answer's")
        if stored.answer["engine_decision_id"] != engines:
            yield _damaged("answer", "it is not about the engine's decision")
    if (decision["decision_id"], plan["plan_id"]) != (f"dec_{identity}", f"plan_{identity}"):
        yield _damaged(name, "the decision has another id than its content gives")


def _text_policy(stored: StoredChain) -> str | None:
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
    if not _same_rows(stored.sets, expected):
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


def _rebuilt_plan(
    stored: StoredChain, record: Row, profile_json: str, guessed_racks: Sequence[Rack]
) -> Iterator[Part]:
    try:
        situation = Situation.model_validate_json(record["situation"])
        profile = parse_recorded_profile(profile_json, guessed_racks)
        decision = decide(situation, profile, stored.engine_input.language)
        if decision is not None and stored.is_models and stored.answer is not None:
            answered = _answered(stored.answer)
            decision = rebuilt(situation, profile, decision, record["wishes"], answered)
            if decision is None:
                detail = "the model was asked by another version of the prompt"
                yield Part(name="answer", state="unverified", detail=detail)
                yield Part(name="plan", state="unverified", detail=detail)
                return
            yield Part(name="answer", state="equal")
            if _text_policy(stored) != text_policy():
                detail = "the texts were rendered by another version of the rules"
                yield Part(name="text", state="unverified", detail=detail)
                plan = with_stored_texts(decision.plan, stored.stored_plan)
                decision = replace(decision, plan=plan)
    except ValidationError as error:
        yield Part(name="plan", state="unverified", detail=other_version(error))
        return
    except (GuardrailError, AnswerError, ProfileError) as error:
        problem = str(error).splitlines()[0]
        yield Part(name="guardrails", state="differs", detail=f"they stop it now: {problem}")
        return
    yield Part(name="guardrails", state="equal")
    if decision is None:
        yield Part(name="plan", state="differs", detail="nothing is planned in this situation now")
        return
    # Another version may write additional fields, so values are compared.
    given = (EngineInput.model_validate_json(decision.input_json), decision.rule_version)
    if given != (stored.engine_input, stored.decision["rule_version"]):
        yield Part(name="input", state="differs", detail="the situation gives another input")
    rebuilt_row = {**plan_row(decision), **{name: stored.plan[name] for name in _NAMES}}
    if stored.stored_plan == decision.plan:
        rebuilt_row["plan"] = stored.plan["plan"]
    yield _compare("plan", [stored.plan], [rebuilt_row])
    yield _compare("sets", stored.sets, set_rows(stored.plan["plan_id"], decision.plan))


# They follow from bytes, and are compared with those.
_NAMES = ("plan_id", "decision_id")
_IDS = frozenset({*_NAMES, "athlete_id", "routine_id"})


def _rebuilt_publication(row: Row, stored: StoredChain) -> Iterator[Part]:
    name = _publication(row)
    if row["request"] is None:
        return
    if row["payload_sha256"] is None or row["made_from"] is None or stored.record is None:
        detail = "it was recorded before payloads had a hash"
        yield Part(name=name, state="unverified", detail=detail)
        return
    if row["staged_at"] < stored.record["recorded_at"]:
        detail = "the plan was brought up to date after it"
        yield Part(name=name, state="unverified", detail=detail)
        return
    try:
        publication = publication_row(row)
        request = rebuilt_request(publication, stored.stored_plan)
    except ValidationError as error:
        yield Part(name=name, state="unverified", detail=other_version(error))
        return
    except (StructureConflictError, RebaseConflictError) as error:
        yield Part(name=name, state="differs", detail=str(error))
        return
    if request is None or publication.request is None:
        return
    difference = first_difference(request, publication.request)
    if difference is None:
        yield Part(name=name, state="equal")
    else:
        yield Part(
            name=name, state="differs", detail=f"the plan gives another request: {difference}"
        )


def _compare(name: str, stored: Sequence[Row], rebuilt: Sequence[Row]) -> Part:
    if _same_rows(stored, rebuilt):
        return Part(name=name, state="equal")
    if len(stored) != len(rebuilt):
        return Part(name=name, state="differs", detail=f"{len(rebuilt)} rows, not {len(stored)}")
    columns = sorted(
        {
            column
            for one, other in zip(stored, rebuilt, strict=True)
            for column in other
            if column in one and one[column] != other[column]
        }
    )
    return Part(name=name, state="differs", detail=f"made again, {', '.join(columns)} differ")


def _same_rows(stored: Sequence[Row], rebuilt: Sequence[Row]) -> bool:
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


def _answered(row: Row) -> Answered:
    return Answered(row["answer"], row["decided_by"], row["prompt_version"], row["prompt_sha256"])


def _damaged(name: str, detail: str) -> Part:
    return Part(name=name, state="damaged", detail=detail)


def _publication(row: Row) -> str:
    return f"publication {row['publication_id']}"
