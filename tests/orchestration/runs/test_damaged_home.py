"""A damaged history never stops a run; unreadable or unwritable files give one sentence."""

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from sqlalchemy.exc import OperationalError

from orchestration.cli import app as cli
from orchestration.config.settings import Settings, load_settings
from orchestration.runs import jobs
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.history import recent_runs
from orchestration.runs.history_health import quarantine_damaged, quarantine_folders
from orchestration.runs.status import HistoryDamagedError
from orchestration.services.operations.compaction import compact
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.homes import NOW

DATABASES = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "athletes").mkdir()
    (tmp_path / "athletes" / "kim.toml").write_text('id = "kim"\n[hevy]\naccount = "none"\n')
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path / "athletes"))
    return load_settings()


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a history with one run."""
    root = tmp_path_factory.mktemp("history")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", "")
        settings = load_settings({}, root)
        with dagster_instance(settings) as instance:
            instance.add_run(dg.DagsterRun(job_name="nightly"))
    return settings.dagster_home


def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[int, str]:
    monkeypatch.setattr("sys.argv", ["spotter", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("content", [b"nothing" * 5000, b"SQLite format 3\0" * 1000])
def test_a_damaged_history_is_put_aside_and_a_new_one_begun(
    settings: Settings, history: Path, name: str, content: bytes
) -> None:
    shutil.copytree(history, settings.dagster_home)
    (settings.dagster_home / name).write_bytes(content)
    aside = quarantine_damaged(settings, NOW)
    assert aside is not None
    assert (aside / name).read_bytes() == content
    assert quarantine_folders(settings) == [aside]
    with dagster_instance(settings) as instance:
        instance.add_run(dg.DagsterRun(job_name="nightly"))
    assert recent_runs(settings).last is not None
    assert quarantine_damaged(settings, NOW) is None


def test_a_whole_history_and_none_are_left_alone(settings: Settings, history: Path) -> None:
    assert quarantine_damaged(settings, NOW) is None
    shutil.copytree(history, settings.dagster_home)
    assert quarantine_damaged(settings, NOW) is None
    assert quarantine_folders(settings) == []


def test_a_run_goes_on_with_a_new_history_and_tells_where_the_old_one_is(
    settings: Settings, history: Path
) -> None:
    """A night ended with 'database disk image is malformed', as did each night after it."""
    shutil.copytree(history, settings.dagster_home)
    (settings.dagster_home / "history" / "runs.db").write_bytes(b"nothing" * 5000)

    @dg.op
    def step() -> None: ...

    @dg.job
    def nightly() -> None:
        step()

    told: list[Path] = []
    steps: list[str] = []
    outcome = jobs.run_job(
        dg.Definitions(jobs=[nightly]), "nightly", settings, steps.append, on_damage=told.append
    )
    assert outcome.is_success
    assert steps == ["step"]
    assert told == quarantine_folders(settings) != []
    last = recent_runs(settings).last
    assert last is not None
    assert (last.run_id, last.status) == (outcome.run_id, "SUCCESS")


def test_status_names_the_damage_and_then_the_folder_and_ends_with_two(
    settings: Settings,
    history: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(history, settings.dagster_home)
    (settings.dagster_home / "history" / "runs.db").write_bytes(b"nothing" * 5000)
    with pytest.raises(HistoryDamagedError):
        recent_runs(settings)
    code, told = command(capsys, monkeypatch, "status")
    assert code == 2
    assert "is damaged" in told
    assert "Run: spotter run" in told
    aside = quarantine_damaged(settings, NOW)
    code, told = command(capsys, monkeypatch, "status")
    assert code == 2
    assert str(aside) in told.replace("\n", "")
    assert "unexpected error" not in told


def test_compaction_puts_a_damaged_history_aside(settings: Settings, history: Path) -> None:
    shutil.copytree(history, settings.dagster_home)
    (settings.dagster_home / "history" / "runs.db").write_bytes(b"nothing" * 5000)
    done = compact(settings, NOW, lambda _: None)
    assert done.put_aside == tuple(quarantine_folders(settings)) != ()


@pytest.mark.parametrize("words", [("compact",), ("status",), ("check-in", "--energy", "low")])
def test_a_damaged_warehouse_is_one_sentence_with_what_to_do(
    settings: Settings,
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = settings.warehouse_path
    with open_warehouse(path):
        pass
    content = bytearray(path.read_bytes())
    for place in range(12_288 + 5000, len(content), 4096):
        content[place] ^= 0xFF
    path.write_bytes(content)
    code, told = command(capsys, monkeypatch, *words)
    assert code == 2
    assert "spotter restore FILE --replace" in told.replace("\n", " ")
    assert "unexpected error" not in told


READ_ONLY = "may not be written. Give its owner the right to."
FULL = "disk is full. Free some space"
FULL_OR_FAILING = "disk is full or fails. Free some space"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.EROFS, "Read-only file system", "/home/run.lock"), READ_ONLY),
        (PermissionError(errno.EACCES, "Permission denied", "/home/run.lock"), READ_ONLY),
        (duckdb.IOException('Cannot open file "/home/w": Read-only file system'), READ_ONLY),
        (sqlite3.OperationalError("attempt to write a readonly database"), READ_ONLY),
        (OSError(errno.ENOSPC, "No space left on device", "/home/run.lock"), FULL),
        (duckdb.IOException('Cannot write "/home/w": No space left on device'), FULL),
        (sqlite3.OperationalError("database or disk is full"), FULL),
        (sqlite3.OperationalError("disk I/O error"), FULL_OR_FAILING),
        (
            OperationalError("select 1", None, sqlite3.OperationalError("disk I/O error")),
            FULL_OR_FAILING,
        ),
    ],
    ids=lambda value: f"{type(value).__name__} {value}" if isinstance(value, Exception) else "",
)
@pytest.mark.parametrize("words", [("compact",), ("run",), ("status",)])
def test_a_home_that_cannot_be_written_is_one_sentence_with_what_to_do(
    settings: Settings,
    words: tuple[str, ...],
    error: Exception,
    expected: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Root may write anywhere, so the system's error is simulated at the first lock."""
    settings.dagster_home.mkdir(parents=True)

    def refused(*_: object, **__: object) -> None:
        raise error

    for place in ("lock", "dagster_history"):
        monkeypatch.setattr(f"orchestration.runs.{place}.file_lock", refused)
    code, told = command(capsys, monkeypatch, *words)
    assert code == 2
    text = " ".join(told.split())
    assert expected in text
    assert "unexpected error" not in text
    assert "Traceback" not in text


def test_a_damaged_database_of_a_single_run_is_found(settings: Settings, history: Path) -> None:
    shutil.copytree(history, settings.dagster_home)
    single = settings.dagster_home / "history" / "runs" / "one.db"
    with closing(sqlite3.connect(single)) as con:
        con.execute("create table event_logs (text)")
        con.commit()
    assert quarantine_damaged(settings, NOW) is None
    single.write_bytes(b"nothing" * 5000)
    assert quarantine_damaged(settings, NOW) is not None
