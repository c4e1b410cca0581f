"""A partitioned night by two Celery workers with homes of their own, both of which are killed."""

from pathlib import Path

import pytest

from tests.end_to_end.celery_workers import Workers, missing, redis, variables_of
from tests.end_to_end.crowd import accounts, result, running_accounts
from tests.end_to_end.partitioned import await_night, home_in, owed_night
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import Home, zone_at_noon
from tests.lakes import Lakes
from tests.soak.servers import until

pytestmark = names_its_target

ATHLETES = 4
PARTITIONS = 3


@pytest.mark.long
def test_a_night_survives_a_lost_and_a_restarted_worker(lakes: Lakes, tmp_path: Path) -> None:
    if reason := missing():
        pytest.skip(reason)
    zone = zone_at_noon()
    with running_accounts(accounts(ATHLETES)) as service:
        one = home_in(zone, tmp_path / "file", service.url, ATHLETES, {})
        assert one.spotter("run").returncode == 0
        expected = result(one, service)
    with redis() as broker, running_accounts(accounts(ATHLETES)) as service:
        variables = {
            **lakes.new(tmp_path),
            **variables_of(lakes, broker),
            "SPOTTER_PARTITIONS": str(PARTITIONS),
        }
        home = home_in(zone, tmp_path / "lake", service.url, ATHLETES, variables)
        play_night(home)
        assert result(home, service) == expected


def play_night(home: Home) -> None:
    """Run the owed night; lose one of its workers, then restart the other one."""
    home.folder.joinpath("home").mkdir()
    workers = Workers(home)
    try:
        workers.start("first")
        workers.start("second")
        with owed_night(home) as servers:
            until(lambda: workers.has_begun("first"), "a task of the first worker", 300)
            workers.kill("first")
            until(lambda: workers.has_begun("second"), "a task of the second worker", 300)
            workers.reboot("second")
            night = await_night(home, servers, 1200)
        found = night.status(max(run.created_at for run in night.runs))
        assert {each.state for each in found.parts} == {"finished"}
        assert sum(each.retries for each in found.parts) >= 2
    finally:
        workers.stop()
