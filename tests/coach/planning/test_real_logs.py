"""The real training logs, if available: a plan for each past session, as of its day.

See `past_sessions` for the input of a day, and the replacement of a routine.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import pytest

from coach_agent.domain.constants.loads import BODY_KG, LOAD_TOLERANCE
from coach_agent.domain.context import ExposureSet, SlotContext
from coach_agent.domain.plan import SlotPrescription
from coach_agent.engine.engine import EngineInput, prescribe
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import WEIGHTED
from coach_agent.engine.loads.ladder import ladder_for, load_of
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.planning.guardrails import violations
from coach_agent.profile.model import AthleteProfile, Rules
from tests.coach.past_sessions import (
    LOG_FILES,
    LOGS,
    As,
    Done,
    Log,
    PastDay,
    Session,
    evenly,
    past_days,
    sessions_in,
)
from tests.profiles import count, randomized

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")

MOST_SESSIONS = count(quick=4, thorough=120)
"""Of a longer log so many sessions are planned, evenly spread: 120 are, of five logs, 414 of 1,068.
"""

SENTENCES = {"reason", "text", "insight", "action", "suggested_fix", "summary"}


def days(log: Log, kind: As, most: int = MOST_SESSIONS) -> Iterator[PastDay]:
    sessions = sessions_in(log)
    return past_days(sessions, kind, evenly(len(sessions), most))


# In `make test` each log but the first, the longest, has one kind of routines, in turn.
logs_and_kinds = pytest.mark.parametrize(
    ("log", "kind"),
    [
        pytest.param(
            log,
            kind,
            id=f"{log.name}-{kind}",
            marks=() if place and place % 2 == turn else pytest.mark.long,
        )
        for place, log in enumerate(LOG_FILES)
        for turn, kind in enumerate(get_args(As))
    ],
)


@randomized
@logs_and_kinds
def test_every_past_session_gets_a_sound_plan(log: Log, kind: As) -> None:
    planned = 0
    for day in days(log, kind):
        profile = day.profile(log.unit)
        decision = decide(day.situation, profile)
        if decision is None:
            assert not day.situation.routines, day.session.started_at
            continue
        planned += 1
        problems = problems_of(decision, day, profile)
        assert problems == [], f"{day.session.started_at:%Y-%m-%d}"
    assert planned >= min(len(sessions_in(log)), MOST_SESSIONS) - 1


def problems_of(decision: Decision, day: PastDay, profile: AthleteProfile) -> list[str]:
    """Describe the violations of a plan."""
    plan = decision.plan
    routine = next(each for each in day.situation.routines if each.routine_id == plan.routine_id)
    content = json.loads(plan.to_json())
    found = [each.message for each in violations(plan, routine, profile)]
    found += [f"no number: {number}" for number in numbers(content) if not math.isfinite(number)]
    found += [
        f"speaks of RPE: {text}" for text in sentences(content) if re.search(r"\brpe\b", text, re.I)
    ]
    rules = profile.rules_for(slot.exercise_title for slot in routine.slots)
    for prescribed, slot in zip(plan.slots, routine.slots, strict=True):
        if not prescribed.reason.strip() or not prescribed.reason_codes:
            found.append(f"{slot.exercise_title}: no reason")
        if prescribed.rpe_cap is not None:
            found.append(f"{slot.exercise_title}: an RPE where none is noted")
        found += over_cap(prescribed, slot, rules)
    return found


def over_cap(prescribed: SlotPrescription, slot: SlotContext, rules: Rules) -> list[str]:
    """Yield working loads above the recent best by more than the cap and one real step.

    Sets unchanged from the routine were not decided and are excluded.
    """
    kept = {each.weight_kg for each in slot.planned_sets}
    done = [
        load_of(slot.exercise_type, each.weight_kg)
        for exposure in slot.exposures
        for each in exposure.sets
    ]
    loads = [each for each in done if each is not None]
    found = []
    for target in prescribed.sets:
        load = load_of(slot.exercise_type, target.weight_kg)
        if target.set_type not in WORKING_TYPES or load is None or target.weight_kg in kept:
            continue
        # Without any load so far the first one that there is may be hung on.
        best = max(loads, default=0.0)
        # Logged kilograms and the gym's pounds differ by grams.
        above = ladder_for(slot, rules, through_kg=best).loads.next_above(
            best + LOAD_TOLERANCE.value
        )
        # With an added load the body is moved, too.
        moved = abs(best) + (BODY_KG.value if slot.exercise_type == WEIGHTED else 0.0)
        capped = best + moved * rules.limits.jump_pct / 100
        if load > max(capped, best if above is None else above) + 1e-6:
            found.append(f"{slot.exercise_title}: {load:g} kg after {best:g} kg")
    return found


def numbers(content: Any) -> Iterator[float]:
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        for each in content:
            yield from numbers(each)
    elif isinstance(content, float | int):
        yield content


def sentences(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        for name, value in content.items():
            if name in SENTENCES and isinstance(value, str):
                yield value
            yield from sentences(value)
    elif isinstance(content, list):
        for each in content:
            yield from sentences(each)


@pytest.mark.parametrize("log", LOG_FILES, ids=lambda log: log.name)
def test_no_log_rates_a_set(log: Log) -> None:
    """The tests on texts without RPE rest on this."""
    sets = [each for session in sessions_in(log) for done in session.done for each in done.sets]
    assert sets
    assert all(each.rpe is None for each in sets)


@randomized
@logs_and_kinds
def test_what_came_later_changes_nothing(log: Log, kind: As) -> None:
    """Sessions from the day itself on become tenfold, longer or vanish: the plan is the same."""
    sessions = sessions_in(log)
    for place in evenly(len(sessions), count(quick=2, thorough=4)):
        if place == 0:
            continue
        today = sessions[place]
        later = [without_result(today), *(tenfold(each) for each in sessions[place + 1 :][:-1])]
        plans = []
        for told in (sessions, (*sessions[:place], *later)):
            day = next(past_days(told, kind, [place]))
            decision = decide(day.situation, day.profile(log.unit))
            plans.append(decision and (decision.plan_id, decision.plan.to_json()))
        assert plans[0] == plans[1]


def without_result(session: Session) -> Session:
    """The session with one empty set of each exercise: that it took place is all that is known."""
    done = (
        Done(
            each.exercise,
            each.occurrence,
            None,
            (ExposureSet(set_index=0, set_type="normal"),),
        )
        for each in session.done
    )
    return replace(session, minutes=None, done=tuple(done))


def tenfold(session: Session) -> Session:
    done = (
        replace(
            each,
            sets=tuple(
                one.model_copy(update={"weight_kg": 10 * (one.weight_kg or 10), "reps": 100})
                for one in each.sets
            ),
        )
        for each in session.done
    )
    return replace(session, done=tuple(done))


@randomized
@logs_and_kinds
def test_a_plan_follows_from_its_recorded_input(log: Log, kind: As) -> None:
    for day in days(log, kind, count(quick=1, thorough=10)):
        decision = decide(day.situation, day.profile(log.unit))
        if decision is None:
            continue
        again = prescribe(EngineInput.model_validate_json(decision.input_json))
        assert decision.rule_version == again.rule_version
        assert decision.output_sha256 == hashlib.sha256(again.to_json()).hexdigest()
