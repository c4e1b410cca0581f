from collections.abc import Iterator
from datetime import timedelta

import duckdb
import pytest
from pydantic import ValidationError

from coach_agent.domain.pain import Pain
from coach_agent.store.check_ins import CheckIn, merge_check_ins, read_check_ins, record_check_in
from coach_agent.store.schema import create_coach_tables
from tests.coach.builders import NOW


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        create_coach_tables(connection)
        yield connection


def said(hours_ago: int = 0, **values: object) -> CheckIn:
    return CheckIn.model_validate(
        {"checked_in_at": NOW - timedelta(hours=hours_ago), **values}, strict=False
    )


@pytest.mark.parametrize(
    ("energy", "soreness", "readiness"),
    [(None, None, None), (4, None, 4), (None, 5, 1), (5, 4, 2), (1, 1, 1), (3, 2, 3)],
)
def test_readiness_is_the_worse_of_energy_and_freshness(
    energy: int | None, soreness: int | None, readiness: int | None
) -> None:
    assert said(energy=energy, soreness=soreness).readiness == readiness


@pytest.mark.parametrize(("hours_ago", "holds"), [(-1, False), (0, True), (36, True), (37, False)])
def test_it_counts_for_a_day_and_a_half(hours_ago: int, holds: bool) -> None:
    assert said(hours_ago).holds_at(NOW) is holds


def test_all_is_no_title() -> None:
    one = said(deload=("Bench Press (Barbell)", "all"))
    assert (one.deload_all, one.deload_titles) == (True, ("Bench Press (Barbell)",))
    assert not said().deload_all


@pytest.mark.parametrize("values", [{"energy": 0}, {"soreness": 6}, {"minutes": 4}])
def test_what_is_off_the_scale_is_refused(values: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        said(**values)


def test_what_was_said_is_read_again_newest_first(con: duckdb.DuckDBPyConnection) -> None:
    old, new, later = (
        said(30, energy=2),
        said(3, minutes=45, pain=(Pain(part="knee", level="severe"),), deload=("all",)),
        said(-5, energy=5),
    )
    for each in (old, new, later, said(500, energy=1)):
        record_check_in(con, "one", each)
    record_check_in(con, "other", said(1, energy=1))
    found = read_check_ins(con, "one", since=NOW - timedelta(days=14), until=NOW)
    assert found == (new, old)


def test_of_each_thing_the_latest_word_counts() -> None:
    knee, shoulder = Pain(part="knee", level="severe"), Pain(part="shoulder", level="moderate")
    told = (
        said(1, minutes=45, pain=(Pain(part="shoulder", level="mild"),)),
        said(5, energy=2),
        said(8, energy=5, soreness=1, pain=(knee, shoulder), deload=("Squat",)),
        said(40, minutes=20, pain=(Pain(part="hip", level="severe"),)),
    )
    found = merge_check_ins(told, NOW)
    assert found is not None
    assert (found.minutes, found.energy, found.soreness) == (45, 2, 1)
    assert [(pain.part, pain.level) for pain in found.pain] == [
        ("knee", "severe"),
        ("shoulder", "mild"),
    ]
    assert found.deload == ("Squat",)
    assert merge_check_ins(told[3:], NOW) is None


def test_a_deload_can_be_taken_back() -> None:
    asked = CheckIn(checked_in_at=NOW - timedelta(hours=2), deload=("all",))
    back = CheckIn(checked_in_at=NOW - timedelta(hours=1), deload=("none",))
    both = merge_check_ins((back, asked), NOW)
    assert both is not None
    assert (both.deload_all, both.deload_titles) == (False, ())
