"""Athletes of a run."""

from pathlib import Path

import dagster as dg
import pytest

from coach_agent.profile.model import ProfileError
from orchestration.config.athletes import UnknownAthleteError
from orchestration.defs.resources import AthletesResource
from orchestration.runs.tags import ATHLETE_TAG


@pytest.fixture
def athletes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, more in {"ann": "", "ben": 'timezone = "Mars"\n', "zoe": ""}.items():
        (tmp_path / f"{name}.toml").write_text(f'id = "{name}"\n{more}')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    return tmp_path


def profiles_of(tag: str | None, *, job: str = "looks", **more: str) -> list[str]:
    """Return the athletes of a run of a job with these tags."""
    found: list[str] = []

    @dg.op
    def told(athletes: AthletesResource) -> None:
        found.extend(profile.id for profile in athletes.profiles())

    @dg.job(name=job, resource_defs={"athletes": AthletesResource()})
    def looks() -> None:
        told()

    tags = {ATHLETE_TAG: tag, **more}
    looks.execute_in_process(tags={name: value for name, value in tags.items() if value})
    return found


@pytest.mark.parametrize(
    ("tag", "expected"),
    [(None, ["ann", "zoe"]), ("ann", ["ann"]), ("zoe,ann", ["ann", "zoe"]), ("ann,ben", ["ann"])],
)
def test_a_run_goes_on_for_those_whose_profile_can_be_used(
    athletes: Path, tag: str | None, expected: list[str]
) -> None:
    assert profiles_of(tag) == expected


@pytest.mark.parametrize(
    ("tag", "error"),
    [("ben", ProfileError), ("eve", UnknownAthleteError), ("ann,eve", UnknownAthleteError)],
)
def test_a_run_for_nobody_or_a_stranger_says_so(
    athletes: Path, tag: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        profiles_of(tag)
