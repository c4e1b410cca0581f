"""Publish a programme: a folder with one routine for each day, each created exactly once.

The intent is recorded first, with titles that nothing in the account has. A creation without a
response is looked up by its title, and by its content if the athlete renamed it, never repeated
unseen. Routines cannot be deleted through the API: a programme that another one replaces stays in
its folder.
"""

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from coach_agent.domain.titles import normalize_title
from coach_agent.programmes.catalogue import Catalogue
from coach_agent.programmes.files import ProgrammeError
from coach_agent.programmes.first_weeks import PlannedGroup, Session, first_weeks
from coach_agent.programmes.model import Programme
from coach_agent.publishing.new_routine import RoutineMaker, find_routine, folder_titled
from coach_agent.store.programmes import (
    ProgrammeRoutine,
    StoredProgramme,
    current_programme,
    programme_id_of,
    same_content,
)
from hevy_connector.errors import HevyResponseError, HevyUnavailableError
from hevy_connector.schemas import (
    RepRangeWrite,
    Routine,
    RoutineExerciseWrite,
    RoutineSetWrite,
    RoutineWrite,
    SetType,
)

_LEAST_WEEKS = 4


class UnknownExerciseError(Exception):
    """A programme has an exercise that the catalogue lacks."""


def routines_of(
    programme: Programme, catalogue: Catalogue, numbers: Mapping[str, float]
) -> list[RoutineWrite]:
    """Return a routine for each day, with the sets of its first session.

    Without a number a lift has no load: the athlete works up to it in the first session. A day
    without exercises has no routine.

    Raises:
        UnknownExerciseError: an exercise is not in the catalogue.
        ProgrammeError: sets of an exercise are in seconds, and Hevy counts its repetitions; or
            there are no exercises.
    """
    sessions = first_sessions(programme, numbers)
    if not sessions:
        raise ProgrammeError(f"{programme.title} has no exercises in its first weeks.")
    return [_routine(session, catalogue) for session in sessions]


def first_sessions(programme: Programme, numbers: Mapping[str, float]) -> list[Session]:
    """Return the first session of each day of the first block, which its routine is made from.

    Ranges begin at the low end of the programme, also after another day of the same lift.
    """
    days = programme.blocks[0].days
    sessions: dict[str, Session] = {}
    # Each week has a session at least.
    for session in first_weeks(programme, numbers, max(_LEAST_WEEKS, len(days))):
        if session.exercises:
            sessions.setdefault(session.day, session)
    return [_with_whole_ranges(sessions[day]) for day in days if day in sessions]


def _with_whole_ranges(session: Session) -> Session:
    exercises = []
    for exercise in session.exercises:
        groups = tuple(
            each if each.reps_low is None else each.model_copy(update={"reps": each.reps_low})
            for each in exercise.groups
        )
        exercises.append(exercise.model_copy(update={"groups": groups}))
    return session.model_copy(update={"exercises": tuple(exercises)})


def _routine(session: Session, catalogue: Catalogue) -> RoutineWrite:
    exercises = []
    for exercise in session.exercises:
        known = catalogue.get(normalize_title(exercise.exercise))
        if known is None:
            raise UnknownExerciseError(f"Hevy has no exercise {exercise.exercise!r}.")
        sets = [
            _set(group, exercise.exercise, known.exercise_type)
            for group in exercise.groups
            for _ in range(group.count)
        ]
        exercises.append(
            RoutineExerciseWrite(
                exercise_template_id=known.template_id,
                rest_seconds=exercise.rest_s,
                notes=exercise.note,
                sets=sets,
            )
        )
    return RoutineWrite(title=session.day, exercises=exercises)


def _set(group: PlannedGroup, title: str, exercise_type: str) -> RoutineSetWrite:
    if group.is_timed and not exercise_type.endswith("duration"):
        raise ProgrammeError(
            f"Hevy counts the repetitions of {title!r}: write its sets without s, as 3x10."
        )
    kind: SetType = "dropset" if group.is_drop else "normal"
    if group.is_timed or exercise_type == "duration":
        return RoutineSetWrite(type=kind, duration_seconds=group.reps)
    if group.reps is not None and group.reps_high is not None:
        reps = RepRangeWrite(start=group.reps, end=group.reps_high)
        return RoutineSetWrite(type=kind, weight_kg=group.weight_kg, rep_range=reps)
    return RoutineSetWrite(type=kind, weight_kg=group.weight_kg, reps=group.reps)


@dataclass(frozen=True)
class ProgrammeStep:
    """A step to record before the next request: a new programme, or the state of its `routine`."""

    programme: StoredProgramme
    routine: ProgrammeRoutine | None = None


ProgrammeSteps = Generator[ProgrammeStep, StoredProgramme, StoredProgramme]
"""A publication under way: it yields each step and receives the recorded programme."""


@dataclass(frozen=True)
class ProgrammePublisher:
    """Publishes programmes into one account; the caller records each step that it yields.

    Two publishers must not work on one account at a time.
    """

    service: RoutineMaker

    def publish(
        self,
        programmes: Sequence[StoredProgramme],
        athlete_id: str,
        programme: Programme,
        routines: Sequence[RoutineWrite],
    ) -> ProgrammeSteps:
        """Create folder and routines, or the missing ones of an interrupted publication.

        The current programme with the same routines is returned unchanged, while the account has
        them all; otherwise a new version is created. `programmes` are all stored ones of the
        athlete.

        Raises:
            HevyError: the service failed, or the result of a creation is unknown; the next call
                continues.
        """
        content = _content(programme, routines)
        current = current_programme(programmes)
        if current is not None and same_content(current, content) and self._has_all(current):
            return current
        begun = next((each for each in programmes if not each.is_complete), None)
        if begun is not None and not same_content(begun, content):
            yield from self._give_up(begun)
            begun = None
        stored = begun
        if stored is None:
            number = len(programmes)
            new = self._new(athlete_id, programme, routines, content, number)
            stored = yield ProgrammeStep(new)
        folder_id = folder_titled(self.service, stored.folder_title)
        for routine in stored.routines:
            if routine.state == "pending":
                stored = yield self._create(stored, routine, folder_id)
        return replace(stored, is_new=True)

    def _has_all(self, stored: StoredProgramme) -> bool:
        there = {each.id for each in self.service.routines()}
        return all(each.routine_id in there for each in stored.routines)

    def _new(
        self,
        athlete_id: str,
        programme: Programme,
        routines: Sequence[RoutineWrite],
        content: str,
        number: int,
    ) -> StoredProgramme:
        taken = {each.title for each in self.service.routines()}
        folders = {each.title for each in self.service.routine_folders()}
        titled = []
        for place, routine in enumerate(routines):
            title = _free_title(routine.title, taken)
            taken.add(title)
            request = routine.model_copy(update={"title": title}).model_dump_json()
            titled.append(ProgrammeRoutine(place, routine.title, request))
        return StoredProgramme(
            programme_id=programme_id_of(athlete_id, content, number),
            athlete_id=athlete_id,
            name=programme.name,
            title=programme.title,
            content=content,
            folder_title=_free_title(programme.title, folders),
            routines=tuple(titled),
        )

    def _create(
        self, stored: StoredProgramme, routine: ProgrammeRoutine, folder_id: int
    ) -> ProgrammeStep:
        request = RoutineWrite.model_validate_json(routine.request)
        unclear: Exception | None = None
        found = self._find(stored, request, folder_id)
        if found is None:
            try:
                self.service.create_routine(request, folder_id)
            except (HevyUnavailableError, HevyResponseError) as error:
                unclear = error
            found = self._find(stored, request, folder_id)
        if found is None:
            raise unclear or HevyResponseError("Hevy created a routine, but does not list it.")
        created = replace(routine, state="published", routine_id=found.id)
        return ProgrammeStep(stored, created)

    def _find(
        self, stored: StoredProgramme, request: RoutineWrite, folder_id: int | None
    ) -> Routine | None:
        claimed: Collection[str | None] = {each.routine_id for each in stored.routines}
        others = [each for each in self.service.routines() if each.id not in claimed]
        return find_routine(request, others, folder_id)

    def _give_up(self, begun: StoredProgramme) -> ProgrammeSteps:
        """Record which routines of an interrupted programme exist; the others are never created."""
        folders = [
            each.id for each in self.service.routine_folders() if each.title == begun.folder_title
        ]
        folder_id = min(folders, default=None)
        for routine in begun.routines:
            if routine.state == "pending":
                request = RoutineWrite.model_validate_json(routine.request)
                found = self._find(begun, request, folder_id)
                ended = replace(
                    routine, state="superseded", routine_id=None if found is None else found.id
                )
                begun = yield ProgrammeStep(begun, ended)
        return begun


def _content(programme: Programme, routines: Sequence[RoutineWrite]) -> str:
    """Return the content of a version; days and lifts keep the order of training."""
    parts = [programme.model_dump_json(), *(each.model_dump_json() for each in routines)]
    programme_json, *routine_jsons = parts
    return f'{{"programme":{programme_json},"routines":[{",".join(routine_jsons)}]}}'


def _free_title(title: str, taken: Collection[str]) -> str:
    number = 1
    while (candidate := title if number == 1 else f"{title} ({number})") in taken:
        number += 1
    return candidate
