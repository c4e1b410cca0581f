"""Confidence grows with repetition, decays with time, and ends a memory."""

from datetime import timedelta

import pytest

from coach_agent.memory.memories import (
    HALF_LIFE_DAYS,
    LEAST_CONFIDENCE,
    Kind,
    Memory,
    Role,
    Source,
    Statement,
)
from tests.coach.memory.evidence import day


def memory(*numbers: int, kind: Kind = "against_exercise", opposed: tuple[int, ...] = ()) -> Memory:
    def sources(days: tuple[int, ...], role: Role) -> list[Source]:
        return [Source(mart="m", key=str(each), day=day(each), role=role) for each in days]

    return Memory(
        athlete_id="ann",
        kind=kind,
        subject="SQUAT",
        statement=Statement(title="Squat"),
        sources=(*sources(numbers, "supports"), *sources(opposed, "opposes")),
    )


@pytest.mark.parametrize(
    ("known", "number", "confidence"),
    [
        # n / (n + 1) on the day of n observations.
        pytest.param(memory(0), 0, 1 / 2, id="one"),
        pytest.param(memory(0, 0), 0, 2 / 3, id="two"),
        pytest.param(memory(0, 0, 0, 0), 0, 4 / 5, id="four"),
        pytest.param(memory(*[0] * 9), 0, 9 / 10, id="nine"),
        # 60 days are a half-life of a preference: 4 become 2, 1 and 1/2.
        pytest.param(memory(0, 0, 0, 0), 60, 2 / 3, id="four after a half-life"),
        pytest.param(memory(0, 0, 0, 0), 120, 1 / 2, id="four after two half-lives"),
        pytest.param(memory(0, 0, 0, 0), 180, 1 / 3, id="four after three half-lives"),
        # 1 + 1/2 + 1/4 + 1/8 = 15/8, of 15/8 + 1.
        pytest.param(memory(0, 60, 120, 180), 180, 15 / 23, id="older ones weigh less"),
        # 4 / (4 + 2 + 1), and half of each later.
        pytest.param(memory(0, 0, 0, 0, opposed=(0, 0)), 0, 4 / 7, id="two against four"),
        pytest.param(memory(0, 0, 0, 0, opposed=(0, 0)), 60, 2 / 4, id="both decay"),
        # 2 / (2 + 1 + 1): the opposition is newer.
        pytest.param(memory(0, 0, 0, 0, opposed=(60,)), 60, 2 / 4, id="newer opposition"),
        # A habit has a half-life of 45 days, a pain of 90.
        pytest.param(memory(0, 0, kind="training_days"), 45, 1 / 2, id="habit"),
        pytest.param(memory(0, 0, kind="injury_pattern"), 90, 1 / 2, id="pain"),
    ],
)
def test_confidence_on_a_day(known: Memory, number: int, confidence: float) -> None:
    assert known.confidence(day(number)) == pytest.approx(confidence)


def test_an_athletes_decision_weighs_four_observations() -> None:
    confirmed = memory(0, 0, 0, 0).model_copy(update={"decided_on": day(60)})
    # 2 of the swaps are left, and 4 come: 6 / 7; then 3 / 4.
    assert confirmed.confidence(day(60)) == pytest.approx(6 / 7)
    assert confirmed.confidence(day(120)) == pytest.approx(3 / 4)
    assert (confirmed.first_seen, confirmed.last_seen) == (day(0), day(60))


def test_what_preceded_has_no_weight() -> None:
    known = memory(0, 0)
    before = Source(mart="fct_workout", key="w", day=day(-2), role="preceded")
    explained = known.model_copy(update={"sources": (before, *known.sources)})
    assert explained.confidence(day(0)) == known.confidence(day(0))
    assert explained.first_seen == day(0)


@pytest.mark.parametrize(
    ("known", "number"),
    [
        # log2(4) half-lives after the swaps, and the next day it is below.
        pytest.param(memory(0, 0, 0, 0), 121, id="four"),
        pytest.param(memory(*[0] * 8), 181, id="eight"),
        pytest.param(memory(0), 1, id="one is as likely as not for a day"),
        pytest.param(memory(0, 0, 0, 0, opposed=(0, 0)), 61, id="two more than against"),
        pytest.param(memory(0, 0, opposed=(0, 0)), 0, id="as many against"),
        pytest.param(memory(0, 0, 0, kind="injury_pattern"), 143, id="pain"),
    ],
)
def test_it_expires_where_its_confidence_is_below_one_half(known: Memory, number: int) -> None:
    assert known.expires_on == day(number)
    assert known.confidence(known.expires_on) < LEAST_CONFIDENCE
    before = known.expires_on - timedelta(days=1)
    if before >= known.as_of:
        assert known.confidence(before) >= LEAST_CONFIDENCE


def test_the_identity_is_of_athlete_type_and_subject_alone() -> None:
    known = memory(0)
    assert known.digest == memory(0, 1, opposed=(2,)).digest
    others = ({"athlete_id": "bob"}, {"kind": "for_exercise"}, {"subject": "BENCH"})
    assert len({known.digest, *(known.model_copy(update=each).digest for each in others)}) == 4
    assert set(HALF_LIFE_DAYS) == set(Kind.__args__)
