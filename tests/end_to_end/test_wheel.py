"""The built wheel works outside a checkout, from a read-only installation."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestration.config.locations import CODE_ROOT

pytestmark = pytest.mark.long

CSV = """\
title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,set_type,\
weight_kg,reps,distance_km,duration_seconds,rpe
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a read-only folder with the content of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=CODE_ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    files = [site, *site.rglob("*")]
    for path in files:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield site
    for path in files:
        path.chmod(0o755)


def run_installed(site: Path, user: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `spotter` of the wheel for a user with an empty home folder."""
    environ: Mapping[str, str] = {
        "PATH": os.environ["PATH"],
        "HOME": str(user),
        "PYTHONPATH": str(site),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    main = "from orchestration.cli.app import main; main()"
    return subprocess.run(
        [sys.executable, "-c", main, *arguments],
        cwd=user,
        env=environ,
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def training_csv() -> str:
    """Return eight workouts of a routine, in the notation of Hevy's export."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    days = [f"{yesterday - timedelta(weeks=weeks):%-d %b %Y}, 18:00" for weeks in range(7, -1, -1)]
    rows = [
        f'Push,"{day}","{day.replace("18:", "19:")}",,{exercise},,,{place},normal,{load},8,,,'
        for count, day in enumerate(days)
        for exercise, first in (("Bench Press (Barbell)", 60), ("Overhead Press (Barbell)", 35))
        for load in (first + 2.5 * (count // 2),)
        for place in range(3)
    ]
    return CSV + "\n".join(rows) + "\n"


def test_a_file_becomes_a_plan_in_two_commands(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "workout_data.csv").write_text(training_csv())
    files = set(installed.rglob("*"))
    imported = run_installed(
        installed, tmp_path, "import-csv", "workout_data.csv", "--athlete", "me"
    )
    assert imported.returncode == 0, imported.stderr
    ran = run_installed(installed, tmp_path, "run")
    assert ran.returncode == 0, ran.stderr
    assert "Bench Press (Barbell)" in ran.stdout
    user_folder = tmp_path / ".local" / "share" / "spotter"
    assert (user_folder / "athletes" / "me.toml").is_file()
    assert (user_folder / "home" / "release" / "marts.duckdb").is_file()
    assert set(installed.rglob("*")) == files, "nothing is written there"
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"workout_data.csv", ".local", ".cache"}


def test_the_demo_of_the_wheel_shows_a_plan(installed: Path, tmp_path: Path) -> None:
    ran = run_installed(installed, tmp_path, "demo")
    assert ran.returncode == 0, ran.stderr
    assert "published to Hevy" in ran.stdout
