"""Red flags newer than the release, for the dashboard, which never opens the warehouse.

`stops.json` beside the releases has the kinds of open red flags and the time of the last red flag
of each athlete. A check-in with a red flag or a clearance replaces it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import duckdb

from coach_agent.domain.values import Value
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import (
    read_last_red_flags,
    read_open_red_flags_of,
    with_red_flags_of,
)
from hevy_connector.schemas import UtcTime
from orchestration.config.durable_files import replace_file

STOPS_FILE = "stops.json"


class Stops(Value):
    """By athlete the codes of open red flags, and when the last red flag was reported."""

    written_at: UtcTime
    red_flags: Mapping[str, tuple[str, ...]]
    last_at: Mapping[str, UtcTime]


def write_stops(
    con: duckdb.DuckDBPyConnection,
    athletes: Sequence[AthleteProfile],
    folder: Path,
    now: datetime,
) -> None:
    """Write the red flags of all athletes at an aware time into the folder of the releases."""
    stops = Stops(
        written_at=now,
        red_flags=with_red_flags_of(read_open_red_flags_of(con, None, now), athletes),
        last_at=read_last_red_flags(con),
    )
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / STOPS_FILE, stops.model_dump_json(indent=2).encode())


def read_stops(folder: Path) -> Stops | None:
    """The red flags that check-ins reported last; None before the first."""
    try:
        return Stops.model_validate_json((folder / STOPS_FILE).read_bytes())
    except FileNotFoundError:
        return None
