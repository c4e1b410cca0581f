"""Effective settings of an athlete, with the source of each value."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from coach_agent.domain.constants.planning import ROTATION_WINDOW
from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.ladder import bar_of, ladder_for
from coach_agent.engine.models.block_history import load_kind
from coach_agent.engine.models.select import Block, Group, block_of
from coach_agent.engine.models.slots import working_groups
from coach_agent.planning.block_week import due_sessions
from coach_agent.planning.rotation import managed_routines, next_routine, predict_rotation
from coach_agent.profile.model import AthleteProfile, Rules
from coach_agent.profile.season import phase_on
from coach_agent.profile.table import ProfileTable
from coach_agent.store.profile_facts import Learned, ProfileFacts

PROFILE, DEFAULT, ROUTINE, PROGRAMME = "profile", "default", "routine", "programme"

Key = tuple[str, ...]
Found = tuple[Any, str]


@dataclass(frozen=True)
class EffectiveValue:
    """An effective value; `key` is its place in the profile, or `today` or `learned` and a name.

    `value` is a JSON value. `source` is "profile", "default", "routine", "programme", or "history
    (n = 12)" with the number of workouts, or of steps for an increment.
    """

    key: Key
    value: Any
    source: str


@dataclass(frozen=True)
class Part:
    """Sets of a routine that progress together, and their block."""

    slot: SlotContext
    group: Group
    block: Block


def effective_settings(
    profile: AthleteProfile, facts: ProfileFacts | None, today: date
) -> tuple[EffectiveValue, ...]:
    """Return every effective value of the athlete on this day of the own time zone.

    Without facts, before the first run, only the profile's values and defaults.

    Raises:
        ProfileError: the profile names a routine that does not exist, or exists twice.
    """
    known = facts or ProfileFacts()
    routines = managed_routines(known.routines, profile) if known.routines else ()
    values = {each.key: each for each in _profile_values(profile)}
    values |= {each.key: each for each in _derived_values(profile)}
    values |= {each.key: each for each in _rotation(profile, routines, known, today)}
    return (
        *values.values(),
        *_day(profile, today),
        _learned_value(("learned", "minutes_a_set"), known.minutes_a_set),
        *_exercises(profile, routines, known),
    )


def _profile_values(profile: AthleteProfile) -> Iterator[EffectiveValue]:
    """Yield each key of the profile, in the order of the model; only the current one of the
    gyms.
    """
    for name in AthleteProfile.model_fields:
        if name == "exercises":
            continue
        if name == "equipment":
            place = ("equipment",) if profile.place is None else ("places", profile.place)
            yield from _table(profile.gym_table, place)
        elif name == "places":
            yield EffectiveValue((name,), sorted(profile.places), _source(profile, name))
        else:
            yield from _key(profile, name, ())


def _table(table: ProfileTable, path: Key) -> Iterator[EffectiveValue]:
    for name in type(table).model_fields:
        yield from _key(table, name, path)


def _key(table: ProfileTable, name: str, path: Key) -> Iterator[EffectiveValue]:
    value = getattr(table, name)
    if isinstance(value, ProfileTable):
        yield from _table(value, (*path, name))
    else:
        plain = table.model_dump(mode="json", include={name})[name]
        yield EffectiveValue((*path, name), plain, _source(table, name))


def _source(table: ProfileTable, name: str) -> str:
    return PROFILE if name in table.model_fields_set else DEFAULT


def _derived_values(profile: AthleteProfile) -> Iterator[EffectiveValue]:
    """Yield keys with a default that depends on other keys."""
    season = profile.season
    for name, value in (("mode", season.deload_mode), ("every_weeks", season.deload_every_weeks)):
        yield EffectiveValue(("deload", name), value, _source(profile.deload, name))


def _rotation(
    profile: AthleteProfile,
    routines: Sequence[RoutineContext],
    facts: ProfileFacts,
    today: date,
) -> Iterator[EffectiveValue]:
    """Yield the next routine and, unless the profile has an order, the order learned from
    workouts.
    """
    due = due_sessions(facts.programme, facts.trained, profile, today)
    following = next_routine(facts.routines, profile, facts.trained, today, due)
    title = following.title if following else None
    if due:
        yield EffectiveValue(("today", "next_routine"), title, PROGRAMME)
        return
    if profile.routines or profile.weekdays:
        yield EffectiveValue(("today", "next_routine"), title, PROFILE)
        return
    titles = {routine.routine_id: routine.title for routine in routines}
    done = [each.routine_id for each in facts.trained if each.routine_id in titles]
    source = _history(min(len(done), ROTATION_WINDOW.value)) if done else DEFAULT
    yield EffectiveValue(("today", "next_routine"), title, source)
    if order := [titles[each] for each in predict_rotation(done)]:
        yield EffectiveValue(("routines",), order, source)


def _day(profile: AthleteProfile, today: date) -> Iterator[EffectiveValue]:
    has_calendar = profile.block_start is not None or profile.goal.date is not None
    for name, value in phase_on(profile.season, today).model_dump(mode="json").items():
        yield EffectiveValue(("today", name), value, PROFILE if has_calendar else DEFAULT)


def _exercises(
    profile: AthleteProfile, routines: Sequence[RoutineContext], facts: ProfileFacts
) -> Iterator[EffectiveValue]:
    """Yield the rules of each exercise, in the order of the routines; then of those in no
    routine.
    """
    slots: dict[str, list[SlotContext]] = {}
    for routine in routines:
        for slot in routine.slots:
            slots.setdefault(slot.exercise_title, []).append(slot)
    for title in (*slots, *sorted(set(profile.exercises).difference(slots))):
        yield from _exercise(title, slots.get(title, []), profile, facts)


def _exercise(
    title: str, slots: Sequence[SlotContext], profile: AthleteProfile, facts: ProfileFacts
) -> Iterator[EffectiveValue]:
    rules = profile.rules_for([title])
    rule = rules.for_exercise(title)
    parts = [
        Part(slot, group, block_of(slot, group, rules))
        for slot in slots
        for group in working_groups(slot, slot.planned_sets, rules)
    ]
    found = {
        "model": _model(parts, rule.model),
        "rep_range": _rep_ranges(parts, rule.rep_range),
        "increment_kg": None if rule.increment_kg else _increment(parts, rules, facts),
        "bar_kg": None if rule.bar_kg else _bar(slots, profile),
    }
    for each in _table(rule, ("exercises", title)):
        if each.key[-1].endswith("_lb"):  # reported in kg, the effective unit
            continue
        value, source = found.get(each.key[-1]) or (each.value, each.source)
        yield EffectiveValue(each.key, value, source)


def _model(parts: Iterable[Part], wished: str | None) -> Found | None:
    """Return the progression models; sets that only wait for a first time are left out."""
    models = list(dict.fromkeys(part.block.model for part in parts))
    if not models:
        return None
    moving = [model for model in models if model != "keep"]
    return ", ".join(moving or models), PROFILE if wished in models else ROUTINE


def _rep_ranges(parts: Sequence[Part], wished: tuple[int, int] | None) -> Found | None:
    """Return the target ranges of the sets, [low, high] each; by default the done ones."""
    ranges: dict[tuple[int | None, int | None], str] = {}
    for part in parts:
        target, planned = part.block.target, part.group[0]
        if target is not None and target.low is not None:
            ranges[target.low, target.high] = ROUTINE if target.is_routines else PROFILE
        elif target is None and planned.rep_range_start is not None:
            ranges[planned.rep_range_start, planned.rep_range_end] = ROUTINE
        elif target is None and wished is None and planned.reps is not None:
            ranges[planned.reps, planned.reps] = ROUTINE
    if ranges:
        source = ROUTINE if ROUTINE in ranges.values() else PROFILE
        return [list(each) for each in ranges], source
    return ([list(wished)], PROFILE) if wished else _done_range(parts)


def _done_range(parts: Iterable[Part]) -> Found | None:
    slots = {id(part.slot): part.slot for part in parts}
    done = {
        exposure.workout_id: [
            each.reps
            for each in exposure.sets
            if each.set_type in WORKING_TYPES and each.reps and not each.is_typo_suspect
        ]
        for slot in slots.values()
        for exposure in slot.exposures
    }
    repetitions = [reps for found in done.values() for reps in found]
    if not repetitions:
        return None
    return [[min(repetitions), max(repetitions)]], _history(sum(map(bool, done.values())))


def _increment(parts: Iterable[Part], rules: Rules, facts: ProfileFacts) -> Found | None:
    for part in parts:
        if load_kind(part.slot, part.block) is None:
            continue
        if learned := facts.increments_kg.get(part.slot.exercise_template_id):
            return learned.value, _history(learned.count)
        return ladder_for(part.slot, rules, through_kg=0.0).increment_kg, DEFAULT
    return None


def _bar(slots: Iterable[SlotContext], profile: AthleteProfile) -> Found | None:
    rules = Rules(equipment=profile.gym)
    bar_kg = next((bar_of(slot, rules) for slot in slots), None)
    written = f"bar_{profile.gym.unit}"
    return None if bar_kg is None else (bar_kg, _source(profile.gym_table, written))


def _learned_value(key: Key, learned: Learned | None) -> EffectiveValue:
    if learned is None:
        return EffectiveValue(key, None, DEFAULT)
    return EffectiveValue(key, learned.value, _history(learned.count))


def _history(count: int) -> str:
    return f"history (n = {count})"
