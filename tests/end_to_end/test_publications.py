"""What the athlete sees and says of publications, on the command line."""

import json
from pathlib import Path

from hevy_connector.simulator import RunningSimulator
from tests.end_to_end.world import After, Home, put_count, routines


def in_mode(home: Home, mode: str) -> None:
    profile = home.athletes / "demo.toml"
    text = profile.read_text(encoding="utf-8")
    assert 'mode = "auto"' in text
    profile.write_text(text.replace('mode = "auto"', f'mode = "{mode}"'), encoding="utf-8")


def after_a_check_in(home: Home) -> str:
    """Another plan than the one that is published, and its id."""
    told = home.spotter_json("check-in", "--energy", "very-low")
    plan_id: str = told["plan"]["plan_id"]
    return plan_id


def test_a_plan_waits_for_approval_and_each_step_can_be_taken_back(
    tmp_path: Path, after_first_night: After
) -> None:
    with after_first_night(tmp_path / "world") as (home, simulator):
        [first] = home.spotter_json("publications")
        assert (first["state"], [each["to_state"] for each in first["events"]]) == (
            "published",
            ["publishing", "published"],
        )
        as_published = routines(simulator)

        shown = home.spotter("rollback", first["plan_id"], "--dry-run")
        assert shown.returncode == 0, shown.stderr
        assert "would change in Hevy" in shown.stdout
        assert routines(simulator) == as_published

        back = home.spotter("rollback", "latest")
        assert back.returncode == 0, back.stderr
        assert len(home.spotter_json("diff", first["publication_id"])["changes"]) > 0
        [changed] = [
            key for key, routine in routines(simulator).items() if routine != as_published[key]
        ]
        assert put_count(simulator) == 1
        found = home.spotter_json("publications")
        assert [each["kind"] for each in found] == ["rollback", "plan"]
        assert found[1]["rolled_back_by"] == found[0]["publication_id"]

        in_mode(home, "approve")
        approve_and_reject(home, simulator, changed)


def approve_and_reject(home: Home, simulator: RunningSimulator, routine_id: str) -> None:
    plan_id = after_a_check_in(home)
    before = routines(simulator)
    rejected = home.spotter("plan", "reject", plan_id, "--because", "I feel fine")
    assert rejected.returncode == 0, rejected.stderr
    assert routines(simulator) == before
    told = home.spotter_json("publications")[0]
    assert (told["state"], told["detail"]) == ("rejected", "I feel fine")
    assert "you rejected it" in home.spotter("plan", "show").stdout

    again = home.spotter("plan", "reject", plan_id, "--because", "really")
    assert (again.returncode, "rejected already" in again.stderr) == (2, True)

    done = home.spotter("plan", "approve", plan_id)
    assert done.returncode == 0, done.stderr
    assert "changed in Hevy" in done.stdout
    assert routines(simulator) != before
    told = home.spotter_json("publications")[0]
    assert (told["state"], told["plan_id"]) == ("published", plan_id)
    twice = home.spotter("plan", "approve", plan_id)
    assert (twice.returncode, "nothing to approve" in twice.stderr) == (2, True)
    words = home.spotter("publications").stdout + home.spotter("diff", "latest").stdout
    assert "published to Hevy" in words
    gone = home.spotter("diff", "pub_of_nobody")
    assert (gone.returncode, "There is no publication" in gone.stderr) == (2, True)


def test_what_waited_expires_when_newer_data_comes(
    tmp_path: Path, after_first_night: After
) -> None:
    with after_first_night(tmp_path / "world") as (home, simulator):
        in_mode(home, "approve")
        plan_id = after_a_check_in(home)
        puts = put_count(simulator)
        record = json.loads(json.dumps(simulator.account.workouts()[0]))
        simulator.account.log_workout(
            {**record, "start_time": "2026-03-04T03:00:00Z", "end_time": "2026-03-04T03:50:00Z"}
        )
        assert home.spotter("sync").returncode == 0
        late = home.spotter("plan", "approve", plan_id)
        assert (late.returncode, "has expired: newer data came in" in late.stderr) == (2, True)
        assert put_count(simulator) == puts
