"""`POST /next-set`: the next set during a workout, authorized by an athlete's token."""

import asyncio
import hmac
from collections.abc import Callable, Mapping

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from coach_agent.engine.explain.set_notation import SetNotationError
from coach_agent.planning.between_sets import Day, NextSetQuestion, answer
from coach_agent.profile.model import AthleteProfile
from orchestration.server.request_body import read_body
from orchestration.services.programmes.exercise_catalogue import (
    built_in_exercise,
    built_in_titles,
)

_TIMEOUT_S = 4.0
_EXAMPLE = '{"exercise": "Bench Press (Barbell)", "target": "100x5@8", "done": ["100x5@6"]}'


def next_set_route(
    tokens: Mapping[str, str],
    profiles: Mapping[str, AthleteProfile],
    day_of: Callable[[str], Day],
    *,
    timeout_s: float = _TIMEOUT_S,
) -> Route:
    """Return the route; `tokens` and `profiles` are by athlete, `day_of` reads the day's limits.

    The token identifies the athlete before the body is read. Athletes who share a token name the
    athlete in the body. Answers 200 with the next set, else 4xx with one sentence.
    """

    async def receive(request: Request) -> Response:
        asking = _authorized_athletes(request.headers.get("authorization", ""), tokens)
        if not asking:
            raise HTTPException(401, "Not authorized.")
        try:
            async with asyncio.timeout(timeout_s):
                question = _question(await read_body(request))
        except (TimeoutError, ClientDisconnect) as error:
            raise HTTPException(408, "The body did not arrive in time.") from error
        try:
            profile = profiles[_requested_athlete(question, asking)]
            day = await asyncio.to_thread(day_of, profile.id)
            decided = answer(question, profile, built_in_exercise, built_in_titles(), day)
        except SetNotationError as error:
            raise HTTPException(422, str(error)) from error
        return JSONResponse(decided.model_dump(mode="json"))

    return Route("/next-set", receive, methods=["POST"])


def _authorized_athletes(offered: str, tokens: Mapping[str, str]) -> list[str]:
    """Return the athletes with this token, comparing all of them in constant time."""
    shown = offered.encode("latin-1")
    matches = {
        athlete: hmac.compare_digest(shown, token.encode()) for athlete, token in tokens.items()
    }
    return [athlete for athlete, is_match in matches.items() if is_match]


def _question(body: bytes) -> NextSetQuestion:
    try:
        return NextSetQuestion.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        problem = f"{key}: {first['msg']}." if key else "It is no JSON object."
        raise HTTPException(400, f"The body must be like {_EXAMPLE}. {problem}") from error


def _requested_athlete(question: NextSetQuestion, asking: list[str]) -> str:
    """Return the requested athlete.

    Raises:
        HTTPException: 401 for an athlete with another token, 400 if several are possible.
    """
    if question.athlete is None:
        if len(asking) == 1:
            return asking[0]
        raise HTTPException(400, 'Several athletes have this token: name one as "athlete".')
    if question.athlete not in asking:
        raise HTTPException(401, "Not authorized.")
    return question.athlete
