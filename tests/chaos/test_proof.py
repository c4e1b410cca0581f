"""Any missing, extra or different row of two nights is found, and equal nights pass."""

import re
import shlex
import subprocess
from typing import Any

import duckdb
import pytest

from orchestration.config.locations import CODE_ROOT
from tests.chaos.proof import contents, differences, disturbances_missing, keys_of

_TABLES = """
    create schema raw;
    create schema coach;
    create table raw.hevy_workouts (athlete_id varchar, record_id varchar, loaded_at timestamp);
    create table raw.hevy_routines (record_id varchar, origin varchar);
    create table raw.sync_log (athlete_id varchar, completed_at timestamp);
    create table coach.plans (plan_id varchar{key}, athlete_id varchar, run_id varchar);
    create table coach.plan_records (plan_id varchar, sha256 varchar);
    insert into coach.plan_records values ('a', 'of run-1');
    insert into raw.hevy_workouts values
        ('ann', 'one', '2026-03-04'), ('ann', 'two', '2026-03-04'), ('ben', 'one', '2026-03-04');
    insert into raw.hevy_routines values ('push', 'api');
    insert into raw.sync_log values ('ann', '2026-03-04');
    insert into coach.plans values ('a', 'ann', 'run-1'), ('b', 'ben', 'run-1');
"""


def found_after(change: str) -> list[str]:
    """Return the reported differences of a lake after this change."""
    with duckdb.connect() as file, duckdb.connect() as lake:
        file.execute(_TABLES.format(key=" primary key"))
        lake.execute(_TABLES.format(key=""))
        lake.execute(change)
        keys = keys_of(file)
        return differences(contents(file, keys), contents(lake, keys), "the lake")


@pytest.mark.parametrize(
    "change",
    [
        "select 1",
        "update raw.hevy_workouts set loaded_at = '2026-03-05'",
        "update coach.plans set run_id = 'run-2'",
        "update coach.plan_records set sha256 = 'of run-2'",
        "update raw.hevy_routines set origin = 'publication'",
        "insert into raw.sync_log values ('ann', '2026-03-05')",
        "create or replace table coach.plans as from coach.plans order by plan_id desc",
    ],
)
def test_when_and_by_whom_it_was_done_does_not_matter(change: str) -> None:
    assert found_after(change) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            "insert into raw.hevy_workouts from raw.hevy_workouts where record_id = 'two'",
            ["raw.hevy_workouts has 4 rows, not 3"],
        ),
        (
            "insert into coach.plans from coach.plans where plan_id = 'a'",
            [
                "coach.plans has 1 values of (plan_id) in several rows",
                "coach.plans has 3 rows, not 2",
            ],
        ),
        (
            "update coach.plans set plan_id = 'a'",
            [
                "coach.plans has 1 values of (plan_id) in several rows",
                "coach.plans differs in plan_id",
            ],
        ),
        (
            "update raw.hevy_workouts set record_id = 'six' where record_id = 'two'",
            ["raw.hevy_workouts differs in record_id"],
        ),
        (
            "update coach.plans set athlete_id = if(plan_id = 'a', 'ben', 'ann')",
            ["coach.plans differs in which values stand together"],
        ),
        ("delete from coach.plans", ["coach.plans has 0 rows, not 2"]),
        ("drop table coach.plans", ["coach.plans is on one side only"]),
    ],
)
def test_differences_are_reported(change: str, told: list[str]) -> None:
    assert found_after(change) == [f"the lake: {line}" for line in told]


@pytest.mark.parametrize(
    ("killed", "crashes", "nights", "missing"),
    [
        (1, 1, [{"failed": {}}], []),
        (1, 1, [{"failed": {"sync 1/4": "killed"}}, {"failed": {}}], []),
        (0, 1, [{"failed": {}}], ["no run was killed"]),
        (1, 0, [{"failed": {}}], ["the catalog's server did not crash"]),
        (1, 1, [{"failed": {"models": "no"}}], ["the last of 1 nights left something undone"]),
        (
            1,
            1,
            [{"crashed": "Error: no"}, {"failed": {}}],
            ["night 1 ended without a report: Error: no"],
        ),
    ],
)
def test_a_night_that_was_not_disturbed_or_not_done_is_no_proof(
    killed: int, crashes: int, nights: list[dict[str, Any]], missing: list[str]
) -> None:
    assert disturbances_missing(killed, crashes, nights) == missing


def test_the_documented_command_starts_it() -> None:
    told = (CODE_ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    commands = [shlex.split(line) for line in re.findall("^make chaos.*$", told, flags=re.M)]
    begun = []
    for command in commands:
        # In `make test` the output would also contain its directory.
        made = subprocess.run(
            [*command, "--dry-run", "--no-print-directory"],
            cwd=CODE_ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        begun.append(made.stdout.strip().splitlines()[-1].partition("-m ")[2])
    assert begun == [
        "tests.chaos --athletes 2000 --partitions 4 --kills 8 --celery 0",
        "tests.chaos --athletes 12 --partitions 4 --kills 8 --celery 0",
        "tests.chaos --athletes 12 --partitions 4 --kills 8 --celery 2",
    ]
