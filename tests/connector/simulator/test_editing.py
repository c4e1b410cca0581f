"""Edits of a routine by a lifter in the app, and the resulting routine."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.api.records import Json
from hevy_connector.simulator.athletes.app_lifter import (
    account_state,
    edit_in_app,
    train_in_app,
    working_sets,
)
from hevy_connector.simulator.athletes.cohort import cohort, draw_lifter
from hevy_connector.simulator.athletes.editing import (
    Edit,
    EditKind,
    KnownLift,
    apply_edit,
    draw_edit,
)
from hevy_connector.simulator.athletes.trainee import Trainee
from tests.connector.simulator.test_habits import LOADS, Planned, chance

BENCH, CURL, HAMMER = "79D0BB3A", "37FCC2BB", "7E3BC8B6"
PLAN = [(BENCH, [Planned(80, 5, 5, 5)] * 3), (CURL, [Planned(30, 8, 12, 9)] * 2)]
SEEDS = range(40)
NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)


def known(template_id: str) -> KnownLift:
    """A maximum of 60 kg allows 42.9 kg twelve times: ten, mid-range, with two in reserve."""
    return KnownLift(60.0, 30.0, LOADS)


def edits(kind: EditKind, plan: list[tuple[str, list[Planned]]] = PLAN) -> list[Edit]:
    found = [apply_edit(plan, kind, {CURL: HAMMER}, known, chance(seed)) for seed in SEEDS]
    return [each for each in found if each is not None]


def test_the_same_chance_makes_the_same_change() -> None:
    for kind in ("load", "sets", "exercise", "order"):
        first, second = (apply_edit(PLAN, kind, {CURL: HAMMER}, known, chance()) for _ in range(2))
        assert first == second


def test_a_load_becomes_the_next_one_in_all_sets() -> None:
    found: Counter[tuple[float, float]] = Counter()
    for bench, curl in edits("load"):
        assert [len(each.sets) for each in (bench, curl)] == [3, 2]
        assert bench.has_own_load is not curl.has_own_load
        found[bench.sets[0][1], curl.sets[0][1]] += 1
        assert len({load for _, load in bench.sets}) == 1
    assert set(found) == {(78, 30), (82, 30), (80, 28), (80, 32)}


def test_the_lightest_load_only_rises() -> None:
    found = edits("load", [(CURL, [Planned(20, 8, 12, 9)] * 2)])
    assert {curl.sets for (curl,) in found} == {((0, 22.0), (1, 22.0))}


def test_the_last_set_is_done_again_or_left_out() -> None:
    found = {tuple(tuple(at for at, _ in each.sets) for each in edit) for edit in edits("sets")}
    bench, curl = (0, 1, 2), (0, 1)
    assert found == {
        *((changed, curl) for changed in ((0, 1), (0, 1, 2, 2))),
        *((bench, changed) for changed in ((0,), (0, 1, 1))),
    }
    assert not any(each.has_own_load for edit in edits("sets") for each in edit)


@pytest.mark.parametrize(("count", "after"), [(1, 2), (5, 4)])
def test_one_set_stays_and_there_are_never_more_than_five(count: int, after: int) -> None:
    found = edits("sets", [(BENCH, [Planned(80, 5, 5, 5)] * count)])
    assert {len(bench.sets) for (bench,) in found} == {after}


def test_a_similar_exercise_takes_the_place_with_a_load_by_guess() -> None:
    found = edits("exercise")
    assert len(found) == len(SEEDS)
    for bench, curl in found:
        assert bench.template_id == BENCH
        assert (curl.place, curl.template_id, curl.has_own_load) == (1, HAMMER, True)
        assert len({load for _, load in curl.sets}) == 1
        assert 36 <= curl.sets[0][1] <= 48
    assert edits("exercise", PLAN[:1]) == []


def test_neighbours_change_places() -> None:
    three = [*PLAN, (HAMMER, PLAN[1][1])]
    found = {tuple(each.place for each in edit) for edit in edits("order", three)}
    assert found == {(1, 0, 2), (0, 2, 1)}
    assert edits("order", PLAN[:1]) == []


def test_what_is_left_out_today_is_not_changed() -> None:
    plan = [(BENCH, []), PLAN[1]]
    for kind in ("load", "sets", "exercise"):
        assert all(edit[0].sets == () for edit in edits(kind, plan))


def test_every_kind_comes_as_often_as_is_said() -> None:
    rng = chance()
    found = Counter(draw_edit(0.1, rng) for _ in range(5000))
    assert found[None] / 5000 == pytest.approx(0.9, abs=0.02)
    kinds = Counter(draw_edit(1.0, rng) for _ in range(5000))
    shares: dict[EditKind | None, float] = {"load": 0.4, "sets": 0.25, "exercise": 0.2}
    for kind, share in {**shares, "order": 0.15, None: 0}.items():
        assert kinds[kind] / 5000 == pytest.approx(share, abs=0.02)


def test_some_lifters_edit_and_each_accessory_has_an_exercise_like_it() -> None:
    lifters = cohort(1, 60, 24)
    editing = [each for each in lifters if each.habits.edited_share]
    assert 10 <= len(editing) <= 30
    for lifter in lifters:
        kinds = {each.edit for each in lifter.days} - {None}
        assert bool(lifter.similar) == (lifter in editing)
        assert lifter in editing or not kinds
        for one, other in lifter.similar.items():
            assert lifter.similar[other] == one
            assert lifter.lifts[one].muscle == lifter.lifts[other].muscle
        used = [slot.template_id for each in lifter.routines for slot in each.slots]
        assert set(lifter.lifts) == {*used, *lifter.similar}


def in_the_app(kind: EditKind) -> tuple[Account, Trainee, Json, Json]:
    """Return an account, its lifter, and a routine before and after the lifter's edit."""
    lifter = draw_lifter(1, 0, 2)
    account = Account(account_state(lifter, 1, NOW), clock=SimulatedClock(NOW + timedelta(days=1)))
    trainee = Trainee(lifter)
    before = account.routines()[0]
    after = edit_in_app(account, trainee, replace(lifter.days[0], edit=kind), before)
    return account, trainee, before, after


def sizes(routine: Json) -> dict[str, int]:
    return {name: len(sets) for name, sets in working_sets(routine)}


@pytest.mark.parametrize("kind", ["load", "sets", "exercise", "order"])
def test_an_edit_is_in_the_account_with_a_later_stamp(kind: EditKind) -> None:
    account, _, before, after = in_the_app(kind)
    assert account.routine(before["id"]) == after
    assert after["updated_at"] > before["updated_at"]
    assert {name: after[name] for name in ("title", "folder_id", "created_at")} == {
        name: before[name] for name in ("title", "folder_id", "created_at")
    }
    one, other = sizes(before), sizes(after)
    assert (list(one) == list(other)) is (kind in {"load", "sets"})
    assert (set(one) == set(other)) is (kind != "exercise")
    assert abs(sum(one.values()) - sum(other.values())) == (kind == "sets")
    assert working_sets(after) != working_sets(before)


def test_what_was_edited_is_what_is_trained() -> None:
    account, trainee, _, after = in_the_app("exercise")
    workout = train_in_app(account, trainee, trainee.lifter.days[0], after, NOW)
    trained = {each["exercise_template_id"]: len(each["sets"]) for each in workout["exercises"]}
    assert trained == sizes(after)


def test_without_edits_the_routine_stays() -> None:
    lifter = draw_lifter(1, 0, 2)
    account = Account(account_state(lifter, 1, NOW), clock=SimulatedClock(NOW))
    before = account.routines()[0]
    quiet = replace(lifter.days[0], edit=None)
    assert edit_in_app(account, Trainee(lifter), quiet, before) == before
    assert account.routines()[0] == before


def test_warm_ups_stay_before_the_sets_that_were_edited() -> None:
    lifter = draw_lifter(1, 0, 2)
    account = Account(account_state(lifter, 1, NOW), clock=SimulatedClock(NOW))
    before = account.routines()[0]
    for each in before["exercises"]:
        each["sets"].insert(0, {**each["sets"][0], "type": "warmup"})
    before = account.edit_routine(before["id"], before)
    after = edit_in_app(account, Trainee(lifter), replace(lifter.days[0], edit="sets"), before)
    for found in after["exercises"]:
        first, *others = [each["type"] for each in found["sets"]]
        assert first == "warmup"
        assert "warmup" not in others
