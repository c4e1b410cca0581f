"""Compare the sets in the marts with those of the last release."""

import logging
from collections.abc import Sequence
from pathlib import Path

import duckdb

from coach_agent.planning.volume_anomaly import lost_sets
from coach_agent.store.tables import has_table
from orchestration.services.releases.release import released_databases
from orchestration.storage.connection import connect_duckdb

_log = logging.getLogger(__name__)

_COUNTED = """
    select athlete_id, count(*) from marts.fct_set
    where athlete_id in (select unnest($athletes)) group by athlete_id
"""


def lost_histories(
    con: duckdb.DuckDBPyConnection, release_folder: Path, athletes: Sequence[str]
) -> dict[str, str]:
    """Return for each athlete a message about sets that the release has and the marts lack.

    Compared with the release, so the result persists until the sets are back or a release without
    them exists. Empty before the first release. If its database cannot be read, the latest readable
    one is used.
    """
    before = _released_counts(release_folder, athletes)
    return lost_sets(before, _counts(con, athletes) if before else {})


def _released_counts(release_folder: Path, athletes: Sequence[str]) -> dict[str, int]:
    for released in released_databases(release_folder):
        try:
            with connect_duckdb(released, read_only=True) as readers:
                return _counts(readers, athletes)
        except duckdb.Error as error:
            # It is only a copy, which the next release replaces.
            _log.warning("%s cannot be compared with: %s", released, error)
    return {}


def _counts(con: duckdb.DuckDBPyConnection, athletes: Sequence[str]) -> dict[str, int]:
    if not has_table(con, "marts.fct_set"):
        return {}
    return dict(con.execute(_COUNTED, {"athletes": list(athletes)}).fetchall())
