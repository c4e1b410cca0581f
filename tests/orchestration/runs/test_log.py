"""Each run has a machine-readable log without secrets."""

import json
import logging
from pathlib import Path

import dagster as dg
import pytest

from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.log import find_log, log_path, read_log

KEY = "8f14e45f-ceea-467f-a7d3-1b2c3d4e5f60"
TOKEN = "a-long-random-value"  # noqa: S105 - no real one


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAGSTER_HOME", "")  # is put back after the test
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HEVY_API_KEY", KEY)
    monkeypatch.setenv("HEVY_WEBHOOK_TOKEN", TOKEN)
    return load_settings()


def failing_run(settings: Settings) -> str:
    @dg.asset
    def raw_hevy_workouts(context: dg.AssetExecutionContext) -> None:
        context.log.debug("asking with api-key %s", KEY)
        context.log.warning("the webhook shows %s", TOKEN)
        raise ValueError(f"refused: {KEY}, also sk-abcdefghijk")

    with dagster_instance(settings) as instance:
        result = dg.materialize([raw_hevy_workouts], instance=instance, raise_on_error=False)
    assert not result.success
    return result.run_id


def test_a_failing_run_tells_why_and_no_secret(settings: Settings) -> None:
    run_id = failing_run(settings)
    text = log_path(settings, run_id).read_text()
    for secret in (KEY, TOKEN, "sk-abcdefghijk"):
        assert secret not in text
    lines = list(read_log(log_path(settings, run_id)))
    assert [json.loads(line)["message"] for line in text.splitlines()] == [
        line.message for line in lines
    ]
    said = {line.message: line for line in lines}
    assert said["asking with api-key ***"].level == "DEBUG"
    assert said["the webhook shows ***"].step == "raw_hevy_workouts"
    [failure] = [line for line in lines if line.event == "STEP_FAILURE"]
    assert failure.level == "ERROR"
    assert "refused: ***, also ***" in (failure.error or "")
    assert lines[-1].event == "RUN_FAILURE"


def test_a_run_is_found_by_how_its_id_begins(settings: Settings) -> None:
    with pytest.raises(SettingsError, match="spotter run"):
        find_log(settings, None)
    first, second = failing_run(settings), failing_run(settings)
    assert find_log(settings, first[:8]).stem == first
    assert find_log(settings, None).stem == second
    with pytest.raises(SettingsError, match="There is no log of a run nobody"):
        find_log(settings, "nobody")
    with pytest.raises(SettingsError, match="several"):
        find_log(settings, "")


def test_a_line_that_a_kill_cut_off_is_left_out(settings: Settings) -> None:
    path = log_path(settings, failing_run(settings))
    whole = len(list(read_log(path)))
    with path.open("a") as file:
        file.write('{"at": "2026-03-04T')
    assert len(list(read_log(path))) == whole


def test_a_log_that_cannot_be_written_fails_no_run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    settings.home.mkdir()
    (settings.home / "logs").write_text("a file where the folder is to be")

    @dg.asset
    def quiet() -> None:
        pass

    with dagster_instance(settings) as instance:
        assert dg.materialize([quiet], instance=instance).success


def test_settings_that_were_broken_meanwhile_and_odd_letters_fail_no_run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dg.asset
    def odd(context: dg.AssetExecutionContext) -> None:
        context.log.info("half of a letter: \ud83d")
        monkeypatch.setenv("SPOTTER_TIMEZONE", "Europe/Nowhere")
        context.log.info("written all the same")

    with dagster_instance(settings) as instance:
        done = dg.materialize([odd], instance=instance)
    assert done.success
    monkeypatch.delenv("SPOTTER_TIMEZONE")
    said = [line.message for line in read_log(log_path(settings, done.run_id))]
    assert any(each.startswith("half of a letter") for each in said)
    assert "written all the same" in said
