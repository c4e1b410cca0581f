"""Concurrent commands: one does the work, the others wait or report it."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.end_to_end.targets import Place, on_both_targets
from tests.end_to_end.test_importing import FILES
from tests.end_to_end.world import ROOT, SPOTTER, Home, new_home, put_count, simulated_world


def started(home: Home, *command: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*map(str, command)],
        env={**home.env, "DAGSTER_HOME": str(home.folder / "home" / "dagster")},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long
def test_of_runs_at_the_same_time_one_publishes_and_the_others_say_so(tmp_path: Path) -> None:
    """Two of the command line, and one as the UI's daemon starts it: a separate process."""
    with simulated_world(tmp_path) as (home, simulator):
        assert home.spotter("status").returncode == 1, "nothing came in yet"
        (home.folder / "home" / "dagster").mkdir(parents=True, exist_ok=True)
        (home.folder / "home" / "dagster" / "dagster.yaml").write_text(
            (ROOT / "dagster.yaml").read_text()
        )
        processes = [
            started(home, SPOTTER, "run"),
            started(home, SPOTTER, "run"),
            started(
                home,
                SPOTTER.with_name("dagster"),
                *("job", "execute", "-m", "orchestration.definitions", "-j", "nightly"),
            ),
        ]
        ended = [(*process.communicate(timeout=500), process.returncode) for process in processes]
        assert [code for _, _, code in ended] == [0, 0, 0], ended
        assert put_count(simulator) == 1
        assert home.query("select state from coach.publications") == [("published",)]
        under_way = [out for out, _, _ in ended if "A run is in progress" in out]
        assert len(under_way) >= 1
        assert "nothing was started" in under_way[0]


@pytest.mark.long
@on_both_targets
def test_all_that_import_at_the_same_time_come_into_the_marts(tmp_path: Path, place: Place) -> None:
    home = new_home(tmp_path, "http://127.0.0.1:9", **place(tmp_path))
    file = tmp_path / "workout_data.csv"
    file.write_text(FILES[file.name])
    with ThreadPoolExecutor() as threads:
        importing = [
            threads.submit(home.spotter, "import-csv", file, "--athlete", athlete)
            for athlete in ("ann", "ben", "zoe")
        ]
        ended = [each.result() for each in importing]
    assert [done.returncode for done in ended] == [0, 0, 0], ended
    counted = "select athlete_id, count(*) from marts.fct_workout group by all order by all"
    expected = [("ann", 1), ("ben", 1), ("zoe", 1)]
    assert home.query(counted) == home.query(counted, home.release) == expected
