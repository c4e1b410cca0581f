"""Proposals: wishes become requests of the athlete, which run only after acceptance.

Acceptance runs the same commands as a form of a page.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from typing import assert_never

import duckdb
from pydantic import ValidationError

from coach_agent.asking.wish import Wish
from coach_agent.domain.pain import PainError, parse_pain
from coach_agent.domain.red_flags import red_flags_in
from coach_agent.domain.values import Value
from coach_agent.journal.current_plans import read_current_plan
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.files import library
from coach_agent.store.proposals import (
    Proposal,
    ProposalError,
    decide_proposal,
    finish_proposal,
    is_open,
    read_proposals,
    record_proposal,
)
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.config.settings import Settings
from orchestration.services.answers.named import NotNamedError, exercise_of
from orchestration.services.answers.training import Training
from orchestration.services.requests.athlete_requests import (
    AcceptSets,
    Approve,
    CheckIn,
    CorrectWorkout,
    FollowProgramme,
    Request,
    RequestError,
    Swap,
    WhatIf,
    carry_out,
    read_request,
)
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.measures import day_text

_WHY = "I asked for it."
_LONGEST_TITLE = 200
# Others are about what was logged, or change nothing.
_OF_PLAN = (CheckIn, Swap, Approve, FollowProgramme)
_LATEST = """
    select workout_id, title, workout_date from fct_workout
    where athlete_id = $1 order by started_at desc limit 1
"""


class WishError(ValueError):
    """A wish that cannot be proposed; the text gives the reason."""


class ShownProposal(Value):
    """A proposal with its description, and the reason why it cannot be accepted, if any."""

    proposal: Proposal
    text: str
    problem: str | None


def request_of(wish: Wish, training: Training, profile: AthleteProfile) -> Request:
    """Return the request of a wish, with the athlete's own exercises, plan and workouts.

    Raises:
        WishError: it is incomplete, or names something unknown.
    """
    athlete_id = profile.id
    try:
        match wish.kind:
            case "check_in":
                return _check_in(wish, athlete_id)
            case "swap":
                return _swap(wish, training, profile)
            case "approve":
                return _approve(training, athlete_id)
            case "exclude_workout":
                return _exclude(training, athlete_id)
            case "accept_sets":
                exercise = exercise_of(training, _given(wish.exercise, "an exercise"))
                return AcceptSets(athlete_id=athlete_id, exercise=exercise.title, because=_WHY)
            case "what_if":
                if (wish.programme is None) == (wish.minutes is None):
                    raise WishError("A what-if needs a programme or minutes.")
                name = None if wish.programme is None else _programme(wish.programme)
                return WhatIf(athlete_id=athlete_id, programme=name, minutes=wish.minutes)
            case "programme":
                name = _programme(_given(wish.programme, "a programme"))
                return FollowProgramme(athlete_id=athlete_id, programme=name)
            case _:
                assert_never(wish.kind)
    except NotNamedError as error:
        raise WishError(str(error)) from error
    except ValidationError as error:
        raise WishError("A name in it cannot be a part of a command.") from error


def propose(
    con: duckdb.DuckDBPyConnection, request: Request, *, proposed_by: str, now: datetime
) -> Proposal:
    """Store a request as an open proposal, with the active plan.

    Raises:
        ProposalError: too many are open.
    """
    current = read_current_plan(con, request.athlete_id)
    record = partial(
        record_proposal,
        con,
        request.athlete_id,
        request.model_dump_json(),
        proposed_by=proposed_by,
        plan_id=None if current is None else current.plan_id,
        now=now,
    )
    return run_in_transaction(con, record)


def proposal_text(action: Request) -> str:
    """Describe an action in one sentence of fixed words."""
    match action:
        case CheckIn():
            said = [f"energy {action.energy}"] if action.energy else []
            said += [f"{action.minutes} minutes"] if action.minutes else []
            said += [f"pain {each.replace(':', ', ')}" for each in action.pain]
            said += ["an easy workout"] if action.is_easy else []
            return f"Check in: {'; '.join(said)}."
        case Swap():
            return f"Allow {action.substitutes[0]} as the first substitute for {action.exercise}."
        case Approve():
            return "Publish the plan that waits for your approval."
        case CorrectWorkout():
            return f"Leave workout {action.about or action.workout_id} out of all analysis."
        case AcceptSets():
            return f"Accept all doubted sets of {action.exercise} as real."
        case WhatIf():
            what = action.programme or f"workouts of {action.minutes} minutes"
            return f"Try {what} on your own training; it changes nothing."
        case FollowProgramme():
            return f"Follow the programme {action.programme} from today on."
        case _:
            raise ProposalError("This action cannot be proposed.")


def shown_proposals(
    con: duckdb.DuckDBPyConnection, athlete_id: str, now: datetime
) -> list[ShownProposal]:
    """Return the open proposals with their descriptions, oldest first."""
    current = read_current_plan(con, athlete_id)
    plan_id = None if current is None else current.plan_id
    return [
        ShownProposal(
            proposal=each,
            text=proposal_text(read_request(each.action)),
            problem=_problem(each, plan_id, now),
        )
        for each in read_proposals(con, athlete_id)
        if is_open(each, now)
    ]


def accept(
    settings: Settings,
    athlete_id: str,
    number: int,
    on_line: Callable[[str], None],
    clock: Callable[[], datetime],
) -> None:
    """Run the commands of an open proposal that still fits. It runs at most once.

    Raises:
        ProposalError: it is unknown, decided, expired, or no longer fits; nothing ran.
        RequestError: a command failed.
    """

    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return open_warehouse(settings.warehouse)

    with connect() as con:
        proposal = _of_number(con, athlete_id, number)
        current = read_current_plan(con, athlete_id)
        problem = _problem(proposal, None if current is None else current.plan_id, clock())
        if problem is not None:
            raise ProposalError(problem)
        run_in_transaction(
            con, partial(decide_proposal, con, athlete_id, number, "accepted", now=clock())
        )
    request = read_request(proposal.action)
    try:
        # Its commands open the warehouse themselves.
        carry_out(settings, request, on_line)
    except RequestError as error:
        with connect() as con:
            run_in_transaction(
                con,
                partial(
                    finish_proposal,
                    con,
                    athlete_id,
                    number,
                    "failed",
                    str(error)[:500],
                    now=clock(),
                ),
            )
        raise
    with connect() as con:
        run_in_transaction(
            con, partial(finish_proposal, con, athlete_id, number, "done", None, now=clock())
        )


def refuse(settings: Settings, athlete_id: str, number: int, now: datetime) -> None:
    """Close a proposal; nothing runs.

    Raises:
        ProposalError: it is unknown or no longer open.
    """
    with open_warehouse(settings.warehouse) as con:
        _of_number(con, athlete_id, number)
        run_in_transaction(
            con, partial(decide_proposal, con, athlete_id, number, "refused", now=now)
        )


def _of_number(con: duckdb.DuckDBPyConnection, athlete_id: str, number: int) -> Proposal:
    for each in read_proposals(con, athlete_id):
        if each.number == number:
            return each
    raise ProposalError(f"There is no proposal {number}. List them: spotter ask --proposals")


def _problem(proposal: Proposal, plan_id: str | None, now: datetime) -> str | None:
    """Return the reason why a proposal cannot be accepted now."""
    if proposal.state != "open":
        return f"Proposal {proposal.number} was {proposal.state} before."
    if now >= proposal.expires_at:
        return f"Proposal {proposal.number} has expired. Ask again."
    if isinstance(read_request(proposal.action), _OF_PLAN) and proposal.plan_id != plan_id:
        return f"The plan has changed since proposal {proposal.number}. Ask again."
    return None


def _given(value: str | None, what: str) -> str:
    if value is None:
        raise WishError(f"The wish needs {what}.")
    return value


def _check_in(wish: Wish, athlete_id: str) -> CheckIn:
    for each in wish.pains:
        if red_flags_in(each):
            raise WishError("Stop and read: spotter check-in --help. No proposal covers this.")
        try:
            parse_pain(each)
        except PainError as error:
            raise WishError(str(error)) from error
    if not (wish.minutes or wish.energy or wish.pains or wish.is_easy):
        raise WishError("A check-in needs minutes, energy, pain or an easy workout.")
    return CheckIn(
        athlete_id=athlete_id,
        energy=wish.energy,
        minutes=wish.minutes,
        pain=wish.pains,
        is_easy=wish.is_easy,
    )


def _swap(wish: Wish, training: Training, profile: AthleteProfile) -> Swap:
    exercise = exercise_of(training, _given(wish.exercise, "an exercise"))
    substitute = exercise_of(training, _given(wish.substitute, "a substitute"))
    if exercise.key == substitute.key:
        raise WishError("An exercise is no substitute for itself.")
    known = profile.preferences.swap.get(exercise.title, ())
    titles = tuple(dict.fromkeys((substitute.title, *known)))
    return Swap(athlete_id=profile.id, exercise=exercise.title, substitutes=titles)


def _approve(training: Training, athlete_id: str) -> Approve:
    if training.red_flags:
        raise WishError("There is an open red flag: no plan is published.")
    if training.plan is None:
        raise WishError("There is no plan to approve.")
    return Approve(athlete_id=athlete_id, plan_id=training.plan.plan_id)


def _exclude(training: Training, athlete_id: str) -> CorrectWorkout:
    rows = training.rows(_LATEST)
    if not rows:
        raise WishError("There is no workout yet.")
    row = rows[0]
    title = " ".join(row["title"].split())[:_LONGEST_TITLE]
    return CorrectWorkout(
        athlete_id=athlete_id,
        workout_id=row["workout_id"],
        action="exclude",
        because=_WHY,
        about=f"{title}, {day_text(row['workout_date'])}",
    )


def _programme(name: str) -> str:
    """Return the id of a programme of the library, by id or name."""
    wanted = _letters(name)
    for key, programme in library().items():
        if wanted in {_letters(key), _letters(programme.name)}:
            return key
    raise WishError("The library has no programme of this name: spotter program list")


def _letters(text: str) -> str:
    return "".join(each for each in text.lower() if each.isalnum())
