"""`raw.imported_files`: contents that were imported or rejected, independent of file names.

One row per athlete and content. It outlives Dagster's history, so that an older file that still
exists does not overwrite corrections from later files.
"""

from datetime import datetime
from hashlib import sha256

import duckdb

from hevy_connector.raw.tables import naive_utc


def content_digest(content: bytes) -> str:
    """SHA-256 of a file's content, in hexadecimal digits."""
    return sha256(content).hexdigest()


def record_file(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    content: bytes,
    *,
    now: datetime,
    is_refused: bool = False,
) -> None:
    """Record the outcome of a file; for equal content the last outcome counts."""
    con.execute(
        """
        merge into raw.imported_files using (
            select
                $1 as athlete_id, $2 as content_sha256, $3 as is_refused, $4 as imported_at
        ) as new using (athlete_id, content_sha256)
        when matched then update set is_refused = new.is_refused, imported_at = new.imported_at
        when not matched then insert by name
        """,
        [athlete_id, content_digest(content), is_refused, naive_utc(now)],
    )


def is_known_file(con: duckdb.DuckDBPyConnection, athlete_id: str, digest: str) -> bool:
    """Return whether content with this digest prefix was imported or rejected before."""
    found = con.execute(
        """
        select 1 from raw.imported_files
        where athlete_id = $1 and starts_with(content_sha256, $2) limit 1
        """,
        [athlete_id, digest],
    ).fetchall()
    return bool(found)
