"""Random changes of a warehouse by athletes, Hevy and files, in any order."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from datetime import datetime, timedelta
from random import Random
from typing import Any

from coach_agent.store.corrections import Action, Done
from coach_agent.store.session_rpes import SessionRpe, record_session_rpe
from tests.warehouse.payloads import Json, at, exercise, lift, ranged, routine, template, workout
from tests.warehouse.prescriptions import plan_of
from tests.warehouse.scratch import ScratchWarehouse

ATHLETES = ("ann", "bob", "cem")
BEGINNING = at("2026-03-01 03:00")
LIFTS = ("bench", "squat", "row", "curl", "dip")
FILE = ("Chest Dip (Assisted)", "Squat (Barbell)", "Own Lift (Assisted)")  # titles in files only
ZONES = ("UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Auckland")
ROUTINES = ("push", "legs")
BEFORE = timedelta(days=180)
"""The training begins this long before the first landing."""


class RandomChanges:
    """Changes raw and coach tables like months of use, with a fixed seed.

    Every step is landed a moment after the one before, independent of the time of the workout.
    """

    def __init__(
        self,
        warehouse: ScratchWarehouse,
        seed: int,
        athletes: Sequence[str] = ATHLETES,
        now: datetime = BEGINNING,
    ) -> None:
        self.warehouse = warehouse
        self.athletes = athletes
        self.now = now
        self._random = Random(seed)  # noqa: S311 - a test's seed
        self._first_day = now - BEFORE
        self._workouts: dict[tuple[str, str], Json] = {}
        self._routines: dict[tuple[str, str], Json] = {}
        self._titles = {(athlete, name): name for athlete in self.athletes for name in LIFTS}
        self._insisted: dict[str, str | None] = {}
        self._is_doubted = False
        self._number = 0
        for athlete in self.athletes:
            self._land_catalogue(athlete)

    def step(self) -> None:
        """Apply one change of a random kind."""
        kinds: tuple[tuple[Callable[[str], None], int], ...] = (
            (self._train, 30),
            (self._edit_workout, 6),
            (self._delete_workout, 3),
            (self._import_workout, 4),
            (self._edit_routine, 4),
            (self._delete_routine, 1),
            (self._correct, 6),
            (self._rename_exercise, 1),
            (self._move_house, 1),
            (self._publish, 3),
            (self._hold, 2),
            (self._read_account, 2),
        )
        (kind,) = self._random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
        kind(self._random.choice(self.athletes))

    def insist(self) -> None:
        """Let each athlete doubt a set, the next time edit it, then doubt it again, and so on."""
        self._is_doubted = not self._is_doubted
        for athlete in self.athletes:
            name = self._insisted.get(athlete)
            if name is None or (athlete, name) not in self._workouts:
                name = self._insisted[athlete] = self._known(athlete)
            if name is None or not (places := self._places(athlete, name)):
                continue
            if self._is_doubted:
                self.now += timedelta(seconds=1)
                self._speak_of(athlete, name, places[0], "doubt_set")
            else:
                edited = deepcopy(self._workouts[athlete, name])
                performed = edited["exercises"][places[0][0]]["sets"][places[0][1]]
                performed["weight_kg"] = self._random.choice((61, 81, 101, None))
                self._workouts[athlete, name] = edited
                self._land("hevy_workouts", athlete, [edited])

    def _land(self, entity: Any, athlete: str, payloads: list[Json], **options: Any) -> None:
        self.now += timedelta(seconds=self._random.randint(1, 9000))
        self.warehouse.land(entity, athlete, payloads, now=self.now, **options)

    def _moment(self) -> datetime:
        """Draw any minute of half a year: often late and out of order, even after a plan."""
        return self._first_day + timedelta(minutes=self._random.randint(0, 190 * 24 * 60))

    def _exercises(self) -> list[Json]:
        return [
            exercise(name, [self._set() for _ in range(self._random.randint(0, 5))])
            for name in self._random.choices(LIFTS, k=self._random.randint(1, 4))
        ]

    def _set(self) -> Json:
        weight = self._random.choice((60, 62.5, 80, 82.5, 100, 102.5, 1025, None))
        kind = self._random.choices(("normal", "warmup", "failure", "dropset"), (8, 2, 1, 1))[0]
        rpe = self._random.choice((None, None, 7, 8.5, 10))
        return lift(weight, self._random.randint(1, 13), kind, rpe=rpe)

    def _train(self, athlete: str) -> None:
        self._number += 1
        name = f"w{self._number}"
        routine_id = self._random.choice((*ROUTINES, None, "unknown"))
        start = self._moment()
        self._workouts[athlete, name] = workout(
            name,
            f"{start:%Y-%m-%d %H:%M}",
            self._exercises(),
            routine_id,
            title=self._random.choice(("Push", "Legs", "Monday")),
            end_time=(start + timedelta(minutes=61)).isoformat(),
            description=f"sRPE {self._number % 14}" if self._number % 3 else "",
        )
        self._land("hevy_workouts", athlete, [self._workouts[athlete, name]])

    def _import_workout(self, athlete: str) -> None:
        self._number += 1
        titles = [
            {
                **one,
                "exercise_template_id": None,
                "title": self._random.choice((one["title"], *FILE)),
            }
            for one in self._exercises()
        ]
        payload = workout(f"file{self._number}", f"{self._moment():%Y-%m-%d %H:%M}", titles)
        self._land("hevy_workouts", athlete, [payload], origin="csv")

    def _known(self, athlete: str) -> str | None:
        names = sorted(name for owner, name in self._workouts if owner == athlete)
        return self._random.choice(names) if names else None

    def _edit_workout(self, athlete: str) -> None:
        if name := self._known(athlete):
            edited = {**self._workouts[athlete, name], "exercises": self._exercises()}
            self._workouts[athlete, name] = edited
            self._land("hevy_workouts", athlete, [edited])

    def _delete_workout(self, athlete: str) -> None:
        if name := self._known(athlete):
            del self._workouts[athlete, name]
            living = [one for (owner, _), one in self._workouts.items() if owner == athlete]
            self._land("hevy_workouts", athlete, living, is_complete=True)

    def _edit_routine(self, athlete: str) -> None:
        name = self._random.choice(ROUTINES)
        planned = [
            exercise(lift_name, [ranged(self._random.choice((60, 80, 100)), 5, 8)] * 3)
            for lift_name in self._random.sample(LIFTS, 3)
        ]
        stamp = min(self._moment(), self.now)
        self._routines[athlete, name] = routine(name, f"{stamp:%Y-%m-%d %H:%M}", planned)
        self._land("hevy_routines", athlete, [self._routines[athlete, name]])

    def _publish(self, athlete: str) -> None:
        name = self._random.choice(ROUTINES)
        self._number += 1
        planned = [exercise(lift_name, [lift(80, 5)] * 3) for lift_name in LIFTS[:2]]
        stamp = f"{self.now:%Y-%m-%d %H:%M}"
        published = routine(name, stamp, planned, title=f"Plan {self._number}")
        self._routines[athlete, name] = published
        plan_id = f"plan{self._number}"
        plan = plan_of(athlete, published)
        self.warehouse.record_plan(plan_id, plan, self.now)
        self.warehouse.record_publication(athlete, plan_id, published, at(stamp))
        self._land("hevy_routines", athlete, [published], origin="publication")

    def _hold(self, athlete: str) -> None:
        """Record a plan that equals the content of the routine."""
        names = sorted(name for owner, name in self._routines if owner == athlete)
        if names:
            self._number += 1
            self.now += timedelta(seconds=1)
            held = self._routines[athlete, self._random.choice(names)]
            plan_id = f"plan{self._number}"
            self.warehouse.record_plan(plan_id, plan_of(athlete, held), self.now)
            self.warehouse.record_hold(athlete, plan_id, held["id"], self.now)

    def _read_account(self, athlete: str) -> None:
        self.now += timedelta(days=1)
        self.warehouse.record_reading(athlete, now=self.now)

    def _delete_routine(self, athlete: str) -> None:
        self._routines.pop((athlete, self._random.choice(ROUTINES)), None)
        living = [one for (owner, _), one in self._routines.items() if owner == athlete]
        self._land("hevy_routines", athlete, living, is_complete=True)

    def _correct(self, athlete: str) -> None:
        name = self._known(athlete)
        if name is None:
            return
        self.now += timedelta(seconds=1)
        places = self._places(athlete, name)
        if places and self._random.random() < 0.6:
            action = self._random.choice(("accept_set", "doubt_set"))
            self._speak_of(athlete, name, self._random.choice(places), action)
        else:
            action = self._random.choice(("exclude_workout", "include_workout"))
            self.warehouse.correct(athlete, name, action, now=self.now)
        self._rate(athlete, name)

    def _rate(self, athlete: str, name: str) -> None:
        """Record a session RPE soon after the workout, or after one that began since."""
        start = datetime.fromisoformat(self._workouts[athlete, name]["start_time"])
        recorded = SessionRpe(
            recorded_at=start + timedelta(minutes=70), session_rpe=self._number % 11
        )
        with self.warehouse.connection() as con:
            record_session_rpe(con, athlete, recorded)

    def _places(self, athlete: str, name: str) -> list[tuple[int, int]]:
        exercises = self._workouts[athlete, name]["exercises"]
        return [
            (index, each["index"]) for index, one in enumerate(exercises) for each in one["sets"]
        ]

    def _speak_of(self, athlete: str, name: str, place: tuple[int, int], action: Action) -> None:
        """Record a correction of a set with its current values."""
        performed = self._workouts[athlete, name]["exercises"][place[0]]["sets"][place[1]]
        done = Done(performed["weight_kg"], performed["reps"])
        self.warehouse.correct(athlete, name, action, now=self.now, place=place, done=done)

    def _rename_exercise(self, athlete: str) -> None:
        self._titles[athlete, self._random.choice(LIFTS)] = f"Lift {self._random.randint(0, 99)}"
        self._land_catalogue(athlete)

    def _move_house(self, athlete: str) -> None:
        profile = {"id": athlete, "name": athlete, "timezone": self._random.choice(ZONES)}
        self._land("athlete_profiles", athlete, [profile], origin="profile")

    def _land_catalogue(self, athlete: str) -> None:
        entries = [
            template(
                name,
                title=self._titles[athlete, name],
                is_custom=True,
                secondary_muscle_groups=["triceps"],
            )
            for name in LIFTS
        ]
        self._land("hevy_exercise_templates", athlete, entries, is_complete=True)
