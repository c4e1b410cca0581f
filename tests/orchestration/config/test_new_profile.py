from pathlib import Path

import pytest

from coach_agent.profile.model import ProfileError, load_profile
from orchestration.config.new_profile import NewProfile, system_timezone, write_new

ALL = NewProfile(
    "kim",
    name='Kim "K" Ø\x7f\n',
    timezone="America/New_York",
    account="none",
    api_key_env="KIMS_HEVY_KEY",
    goal="hypertrophy",
    session_minutes=75,
    unit="lb",
    bar=35,
    plate_pairs=(45, 2.5),
    dumbbells=tuple(float(lb) for lb in range(5, 125, 5)),
    routines=("Upper\\Lower", 'The "big" day'),
)


def test_what_was_answered_is_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "athletes" / "kim.toml"
    write_new(path, ALL)
    profile = load_profile(path)
    assert (profile.id, profile.name, profile.timezone) == ("kim", ALL.name, ALL.timezone)
    assert (profile.hevy.account, profile.hevy.api_key_env) == ("none", "KIMS_HEVY_KEY")
    assert (profile.goal.kind, profile.session_minutes) == ("hypertrophy", 75)
    assert profile.gym_table.model_dump(exclude_unset=True) == {
        "unit": "lb",
        "bar_lb": 35,
        "plate_pairs_lb": (45, 2.5),
        "dumbbells_lb": ALL.dumbbells,
    }
    assert profile.coach.routines == ALL.routines
    assert profile.publish.mode == "preview"


def test_an_id_is_enough(tmp_path: Path) -> None:
    write_new(tmp_path / "me.toml", NewProfile("me"))
    profile = load_profile(tmp_path / "me.toml")
    assert (profile.name, profile.session_minutes, profile.coach.routines) == ("me", None, ())


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "me.toml"
    path.write_text("mine")
    with pytest.raises(ProfileError, match="already"):
        write_new(path, NewProfile("me"))
    assert path.read_text() == "mine"


def test_what_cannot_be_loaded_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="timezone = 'Berlin'"):
        write_new(tmp_path / "me.toml", NewProfile("me", timezone="Berlin"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("environ", "file", "link", "expected"),
    [
        ({"TZ": "Asia/Kolkata"}, "Europe/Berlin", None, "Asia/Kolkata"),
        ({"TZ": ":Asia/Kolkata"}, None, None, "Asia/Kolkata"),
        ({"TZ": "CET-1CEST"}, "Europe/Berlin\n", None, "Europe/Berlin"),
        ({}, None, "usr/share/zoneinfo/America/Argentina/Salta", "America/Argentina/Salta"),
        ({}, None, "var/zone", "UTC"),
        ({"TZ": ""}, None, None, "UTC"),
    ],
    ids=["variable", "with a colon", "no name", "link", "link elsewhere", "unset"],
)
def test_the_zone_is_that_of_the_machine(
    tmp_path: Path, environ: dict[str, str], file: str | None, link: str | None, expected: str
) -> None:
    (tmp_path / "etc").mkdir()
    if file is not None:
        (tmp_path / "etc" / "timezone").write_text(file)
    if link is not None:
        target = tmp_path / link
        target.parent.mkdir(parents=True)
        target.touch()
        (tmp_path / "etc" / "localtime").symlink_to(target)
    assert system_timezone(environ, tmp_path) == expected
