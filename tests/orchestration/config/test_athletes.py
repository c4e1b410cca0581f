from pathlib import Path

import pytest

from orchestration.config.athletes import configured_athletes
from orchestration.config.settings import SettingsError, load_settings

LOOPBACK = "http://127.0.0.1:8711"
HEVY = "https://api.hevyapp.com"


@pytest.mark.parametrize(
    ("files", "url", "expected"),
    [
        pytest.param({"demo": "simulator"}, LOOPBACK, ["demo"], id="the demo on this machine"),
        pytest.param({"demo": "simulator"}, HEVY, [], id="never with the real service"),
        pytest.param(
            {"demo": "simulator", "me": "hevy"}, LOOPBACK, ["me"], id="never beside somebody"
        ),
        pytest.param({"demo": "simulator", "me": "hevy"}, HEVY, ["me"], id="somebody"),
    ],
)
def test_the_demo_athlete_steps_back(
    tmp_path: Path, files: dict[str, str], url: str, expected: list[str]
) -> None:
    for athlete, account in files.items():
        text = f'id = "{athlete}"\n[hevy]\naccount = "{account}"\n'
        (tmp_path / f"{athlete}.toml").write_text(text)
    settings = load_settings({"SPOTTER_ATHLETES_DIR": str(tmp_path), "HEVY_API_URL": url})
    if not expected:
        with pytest.raises(SettingsError, match="No athlete"):
            configured_athletes(settings)
        return
    assert [athlete.id for athlete in configured_athletes(settings)] == expected
