"""The followed programme is versioned: the latest version known at a time is in force."""

from datetime import UTC, date, datetime, timedelta

import duckdb

from coach_agent.domain.block import BlockCalendar, FollowedProgramme
from coach_agent.store.followed_programmes import (
    ProgrammeVersion,
    read_followed_programmes,
    read_programme_versions,
    record_followed_programme,
)
from coach_agent.store.schema import create_coach_tables

NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)


def programme(number: int) -> FollowedProgramme:
    calendar = BlockCalendar(title=f"Block {number}", phases=(None,), cycle_from=0, days=())
    return FollowedProgramme(
        programme_id=f"prog_{number}", name="mine", start=date(2026, 3, number), calendar=calendar
    )


def test_versions_are_appended_and_read_as_of_a_time() -> None:
    with duckdb.connect() as con:
        create_coach_tables(con)
        for day, followed in enumerate((programme(1), programme(2), None)):
            at = NOW + timedelta(days=day)
            record_followed_programme(con, "kim", followed, at=at, run_id=f"run {day}")
        record_followed_programme(con, "lee", programme(3), at=NOW, run_id="run")

        def known(days: float) -> dict[str, FollowedProgramme]:
            moment = NOW + timedelta(days=days)
            return read_followed_programmes(con, ["kim", "lee"], moment)

        assert known(-1) == {}
        assert known(0.5) == {"kim": programme(1), "lee": programme(3)}
        assert known(1) == {"kim": programme(2), "lee": programme(3)}
        assert known(5) == {"lee": programme(3)}
        first, second, last = read_programme_versions(con, "kim")
    assert first == ProgrammeVersion(
        version=1,
        programme_id="prog_1",
        title="Block 1",
        start=date(2026, 3, 1),
        valid_from=NOW,
        valid_to=NOW + timedelta(days=1),
    )
    assert second.valid_to == last.valid_from
    assert (last.programme_id, last.title, last.start, last.valid_to) == (None, None, None, None)
