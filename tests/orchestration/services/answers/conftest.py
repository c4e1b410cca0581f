"""The scenario's release, and its training as Ann's."""

from pathlib import Path

import pytest

from orchestration.services.answers.training import Training, read_training
from orchestration.services.releases.released import read_release
from tests.orchestration.services.answers.scenario import NOW, write_release


@pytest.fixture(scope="module")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("scenario"))


@pytest.fixture(scope="module")
def training(release_folder: Path) -> Training:
    released = read_release(release_folder)
    assert released is not None
    return read_training(released, "ann", None, NOW)
