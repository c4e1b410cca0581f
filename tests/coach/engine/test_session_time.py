"""Cuts for short time: optional exercises, then the least important sets."""

from collections.abc import Collection

from coach_agent.domain.plan import Place, SlotPrescription
from coach_agent.engine.explain.plan_texts import reasons
from coach_agent.engine.limits.session_time import Slots, within_time, working_count
from tests.coach.builders import BENCH, CURL, PULL_UP, fixed, planned

ROW = {**BENCH, "exercise_title": "Row", "exercise_template_id": "row"}
WARMUP = {"set_type": "warmup", "weight_kg": 60.0, "reps": 5}


def prescribed(exercise: dict[str, str], count: int, *, compound: bool = True) -> SlotPrescription:
    place = Place.model_validate({"exercise_index": 0, "occurrence": 1, **exercise})
    return SlotPrescription(
        **{
            **place.model_dump(),
            "secondary_muscle_groups": ("triceps",) if compound else (),
        },
        rule="linear",
        reason_codes=("all_sets_hit",),
        reason="All sets done.",
        sets=planned(WARMUP, *fixed(count, 100, 5)),
        predictions=(None,) * (count + 1),
    )


BENCHES, ROWS = prescribed(BENCH, 3), prescribed(ROW, 3)
CURLS, PULLS = prescribed(CURL, 3, compound=False), prescribed(PULL_UP, 4, compound=False)
ALL: Slots = (BENCHES, ROWS, CURLS, PULLS)


def minutes(slots: Slots) -> float:
    """Three minutes a set, warm-ups included."""
    return 3.0 * sum(len(slot.sets) for slot in slots)


def counts(limit: int | None, optional: Collection[str] = ()) -> list[int]:
    return [working_count(each) for each in within_time(ALL, limit, minutes, set(optional))]


def test_what_fits_stays_as_it_is() -> None:
    assert within_time(ALL, None, minutes, set()) == ALL
    assert within_time(ALL, 51, minutes, set()) == ALL


def test_optional_exercises_go_first_and_the_last_one_before_others() -> None:
    assert counts(50, {"Row", "Bicep Curl (Dumbbell)"}) == [3, 3, 0, 4]
    assert counts(36, {"Row", "Bicep Curl (Dumbbell)"}) == [3, 0, 0, 4]


def test_then_third_sets_of_isolation_exercises_the_longest_first() -> None:
    assert counts(48) == [3, 3, 3, 3]
    assert counts(45) == [3, 3, 3, 2]
    assert counts(42) == [3, 3, 2, 2]


def test_then_whole_isolation_exercises_before_any_set_of_the_others() -> None:
    assert counts(36) == [3, 3, 3, 0]
    assert counts(30) == [3, 3, 0, 0]


def test_then_third_sets_of_the_others_then_whole_ones() -> None:
    assert counts(21) == [3, 2, 0, 0]
    assert counts(18) == [2, 2, 0, 0]


def test_a_whole_exercise_that_goes_leaves_room_for_others() -> None:
    assert counts(15) == [3, 0, 0, 0]
    assert counts(9) == [2, 0, 0, 0]


def test_an_isolation_exercise_goes_before_others_also_as_the_first() -> None:
    """The first exercise kept its sets, whatever it was: curls cost sets of squats."""
    slots = (CURLS, PULLS, BENCHES, ROWS)
    found = [
        [working_count(each) for each in within_time(slots, limit, minutes, set())]
        for limit in (45, 36, 27, 21, 12, 6)
    ]
    assert found == [
        *([3, 2, 3, 3], [3, 0, 3, 3], [0, 0, 3, 3], [0, 0, 3, 2], [0, 0, 3, 0], [0, 0, 1, 0])
    ]
    alone = within_time((CURLS, PULLS), 9, minutes, set())
    assert [working_count(each) for each in alone] == [2, 0]


def test_a_superset_is_shortened_to_equal_sets() -> None:
    pair = tuple(
        each.model_copy(update={"superset_id": 0}) for each in (prescribed(BENCH, 4), ROWS)
    )
    found = [
        [working_count(each) for each in within_time(pair, limit, minutes, set())]
        for limit in (24, 20, 12)
    ]
    assert found == [[3, 3], [2, 2], [1, 1]]
    both = within_time((BENCHES, *pair), 20, minutes, set())
    assert [working_count(each) for each in both] == [3, 0, 0]


def test_the_first_exercise_keeps_a_set_in_any_case() -> None:
    assert counts(5) == [1, 0, 0, 0]
    assert counts(5, {BENCH["exercise_title"]}) == [1, 0, 0, 0]
    (only,) = within_time((BENCHES,), 1, minutes, {BENCH["exercise_title"]})
    assert [each.set_type for each in only.sets] == ["warmup", "normal"]


def test_it_is_told_once_and_the_whole_is_remembered() -> None:
    cut = within_time(ALL, 42, minutes, set())[3]
    assert reasons(cut, "kg") == ("Shortened to fit 42 minutes.", "All sets done.")
    assert cut.limits == ("time_cap",)
    assert cut.reason_codes == ("all_sets_hit", "time_cap")
    assert [each.rule for each in cut.adjustments] == ["time_cap"]
    assert cut.whole_sets == PULLS.sets
    assert len(cut.predictions) == len(cut.sets) == 3
