"""Audit: rebuild a decision's input from the tables as of the decision."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Literal

import duckdb
from pydantic import ValidationError

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.domain.values import Value
from coach_agent.planning.decide import decide
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.model import ProfileError
from coach_agent.situation.situation import read_situation
from coach_agent.verification.chain import other_version, parse_recorded_profile
from coach_agent.verification.replay import JournaledDecision

AuditVerdict = Literal["equal", "differs", "other_rules", "unreadable"]


class InputDifference(Value):
    """A field of the input that differs in the tables; `place` is its path, like `a.b[0].c`.

    A missing field is also null.
    """

    place: str
    decided: Any = None
    seen: Any = None


class Audit(Value):
    """The result of rebuilding the input.

    `equal`: the same bytes. `differs`: the historical tables have other values, a fault.
    `other_rules`: the rules changed, and their input with them. `unreadable`: the schema of
    historical tables or profile is unknown to this code; `problem` has the details.
    """

    decision_id: str
    athlete_id: str
    snapshot: int
    verdict: AuditVerdict
    input_sha256: str
    seen_sha256: str | None = None
    problem: str | None = None
    differences: tuple[InputDifference, ...] = ()


def audit(con: duckdb.DuckDBPyConnection, decided: JournaledDecision, *, snapshot: int) -> Audit:
    """Read the athlete's situation from `con`, which only has `snapshot`, and decide again."""
    about = {
        "decision_id": decided.decision_id,
        "athlete_id": decided.athlete_id,
        "snapshot": snapshot,
        "input_sha256": decided.input_sha256,
    }
    if decided.rule_version != rule_version():
        return Audit(**about, verdict="other_rules")
    if decided.profile_json is None:
        return Audit(**about, verdict="unreadable", problem="Its profile was not stored.")
    try:
        profile = parse_recorded_profile(
            decided.profile_json, decided.engine_input.rules.guessed_racks
        )
        situation = read_situation(con, profile.id, profile.timezone, decided.decided_at)
        seen = decide(situation, profile, decided.engine_input.language)
    except ValidationError as error:
        return Audit(**about, verdict="unreadable", problem=other_version(error))
    except (duckdb.BinderException, duckdb.CatalogException) as error:
        return Audit(**about, verdict="unreadable", problem=_first_line(error))
    except (GuardrailError, ProfileError) as error:
        return Audit(**about, verdict="differs", problem=_first_line(error))
    if seen is None:
        return Audit(
            **about, verdict="differs", problem="By these tables there is nothing to plan."
        )
    if seen.input_sha256 == decided.input_sha256:
        return Audit(**about, verdict="equal", seen_sha256=seen.input_sha256)
    found = _differences(json.loads(decided.input_json), json.loads(seen.input_json))
    return Audit(
        **about, verdict="differs", seen_sha256=seen.input_sha256, differences=tuple(found)
    )


def _differences(decided: Any, seen: Any, place: str = "") -> Iterator[InputDifference]:
    if isinstance(decided, dict) and isinstance(seen, dict):
        for name in dict.fromkeys([*decided, *seen]):
            inner = f"{place}.{name}" if place else name
            yield from _differences(decided.get(name), seen.get(name), inner)
    elif isinstance(decided, list) and isinstance(seen, list):
        for index, (one, other) in enumerate(zip_longest(decided, seen)):
            yield from _differences(one, other, f"{place}[{index}]")
    elif decided != seen:
        yield InputDifference(place=place, decided=decided, seen=seen)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
