"""Check-ins: the athlete's condition before a workout, and the available time.

A check-in can lighten or shorten the next workout, never make it harder. It is stored unchanged;
the latest value counts, for `readiness.valid_hours`.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import duckdb
from pydantic import Field

from coach_agent.domain.constants.recovery import (
    DELOAD_TRIGGER_READINESS_DAYS,
    READINESS_VALID_HOURS,
)
from coach_agent.domain.pain import Pain
from coach_agent.domain.values import Value, by_athlete, naive_utc
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.tables import has_table
from hevy_connector.schemas import UtcTime

_NOTES = "coach.check_in_notes"

CHECK_INS_KNOWN_FOR = timedelta(days=DELOAD_TRIGGER_READINESS_DAYS.value)
"""Older check-ins are no part of a decision."""

LONGEST_NOTE = 500

FEELINGS: Mapping[str, int] = {"very-low": 1, "low": 2, "normal": 3, "high": 4, "very-high": 5}
"""Words for energy and soreness, with their place on a scale of 1 to 5."""

LONGEST_MINUTES = 300
ALL, NONE = "all", "none"


class CheckIn(Value):
    """A check-in; `energy` and `soreness` from 1 (very low) to 5 (very high).

    Null means not given. `deload` lists exercises to take easy, or `all`; `none` reverts that.
    """

    checked_in_at: UtcTime
    energy: int | None = Field(default=None, ge=1, le=5)
    soreness: int | None = Field(default=None, ge=1, le=5)
    minutes: int | None = Field(default=None, ge=5, le=LONGEST_MINUTES)
    pain: tuple[Pain, ...] = ()
    deload: tuple[str, ...] = ()

    @property
    def deload_all(self) -> bool:
        """True if the whole workout should be easy."""
        return ALL in self.deload

    @property
    def deload_titles(self) -> tuple[str, ...]:
        """The titles of the exercises that should be easy."""
        return tuple(title for title in self.deload if title not in {ALL, NONE})

    @property
    def readiness(self) -> int | None:
        """The worse of energy and freedom from soreness, 1 (very low) to 5; None if not given."""
        scores = [] if self.energy is None else [self.energy]
        scores += [] if self.soreness is None else [6 - self.soreness]
        return min(scores, default=None)

    @property
    def is_sore(self) -> bool:
        """True if soreness alone makes the readiness as low as it is."""
        if self.soreness is None:
            return False
        return self.energy is None or 6 - self.soreness < self.energy

    def holds_at(self, moment: datetime) -> bool:
        """Return whether the check-in is still valid at an aware time."""
        age = moment - self.checked_in_at
        return timedelta(0) <= age <= timedelta(hours=READINESS_VALID_HOURS.value)


class CheckInNote(Value):
    """Free text of a check-in with the codes of its red flags, or the clearance of earlier ones.

    Red flags are stored as recognised at the time: a later version of their table changes no
    history.
    """

    noted_at: UtcTime
    note: str | None = Field(default=None, max_length=LONGEST_NOTE)
    red_flags: tuple[str, ...] = ()
    is_clearance: bool = False


def merge_check_ins(check_ins: Sequence[CheckIn], now: datetime) -> CheckIn | None:
    """Merge the check-ins valid at the aware time `now`, newest first; None without any.

    The latest value of each field counts, and the latest level of each painful part of the body: a
    later check-in about time does not clear the pain of the morning.
    """
    valid = [each for each in check_ins if each.holds_at(now)]
    if not valid:
        return None
    pains = {pain.part: pain for each in reversed(valid) for pain in each.pain}
    return CheckIn(
        checked_in_at=valid[0].checked_in_at,
        energy=next((each.energy for each in valid if each.energy is not None), None),
        soreness=next((each.soreness for each in valid if each.soreness is not None), None),
        minutes=next((each.minutes for each in valid if each.minutes is not None), None),
        pain=tuple(pains[part] for part in sorted(pains)),
        deload=next((each.deload for each in valid if each.deload), ()),
    )


def record_check_in(con: duckdb.DuckDBPyConnection, athlete_id: str, check_in: CheckIn) -> None:
    """Insert a check-in."""
    con.execute(
        "insert into coach.check_ins values ($1, $2, $3, $4, $5, $6, $7, $8)",
        [
            str(uuid4()),
            athlete_id,
            naive_utc(check_in.checked_in_at),
            check_in.energy,
            check_in.soreness,
            check_in.minutes,
            json.dumps([pain.model_dump() for pain in check_in.pain]),
            json.dumps(check_in.deload),
        ],
    )


def record_note(con: duckdb.DuckDBPyConnection, athlete_id: str, note: CheckInNote) -> None:
    """Insert a note of a check-in."""
    con.execute(
        """
        insert into coach.check_in_notes
            (note_id, athlete_id, noted_at, note, red_flags, is_clearance)
        values ($1, $2, $3, $4, $5, $6)
        """,
        [
            str(uuid4()),
            athlete_id,
            naive_utc(note.noted_at),
            note.note,
            json.dumps(note.red_flags),
            note.is_clearance,
        ],
    )


def read_open_red_flags(
    con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, now: datetime
) -> tuple[str, ...]:
    """Return codes of the athlete's red flags at the aware time `now`: those of check-ins that are
    not cleared, and those of the profile.
    """
    return read_red_flags_of(con, [athlete], now).get(athlete.id, ())


def read_red_flags_of(
    con: duckdb.DuckDBPyConnection, athletes: Sequence[AthleteProfile], now: datetime
) -> dict[str, tuple[str, ...]]:
    """Return the red flags of check-ins and profiles of these athletes, by athlete."""
    ids = [athlete.id for athlete in athletes]
    return with_red_flags_of(read_open_red_flags_of(con, ids, now), athletes)


def with_red_flags_of(
    found: Mapping[str, tuple[str, ...]], athletes: Sequence[AthleteProfile]
) -> dict[str, tuple[str, ...]]:
    """Return the codes by athlete with those of the profiles."""
    more = {athlete.id: athlete.red_flags for athlete in athletes if athlete.red_flags}
    return {
        athlete_id: tuple(dict.fromkeys((*found.get(athlete_id, ()), *more.get(athlete_id, ()))))
        for athlete_id in dict.fromkeys((*found, *more))
    }


def read_open_red_flags_of(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None, now: datetime
) -> dict[str, tuple[str, ...]]:
    """Return by athlete the codes of red flags without a later clearance, oldest first.

    By default for all athletes. Red flags do not expire. A red flag in the clearance itself counts.
    """
    query = """
        with notes as (
            select
                athlete_id,
                noted_at,
                red_flags,
                max(noted_at) filter (where is_clearance) over (
                    partition by athlete_id
                ) as cleared_at
            from coach.check_in_notes
            where ($1 is null or list_contains($1, athlete_id)) and noted_at <= $2
        )

        select athlete_id, red_flags from notes
        where cleared_at is null or noted_at >= cleared_at
        order by athlete_id, noted_at
    """
    if not has_table(con, _NOTES):
        return {}  # a warehouse of an older version that is open for reading only
    ids = None if athlete_ids is None else list(athlete_ids)
    rows = con.execute(query, [ids, naive_utc(now)]).fetchall()
    found = {
        athlete_id: tuple(dict.fromkeys(code for (codes,) in own for code in json.loads(codes)))
        for athlete_id, own in by_athlete(rows).items()
    }
    return {athlete_id: codes for athlete_id, codes in found.items() if codes}


def read_last_red_flags(con: duckdb.DuckDBPyConnection) -> dict[str, datetime]:
    """By athlete the aware time of the last red flag, also of a cleared one."""
    if not has_table(con, _NOTES):
        return {}
    rows: list[tuple[str, datetime]] = con.execute(
        """
        select athlete_id, max(noted_at) from coach.check_in_notes
        where json_array_length(red_flags) > 0
        group by athlete_id
        """
    ).fetchall()
    return {athlete_id: at.replace(tzinfo=UTC) for athlete_id, at in rows}


def read_check_ins(
    con: duckdb.DuckDBPyConnection, athlete_id: str, *, since: datetime, until: datetime
) -> tuple[CheckIn, ...]:
    """Return the athlete's check-ins between two aware times, newest first."""
    return read_check_ins_of(con, [athlete_id], since=since, until=until).get(athlete_id, ())


def read_check_ins_of(
    con: duckdb.DuckDBPyConnection,
    athlete_ids: Sequence[str],
    *,
    since: datetime,
    until: datetime,
) -> dict[str, tuple[CheckIn, ...]]:
    """Return check-ins by athlete between two aware times, newest first."""
    rows = con.execute(
        """
        select athlete_id, checked_in_at, energy, soreness, minutes, pain, deload
        from coach.check_ins
        where athlete_id in (select unnest($1)) and checked_in_at between $2 and $3
        order by athlete_id, checked_in_at desc, check_in_id
        """,
        [list(athlete_ids), naive_utc(since), naive_utc(until)],
    ).fetchall()
    return {athlete_id: _check_ins(own) for athlete_id, own in by_athlete(rows).items()}


def _check_ins(rows: Sequence[tuple[Any, ...]]) -> tuple[CheckIn, ...]:
    return tuple(
        CheckIn(
            checked_in_at=at.replace(tzinfo=UTC),
            energy=energy,
            soreness=soreness,
            minutes=minutes,
            pain=tuple(Pain.model_validate(each) for each in json.loads(pain)),
            deload=tuple(json.loads(deload)),
        )
        for at, energy, soreness, minutes, pain, deload in rows
    )


def read_valid_check_in(
    con: duckdb.DuckDBPyConnection, athlete_id: str, now: datetime
) -> CheckIn | None:
    """Return the athlete's merged check-ins valid at the aware time `now`; None without any."""
    since = now - timedelta(hours=READINESS_VALID_HOURS.value)
    return merge_check_ins(read_check_ins(con, athlete_id, since=since, until=now), now)
