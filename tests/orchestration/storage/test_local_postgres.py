"""A temporary PostgreSQL for the lake, and the message without an installation."""

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest

from orchestration.config.settings import SettingsError
from orchestration.storage import local_postgres
from orchestration.storage.local_postgres import LocalPostgres, require_postgres, running_postgres
from tests.ports import free_port


def test_it_asks_for_its_password_and_is_gone_afterwards(
    postgres: LocalPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []

    def made(*, prefix: str, dir: str | None) -> str:
        folders.append(Path(mkdtemp(prefix=prefix, dir=dir)))
        return str(folders[-1])

    monkeypatch.setattr(local_postgres, "mkdtemp", made)
    with running_postgres(free_port()) as server:
        url = server.new_database("lake")
        assert url == f"postgresql://spotter@127.0.0.1:{server.port}/lake"
        assert server.password not in repr(server)
        assert server.port != postgres.port
        assert (folders[0] / "data").is_dir()
    with pytest.raises(SettingsError, match="cannot be made"):
        server.new_database("another")
    assert not folders[0].exists()


def test_without_one_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(local_postgres, "DEBIANS_FOLDER", tmp_path)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(SettingsError, match="apt-get install postgresql"):
        require_postgres()


def test_a_port_that_is_taken_is_told(postgres: LocalPostgres) -> None:
    with (
        pytest.raises(SettingsError, match="cannot be used"),
        running_postgres(postgres.port),
    ):
        pass
