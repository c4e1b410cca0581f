"""DuckDB draws nothing on the standard output, also in a process that looks interactive."""

import json
import subprocess
import sys

# As the steps of Dagster: the main module of `python -c` has no file.
SETTINGS = """
import json
import duckdb
from orchestration.storage.connection import connect_duckdb

asked = "select current_setting('enable_progress_bar'), current_setting('TimeZone')"
print(json.dumps([con.execute(asked).fetchone() for con in (duckdb.connect(), connect_duckdb())]))
"""


def test_a_process_without_a_file_draws_no_progress() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SETTINGS],
        env={"TZ": "America/New_York"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [[True, "America/New_York"], [False, "UTC"]]
