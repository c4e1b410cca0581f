"""Nightly runs copy their release into PostgreSQL, and report a failure of the copy alone."""

import json
import subprocess
from uuid import uuid4

import pytest

from tests.end_to_end.world import simulated_world
from tests.lakes import Lakes

pytestmark = pytest.mark.long

WRONG = "not this one"


def test_a_night_copies_its_release_or_reports_why_not(
    lakes: Lakes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    postgres = lakes.postgres
    variables = {
        "SPOTTER_RELEASE_POSTGRES": postgres.new_database(f"bi_{uuid4().hex}"),
        "SPOTTER_RELEASE_POSTGRES_PASSWORD": postgres.password,
    }

    def published() -> str:
        return subprocess.run(
            [
                *(postgres.programs / "psql", "--tuples-only", "--no-align", "--command"),
                "select release_number, (select count(*) from spotter.fct_workout) > 0 "
                "from spotter.manifest",
                variables["SPOTTER_RELEASE_POSTGRES"],
            ],
            env={"PGPASSWORD": postgres.password},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    with simulated_world(tmp_path_factory.mktemp("shared"), **variables) as (home, _):
        ran = home.spotter("run")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert published() == "1|t"

        home.extra["SPOTTER_RELEASE_POSTGRES_PASSWORD"] = WRONG
        ran = home.spotter("run")
        told = " ".join((ran.stdout + ran.stderr).split())
        assert ran.returncode == 1, told
        assert "The release was not published to the schema spotter of" in told
        assert WRONG not in told
        status = json.loads(home.spotter("status", "--json").stdout)
        assert status["release"]["release_number"] == 2
        assert status["held_back_by"] is None
        assert published() == "1|t"

        home.extra["SPOTTER_RELEASE_POSTGRES_PASSWORD"] = postgres.password
        assert home.spotter("run").returncode == 0
        assert published() == "3|t"
