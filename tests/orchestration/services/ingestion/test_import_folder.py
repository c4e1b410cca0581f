"""A training file in the home is imported once, after it is complete."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from hevy_connector.errors import CsvFormatError
from orchestration.config.settings import load_settings
from orchestration.defs.automation import edited_profiles, new_files
from orchestration.defs.ingestion.files import imported_files
from orchestration.defs.resources import WarehouseResource
from orchestration.runs.tags import ASKED_TAG, ATHLETE_TAG, TRIGGER_TAG
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv
from orchestration.services.ingestion.import_folder import find_files
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.holding import held_by_another_process

HEADER = (
    '"title","start_time","end_time","description","exercise_title","superset_id","exercise_notes",'
    '"set_index","set_type","weight_kg","reps","distance_km","duration_seconds","rpe"\n'
)
ROW = (
    '"{title}","4 Mar 2026, 18:0{minute}","4 Mar 2026, 19:00","","Squat (Barbell)",,"",'
    '0,"normal",100,5,,,\n'
)


def export(*titles: str) -> str:
    return HEADER + "".join(
        ROW.format(title=title, minute=minute) for minute, title in enumerate(titles)
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build the import folder of anna, an athlete without an account."""
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    (tmp_path / "anna.toml").write_text('id = "anna"\n[hevy]\naccount = "none"\n')
    found = tmp_path / "home" / "import" / "anna"
    found.mkdir(parents=True)
    return found


@pytest.fixture
def history() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


class Watcher:
    """A sensor with its cursor, like the daemon's."""

    def __init__(self, sensor: dg.SensorDefinition, history: dg.DagsterInstance) -> None:
        self.sensor, self.history, self.cursor = sensor, history, None
        self.told = ""

    def look(self) -> list[dg.RunRequest]:
        with dg.build_sensor_context(instance=self.history, cursor=self.cursor) as context:
            result: Any = self.sensor(context)
        self.cursor = result.cursor or self.cursor
        reason = result.skip_reason
        self.told = getattr(reason, "skip_message", reason) or ""
        return list(result.run_requests or [])

    def begin(self, job: str) -> dg.DagsterRun:
        [request] = self.look()
        return self.history.add_run(dg.DagsterRun(job, tags=request.tags))

    def end(self, run: dg.DagsterRun) -> None:
        event = dg.DagsterEvent(dg.DagsterEventType.RUN_SUCCESS.value, run.job_name)
        self.history.report_dagster_event(event, run.run_id)


def test_a_file_is_asked_for_once_it_has_stayed_the_same(
    folder: Path, history: dg.DagsterInstance
) -> None:
    watcher = Watcher(new_files, history)
    assert watcher.look() == []
    file = folder / "workouts.csv"
    file.write_text(export("One")[:150])
    assert watcher.look() == []
    assert "workouts.csv" in watcher.told
    file.write_text(export("One"))
    assert watcher.look() == [], "it grew since the look before"
    [request] = watcher.look()
    assert request.run_config == {
        "ops": {"raw__imported_files": {"config": {"file": "anna/workouts.csv"}}}
    }
    assert (request.tags[ATHLETE_TAG], request.tags[TRIGGER_TAG]) == ("anna", "import")
    assert watcher.look() == [request], "the same key, which Dagster starts once"


def test_the_same_content_is_asked_for_once_whatever_it_is_called(
    folder: Path, history: dg.DagsterInstance
) -> None:
    watcher = Watcher(new_files, history)
    (folder / "a.csv").write_text(export("One"))
    watcher.look()
    run = watcher.begin("import_files")
    assert watcher.look() == []
    assert "is being imported" in watcher.told
    watcher.end(run)
    (folder / "copy of a.csv").write_text(export("One"))
    assert [watcher.look(), watcher.look()] == [[], []]
    (folder / "a.csv").write_text(export("One", "Two"))
    watcher.look()
    assert len(watcher.look()) == 1


def test_an_import_that_failed_is_asked_for_again_later(
    folder: Path, history: dg.DagsterInstance
) -> None:
    watcher = Watcher(new_files, history)
    (folder / "a.csv").write_text(export("One"))
    watcher.look()
    run = watcher.begin("import_files")
    history.report_run_failed(run)
    assert watcher.look() == []
    storage: Any = history.run_storage
    with storage.connect() as connection:
        earlier = timedelta(minutes=11).total_seconds()
        connection.exec_driver_sql(f"update runs set end_time = end_time - {earlier}")
    [again] = watcher.look()
    assert again.tags[ASKED_TAG] == run.tags[ASKED_TAG]
    assert again.run_key not in {run.tags.get("dagster/run_key"), None}


def test_several_files_are_taken_one_after_another_the_oldest_first(
    folder: Path, history: dg.DagsterInstance
) -> None:
    watcher = Watcher(new_files, history)
    for name in ("b", "a"):
        (folder / f"{name}.csv").write_text(export(name))
    os.utime(folder / "b.csv", (1_000_000_000, 1_000_000_000))
    watcher.look()
    first = watcher.begin("import_files")
    assert watcher.look() == []
    watcher.end(first)
    second = watcher.begin("import_files")
    assert first.tags[ASKED_TAG] != second.tags[ASKED_TAG]
    found = find_files(folder.parent, frozenset({"anna"}), watcher.cursor)
    assert [each.key for each in found.waiting] == [first.tags[ASKED_TAG], second.tags[ASKED_TAG]]


def test_downloads_that_are_not_complete_and_strangers_are_left_alone(
    folder: Path, history: dg.DagsterInstance
) -> None:
    for name in ("a.csv.crdownload", "a.csv.part", ".a.csv", "notes.txt"):
        (folder / name).write_text(export("One"))
    (folder / "empty.csv").write_text("")
    stranger = folder.with_name("zoe")
    stranger.mkdir()
    (stranger / "a.csv").write_text(export("One"))
    watcher = Watcher(new_files, history)
    assert [watcher.look(), watcher.look()] == [[], []]
    assert "zoe: no athlete has this id" in watcher.told


def take(folder: Path, file: str) -> dg.ExecuteInProcessResult:
    """Run only the asset, like a run with this file."""
    path = folder.parents[1] / "warehouse.duckdb"
    return dg.materialize(
        [imported_files],
        resources={"warehouse": WarehouseResource(path=str(path))},
        run_config={"ops": {"raw__imported_files": {"config": {"file": file}}}},
    )


def rows(folder: Path) -> int:
    with WarehouseResource(path=str(folder.parents[1] / "warehouse.duckdb")).connect() as con:
        return len(con.execute("from raw.hevy_workouts where origin = 'csv'").fetchall())


@pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated")
def test_what_is_taken_is_in_the_raw_tables_and_what_is_refused_tells_why(folder: Path) -> None:
    (folder / "good.csv").write_text(export("One", "Two"))
    (folder / "bad.csv").write_text("this,is\nno,export\n")
    done = take(folder, "anna/good.csv")
    assert done.success
    assert [each.passed for each in done.get_asset_check_evaluations()] == [True]
    assert rows(folder) == 2
    refused = take(folder, "anna/bad.csv")
    assert refused.success, "the plans are made all the same"
    [check] = refused.get_asset_check_evaluations()
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert "anna/bad.csv was refused" in (check.description or "")
    assert rows(folder) == 2
    (folder / "empty.csv").write_text(export("Three").splitlines()[0] + "\n")
    [empty] = take(folder, "anna/empty.csv").get_asset_check_evaluations()
    assert not empty.passed, "its import passed as if it had workouts"
    assert "No workout was loaded: there are no rows." in (empty.description or "")
    [gone] = take(folder, "anna/gone.csv").get_asset_check_evaluations()
    assert not gone.passed


def forgotten() -> dg.DagsterInstance:
    """Return a history that lost all its runs, or with pruned runs."""
    return dg.DagsterInstance.ephemeral()


@pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated")
@pytest.mark.parametrize("text", [export("One"), "this,is\nno,export\n"])
def test_a_file_of_before_is_not_imported_again_when_its_run_is_forgotten(
    folder: Path, text: str
) -> None:
    """It would undo later corrections."""
    (folder / "old.csv").write_text(text)
    take(folder, "anna/old.csv")
    (folder / "copy of old.csv").write_text(text)
    with forgotten() as history:
        watcher = Watcher(new_files, history)
        assert [watcher.look(), watcher.look()] == [[], []]
        with held_by_another_process(folder.parents[1] / "warehouse.duckdb"):
            assert watcher.look() == []
            assert watcher.told == "There is no new file.", "it is settled, so nobody is asked"
        (folder / "new.csv").write_text(export("One", "Two"))
        watcher.look()
        [request] = watcher.look()
    told: Any = request.run_config
    assert told["ops"]["raw__imported_files"]["config"] == {"file": "anna/new.csv"}


def test_a_run_that_was_pruned_is_remembered_by_the_sensor(
    folder: Path, history: dg.DagsterInstance
) -> None:
    """The warehouse does not contain imports by earlier versions."""
    (folder / "a.csv").write_text(export("One"))
    watcher = Watcher(new_files, history)
    watcher.look()
    run = watcher.begin("import_files")
    watcher.end(run)
    assert watcher.look() == []
    history.delete_run(run.run_id)
    assert watcher.look() == []


def test_what_was_imported_by_hand_is_not_imported_from_the_folder(
    folder: Path, history: dg.DagsterInstance
) -> None:
    """The zone was given by hand; the folder would not have it."""
    (folder / "a.csv").write_text(export("One"))
    (folder / "b.csv").write_text(export("Two"))
    (folder / "bad.csv").write_text("this,is\nno,export\n")
    settings, options = load_settings(), ImportOptions(timezone="Europe/Berlin")
    dry = ImportOptions(is_dry_run=True)
    import_csv(settings, folder / "a.csv", "anna", options, print)
    import_csv(settings, folder / "b.csv", "anna", dry, print)
    with pytest.raises(CsvFormatError):
        import_csv(settings, folder / "bad.csv", "anna", options, print)
    with open_warehouse(settings.warehouse_path, read_only=True) as con:
        assert len(con.execute("from raw.imported_files").fetchall()) == 1
    os.utime(folder / "bad.csv", (1_000_000_000, 1_000_000_000))
    watcher = Watcher(new_files, history)
    watcher.look()
    asked = []
    for _ in range(2):
        run = watcher.begin("import_files")
        asked.append(run.tags[ASKED_TAG])
        watcher.end(run)
    assert watcher.look() == []
    waiting = find_files(folder.parent, frozenset({"anna"}), watcher.cursor).waiting
    names = {each.path.name for each in waiting if each.key in asked}
    assert names == {"b.csv", "bad.csv"}


def test_an_edited_profile_gives_one_run_and_a_broken_one_none(
    folder: Path, history: dg.DagsterInstance
) -> None:
    profile = folder.parents[2] / "anna.toml"
    text = profile.read_text()
    watcher = Watcher(edited_profiles, history)
    assert watcher.look() == [], "the first look of a home remembers"
    profile.write_text(f"# A remark.\n{text}")
    assert watcher.look() == []
    profile.write_text(f"session_minutes = 45\n{text}")
    [edited] = watcher.look()
    assert (edited.tags[ATHLETE_TAG], edited.tags[TRIGGER_TAG]) == ("anna", "profile")
    assert watcher.look() == []
    profile.write_text(f"session_minutes = 'long'\n{text}")
    assert watcher.look() == []
    assert "session_minutes" in watcher.told
    profile.write_text(f"session_minutes = 45\n{text}")
    assert watcher.look() == [], "mended, it says what it said"
    profile.write_text(text)
    back = watcher.begin("nightly")
    profile.write_text(f"session_minutes = 45\n{text}")
    assert watcher.begin("nightly").tags[ASKED_TAG] == edited.tags[ASKED_TAG]
    profile.write_text(text)
    [again] = watcher.look()
    assert again.tags[ASKED_TAG] == back.tags[ASKED_TAG]
    assert back.run_id[:8] in str(again.run_key), "what was said before is a change again"


def test_who_is_new_gets_a_run(folder: Path, history: dg.DagsterInstance) -> None:
    watcher = Watcher(edited_profiles, history)
    watcher.look()
    (folder.parents[2] / "bob.toml").write_text('id = "bob"\n[hevy]\naccount = "none"\n')
    assert [each.tags[ATHLETE_TAG] for each in watcher.look()] == ["bob"]
