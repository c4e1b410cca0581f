"""Memories choose among allowed exercises of a programme, and only those that did are named."""

from datetime import UTC, date, datetime, timedelta

import pytest

from coach_agent.memory.memories import Kind, Memory, Source, Statement, Status
from coach_agent.programmes.builder import build
from coach_agent.programmes.request import BuiltProgramme, ProgrammeRequest
from coach_agent.store.memories import MemoryVersion
from orchestration.services.programmes.exercise_catalogue import (
    programme_catalogue,
)
from orchestration.services.programmes.programme_memories import (
    build_with_memories,
)

TODAY = date(2026, 3, 30)
NOW = datetime(2026, 3, 30, 12, tzinfo=UTC)
REQUEST = ProgrammeRequest(days=3)


def _memory(
    number: int,
    kind: Kind,
    statement: Statement,
    *,
    times: int = 4,
    status: Status = "guessed",
    days_ago: int = 0,
) -> MemoryVersion:
    sources = tuple(
        Source(mart="fct_workout", key=str(each), day=TODAY - timedelta(days=days_ago + 7 * each))
        for each in range(times)
    )
    memory = Memory(
        athlete_id="ann",
        kind=kind,
        subject=statement.title,
        statement=statement,
        sources=sources,
        status=status,
        decided_on=None if status == "guessed" else TODAY,
    )
    return MemoryVersion(number, 1, memory, NOW, None, "run")


def _titles(built: BuiltProgramme) -> set[str]:
    return {reason.split(":")[0] for day in built.week for reason in day.reasons}


def _built(
    *versions: MemoryVersion, fixed: tuple[str, ...] = ()
) -> tuple[BuiltProgramme, list[int]]:
    built, used = build_with_memories(REQUEST, programme_catalogue(), versions, TODAY, fixed)
    return built, [each.number for each in used]


@pytest.fixture(scope="module")
def plain() -> BuiltProgramme:
    return build(REQUEST, programme_catalogue())


def test_a_swapped_exercise_is_replaced_and_its_memory_named(plain: BuiltProgramme) -> None:
    title = plain.week[0].reasons[0].split(":")[0]
    memory = _memory(7, "against_exercise", Statement(title=title))
    built, used = _built(memory)
    assert used == [7]
    assert title not in _titles(built)
    # A second memory of the same exercise changed it as well.
    twice, both = _built(memory, _memory(8, "skipped_last", Statement(title=title)))
    assert (twice.programme, both) == (built.programme, [7, 8])


def test_a_chosen_exercise_is_taken(plain: BuiltProgramme) -> None:
    swapped = plain.week[0].reasons[0].split(":")[0]
    other, _ = _built(_memory(1, "against_exercise", Statement(title=swapped)))
    liked = min(_titles(other) - _titles(plain))
    built, used = _built(_memory(2, "for_exercise", Statement(title=liked)))
    assert liked in _titles(built)
    assert used == [2]


def test_wishes_of_the_athlete_come_first(plain: BuiltProgramme) -> None:
    title = plain.week[0].reasons[0].split(":")[0]
    wished = REQUEST.model_copy(update={"prefer": (title,)})
    memory = _memory(1, "against_exercise", Statement(title=title))
    built, used = build_with_memories(wished, programme_catalogue(), [memory], TODAY, ())
    assert title in _titles(built)
    assert used == ()
    days = _memory(2, "training_days", Statement(weekdays=(0, 2, 4, 5)))
    assert len(_built(days)[0].week) == 4
    assert _built(days, fixed=("days",)) == (plain, [])
    minutes = _memory(3, "training_minutes", Statement(minutes=30))
    assert max(day.minutes for day in _built(minutes)[0].week) <= 30


@pytest.mark.parametrize(
    "version",
    [
        _memory(1, "against_exercise", Statement(title="Unknown Exercise")),
        _memory(1, "training_hour", Statement(start_minute=600)),
        _memory(1, "injury_pattern", Statement(title="knee", before=("Squat (Barbell)",))),
    ],
    ids=["unknown", "hour", "injury"],
)
def test_other_memories_change_nothing_and_are_not_named(
    plain: BuiltProgramme, version: MemoryVersion
) -> None:
    built, used = _built(version)
    assert (built.programme, used) == (plain.programme, [])


def test_a_doubtful_guess_is_not_used_until_it_is_confirmed(plain: BuiltProgramme) -> None:
    title = plain.week[0].reasons[0].split(":")[0]
    doubtful = _memory(1, "against_exercise", Statement(title=title), times=2, days_ago=60)
    assert doubtful.memory.confidence(TODAY) < 0.65
    assert _built(doubtful)[1] == []
    confirmed = _memory(
        1, "against_exercise", Statement(title=title), times=2, days_ago=60, status="confirmed"
    )
    assert _built(confirmed)[1] == [1]


def test_no_memory_makes_an_avoided_exercise_possible() -> None:
    request = REQUEST.model_copy(update={"avoid": ("Squat (Barbell)",)})
    memory = _memory(1, "for_exercise", Statement(title="Squat (Barbell)"))
    built, used = build_with_memories(request, programme_catalogue(), [memory], TODAY, ())
    assert "Squat (Barbell)" not in _titles(built)
    assert used == ()
