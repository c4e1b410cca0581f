"""The athlete's approvals, against the simulated service and a warehouse."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import duckdb
import pytest

from coach_agent.domain.plan import CoachWords
from coach_agent.journal.current_plans import JournaledPlan, clear_current_plan, read_current_plans
from coach_agent.journal.publications import done_publications, publications_of, record
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.publication_rows import new_publication
from hevy_connector.canonical_json import canonical_json
from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyUnavailableError
from hevy_connector.raw.landing import land
from hevy_connector.records import Record
from orchestration.config.athletes import hevy_client
from orchestration.services.publishing import athlete_publisher, publish
from orchestration.services.publishing.approve import ApprovalError, approve, reject, roll_back
from orchestration.services.publishing.publish import publish_all
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.rejection import rejection_text
from tests.call_stacks import detours, recorded_stacks, returns_to_rooms
from tests.coach.publishing_world import with_loads, without_times
from tests.orchestration.services.publishing.published_home import START, Home, home

__all__ = ["home"]


def states(home: Home) -> list[str]:
    return [row.state for row in home.rows()]


def test_what_waits_is_published_once_it_is_approved(home: Home) -> None:
    assert [each.state for each in home.run()] == ["waiting"]
    assert home.put_count() == 0
    for name in ("plan_1", "latest"):
        if states(home) == ["waiting"]:
            assert approve(home.settings, home.athlete, name).state == "published"
    assert (states(home), home.put_count()) == (["published"], 1)
    with pytest.raises(ApprovalError, match="nothing to approve"):
        approve(home.settings, home.athlete, "latest")
    assert [each.state for each in home.run()] == ["published"]
    assert home.put_count() == 1


def test_a_plan_that_no_run_has_shown_yet_can_be_approved_or_rejected(home: Home) -> None:
    assert approve(home.settings, home.athlete, "plan_1").was_sent
    home.decide("plan_2", with_loads(home.plan, 5), minutes_later=1)
    assert reject(home.settings, home.athlete, "plan_2", "too heavy").detail == "too heavy"
    assert states(home) == ["rejected", "published"]
    assert [each.state for each in home.run()] == ["rejected"]
    assert home.put_count() == 1


def test_a_secret_in_a_reason_is_not_stored(home: Home) -> None:
    """The reason also goes to language models."""
    settings = replace(home.settings, keys={**home.settings.keys, "GYM_TOKEN": "marker-7f3a91"})
    assert reject(settings, home.athlete, "latest", "marker-7f3a91 hurts").detail == "*** hurts"


def test_in_preview_nothing_can_be_approved(home: Home) -> None:
    home.in_mode("preview")
    with pytest.raises(ApprovalError, match=r"publish\.mode"):
        approve(home.settings, home.athlete, "latest")


def test_a_word_about_nothing_is_told(home: Home) -> None:
    with pytest.raises(ApprovalError, match="There is no publication 'pub_x'"):
        approve(home.settings, home.athlete, "pub_x")
    with pytest.raises(ApprovalError, match="Say why"):
        reject(home.settings, home.athlete, "latest", " ")


def test_what_waited_expires_when_another_plan_stands(home: Home) -> None:
    home.run()
    home.decide("plan_2", with_loads(home.plan, 5), minutes_later=1)
    with pytest.raises(ApprovalError, match="another plan is active"):
        approve(home.settings, home.athlete, "plan_1")
    assert states(home) == ["expired"]
    home.run()
    assert states(home) == ["waiting", "expired"]
    with home.connect() as con:
        clear_current_plan(con, "demo")
    home.run()
    assert states(home) == ["waiting", "expired"]


def test_what_waited_expires_when_a_workout_came_in(home: Home) -> None:
    home.run()
    late = {"id": "late", "routine_id": None, "start_time": START.isoformat()}
    with home.connect() as con:
        land(
            con,
            "hevy_workouts",
            "demo",
            [Record("late", canonical_json(late))],
            now=START + timedelta(minutes=1),
            run_id="r",
            origin="api",
        )
    with pytest.raises(ApprovalError, match="newer data came in"):
        approve(home.settings, home.athlete, "latest")
    assert (states(home), home.put_count()) == (["expired"], 0)


def test_who_thinks_better_of_a_rejection_approves_it(home: Home) -> None:
    home.run()
    reject(home.settings, home.athlete, "latest", "tired")
    with pytest.raises(ApprovalError, match="is rejected already"):
        reject(home.settings, home.athlete, "plan_1", "tired")
    assert approve(home.settings, home.athlete, "plan_1").state == "published"
    assert states(home) == ["published", "rejected"]


def standing(home: Home) -> JournaledPlan:
    with home.connect() as con:
        return read_current_plans(con)["demo"]


def test_the_same_sets_are_not_proposed_again_without_saying_so(home: Home) -> None:
    home.run()
    assert rejection_text(standing(home), home.athlete) == ""
    reject(home.settings, home.athlete, "latest", "too\nheavy")
    said = rejection_text(standing(home), home.athlete)
    assert said.startswith("You rejected these sets on ")
    assert '("too heavy"), and nothing new came in since.' in said

    home.decide("plan_2", home.plan, minutes_later=1)
    (rejection,) = standing(home).rejections
    assert (rejection.plan_id, rejection.because, rejection.is_same) == (
        "plan_1",
        "too\nheavy",
        True,
    )
    assert "Your newer workouts lead to the same sets." in rejection_text(
        standing(home), home.athlete
    )

    home.decide("plan_3", with_loads(home.plan, 5), minutes_later=2)
    assert [each.is_same for each in standing(home).rejections] == [False]
    said = rejection_text(standing(home), home.athlete)
    assert said.startswith("You rejected the plan before this one on ")
    assert "The rules cannot read a reason." in said


def test_a_rejection_is_told_until_the_routine_is_trained(home: Home) -> None:
    home.run()
    reject(home.settings, home.athlete, "latest", "too heavy")
    other = with_loads(home.plan, 5)
    trained_at = datetime.now(UTC) + timedelta(minutes=1)
    trained = other.model_copy(
        update={
            "slots": tuple(
                slot.model_copy(update={"last_done_at": trained_at}) for slot in other.slots
            )
        }
    )
    home.decide("plan_2", trained, minutes_later=120)
    assert standing(home).rejections
    assert rejection_text(standing(home), home.athlete) == ""


def test_a_model_that_was_told_of_a_rejection_is_said_to_have_known_it(home: Home) -> None:
    home.run()
    reject(home.settings, home.athlete, "latest", "too heavy")
    words = CoachWords(decided_by="google:flash", prompt_version="1", summary="Well.")
    lighter = with_loads(home.plan, 5).model_copy(update={"words": words})
    home.decide("plan_2", lighter, minutes_later=120)
    assert "google:flash knew that" in rejection_text(standing(home), home.athlete)
    private = home.athlete.model_copy(
        update={"llm": home.athlete.llm.model_copy(update={"leave_out": ("notes",)})}
    )
    assert "google:flash" not in rejection_text(standing(home), private)


def test_what_was_approved_after_all_is_no_rejection(home: Home) -> None:
    home.run()
    reject(home.settings, home.athlete, "latest", "tired")
    approve(home.settings, home.athlete, "plan_1")
    assert standing(home).rejections == ()


def test_what_was_published_can_be_taken_back_and_wanted_again(home: Home) -> None:
    home.in_mode("auto")
    assert home.run()[0].state == "published"
    with pytest.raises(ApprovalError, match="To undo it: spotter rollback"):
        reject(home.settings, home.athlete, "latest", "too late")
    shown = roll_back(home.settings, home.athlete, "latest", is_dry_run=True)
    assert (len(shown.changes), home.put_count()) == (6, 1)
    back = roll_back(home.settings, home.athlete, "plan_1", is_dry_run=False)
    assert (back.state, back.kind) == ("published", "rollback")
    assert without_times(home.now_in_hevy()) == without_times(home.before)
    home.run()
    assert home.put_count() == 2
    assert approve(home.settings, home.athlete, "plan_1").state == "published"
    assert without_times(home.now_in_hevy()) != without_times(home.before)


def test_a_plan_is_traced_to_the_put_without_a_return_to_a_room(home: Home) -> None:
    """The trace of `docs/architecture.md`, as the calls of a running publication."""
    home.in_mode("auto")
    with recorded_stacks() as stacks:
        home.run()
    assert home.put_count() == 1
    assert returns_to_rooms(stacks) == set()
    ends = ("coach_agent/journal/publications", "coach_agent/publishing/routine_writer")
    for end in (*ends, "hevy_connector/client/client", "hevy_connector/http/transport"):
        assert detours(stacks, end) == set()


def test_a_rollback_that_hevy_did_not_answer_is_ended_by_the_next_run(home: Home) -> None:
    home.in_mode("auto")
    home.run()
    home.simulator.faults.set(["503 method=PUT"])
    with pytest.raises(Exception, match="503"):
        roll_back(home.settings, home.athlete, "latest", is_dry_run=False)
    assert states(home)[0] == "publishing"
    home.simulator.faults.clear()
    outcomes = home.run()
    assert [each.state for each in outcomes] == ["published", "published"]
    assert without_times(home.now_in_hevy()) == without_times(home.before)
    assert [row.kind for row in home.rows()] == ["rollback", "plan"]


def test_an_approval_comes_after_the_rollback_that_was_begun_before_it(home: Home) -> None:
    home.in_mode("auto")
    home.run()
    home.simulator.faults.set(["503 method=PUT"])
    with pytest.raises(Exception, match="503"):
        roll_back(home.settings, home.athlete, "latest", is_dry_run=False)
    home.simulator.faults.clear()
    assert approve(home.settings, home.athlete, "plan_1").state == "published"
    assert [(row.kind, row.state) for row in home.rows()] == [
        ("plan", "published"),
        ("rollback", "published"),
        ("plan", "published"),
    ]
    loads = [each["weight_kg"] for each in home.now_in_hevy()["exercises"][0]["sets"]]
    assert loads == [40, 102.5, 102.5, 102.5]


def test_an_interrupted_plan_that_stands_no_more_is_given_up_before_the_next(home: Home) -> None:
    home.in_mode("auto")
    home.simulator.faults.set(["503 method=PUT"])
    assert home.run()[0].problem is not None
    assert states(home) == ["publishing"]
    home.simulator.faults.clear()
    home.decide("plan_2", with_loads(home.plan, 5), minutes_later=1)
    assert [each.state for each in home.run()] == ["superseded", "published"]
    loads = [each["weight_kg"] for each in home.now_in_hevy()["exercises"][0]["sets"]]
    assert loads == [40, 107.5, 107.5, 107.5]


def test_plans_go_into_routines_of_our_own_where_the_profile_says_so(home: Home) -> None:
    wishes = replace_wishes(home, target="new_routine", keep=1)
    home.athlete = home.athlete.model_copy(update={"publish": wishes})
    assert home.run()[0].state == "published"
    home.decide("plan_2", with_loads(home.plan, 5), minutes_later=1)
    assert home.run()[0].state == "published"
    titles = [each["title"] for each in home.simulator.account.routines()]
    assert titles == ["Push", f"Push · {datetime.now(UTC):%Y-%m-%d}"]
    assert home.now_in_hevy() == home.before
    written = {row.written_routine_id for row in home.rows()}
    assert len(written) == 1


def replace_wishes(home: Home, **wishes: object):  # type: ignore[no-untyped-def]
    return home.athlete.publish.model_copy(update={"mode": "auto", **wishes})


def test_what_is_published_is_not_published_again_and_hevy_is_not_asked(home: Home) -> None:
    home.in_mode("auto")
    (first,) = home.run()
    assert (first.state, first.was_sent) == ("published", True)

    def make_client(_: AthleteProfile) -> HevyClient:
        raise AssertionError("Hevy is asked.")

    connect = partial(open_warehouse, home.settings.warehouse_path)
    (second,) = publish_all([home.athlete], make_client, connect, run_id="run")
    assert second == replace(first, is_new=False)


@pytest.mark.parametrize("left", ["another plan is active", "rolled back", "an approval waits"])
def test_after_what_is_published_the_rest_is_still_done(home: Home, left: str) -> None:
    home.in_mode("auto")
    home.run()
    asked = len(home.simulator.requests)
    if left == "another plan is active":
        home.decide("plan_2", with_loads(home.plan, 2.5), minutes_later=1)
    elif left == "rolled back":
        roll_back(home.settings, home.athlete, "latest", is_dry_run=False)
    else:
        waiting = home.plan.model_copy(update={"routine_id": "elsewhere"})
        with home.connect() as con:
            now = START + timedelta(minutes=1)
            rows = publications_of(con, "demo")
            row = new_publication(rows, "plan_old", waiting, "approve", at=now, run_id="r")
            record(con, replace(row, state="waiting"), reason="To be approved.", at=now)
    with home.connect() as con:
        assert done_publications(con, ["demo"]) == {}
    home.run()
    states = {(row.plan_id, row.kind): row.state for row in home.rows()}
    if left == "another plan is active":
        assert states["plan_2", "plan"] == "published"
        assert len(home.simulator.requests) > asked
    elif left == "rolled back":
        assert [row.kind for row in home.rows()] == ["rollback", "plan"]
    else:
        assert states["plan_old", "plan"] == "expired"


def test_who_has_its_turn_has_the_warehouse_open_and_tells_of_that_moment(home: Home) -> None:
    home.in_mode("auto")
    open_now: set[int] = set()
    turns: list[datetime] = []

    @contextmanager
    def connect() -> Iterator[duckdb.DuckDBPyConnection]:
        with home.connect() as con:
            open_now.add(id(con))
            yield con
            open_now.remove(id(con))

    @contextmanager
    def turn() -> Iterator[None]:
        assert open_now, "it is opened while others wait"
        turns.append(datetime.now(UTC))
        yield

    make_client = partial(hevy_client, home.settings)
    [done] = publish_all([home.athlete], make_client, connect, run_id="run", turn=turn)
    assert done.state == "published"
    [row] = home.rows()
    intended, ended = turns
    assert row.effective_at is not None
    assert row.finished_at is not None
    assert intended <= row.effective_at <= ended <= row.finished_at


def test_the_warehouse_is_closed_while_hevy_is_asked(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.in_mode("auto")
    free: list[bool] = []
    ask = HevyClient._wait_for

    def asked(client: HevyClient, call: Any) -> Any:
        free.append(is_free(home.settings.warehouse_path))
        return ask(client, call)

    monkeypatch.setattr(HevyClient, "_wait_for", asked)
    home.run()
    [row] = home.rows()
    roll_back(home.settings, home.athlete, "latest", is_dry_run=False)
    assert row.state == "published"
    assert len(free) >= len(["GET", "GET", "PUT", "GET"] * 2)
    assert all(free)


def is_free(path: Path) -> bool:
    """Return whether no connection of this process is open: a file has only one access mode."""
    try:
        duckdb.connect(path, read_only=True).close()
    except duckdb.ConnectionException:
        return False
    return True


@pytest.mark.parametrize("read_together", [1, 2])
def test_a_fault_at_one_athlete_is_nobody_elses(
    home: Home, monkeypatch: pytest.MonkeyPatch, read_together: int
) -> None:
    monkeypatch.setattr(publish, "_BATCH_ATHLETES", read_together)
    other = home.athlete.model_copy(update={"id": "other"})
    home.decide("plan_other", home.plan.model_copy(update={"athlete_id": "other"}))

    def make_client(athlete: AthleteProfile) -> HevyClient:
        if athlete.id == "other":
            raise ZeroDivisionError("a fault of ours")
        return hevy_client(home.settings, athlete)

    connect = partial(open_warehouse, home.settings.warehouse_path)
    first, second = publish_all([other, home.athlete], make_client, connect, run_id="run")
    assert (first.state, first.problem) == (None, "ZeroDivisionError: a fault of ours")
    assert (second.athlete_id, second.state) == ("demo", "waiting")


def with_account(home: Home, athlete_id: str, variable: str) -> AthleteProfile:
    """Another athlete with the same plan, and with the account of a variable."""
    account = home.athlete.hevy.model_copy(update={"account": "hevy", "api_key_env": variable})
    return home.athlete.model_copy(update={"id": athlete_id, "hevy": account})


def test_accounts_are_published_at_the_same_time(home: Home) -> None:
    athletes = [with_account(home, name, f"HEVY_{name.upper()}") for name in ("one", "two")]
    for each in athletes:
        plan = home.plan.model_copy(update={"athlete_id": each.id})
        home.decide(f"plan_{each.id}", plan)
    both = Barrier(2)

    def make_client(athlete: AthleteProfile) -> HevyClient:
        both.wait(60)
        raise HevyUnavailableError(f"no answer to {athlete.id}")

    connect = partial(open_warehouse, home.settings.warehouse_path)
    outcomes = publish_all(athletes, make_client, connect, run_id="run", concurrency=2)
    assert [each.problem for each in outcomes] == ["no answer to one", "no answer to two"]


def test_athletes_of_one_account_are_published_one_after_the_other(home: Home) -> None:
    athletes = [with_account(home, *each) for each in (("a", "X"), ("b", "Y"), ("c", "X"))]
    due = [publish._Due(each, None, None, has_pending=True, is_stopped=False) for each in athletes]
    groups = [[each.athlete.id for each in group] for group in publish._by_account(due)]
    assert groups == [["a", "c"], ["b"]]


def test_a_catalog_lost_at_one_athlete_is_nobodys_alone(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise duckdb.Error("server closed the connection unexpectedly")

    monkeypatch.setattr(athlete_publisher, "read_publication_inputs", lost)
    with pytest.raises(duckdb.Error, match="server closed"):
        home.run()


@pytest.mark.parametrize(
    "fault",
    [
        "429 method=PUT times=1",
        "500 after method=PUT times=1",
        "reset after method=PUT times=1",
        "truncate method=PUT times=1",
        "429 nth=4",
    ],
)
def test_whatever_goes_wrong_once_the_plan_is_written_once(home: Home, fault: str) -> None:
    home.in_mode("auto")
    home.simulator.faults.set([fault])
    [outcome] = home.run()
    home.simulator.faults.clear()
    if outcome.state is None:  # unknown within this run, so the next one checks
        [outcome] = home.run()
    assert (outcome.state, states(home)) == ("published", ["published"])
    taken = [
        each
        for each in home.simulator.requests
        if each.method == "PUT" and each.fault != "429 method=PUT times=1"
    ]
    assert len(taken) == 1
    loads = [each["weight_kg"] for each in home.now_in_hevy()["exercises"][0]["sets"]]
    assert loads == [40, 102.5, 102.5, 102.5]
