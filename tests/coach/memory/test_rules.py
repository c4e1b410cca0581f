"""Each rule from rows to memories, by hand."""

from datetime import date

import pytest

from coach_agent.memory.evidence import Evidence, PrecedingWorkout
from coach_agent.memory.memories import Memory, Statement
from coach_agent.memory.rules import learn
from tests.coach.memory.evidence import day, open_sets, pains, planned, workouts

ANN = "ann"
MON_WED_FRI = tuple(week * 7 + weekday for week in range(4) for weekday in (0, 2, 4))


def learned(evidence: Evidence, today: date) -> dict[tuple[str, str], Memory]:
    return {(each.kind, each.subject): each for each in learn(evidence, today)}


FOUR_SWAPS = planned((0, 20, 40, 59), "swapped")
AGAINST, FOR = ("against_exercise", "SQUAT"), ("for_exercise", "PRESS")
LAST = ("skipped_last", "SQUAT")
KNEE = ("injury_pattern", "left knee")
RESERVE = ("unused_reserve", "BENCH")
OTHERS = (
    *planned((0, 20), "swapped", instead=("LUNGE", "Lunge")),
    *planned((40, 59), "swapped"),
)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        pytest.param(Evidence(ANN, planned=FOUR_SWAPS), {AGAINST, FOR}, id="four in 60 days"),
        pytest.param(Evidence(ANN, planned=FOUR_SWAPS[:3]), set(), id="three swaps"),
        pytest.param(
            Evidence(ANN, planned=planned((0, 20, 40, 60), "swapped")), set(), id="four in 61 days"
        ),
        pytest.param(
            Evidence(ANN, planned=planned((0, 0, 0, 0, 40), "swapped")), set(), id="on one day"
        ),
        pytest.param(Evidence(ANN, planned=OTHERS), {AGAINST}, id="for different ones"),
        pytest.param(
            Evidence(ANN, planned=(*FOUR_SWAPS, *planned((1, 21, 41), "done"))),
            {FOR},
            id="also done: 2.9 for, 2.0 against",
        ),
        pytest.param(
            Evidence(
                ANN,
                planned=(*FOUR_SWAPS, *planned((1, 21, 41), "done")),
                pains=pains((1, 21, 41)),
            ),
            {FOR},
            id="also done, with pain",
        ),
        pytest.param(
            Evidence(ANN, planned=FOUR_SWAPS, pains=pains((20,))),
            set(),
            id="one was on a day with mild pain",
        ),
        pytest.param(
            Evidence(ANN, planned=(*FOUR_SWAPS, *planned((-1, -2, -3), "done"))),
            {AGAINST, FOR},
            id="done before",
        ),
        pytest.param(
            Evidence(ANN, planned=FOUR_SWAPS, pains=pains((20,), "left knee")),
            set(),
            id="one was on a day with pain",
        ),
        pytest.param(
            Evidence(ANN, planned=planned((0, 7, 14, 21), "skipped", is_at_end=True)),
            {LAST},
            id="skipped at the end",
        ),
        pytest.param(
            Evidence(ANN, planned=planned((0, 7, 14, 21), "skipped")),
            set(),
            id="skipped in the middle",
        ),
        pytest.param(
            Evidence(
                ANN,
                planned=(
                    *planned((0, 7, 14, 21), "skipped", is_at_end=True),
                    *planned((10,), "done"),
                ),
            ),
            set(),
            id="not always skipped",
        ),
        pytest.param(
            Evidence(
                ANN,
                planned=(
                    *planned((0, 7, 14, 21), "skipped", is_at_end=True),
                    *planned((10,), "done"),
                ),
                pains=pains((10,), "left knee"),
            ),
            set(),
            id="done on a day with pain",
        ),
        pytest.param(
            Evidence(
                ANN,
                planned=(
                    *planned((0, 7, 14, 21), "skipped", is_at_end=True),
                    *planned((-7,), "done"),
                ),
            ),
            {LAST},
            id="always skipped since",
        ),
        pytest.param(
            Evidence(ANN, pains=pains((0, 7, 13), "left knee")), {KNEE}, id="pain on three days"
        ),
        pytest.param(
            Evidence(ANN, pains=pains((0, 7, 14), "left knee")), set(), id="in more than two weeks"
        ),
        pytest.param(Evidence(ANN, pains=pains((0, 0, 13), "left knee")), set(), id="on two days"),
        pytest.param(
            Evidence(
                ANN, pains=(*pains((0, 7), "left knee"), *pains((13,), "right knee", "left hip"))
            ),
            set(),
            id="in different parts",
        ),
        pytest.param(
            Evidence(ANN, open_sets=open_sets((0, 7, 14, 21), rpe=8, extra=0)),
            {RESERVE},
            id="reserve never used",
        ),
        pytest.param(
            Evidence(ANN, open_sets=open_sets((0, 7, 14, 21), rpe=8.5, extra=0)),
            set(),
            id="no reserve stated",
        ),
        pytest.param(
            Evidence(ANN, open_sets=open_sets((0, 7, 14, 21), rpe=8, extra=2)),
            set(),
            id="reserve used",
        ),
        pytest.param(
            Evidence(
                ANN,
                open_sets=(
                    *open_sets((0, 7, 14, 21), rpe=8, extra=0),
                    *open_sets((1, 8, 15, 22), rpe=8, extra=1),
                ),
            ),
            set(),
            id="reserve used as often",
        ),
        pytest.param(Evidence(ANN), set(), id="nothing"),
    ],
)
def test_rules_find_what_repeats(evidence: Evidence, expected: set[tuple[str, str]]) -> None:
    days = [*evidence.planned, *evidence.pains, *evidence.open_sets]
    today = max((each.day for each in days), default=day(0))
    assert set(learned(evidence, today)) == expected


def test_a_taste_names_the_exercise_and_its_rows() -> None:
    found = learned(Evidence(ANN, planned=FOUR_SWAPS), day(59))
    assert found[AGAINST].statement == Statement(title="Squat")
    assert found[FOR].statement == Statement(title="Leg Press")
    keys = [each.key for each in found[AGAINST].sources]
    assert keys == [each.key for each in FOUR_SWAPS]
    assert {each.mart for each in found[AGAINST].sources} == {"fct_plan_compliance"}
    assert (found[AGAINST].first_seen, found[AGAINST].last_seen) == (day(0), day(59))


def test_a_taste_lasts_after_its_window_and_then_expires() -> None:
    """On one day four swaps would last 120 days; older ones weigh less."""
    evidence = Evidence(ANN, planned=FOUR_SWAPS)
    [first, *_] = learn(evidence, day(59))
    # 2^(-59/60) + 2^(-39/60) + 2^(-19/60) + 1 = 2.946; log2 of it is 1.559 half-lives of 60 days.
    assert first.expires_on == day(59 + 93 + 1)
    assert AGAINST in learned(evidence, day(59 + 93))
    assert AGAINST not in learned(evidence, day(59 + 94))


def test_later_single_swaps_do_not_hide_the_repetition() -> None:
    evidence = Evidence(ANN, planned=(*FOUR_SWAPS, *planned((125,), "swapped")))
    assert learned(evidence, day(126))[AGAINST].last_seen == day(59)


def test_more_repetitions_raise_the_confidence() -> None:
    days = (0, 7, 14, 21, 28, 35)
    found = [
        learned(Evidence(ANN, planned=planned(days[:count], "swapped")), day(35)).get(AGAINST)
        for count in range(3, 7)
    ]
    assert found[0] is None
    sure = [each.confidence(day(35)) for each in found if each is not None]
    assert sure == sorted(sure)
    assert len(set(sure)) == 3


def test_an_injury_pattern_has_what_preceded_it() -> None:
    preceding = (
        PrecedingWorkout("w1", day(-1), ("Bench Press", "Squat")),
        PrecedingWorkout("w2", day(6), ("Leg Press", "Squat")),
        PrecedingWorkout("w3", day(12), ("Squat",)),
    )
    evidence = Evidence(ANN, pains=pains((0, 7, 13), "left knee", preceding=preceding))
    found = learned(evidence, day(13))[KNEE]
    assert found.statement == Statement(title="left knee", before=("Squat",))
    roles = [(each.mart, each.key, each.role) for each in found.sources]
    assert roles == [
        ("fct_workout", "w1", "preceded"),
        ("fct_check_in", "check-in 0", "supports"),
        ("fct_workout", "w2", "preceded"),
        ("fct_check_in", "check-in 7", "supports"),
        ("fct_workout", "w3", "preceded"),
        ("fct_check_in", "check-in 13", "supports"),
    ]


def habits(*rows: tuple[int, str, float | None]) -> dict[str, Statement]:
    own = tuple(
        each for at, start, length in rows for each in workouts((at,), start=start, minutes=length)
    )
    today = max(each.day for each in own)
    return {each.kind: each.statement for each in learn(Evidence(ANN, workouts=own), today)}


def test_usual_days_start_and_minutes() -> None:
    found = habits(*((at, "18:10", 62) for at in MON_WED_FRI))
    assert found == {
        "training_days": Statement(weekdays=(0, 2, 4)),
        "training_hour": Statement(start_minute=18 * 60),
        "training_minutes": Statement(minutes=60),
    }


@pytest.mark.parametrize(
    ("days", "weekdays"),
    [
        pytest.param(MON_WED_FRI[:-5], None, id="seven workouts"),
        pytest.param(range(20), None, id="three weeks"),
        pytest.param((0, 2, 7, 9, 14, 16, 21, 23), (0, 2), id="twice a week"),
        pytest.param((0, 2, 7, 9, 14, 16, 21, 23, 26), (0, 2), id="one Saturday"),
        pytest.param((0, 1, 7, 9, 14, 17, 21, 25), None, id="half of them on Mondays"),
        pytest.param((0, 8, 16, 24, 32, 40, 48, 55), None, id="each time another day"),
    ],
)
def test_usual_days(days: tuple[int, ...], weekdays: tuple[int, ...] | None) -> None:
    found = habits(*((at, "18:00", 60) for at in days)).get("training_days")
    assert (found and found.weekdays) == weekdays


@pytest.mark.parametrize(
    ("starts", "minute"),
    [
        pytest.param(["18:00"] * 12, 1080, id="always the same"),
        pytest.param(["17:15", "18:00", "18:50"] * 4, 1080, id="within an hour"),
        pytest.param(["23:30", "00:20"] * 6, 0, id="around midnight"),
        pytest.param(["06:00"] * 3 + ["18:00"] * 9, 1080, id="mostly in the evening"),
        pytest.param(["06:00", "12:00", "18:00"] * 4, None, id="at any time"),
    ],
)
def test_usual_start(starts: list[str], minute: int | None) -> None:
    rows = [(at, start, 60) for at, start in zip(MON_WED_FRI, starts, strict=True)]
    found = habits(*rows).get("training_hour")
    assert (found and found.start_minute) == minute


@pytest.mark.parametrize(
    ("lengths", "minutes"),
    [
        pytest.param([58, 61, 63] * 4, 60, id="about an hour"),
        pytest.param([60] * 10 + [600, 600], 60, id="two were left open"),
        pytest.param([None] * 5 + [60] * 7, None, id="too few are known"),
        pytest.param([30, 60, 90] * 4, None, id="any duration"),
        pytest.param([30, 90] * 6, None, id="none is near the median"),
    ],
)
def test_usual_minutes(lengths: list[float | None], minutes: int | None) -> None:
    rows = [(at, "18:00", length) for at, length in zip(MON_WED_FRI, lengths, strict=True)]
    found = habits(*rows).get("training_minutes")
    assert (found and found.minutes) == minutes


def test_a_changed_habit_replaces_the_old_one() -> None:
    before = [(at, "18:00", 60.0) for at in MON_WED_FRI]
    after = [(56 + at + 1, "07:00", 45.0) for at in MON_WED_FRI]
    assert habits(*before, *after) == {
        "training_days": Statement(weekdays=(1, 3, 5)),
        "training_hour": Statement(start_minute=7 * 60),
        "training_minutes": Statement(minutes=45),
    }


def test_the_same_rows_do_not_bring_a_forgotten_memory_back() -> None:
    evidence = Evidence(ANN, planned=FOUR_SWAPS)
    [against, _] = learn(evidence, day(59))
    forgotten = {against.digest: day(59)}
    assert [each.kind for each in learn(evidence, day(59), forgotten)] == ["for_exercise"]
    later = planned((60, 67, 74, 81), "swapped")
    three = Evidence(ANN, planned=(*FOUR_SWAPS, *later[:3]))
    assert [each.kind for each in learn(three, day(81), forgotten)] == ["for_exercise"]
    four = Evidence(ANN, planned=(*FOUR_SWAPS, *later))
    [again, _] = learn(four, day(81), forgotten)
    assert [each.key for each in again.sources] == [each.key for each in later]


def test_a_forgotten_injury_comes_back_from_later_days_alone() -> None:
    evidence = Evidence(ANN, pains=pains((0, 7, 13), "left knee"))
    [injury] = learn(evidence, day(13))
    forgotten = {injury.digest: day(13)}
    assert learn(evidence, day(13), forgotten) == ()
    # The report of the day on which it was forgotten does not count again.
    two_more = Evidence(ANN, pains=pains((0, 7, 13, 16, 19), "left knee"))
    assert learn(two_more, day(19), forgotten) == ()
    three_more = Evidence(ANN, pains=pains((0, 7, 13, 16, 19, 22), "left knee"))
    assert [each.digest for each in learn(three_more, day(22), forgotten)] == [injury.digest]


def test_the_order_of_rows_does_not_matter() -> None:
    evidence = Evidence(
        ANN,
        planned=FOUR_SWAPS,
        workouts=workouts(MON_WED_FRI),
        pains=pains((1, 3, 5), "left knee"),
    )
    turned = Evidence(
        ANN,
        planned=evidence.planned[::-1],
        workouts=evidence.workouts[::-1],
        pains=evidence.pains[::-1],
    )
    assert learn(evidence, day(59)) == learn(turned, day(59))
    assert len(learn(evidence, day(59))) == 6
