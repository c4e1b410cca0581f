"""Training histories in the notation of strength coaches, and the plan and text for them.

Notation: sessions are separated by commas, oldest first, sets by spaces. `3*100x5@8`: three sets of
100 kg for 5 repetitions at RPE 8; `x10`: body weight; `60s`: seconds; `24/40m`: 24 kg carried for
40 m; `w`: warm-up; `-`: nothing in that session. `10*(80x5 80x4)` repeats a session. Sets in
brackets before a session are the plan it followed; before the first one, the routine's present
plan, where `8-12` and `5+` are ranges: `[3*80x8-12] 3*80x8, 3*80x9`. A session that begins with
`d12:` took place 12 days before the plan; the others are 4 days apart, and the last is 3 days ago.

A history is read like a file of an athlete: sessions of a routine become its context
(`coach_agent.evaluation.past_days`), `decide` makes the plan, and the texts are those of
`spotter plan show`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

from rich.console import Console

from coach_agent.domain.context import Exposure, ExposureSet, RoutineContext, SlotContext
from coach_agent.domain.plan import Plan, SetPrescription, SlotPrescription
from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.evaluation.past_days import situation_after
from coach_agent.evaluation.past_sessions import sessions_of
from coach_agent.journal.current_plans import JournaledPlan
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.check_ins import CheckIn
from hevy_connector.schemas import FILE_ID_PREFIX, Workout
from orchestration.services.programmes.exercise_catalogue import (
    built_in_exercise,
)
from orchestration.text.plan import show_plan

NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)
SQUAT = "Squat (Barbell)"
BENCH = "Bench Press (Barbell)"
DEADLIFT = "Deadlift (Barbell)"
PULL_UP = "Pull Up"

_SET = re.compile(
    r"(?P<warmup>w)?(?:(?P<load>\d+(?:\.\d+)?)(?=[x/]))?"
    r"(?:x(?P<low>\d+)(?:(?P<open>\+)|-(?P<high>\d+))?|/?(?P<seconds>\d+)s|/(?P<metres>\d+)m)"
    r"(?:@(?P<rpe>\d+(?:\.\d+)?))?"
)
_SESSION = re.compile(r"(?:d(?P<days>\d+):)?\s*(?:\[(?P<plan>[^]]*)\])?\s*(?P<sets>.*)")
_SETS = re.compile(r"(?:(?P<count>\d+)\*)?(?P<set>\S+)")
_REPEATED = re.compile(r"(?P<count>\d+)\*\((?P<sets>[^)]*)\)")


@dataclass(frozen=True)
class WrittenSet:
    """A set as it is written; a plan's repetitions may be a range, open at the top if `is_open`."""

    is_warmup: bool
    load_kg: float | None
    reps: int | None
    high: int | None
    is_open: bool
    seconds: int | None
    metres: int | None
    rpe: float | None


@dataclass(frozen=True)
class WrittenSession:
    """A session as it is written: `days_ago` and `plan` are None where nothing is written."""

    days_ago: int | None
    plan: tuple[WrittenSet, ...] | None
    sets: tuple[WrittenSet, ...]


@dataclass(frozen=True)
class Planned:
    """A decision on a history, with its plan as values and as texts."""

    situation: Situation
    profile: AthleteProfile
    decision: Decision

    @property
    def plan(self) -> Plan:
        return self.decision.plan

    def slot(self, title: str | None = None) -> SlotPrescription:
        """The exercise of that title, or the only one."""
        found = [each for each in self.plan.slots if title in {None, each.exercise_title}]
        assert len(found) == 1, [each.exercise_title for each in self.plan.slots]
        return found[0]

    def working(self, title: str | None = None) -> tuple[SetPrescription, ...]:
        """The working sets of an exercise."""
        return tuple(each for each in self.slot(title).sets if each.set_type in WORKING_TYPES)

    def loads(self, title: str | None = None) -> list[float | None]:
        return [each.weight_kg for each in self.working(title)]

    def load(self, title: str | None = None) -> float:
        """The one load of all working sets."""
        (load,) = set(self.loads(title))
        assert load is not None
        return load

    def reps(self, title: str | None = None) -> list[int | None]:
        return [each.reps for each in self.working(title)]

    @property
    def text(self) -> str:
        """The short view of the plan, on one line a text."""
        return self._shown(why=False)

    @property
    def why(self) -> str:
        """The plan with every reason."""
        return self._shown(why=True)

    def _shown(self, *, why: bool) -> str:
        file = StringIO()
        decided_at = NOW
        journaled = JournaledPlan("plan_1", self.plan, decided_at, "published", ())
        show_plan(Console(file=file, width=1000), self.profile, journaled, now=NOW, why=why)
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def planned(
    history: str | Mapping[str, str | Mapping[str, str]],
    *,
    title: str = SQUAT,
    days_off: int = 3,
    every: int = 4,
    unit: str = "kg",
    said: Mapping[str, Any] | None = None,
    known: Mapping[str, Any] | None = None,
    **profile: Any,
) -> Planned:
    """Return the plan for a history: of one exercise, of several by title, or by routine and title.

    `said` has fields of a check-in, `known` other fields of the situation, `profile` those of the
    athlete's profile. With `unit="lb"` written loads are pounds, also in the profile. Several
    routines are managed in their written order.
    """
    situation, athlete = situation_of(
        history, title=title, days_off=days_off, every=every, unit=unit, said=said, **profile
    )
    situation = situation.model_copy(update=dict(known or {}))
    decision = decide(situation, athlete)
    assert decision is not None
    return Planned(situation, athlete, decision)


def situation_of(
    history: str | Mapping[str, str | Mapping[str, str]],
    *,
    title: str = SQUAT,
    days_off: int = 3,
    every: int = 4,
    unit: str = "kg",
    said: Mapping[str, Any] | None = None,
    **profile: Any,
) -> tuple[Situation, AthleteProfile]:
    """Return the situation and the profile for a history, as `planned` takes them."""
    routines = _by_routine(history, title)
    scale = KILOGRAMS_PER_POUND if unit == "lb" else 1.0
    written = {
        name: {exercise: parse(text, scale) for exercise, text in lifts.items()}
        for name, lifts in routines.items()
    }
    payloads: dict[tuple[str, int], dict[str, WrittenSession]] = {}
    presents: dict[tuple[str, str], tuple[WrittenSet, ...]] = {}
    for name, lifts in written.items():
        for exercise, (present, sessions) in lifts.items():
            if present is not None:
                presents[name, exercise] = present
            for place, session in enumerate(reversed(sessions)):
                ago = session.days_ago
                day = days_off + every * place if ago is None else ago
                if session.sets:
                    payloads.setdefault((name, day), {})[exercise] = session
    workouts = [_workout(name, day, lifts) for (name, day), lifts in payloads.items()]
    found = situation_after(sessions_of(workouts, built_in_exercise), "fixed", NOW)
    check_in = None if said is None else CheckIn.model_validate({"checked_in_at": NOW, **said})
    contexts = (_as_written(each, presents, payloads) for each in found.routines)
    order = [*routines]
    found = found.model_copy(
        update={
            "routines": tuple(sorted(contexts, key=lambda each: order.index(each.title))),
            "check_ins": () if check_in is None else (check_in,),
            "latest_check_in": check_in,
        }
    )
    athlete = {"id": "demo", **profile}
    if unit == "lb":
        athlete = {"equipment": {"unit": "lb"}, **athlete}
    return found, AthleteProfile.model_validate(athlete, strict=False)


def planned_with_new(title: str, sets: str, **given: Any) -> Planned:
    """Return the plan of a routine with squats, and sets of an exercise that was never done."""
    known, athlete = situation_of("2*(3*100x5)", **given)
    (routine,), new = known.routines, built_in_exercise(title)
    assert new is not None
    targets, _ = parse(f"[{sets}]")
    squat = routine.slots[0]
    slot = squat.model_copy(
        update={
            "exercise_title": new.title,
            "exercise_template_id": "NEW",
            "exercise_type": new.exercise_type,
            "equipment": new.equipment,
            "primary_muscle_group": new.primary_muscle_group,
            "secondary_muscle_groups": new.secondary_muscle_groups,
            "exercise_index": 1,
            "exposures": (),
            "planned_sets": tuple(map(_target, range(9), targets or ())),
        }
    )
    changed = routine.model_copy(update={"slots": (squat, slot)})
    known = known.model_copy(update={"routines": (changed,)})
    decision = decide(known, athlete)
    assert decision is not None
    return Planned(known, athlete, decision)


def parse(
    text: str, scale: float = 1.0
) -> tuple[tuple[WrittenSet, ...] | None, tuple[WrittenSession, ...]]:
    """Return the routine's present plan, None if none is written, and the sessions, oldest first.

    Loads are multiplied by `scale` to be kilograms.
    """
    present = None
    if (found := re.match(r"\s*\[(?P<plan>[^]]*)\]", text)) is not None:
        present = tuple(_sets(found["plan"], scale))
        text = text[found.end() :]
    sessions: list[WrittenSession] = []
    for part in (each.strip() for each in text.split(",")):
        if not part:
            continue
        repeated = _REPEATED.fullmatch(part)
        count = 1 if repeated is None else int(repeated["count"])
        one = _SESSION.fullmatch(part if repeated is None else repeated["sets"])
        assert one is not None, part
        plan = None if one["plan"] is None else tuple(_sets(one["plan"], scale))
        days = None if one["days"] is None else int(one["days"])
        sets = () if one["sets"] == "-" else tuple(_sets(one["sets"], scale))
        sessions += [WrittenSession(days, plan, sets)] * count
    return present, tuple(sessions)


def _by_routine(
    history: str | Mapping[str, str | Mapping[str, str]], title: str
) -> Mapping[str, Mapping[str, str]]:
    if isinstance(history, str):
        return {"A": {title: history}}
    if all(isinstance(each, str) for each in history.values()):
        return {"A": {name: str(text) for name, text in history.items()}}
    return {name: lifts for name, lifts in history.items() if not isinstance(lifts, str)}


def _sets(text: str, scale: float) -> Iterator[WrittenSet]:
    for part in _SETS.finditer(text):
        one = _SET.fullmatch(part["set"])
        assert one is not None, part["set"]
        load = None if one["load"] is None else float(one["load"]) * scale
        low = None if one["low"] is None else int(one["low"])
        high = low if one["high"] is None else int(one["high"])
        written = WrittenSet(
            is_warmup=one["warmup"] is not None,
            load_kg=load,
            reps=low,
            high=None if one["open"] else high,
            is_open=one["open"] is not None,
            seconds=None if one["seconds"] is None else int(one["seconds"]),
            metres=None if one["metres"] is None else int(one["metres"]),
            rpe=None if one["rpe"] is None else float(one["rpe"]),
        )
        yield from [written] * int(part["count"] or 1)


def _workout(routine: str, days_ago: int, lifts: Mapping[str, WrittenSession]) -> Workout:
    start = NOW - timedelta(days=days_ago, hours=1)
    return Workout.model_validate(
        {
            "id": _workout_id(routine, days_ago),
            "title": routine,
            "routine_id": routine,
            "start_time": start,
            "end_time": start + timedelta(hours=1),
            "exercises": [
                {
                    "index": index,
                    "title": title,
                    "sets": [
                        {
                            "index": place,
                            "type": "warmup" if each.is_warmup else "normal",
                            "weight_kg": each.load_kg,
                            "reps": each.reps,
                            "duration_seconds": each.seconds,
                            "distance_meters": each.metres,
                            "rpe": each.rpe,
                        }
                        for place, each in enumerate(session.sets)
                    ],
                }
                for index, (title, session) in enumerate(lifts.items())
            ],
        }
    )


def _workout_id(routine: str, days_ago: int) -> str:
    return f"{FILE_ID_PREFIX}{routine}-{days_ago}"


def _as_written(
    routine: RoutineContext,
    presents: Mapping[tuple[str, str], tuple[WrittenSet, ...]],
    sessions: Mapping[tuple[str, int], Mapping[str, WrittenSession]],
) -> RoutineContext:
    """The routine with the plans that are written in brackets."""
    written = {
        _workout_id(*key): {title: each.plan for title, each in lifts.items()}
        for key, lifts in sessions.items()
    }
    slots = []
    for slot in routine.slots:
        present = presents.get((routine.title, slot.exercise_title))
        plans = {key: lifts.get(slot.exercise_title) for key, lifts in written.items()}
        exposures = tuple(
            _beside(each, plan) if (plan := plans.get(each.workout_id)) else each
            for each in slot.exposures
        )
        update: dict[str, Any] = {"exposures": exposures}
        if present is not None:
            update["planned_sets"] = tuple(
                _target(place, each) for place, each in enumerate(present)
            )
        slots.append(slot.model_copy(update=update))
    return routine.model_copy(update={"slots": tuple[SlotContext, ...](slots)})


def _target(index: int, written: WrittenSet) -> SetPrescription:
    is_fixed = written.reps == written.high
    return SetPrescription(
        set_index=index,
        set_type="warmup" if written.is_warmup else "normal",
        weight_kg=written.load_kg,
        reps=written.reps if is_fixed else None,
        rep_range_start=None if is_fixed else written.reps,
        rep_range_end=None if is_fixed else written.high,
        duration_s=written.seconds,
        distance_m=written.metres,
    )


def _beside(exposure: Exposure, plan: Sequence[WrittenSet]) -> Exposure:
    """Return the exposure with each set paired with the next planned one of its kind."""
    waiting = {
        kind: [(place, each) for place, each in enumerate(plan) if each.is_warmup is kind]
        for kind in (True, False)
    }
    sets: list[ExposureSet] = []
    for done in exposure.sets:
        there = waiting[done.set_type == "warmup"]
        beside: dict[str, Any] = {}
        if there:
            place, target = there.pop(0)
            beside = {
                "planned_set_index": place,
                "planned_weight_kg": target.load_kg,
                "planned_reps_low": target.reps,
                "planned_reps_high": target.high,
                "planned_duration_s": target.seconds,
            }
        sets.append(done.model_copy(update=beside))
    return exposure.model_copy(
        update={
            "is_plan_known": True,
            "planned_working_count": sum(not each.is_warmup for each in plan),
            "sets": tuple(sets),
        }
    )
