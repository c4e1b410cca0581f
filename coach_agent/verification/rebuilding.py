"""Rebuild the parts of a decision's chain by the current rules, and compare them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import ValidationError

from coach_agent.engine.engine import EngineInput
from coach_agent.journal.plan_record import (
    plan_row,
    set_rows,
)
from coach_agent.journal.publications import publication_row
from coach_agent.llm.plan_answer import AnswerError, with_stored_texts
from coach_agent.llm.planner import rebuilt
from coach_agent.llm.text_policy import text_policy
from coach_agent.planning.decide import decide
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.equipment import Rack
from coach_agent.profile.model import ProfileError
from coach_agent.publishing.publisher import rebuilt_request
from coach_agent.publishing.rebase import RebaseConflictError
from coach_agent.publishing.routine_changes import StructureConflictError, first_difference
from coach_agent.situation.situation import Situation
from coach_agent.store.sealed_rows import Row
from coach_agent.verification.chain import (
    IDENTIFYING,
    Part,
    StoredChain,
    answered_of,
    other_version,
    parse_recorded_profile,
    publication_name,
    same_rows,
    text_policy_of,
)

_BEFORE = "it is older than stored situations"


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


def _rebuilt_plan(
    stored: StoredChain, record: Row, profile_json: str, guessed_racks: Sequence[Rack]
) -> Iterator[Part]:
    try:
        situation = Situation.model_validate_json(record["situation"])
        profile = parse_recorded_profile(profile_json, guessed_racks)
        decision = decide(situation, profile, stored.engine_input.language)
        if decision is not None and stored.is_models and stored.answer is not None:
            answered = answered_of(stored.answer)
            decision = rebuilt(situation, profile, decision, record["wishes"], answered)
            if decision is None:
                detail = "the model was asked by another version of the prompt"
                yield Part(name="answer", state="unverified", detail=detail)
                yield Part(name="plan", state="unverified", detail=detail)
                return
            yield Part(name="answer", state="equal")
            if text_policy_of(stored) != text_policy():
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
    rebuilt_row = {**plan_row(decision), **{name: stored.plan[name] for name in IDENTIFYING}}
    if stored.stored_plan == decision.plan:
        rebuilt_row["plan"] = stored.plan["plan"]
    yield _compare("plan", [stored.plan], [rebuilt_row])
    yield _compare("sets", stored.sets, set_rows(stored.plan["plan_id"], decision.plan))


def _rebuilt_publication(row: Row, stored: StoredChain) -> Iterator[Part]:
    name = publication_name(row)
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
    if same_rows(stored, rebuilt):
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
