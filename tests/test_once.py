import json
import os
from pathlib import Path

import pytest

from tests.once import built_once


@pytest.fixture
def builds() -> list[Path]:
    return []


def test_an_environment_is_built_once_and_kept_between_runs(
    tmp_path: Path, builds: list[Path]
) -> None:
    def build(folder: Path) -> None:
        builds.append(folder)
        (folder / "content").write_text("built")

    folders = {built_once("one", build, tmp_path, run) for run in ("1", "1", "2")}

    assert [*folders] == builds
    assert (builds[0] / "content").read_text() == "built"


def test_the_next_run_builds_a_changed_environment_again(
    tmp_path: Path, builds: list[Path]
) -> None:
    def build(folder: Path) -> None:
        builds.append(folder)
        (folder / "content").write_text("built")

    folder = built_once("one", build, tmp_path, "1")
    (folder / "another file").touch()
    built_once("one", build, tmp_path, "1")
    assert len(builds) == 1

    built_once("one", build, tmp_path, "2")
    assert len(builds) == 2
    assert not (folder / "another file").exists()


def test_a_failed_build_is_not_used(tmp_path: Path, builds: list[Path]) -> None:
    def build(folder: Path) -> None:
        builds.append(folder)
        (folder / "content").touch()
        if len(builds) == 1:
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        built_once("one", build, tmp_path, "1")
    built_once("one", build, tmp_path, "1")
    assert len(builds) == 2


def test_environments_that_no_run_uses_are_removed(tmp_path: Path) -> None:
    def build(folder: Path) -> None:
        (folder / "content").touch()

    outdated = tmp_path / "one-0123456789abcdef"
    outdated.mkdir()
    record = tmp_path / "one-0123456789abcdef.json"
    record.write_text(json.dumps({"run": "0", "files": {}}))

    os.utime(record, (0, 0))
    folder = built_once("one", build, tmp_path, "1")
    assert not outdated.exists()
    assert not record.exists()
    assert folder.exists()
