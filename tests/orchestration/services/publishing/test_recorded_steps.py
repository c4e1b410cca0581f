"""Steps are recorded one after the other, and an error of a record is never the end of them."""

from collections.abc import Generator, Iterator
from contextlib import closing

import pytest

from coach_agent.journal.publications import publication_named
from hevy_connector.errors import HevyUnavailableError
from orchestration.runs.recorder import Recorder
from orchestration.services.publishing.athlete_publisher import AthletePublisher, complete
from tests.coach.publishing_world import NOW, World
from tests.orchestration.cli.test_red_flags import profile

Steps = Generator[str, int, int]


def steps(closed: list[str]) -> Steps:
    try:
        first = yield "first"
        second = yield f"after {first}"
        return first + second
    finally:
        closed.append("closed")


@pytest.fixture
def world() -> Iterator[World]:
    with closing(World()) as made:
        yield made


def test_each_step_gets_what_the_one_before_was_recorded_as() -> None:
    recorded: list[str] = []

    def record(step: str) -> int:
        recorded.append(step)
        return len(recorded)

    assert complete(steps([]), record) == 1 + 2
    assert recorded == ["first", "after 1"]


def test_a_generator_without_a_step_records_nothing() -> None:
    def nothing() -> Steps:
        return 7
        yield ""

    assert complete(nothing(), lambda _: pytest.fail("recorded")) == 7


@pytest.mark.parametrize("error", [StopIteration, OSError, KeyboardInterrupt])
def test_an_error_of_a_record_is_raised_and_ends_the_steps(error: type[BaseException]) -> None:
    """Bug: a StopIteration of a record ended the publication as if it were done."""
    closed: list[str] = []

    def fail(_: str) -> int:
        raise error

    with pytest.raises(error):
        complete(steps(closed), fail)
    assert closed == ["closed"]


def test_what_was_recorded_before_the_service_failed_stays() -> None:
    recorded: list[str] = []

    def failing() -> Steps:
        yield "intent"
        raise HevyUnavailableError("no answer")

    def record(step: str) -> int:
        recorded.append(step)
        return 0

    with pytest.raises(HevyUnavailableError):
        complete(failing(), record)
    assert recorded == ["intent"]


def test_an_answer_is_recorded_onto_the_row_as_it_is_stored_now(world: World) -> None:
    """Bug: it overwrote what another publication had written about the row since it was read."""
    stale = world.publish("approve")
    with world.connect() as con:
        con.execute("update coach.publications set rolled_back_by = 'pub_other'")
    recorder = Recorder(world.connect, now=lambda: NOW)
    account = AthletePublisher(profile(), world.hevy, recorder, "run")
    done = account.respond(stale, "expired", "Newer data.")
    assert (done.state, done.rolled_back_by) == ("expired", "pub_other")
    with world.connect() as con:
        stored = publication_named(con, stale.publication_id)
        assert stored is not None
        assert (stored.state, stored.rolled_back_by) == ("expired", "pub_other")
