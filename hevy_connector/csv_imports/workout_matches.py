"""`raw.workout_matches`: matches of workouts in files with workouts of the account.

The table is append-only. A match stays valid after the athlete has edited the workout, in the
account or in the next export: a new match by content would fail and the workout would count twice.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

import duckdb

from hevy_connector.csv_imports.duplicate_workouts import NO_SHIFT
from hevy_connector.csv_imports.merging import (
    FileRecord,
    KnownWorkouts,
    corrected_records,
    match_account,
)
from hevy_connector.csv_imports.performed import Performed
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import OF_ATHLETES, athlete_parameters, naive_utc
from hevy_connector.raw.transactions import run_in_transaction


def read_known(con: duckdb.DuckDBPyConnection, athlete_id: str) -> KnownWorkouts:
    """Read the athlete's known workouts and matches."""
    rows = con.execute(
        """
        select
            record_id,
            arg_max(payload, loaded_at),
            arg_max(run_id, loaded_at),
            arg_max(origin, loaded_at) = 'csv'
        from raw.hevy_workouts
        where athlete_id = $1
        group by record_id
        order by record_id
        """,
        [athlete_id],
    ).fetchall()
    return KnownWorkouts(
        files=[
            FileRecord.of(record_id, payload, batch)
            for record_id, payload, batch, is_from_file in rows
            if is_from_file
        ],
        account=[
            Performed.from_payload(record_id, payload)
            for record_id, payload, _, is_from_file in rows
            if not is_from_file
        ],
        matches=dict(
            con.execute(
                """
                select file_record_id, hevy_record_id
                from raw.workout_matches
                where athlete_id = $1
                """,
                [athlete_id],
            ).fetchall()
        ),
    )


def save_matches(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    matches: Mapping[str, str],
    *,
    now: datetime,
    run_id: str,
) -> None:
    """Append matches (file record id to account record id), in the caller's transaction."""
    con.execute(
        """
        insert into raw.workout_matches
        select
            $athlete_id,
            unnest($file_record_ids::varchar[]),
            unnest($hevy_record_ids::varchar[]),
            $loaded_at,
            $run_id
        """,
        {
            "athlete_id": athlete_id,
            "file_record_ids": list(matches),
            "hevy_record_ids": list(matches.values()),
            "loaded_at": naive_utc(now),
            "run_id": run_id,
        },
    )


def record_matches(
    con: duckdb.DuckDBPyConnection, athlete_id: str, *, now: datetime, run_id: str
) -> int:
    """Match workouts of files with the account; return the number of new matches.

    Call it after each sync of the account, outside a transaction. It is cheap if every workout of a
    file has a match. Each earlier import is matched separately, because each file has its own time
    shift. If the match shows a shift, the times of all workouts of that import are corrected.

    Raises:
        duckdb.Error: the transaction was rolled back.
    """
    if not athletes_with_unmatched_files(con, [athlete_id]):
        return 0
    known = read_known(con, athlete_id)
    batches = defaultdict(list)
    for file in known.files:
        batches[file.batch].append(file)
    matches = dict(known.matches)
    moved = []
    # The largest first: it has the best evidence.
    for _, batch in sorted(batches.items(), key=lambda item: (-len(item[1]), item[0])):
        found = match_account(
            [file.performed for file in batch], KnownWorkouts(known.files, known.account, matches)
        )
        new = [match for match in found.matches if match.left_id not in matches]
        matches |= {match.left_id: match.right_id for match in new}
        if any(match.shift != NO_SHIFT for match in new):
            moved += corrected_records(batch, found)
    new_matches = {own: other for own, other in matches.items() if own not in known.matches}

    def work() -> None:
        save_matches(con, athlete_id, new_matches, now=now, run_id=run_id)
        if moved:
            land(con, "hevy_workouts", athlete_id, moved, now=now, run_id=run_id, origin="csv")

    run_in_transaction(con, work)
    return len(new_matches)


def athletes_with_unmatched_files(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> list[str]:
    """Return the given athletes that have a workout from a file without a match, by id."""
    rows: list[tuple[str]] = con.execute(
        f"""
        select distinct recorded.athlete_id
        from raw.hevy_workouts as recorded
        anti join raw.workout_matches as matched
            on
                recorded.athlete_id = matched.athlete_id
                and recorded.record_id = matched.file_record_id
        where recorded.origin = 'csv' and {OF_ATHLETES}
        order by all
        """,  # noqa: S608 - our own condition
        athlete_parameters(athlete_ids),
    ).fetchall()
    return [athlete_id for (athlete_id,) in rows]
