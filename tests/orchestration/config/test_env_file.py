"""One variable of `.env` is replaced, and nothing else changes."""

from pathlib import Path

import pytest

from orchestration.config.env_file import EnvFileError, read_env_file, set_in_env_file
from orchestration.config.settings import choose_target


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "SPOTTER_TARGET=lake\n"),
        ("# Keys\nA='ü x'", "# Keys\nA='ü x'\nSPOTTER_TARGET=lake\n"),
        ("A=1\r\nSPOTTER_TARGET=embedded\r\nB=2\r\n", "A=1\r\nSPOTTER_TARGET=lake\r\nB=2\r\n"),
        ("export SPOTTER_TARGET = x # why\nB=2\n", "SPOTTER_TARGET=lake\nB=2\n"),
        ("# SPOTTER_TARGET=embedded\n", "# SPOTTER_TARGET=embedded\nSPOTTER_TARGET=lake\n"),
    ],
)
def test_one_variable_is_set(tmp_path: Path, encoding: str, before: str, after: str) -> None:
    path = tmp_path / ".env"
    path.write_bytes(before.encode(encoding))
    path.chmod(0o640)
    set_in_env_file(path, "SPOTTER_TARGET", "lake")
    assert path.read_bytes() == after.encode(encoding)
    assert read_env_file(path)["SPOTTER_TARGET"] == "lake"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    set_in_env_file(tmp_path / ".env", "SPOTTER_TARGET", "lake")
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_bytes(b"A=\xff\n")
    with pytest.raises(EnvFileError, match="save it as UTF-8"):
        set_in_env_file(path, "SPOTTER_TARGET", "lake")
    assert path.read_bytes() == b"A=\xff\n"


def test_the_target_is_chosen_where_it_is_named(tmp_path: Path) -> None:
    assert choose_target("lake", {}, tmp_path)
    assert read_env_file(tmp_path / ".env") == {"SPOTTER_TARGET": "lake"}
    assert not choose_target("embedded", {"SPOTTER_TARGET": "lake"}, tmp_path)
    assert choose_target("lake", {"SPOTTER_TARGET": "lake"}, tmp_path)
    assert read_env_file(tmp_path / ".env") == {"SPOTTER_TARGET": "lake"}
