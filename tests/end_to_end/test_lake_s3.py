"""A night on a lake with files in an S3-compatible store."""

import pickle
from pathlib import Path

import httpx
import pytest

from hevy_connector.simulator import SIMULATOR_KEY, running_simulator
from tests.end_to_end.outcome import result
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import FirstNight, Home, holders, simulated_world
from tests.lakes import Lakes
from tests.s3 import BUCKET, SECRET, running_s3


@names_its_target
@pytest.mark.long
def test_a_night_leaves_what_one_on_the_file_does(
    lakes: Lakes, first_night: FirstNight, tmp_path: Path
) -> None:
    account = pickle.loads(first_night.account)  # noqa: S301 - of this run of the tests
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        expected = result(Home(first_night.folder, simulator.url), simulator)
    with running_s3() as store:
        place = {**lakes.new(tmp_path), **store, "SPOTTER_LAKE_DATA": f"s3://{BUCKET}/lake"}
        with simulated_world(tmp_path, **place) as (home, simulator):
            ran = home.spotter("run")
            assert ran.returncode == 0, ran.stdout + ran.stderr
            assert result(home, simulator) == expected
            looked = home.spotter("doctor")
            assert f"s3://{BUCKET}/lake, whole" in looked.stdout
            assert holders(home, SECRET) == []
        objects = httpx.get(f"{store['AWS_ENDPOINT_URL_S3']}/{BUCKET}?prefix=lake/").text
    assert objects.count(".parquet</Key>") > 20
    assert SECRET not in ran.stdout + ran.stderr + looked.stdout + lakes.dump(place)
    assert not list(tmp_path.rglob("lake/**/*.parquet"))
