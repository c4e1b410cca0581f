"""Every operation of the Hevy API, typed: complete reads, checked writes.

Objects keep the JSON just as it was answered in `.payload`, and `payloads` gives whole lists of it
for the raw tables.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from hevy_connector.client.connection import HEVY_URL, Connection, Listing
from hevy_connector.client.transport import RateLimit, RetryPolicy
from hevy_connector.errors import HevyResponseError
from hevy_connector.schemas import (
    BodyMeasurement,
    BodyMeasurementWrite,
    ExerciseHistoryEntry,
    ExerciseTemplate,
    ExerciseTemplateWrite,
    JsonObject,
    ReadObject,
    Routine,
    RoutineFolder,
    RoutineFolderWrite,
    RoutineWrite,
    UserInfo,
    Workout,
    WorkoutEvent,
    WorkoutWrite,
)

WORKOUTS = Listing("workouts", ("workouts",))
ROUTINES = Listing("routines", ("routines",))
ROUTINE_FOLDERS = Listing("routine_folders", ("routine_folders",))
EXERCISE_TEMPLATES = Listing("exercise_templates", ("exercise_templates",), page_size=100)
BODY_MEASUREMENTS = Listing("body_measurements", ("body_measurements",), identity="date")
# An empty feed was seen to answer under the key `workouts`.
_WORKOUT_EVENTS = Listing("workouts/events", ("events", "workouts"), identity=None)

# Clocks differ a little.
_CREATED_LATELY = timedelta(minutes=5)

_TEMPLATE_ID = re.compile("[0-9A-Za-z-]{1,64}")

Body = Mapping[str, Any]
M = TypeVar("M", bound=ReadObject)


class AsyncHevyClient:
    """One Hevy account over HTTP; use it as an asynchronous context manager.

    Args:
        api_key: the account's key; it appears in no message and no representation.
        base_url: where the service is, with or without `/v1`.
        retry: how often and how long failed requests are repeated.
        limit: how fast the service may be asked.
        transport: what sends requests; tests hand in their own.

    Raises (every operation):
        HevyAuthError: the key was refused.
        HevyUnavailableError: no usable answer after the retries.
        HevyRequestError: the service refused the request; HevyNotFoundError where there is no
            such object (any more).
        HevyResponseError: the answer is not what the endpoint promises.
        HevyInvalidBodyError (writes): the service would refuse the body; nothing was sent.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str = HEVY_URL,
        retry: RetryPolicy | None = None,
        limit: RateLimit | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._connection = Connection(
            api_key, base_url, retry or RetryPolicy(), limit or RateLimit(), transport
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.base_url})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    async def payloads(self, listing: Listing) -> list[JsonObject]:
        """A whole list, every record just as it was answered and once.

        A list that changes while it is read is read again.
        """
        return await self._connection.read_all(listing)

    def pages(self, listing: Listing) -> AsyncGenerator[list[JsonObject], None]:
        """The pages of a list as they come in, in order, every record just as it was answered.

        Records that move from page to page meanwhile may be missing or come twice.
        """
        return self._connection.pages(listing)

    # Workouts

    async def workouts(self) -> list[Workout]:
        """All workouts, newest first. Source: GET /v1/workouts."""
        return await self._read_list(WORKOUTS, Workout)

    async def workout_count(self) -> int:
        """How many workouts the account has. Source: GET /v1/workouts/count."""
        answer = await self._connection.read("workouts/count")
        count = answer.get("workout_count")
        if not isinstance(count, int) or isinstance(count, bool):
            raise HevyResponseError(
                f"GET workouts/count answered without a count (workout_count is a "
                f"{type(count).__name__})"
            )
        return count

    async def event_payloads(self, since: datetime) -> list[JsonObject]:
        """Changes of workouts since an aware time, newest first, just as they were answered.

        Source: GET /v1/workouts/events.
        """
        text = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return await self._connection.read_all(_WORKOUT_EVENTS, {"since": text})

    async def news(self, since: datetime) -> tuple[list[JsonObject], int]:
        """The changes of workouts since an aware time, and how many workouts there are now.

        Both are asked at once, so a change in that very moment may be in one of them only.
        """
        events = asyncio.create_task(self.event_payloads(since))
        try:
            count = await self.workout_count()
            return await events, count
        finally:
            events.cancel()
            await asyncio.gather(events, return_exceptions=True)

    async def workout_events(self, since: datetime) -> list[WorkoutEvent]:
        """Changes of workouts since an aware time, newest first.

        Source: GET /v1/workouts/events.
        """
        return [
            _typed(WorkoutEvent, payload, _WORKOUT_EVENTS.path)
            for payload in await self.event_payloads(since)
        ]

    async def workout(self, workout_id: str) -> Workout:
        """One workout. Source: GET /v1/workouts/{workoutId}."""
        return await self._read(_at("workouts", workout_id), "workout", Workout)

    async def create_workout(self, workout: WorkoutWrite | Body) -> Workout:
        """Create a workout; the API cannot link it to a routine. Source: POST /v1/workouts.

        It is sent once: after an unclear failure look in the list before trying again.
        """
        body = WorkoutWrite.checked(workout)
        response = await self._connection.request("POST", "workouts", body=body.body())
        return self._answered(response, "workout", Workout) or await self._created(
            WORKOUTS, Workout, lambda known: known.title == body.title
        )

    async def update_workout(self, workout_id: str, workout: WorkoutWrite | Body) -> Workout:
        """Replace a whole workout but its link to a routine. Source: PUT /v1/workouts/{workoutId}.

        Whether it was private cannot be read, so the body decides that anew.
        """
        body = WorkoutWrite.checked(workout).body()
        response = await self._connection.request("PUT", _at("workouts", workout_id), body=body)
        return self._answered(response, "workout", Workout) or await self.workout(workout_id)

    # The account

    async def user_info(self) -> UserInfo:
        """The account that the key belongs to. Source: GET /v1/user/info."""
        return await self._read("user/info", "data", UserInfo)

    # Routines

    async def routines(self) -> list[Routine]:
        """All routines. Source: GET /v1/routines."""
        return await self._read_list(ROUTINES, Routine)

    async def routine(self, routine_id: str) -> Routine:
        """One routine as it is now. Source: GET /v1/routines/{routineId}."""
        return await self._read(_at("routines", routine_id), "routine", Routine)

    async def create_routine(
        self, routine: RoutineWrite | Body, folder_id: int | None = None
    ) -> Routine:
        """Create a routine, in "My Routines" where no folder is given. Source: POST /v1/routines.

        It is sent once: after an unclear failure look in the list before trying again.
        """
        checked = RoutineWrite.checked(routine)
        body = checked.post_body(folder_id)
        response = await self._connection.request("POST", "routines", body=body)
        return self._answered(response, "routine", Routine) or await self._created(
            ROUTINES, Routine, lambda known: known.title == checked.title
        )

    async def update_routine(self, routine_id: str, routine: RoutineWrite | Body) -> Routine:
        """Replace a whole routine; it stays in its folder. Source: PUT /v1/routines/{routineId}.

        What comes back is the service's answer to the write: read the routine again to see what
        is stored. It is sent once: in between the athlete may edit the routine, so after an unclear
        failure read it before sending it again.
        """
        body = RoutineWrite.checked(routine).put_body()
        path = _at("routines", routine_id)
        response = await self._connection.request("PUT", path, body=body, is_repeatable=False)
        return self._answered(response, "routine", Routine) or await self.routine(routine_id)

    # Folders of routines

    async def routine_folders(self) -> list[RoutineFolder]:
        """All folders of routines. Source: GET /v1/routine_folders."""
        return await self._read_list(ROUTINE_FOLDERS, RoutineFolder)

    async def routine_folder(self, folder_id: int) -> RoutineFolder:
        """One folder. Source: GET /v1/routine_folders/{folderId}."""
        path = _at("routine_folders", str(folder_id))
        return await self._read(path, "routine_folder", RoutineFolder)

    async def create_routine_folder(self, folder: RoutineFolderWrite | Body) -> RoutineFolder:
        """Create a folder in the first place; the others move down.

        Source: POST /v1/routine_folders.
        """
        checked = RoutineFolderWrite.checked(folder)
        response = await self._connection.request("POST", "routine_folders", body=checked.body())
        return self._answered(response, "routine_folder", RoutineFolder) or await self._created(
            ROUTINE_FOLDERS, RoutineFolder, lambda known: known.title == checked.title
        )

    # Exercises

    async def exercise_templates(self) -> list[ExerciseTemplate]:
        """The catalogue: built-in exercises and the athlete's own.

        Source: GET /v1/exercise_templates.
        """
        return await self._read_list(EXERCISE_TEMPLATES, ExerciseTemplate)

    async def exercise_template(self, template_id: str) -> ExerciseTemplate:
        """One exercise. Source: GET /v1/exercise_templates/{exerciseTemplateId}."""
        path = _at("exercise_templates", template_id)
        return await self._read(path, "exercise_template", ExerciseTemplate)

    async def create_exercise_template(self, template: ExerciseTemplateWrite | Body) -> str:
        """Create an exercise of one's own; its id comes back. Source: POST /v1/exercise_templates.

        The service answers with the bare id as text, or with `{"id": …}`.
        """
        body = ExerciseTemplateWrite.checked(template).body()
        response = await self._connection.request("POST", "exercise_templates", body=body)
        if template_id := self._template_id(response):
            return template_id
        created = await self._created(
            EXERCISE_TEMPLATES,
            ExerciseTemplate,
            lambda known: known.is_custom and known.title == body["exercise"]["title"],
        )
        return created.id

    async def exercise_history(
        self, template_id: str, start: datetime | None = None, end: datetime | None = None
    ) -> list[ExerciseHistoryEntry]:
        """Every set of one exercise, newest workout first, between two aware times if given.

        Source: GET /v1/exercise_history/{exerciseTemplateId}.
        """
        bounds = {"start_date": start, "end_date": end}
        path = _at("exercise_history", template_id)
        answer = await self._connection.read(
            path, {name: at.astimezone(UTC).isoformat() for name, at in bounds.items() if at}
        )
        rows = answer.get("exercise_history")
        if not isinstance(rows, list):
            raise HevyResponseError(f"GET {path} answered without exercise_history")
        return [_typed(ExerciseHistoryEntry, row, path) for row in rows]

    # Body measurements

    async def body_measurements(self) -> list[BodyMeasurement]:
        """All body measurements, one a day. Source: GET /v1/body_measurements."""
        return await self._read_list(BODY_MEASUREMENTS, BodyMeasurement)

    async def body_measurement(self, day: str) -> BodyMeasurement:
        """What was measured on one day (YYYY-MM-DD). Source: GET /v1/body_measurements/{date}."""
        path = _at("body_measurements", day)
        return await self._read(path, "body_measurement", BodyMeasurement)

    async def create_body_measurement(self, measurement: BodyMeasurementWrite | Body) -> None:
        """Note what was measured on a day that has no measurement yet (409 otherwise).

        Source: POST /v1/body_measurements.
        """
        body = BodyMeasurementWrite.checked(measurement).post_body()
        await self._connection.request("POST", "body_measurements", body=body)

    async def update_body_measurement(self, measurement: BodyMeasurementWrite | Body) -> None:
        """Overwrite what was measured on a day; what is left out is gone.

        Source: PUT /v1/body_measurements/{date}.
        """
        checked = BodyMeasurementWrite.checked(measurement)
        path = _at("body_measurements", checked.date)
        await self._connection.request("PUT", path, body=checked.put_body())

    async def _read(self, path: str, envelope: str, model: type[M]) -> M:
        response = await self._connection.request("GET", path)
        inner = _unwrapped(self._connection.json_of(response), envelope)
        if inner is None:
            raise HevyResponseError(f"GET {path} answered without {envelope}")
        return _typed(model, inner, path)

    async def _read_list(self, listing: Listing, model: type[M]) -> list[M]:
        return [_typed(model, payload, listing.path) for payload in await self.payloads(listing)]

    def _template_id(self, response: httpx.Response) -> str | None:
        """The id that stands in the answer: bare, as JSON text, or in an object."""
        text = response.text.strip()
        if text[:1] in {"{", "[", '"'}:
            answer = self._connection.json_of(response)
            answer = _unwrapped(answer, "exercise") or answer
            text = str(answer.get("id") or "") if isinstance(answer, dict) else str(answer)
        return text if _TEMPLATE_ID.fullmatch(text) else None

    def _answered(self, response: httpx.Response, envelope: str, model: type[M]) -> M | None:
        """The object that a write answered, None where the answer does not hold it."""
        try:
            inner = _unwrapped(self._connection.json_of(response), envelope)
            return None if inner is None else model.read(inner)
        except (HevyResponseError, ValidationError):
            return None

    async def _created(self, listing: Listing, model: type[M], is_meant: Callable[[M], bool]) -> M:
        """The one object that must be the one created: a create is never sent a second time."""
        lately = datetime.now(UTC) - _CREATED_LATELY
        candidates = [
            known
            for known in await self._read_list(listing, model)
            if is_meant(known) and (getattr(known, "created_at", None) or lately) >= lately
        ]
        if len(candidates) != 1:
            raise HevyResponseError(
                f"POST {listing.path} was accepted, but which object it created cannot be told. "
                "Look in the app before trying again."
            )
        return candidates[0]


def _at(collection: str, record_id: str) -> str:
    """The path of one object; an id never leads out of its collection."""
    return f"{collection}/{quote(record_id, safe='')}"


def _typed(model: type[M], payload: JsonObject, path: str) -> M:
    try:
        return model.read(payload)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise HevyResponseError(
            f"{path} answered what cannot be read: {place}: {problem['msg']}"
        ) from error


def _unwrapped(answer: Any, envelope: str) -> JsonObject | None:
    """The object inside its envelope: bare, as an object or as a list of one; None if empty."""
    inner = answer.get(envelope, answer) if isinstance(answer, dict) else answer
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    return inner if isinstance(inner, dict) and inner else None
