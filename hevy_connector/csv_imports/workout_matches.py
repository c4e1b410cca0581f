"""`raw.workout_matches`: which workout of a file is which of the account.

The table only grows. A match stays although the athlete may later edit the workout beyond
recognition, in the account or in the next export: found anew each time, such a workout would be
counted twice.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

import duckdb

from hevy_connector.csv_imports.matching import NO_SHIFT
from hevy_connector.csv_imports.merging import FileRecord, Known, match_account, moved_records
from hevy_connector.csv_imports.performed import Performed
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import OF_ATHLETES, naive_utc, of_athletes
from hevy_connector.raw.transactions import committed


def read_known(con: duckdb.DuckDBPyConnection, athlete_id: str) -> Known:
    """The athlete's workouts as they are known now, and which are the same."""
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
    return Known(
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
    """Add matches (id of a file's record to id of the account's); in the caller's transaction."""
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
    """Find the workouts of files that the account has, too; returns how many are new.

    To be called after each sync of the account, in no transaction. It costs little where no
    workout of a file is without a match. Each earlier import is compared by itself, because each
    file has a time shift of its own; where the account shows one, the times of all workouts of
    that import are corrected.

    Raises:
        duckdb.Error: nothing of it is kept then.
    """
    if not with_unmatched_files(con, [athlete_id]):
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
            [file.performed for file in batch], Known(known.files, known.account, matches)
        )
        new = [match for match in found.matches if match.left_id not in matches]
        matches |= {match.left_id: match.right_id for match in new}
        if any(match.shift != NO_SHIFT for match in new):
            moved += moved_records(batch, found)
    new_matches = {own: other for own, other in matches.items() if own not in known.matches}

    def work() -> None:
        save_matches(con, athlete_id, new_matches, now=now, run_id=run_id)
        if moved:
            land(con, "hevy_workouts", athlete_id, moved, now=now, run_id=run_id, origin="csv")

    committed(con, work)
    return len(new_matches)


def with_unmatched_files(con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]) -> list[str]:
    """Of these athletes those who have a workout from a file without a match, by id."""
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
        of_athletes(athlete_ids),
    ).fetchall()
    return [athlete_id for (athlete_id,) in rows]
