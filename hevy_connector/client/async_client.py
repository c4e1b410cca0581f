"""Typed client for every operation of the Hevy API, with complete reads and validated writes.

Objects keep their JSON unchanged in `.payload`. `payloads` returns whole lists of JSON for the raw
tables.
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

from hevy_connector.connection.connection import Connection, Listing
from hevy_connector.connection.hevy_url import HEVY_URL
from hevy_connector.errors import HevyResponseError
from hevy_connector.http.limits import RateLimit, RetryPolicy
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
# The service returns an empty feed under the key `workouts`.
_WORKOUT_EVENTS = Listing("workouts/events", ("events", "workouts"), identity=None)

# Tolerance for clock skew.
_CREATED_LATELY = timedelta(minutes=5)

_TEMPLATE_ID = re.compile("[0-9A-Za-z-]{1,64}")

Body = Mapping[str, Any]
M = TypeVar("M", bound=ReadObject)


class AsyncHevyClient:
    """Asynchronous client for one Hevy account; use it as a context manager.

    Args:
        api_key: the account's key; it appears in no message and no representation.
        base_url: the service, with or without `/v1`.
        retry: number and duration of retries.
        limit: rate limit for requests.
        transport: a `ConnectionPool` that clients share, or the httpx transport of a test.

    Raises (every operation):
        HevyAuthError: the key was refused.
        HevyUnavailableError: no usable response after the retries.
        HevyRequestError: the service refused the request; HevyNotFoundError if the object does not
            exist.
        HevyResponseError: the response does not match the endpoint's schema.
        HevyInvalidBodyError (writes): the service would reject the body; nothing was sent.
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
        """Close the connections, unless they are shared."""
        await self._connection.aclose()

    async def payloads(self, listing: Listing) -> list[JsonObject]:
        """Fetch a whole list as unchanged JSON, each record once.

        A list that changes during the read is read again.
        """
        return await self._connection.read_all(listing)

    def pages(self, listing: Listing) -> AsyncGenerator[list[JsonObject], None]:
        """Yield the pages of a list in order as they arrive, as unchanged JSON.

        Records that move between pages during the read may be missing or occur twice.
        """
        return self._connection.pages(listing)

    # Workouts

    async def workouts(self) -> list[Workout]:
        """Fetch all workouts, newest first. Source: GET /v1/workouts."""
        return await self._read_list(WORKOUTS, Workout)

    async def workout_count(self) -> int:
        """Fetch the number of workouts. Source: GET /v1/workouts/count."""
        answer = await self._connection.read("workouts/count")
        count = answer.get("workout_count")
        if not isinstance(count, int) or isinstance(count, bool):
            raise HevyResponseError(
                f"GET workouts/count answered without a count (workout_count is a "
                f"{type(count).__name__})"
            )
        return count

    async def event_payloads(self, since: datetime) -> list[JsonObject]:
        """Fetch changes of workouts since an aware time, newest first, as unchanged JSON.

        Source: GET /v1/workouts/events.
        """
        text = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return await self._connection.read_all(_WORKOUT_EVENTS, {"since": text})

    async def events_and_count(self, since: datetime) -> tuple[list[JsonObject], int]:
        """Fetch the changes of workouts since an aware time and the number of workouts.

        Both requests run concurrently, so a change at that moment may be in only one of them.
        """
        events = asyncio.create_task(self.event_payloads(since))
        try:
            count = await self.workout_count()
            return await events, count
        finally:
            events.cancel()
            await asyncio.gather(events, return_exceptions=True)

    async def workout_events(self, since: datetime) -> list[WorkoutEvent]:
        """Fetch changes of workouts since an aware time, newest first.

        Source: GET /v1/workouts/events.
        """
        return [
            _typed(WorkoutEvent, payload, _WORKOUT_EVENTS.path)
            for payload in await self.event_payloads(since)
        ]

    async def workout(self, workout_id: str) -> Workout:
        """Fetch one workout. Source: GET /v1/workouts/{workoutId}."""
        return await self._read(_at("workouts", workout_id), "workout", Workout)

    async def create_workout(self, workout: WorkoutWrite | Body) -> Workout:
        """Create a workout; the API cannot link it to a routine. Source: POST /v1/workouts.

        It is sent once. After an ambiguous failure, check the list before a retry.
        """
        body = WorkoutWrite.checked(workout)
        response = await self._connection.request("POST", "workouts", body=body.body())
        return self._parse_answer(response, "workout", Workout) or await self._find_created(
            WORKOUTS, Workout, lambda known: known.title == body.title
        )

    async def update_workout(self, workout_id: str, workout: WorkoutWrite | Body) -> Workout:
        """Replace a workout except for its routine link. Source: PUT /v1/workouts/{workoutId}.

        The API does not return the privacy flag, so the body always sets it.
        """
        body = WorkoutWrite.checked(workout).body()
        response = await self._connection.request("PUT", _at("workouts", workout_id), body=body)
        return self._parse_answer(response, "workout", Workout) or await self.workout(workout_id)

    # The account

    async def user_info(self) -> UserInfo:
        """Fetch the account of the key. Source: GET /v1/user/info."""
        return await self._read("user/info", "data", UserInfo)

    # Routines

    async def routines(self) -> list[Routine]:
        """Fetch all routines. Source: GET /v1/routines."""
        return await self._read_list(ROUTINES, Routine)

    async def routine(self, routine_id: str) -> Routine:
        """Fetch the current state of one routine. Source: GET /v1/routines/{routineId}."""
        return await self._read(_at("routines", routine_id), "routine", Routine)

    async def create_routine(
        self, routine: RoutineWrite | Body, folder_id: int | None = None
    ) -> Routine:
        """Create a routine, in "My Routines" if no folder is given. Source: POST /v1/routines.

        It is sent once. After an ambiguous failure, check the list before a retry.
        """
        checked = RoutineWrite.checked(routine)
        body = checked.post_body(folder_id)
        response = await self._connection.request("POST", "routines", body=body)
        return self._parse_answer(response, "routine", Routine) or await self._find_created(
            ROUTINES, Routine, lambda known: known.title == checked.title
        )

    async def update_routine(self, routine_id: str, routine: RoutineWrite | Body) -> Routine:
        """Replace a routine; it stays in its folder. Source: PUT /v1/routines/{routineId}.

        The result is the service's response to the write; fetch the routine again for the stored
        state. The PUT is sent once: the athlete may edit the routine in between, so fetch it before
        a retry.
        """
        body = RoutineWrite.checked(routine).put_body()
        path = _at("routines", routine_id)
        response = await self._connection.request("PUT", path, body=body, is_repeatable=False)
        return self._parse_answer(response, "routine", Routine) or await self.routine(routine_id)

    # Routine folders

    async def routine_folders(self) -> list[RoutineFolder]:
        """Fetch all routine folders. Source: GET /v1/routine_folders."""
        return await self._read_list(ROUTINE_FOLDERS, RoutineFolder)

    async def routine_folder(self, folder_id: int) -> RoutineFolder:
        """Fetch one folder. Source: GET /v1/routine_folders/{folderId}."""
        path = _at("routine_folders", str(folder_id))
        return await self._read(path, "routine_folder", RoutineFolder)

    async def create_routine_folder(self, folder: RoutineFolderWrite | Body) -> RoutineFolder:
        """Create a folder at the first position; the others move down.

        Source: POST /v1/routine_folders.
        """
        checked = RoutineFolderWrite.checked(folder)
        response = await self._connection.request("POST", "routine_folders", body=checked.body())
        return self._parse_answer(
            response, "routine_folder", RoutineFolder
        ) or await self._find_created(
            ROUTINE_FOLDERS, RoutineFolder, lambda known: known.title == checked.title
        )

    # Exercises

    async def exercise_templates(self) -> list[ExerciseTemplate]:
        """Fetch the exercise catalogue, built-in and custom.

        Source: GET /v1/exercise_templates.
        """
        return await self._read_list(EXERCISE_TEMPLATES, ExerciseTemplate)

    async def exercise_template(self, template_id: str) -> ExerciseTemplate:
        """Fetch one exercise. Source: GET /v1/exercise_templates/{exerciseTemplateId}."""
        path = _at("exercise_templates", template_id)
        return await self._read(path, "exercise_template", ExerciseTemplate)

    async def create_exercise_template(self, template: ExerciseTemplateWrite | Body) -> str:
        """Create a custom exercise and return its id. Source: POST /v1/exercise_templates.

        The service returns the id as bare text or as `{"id": …}`.
        """
        body = ExerciseTemplateWrite.checked(template).body()
        response = await self._connection.request("POST", "exercise_templates", body=body)
        if template_id := self._template_id(response):
            return template_id
        created = await self._find_created(
            EXERCISE_TEMPLATES,
            ExerciseTemplate,
            lambda known: known.is_custom and known.title == body["exercise"]["title"],
        )
        return created.id

    async def exercise_history(
        self, template_id: str, start: datetime | None = None, end: datetime | None = None
    ) -> list[ExerciseHistoryEntry]:
        """Fetch all sets of one exercise, newest workout first, optionally between two aware times.

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
        """Fetch all body measurements, one per day. Source: GET /v1/body_measurements."""
        return await self._read_list(BODY_MEASUREMENTS, BodyMeasurement)

    async def body_measurement(self, day: str) -> BodyMeasurement:
        """Fetch the measurement of a day (YYYY-MM-DD). Source: GET /v1/body_measurements/{date}."""
        path = _at("body_measurements", day)
        return await self._read(path, "body_measurement", BodyMeasurement)

    async def create_body_measurement(self, measurement: BodyMeasurementWrite | Body) -> None:
        """Create the measurement of a day that has none yet (409 otherwise).

        Source: POST /v1/body_measurements.
        """
        body = BodyMeasurementWrite.checked(measurement).post_body()
        await self._connection.request("POST", "body_measurements", body=body)

    async def update_body_measurement(self, measurement: BodyMeasurementWrite | Body) -> None:
        """Replace the measurement of a day; omitted values are deleted.

        Source: PUT /v1/body_measurements/{date}.
        """
        checked = BodyMeasurementWrite.checked(measurement)
        path = _at("body_measurements", checked.date)
        await self._connection.request("PUT", path, body=checked.put_body())

    async def _read(self, path: str, envelope: str, model: type[M]) -> M:
        response = await self._connection.request("GET", path)
        inner = _unwrap(self._connection.json_of(response), envelope)
        if inner is None:
            raise HevyResponseError(f"GET {path} answered without {envelope}")
        return _typed(model, inner, path)

    async def _read_list(self, listing: Listing, model: type[M]) -> list[M]:
        return [_typed(model, payload, listing.path) for payload in await self.payloads(listing)]

    def _template_id(self, response: httpx.Response) -> str | None:
        """Return the id in the response: bare, as JSON text, or in an object."""
        text = response.text.strip()
        if text[:1] in {"{", "[", '"'}:
            answer = self._connection.json_of(response)
            answer = _unwrap(answer, "exercise") or answer
            text = str(answer.get("id") or "") if isinstance(answer, dict) else str(answer)
        return text if _TEMPLATE_ID.fullmatch(text) else None

    def _parse_answer(self, response: httpx.Response, envelope: str, model: type[M]) -> M | None:
        """Parse the object in the response to a write; None if there is none."""
        try:
            inner = _unwrap(self._connection.json_of(response), envelope)
            return None if inner is None else model.read(inner)
        except (HevyResponseError, ValidationError):
            return None

    async def _find_created(
        self, listing: Listing, model: type[M], is_meant: Callable[[M], bool]
    ) -> M:
        """Find the object that a create has stored: a create is never sent twice."""
        lately = datetime.now(UTC) - _CREATED_LATELY
        candidates = [
            known
            for known in await self._read_list(listing, model)
            if is_meant(known) and (getattr(known, "created_at", None) or lately) >= lately
        ]
        if len(candidates) != 1:
            raise HevyResponseError(
                f"POST {listing.path} was accepted, but the created object cannot be identified. "
                "Check the app before a retry."
            )
        return candidates[0]


def _at(collection: str, record_id: str) -> str:
    """Build the path of one object; ids are escaped, so they cannot leave the collection."""
    return f"{collection}/{quote(record_id, safe='')}"


def _typed(model: type[M], payload: JsonObject, path: str) -> M:
    try:
        return model.read(payload)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise HevyResponseError(
            f"{path} returned an unreadable response: {place}: {problem['msg']}"
        ) from error


def _unwrap(answer: Any, envelope: str) -> JsonObject | None:
    """Return the object in its envelope: bare, an object or a list of one; None if empty."""
    inner = answer.get(envelope, answer) if isinstance(answer, dict) else answer
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    return inner if isinstance(inner, dict) and inner else None
