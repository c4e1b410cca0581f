from pathlib import Path
from typing import get_args

import pytest

from coach_agent.asking.wish import WishKind
from orchestration.config.release_postgres import ReleasePostgres
from orchestration.config.settings import SettingsError, load_settings
from orchestration.config.values import PROPOSABLE


def test_everything_has_a_default(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    assert settings.hevy_url == "https://api.hevyapp.com"
    assert settings.home == tmp_path / ".spotter" / "home"
    assert settings.athletes_dir == tmp_path / "athletes"
    assert settings.timezone == "UTC"


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("HEVY_API_URL=https://from-file\nHEVY_API_KEY=from-file\n")
    settings = load_settings({"HEVY_API_URL": "https://from-environment/"}, tmp_path)
    assert settings.hevy_url == "https://from-environment"
    assert settings.api_key("HEVY_API_KEY") == "from-file"


def test_a_home_moved_by_the_environment_has_its_own_profiles_and_keys(tmp_path: Path) -> None:
    root, home = tmp_path / "project", tmp_path / "elsewhere"
    root.mkdir()
    home.mkdir()
    (root / ".env").write_text("HEVY_API_KEY=of-project\nSPOTTER_TIMEZONE=Europe/Berlin\n")
    (home / ".env").write_text("HEVY_API_KEY=elsewhere\n")
    settings = load_settings({"SPOTTER_HOME": str(home)}, root)
    assert settings.home == home
    assert settings.athletes_dir == home / "athletes"
    assert settings.env_file == home / ".env"
    assert settings.api_key("HEVY_API_KEY") == "elsewhere"
    assert settings.timezone == "Europe/Berlin", "missing values come from the project"
    named = load_settings({"SPOTTER_HOME": str(home), "SPOTTER_ATHLETES_DIR": "here"}, root)
    assert named.athletes_dir == root / "here"


@pytest.mark.parametrize("place", ["log.csv", "log.csv/home"])
def test_a_home_that_is_a_file_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "log.csv").touch()
    with pytest.raises(SettingsError, match=r"SPOTTER_HOME is .*, but .*log\.csv is no folder"):
        load_settings({"SPOTTER_HOME": str(tmp_path / place)}, tmp_path)


def test_a_home_of_an_earlier_version_keeps_the_profiles_of_the_project(tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    (home / "dagster").mkdir(parents=True)
    moved = {"SPOTTER_HOME": str(home)}
    assert load_settings(moved, tmp_path).athletes_dir == tmp_path / "athletes"
    (home / "athletes").mkdir()
    assert load_settings(moved, tmp_path).athletes_dir == home / "athletes"


def test_a_key_is_in_no_representation(tmp_path: Path) -> None:
    settings = load_settings({"HEVY_API_KEY": "marker-key"}, tmp_path)
    assert "marker-key" not in repr(settings)


def test_hosts_that_are_allowed_are_names_with_or_without_a_port(tmp_path: Path) -> None:
    named = "coach.example.org  10.0.0.2 [2001:db8::1] gym.example.org:8443"
    settings = load_settings({"SPOTTER_ALLOWED_HOSTS": named}, tmp_path)
    assert settings.allowed_hosts == tuple(named.split())
    for wrong in ("https://coach.example.org", "coach.example.org/x", "a@b", "*", "a:b"):
        with pytest.raises(SettingsError, match="SPOTTER_ALLOWED_HOSTS"):
            load_settings({"SPOTTER_ALLOWED_HOSTS": wrong}, tmp_path)


def test_proposals_over_mcp_are_off_and_enabled_one_by_one(tmp_path: Path) -> None:
    assert get_args(WishKind) == PROPOSABLE
    assert load_settings({}, tmp_path).mcp_proposals == ()
    enabled = load_settings({"SPOTTER_MCP_PROPOSALS": "swap  check_in"}, tmp_path)
    assert enabled.mcp_proposals == ("swap", "check_in")
    with pytest.raises(SettingsError, match="'all'; allowed are check_in, swap"):
        load_settings({"SPOTTER_MCP_PROPOSALS": "all"}, tmp_path)


@pytest.mark.parametrize("value", ["", "  "])
def test_a_missing_key_says_what_to_do(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError, match=r"SECOND_KEY is not set.*\.env: SECOND_KEY="):
        load_settings({"SECOND_KEY": value}, tmp_path).api_key("SECOND_KEY")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc", "UTC+1"])
def test_an_unknown_zone_is_refused(tmp_path: Path, zone: str) -> None:
    with pytest.raises(SettingsError, match="SPOTTER_TIMEZONE"):
        load_settings({"SPOTTER_TIMEZONE": zone}, tmp_path)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:8000", True),
        ("http://localhost:1", True),
        ("https://api.hevyapp.com", False),
        ("https://10.0.0.1", False),
        ("https://localhost.example.org", False),
    ],
)
def test_loopback_is_told_from_everywhere_else(tmp_path: Path, url: str, expected: bool) -> None:
    assert load_settings({"HEVY_API_URL": url}, tmp_path).is_loopback is expected


@pytest.mark.parametrize(
    "content",
    [
        b"HEVY_API_KEY=abc\r\nSPOTTER_TIMEZONE=Europe/Berlin\r\n",
        b"\xef\xbb\xbfHEVY_API_KEY=abc\nSPOTTER_TIMEZONE=Europe/Berlin\n",
        "HEVY_API_KEY=abc\r\nSPOTTER_TIMEZONE=Europe/Berlin\r\n".encode("utf-16"),
        b"export HEVY_API_KEY = \"abc\"  # mine\n\nSPOTTER_TIMEZONE='Europe/Berlin'",
    ],
    ids=["CRLF", "BOM", "UTF-16", "quotes"],
)
def test_the_file_may_be_of_any_editor(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content)
    settings = load_settings({}, tmp_path)
    assert settings.api_key("HEVY_API_KEY") == "abc"
    assert settings.timezone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'SPOTTER_TIMEZONE=UTC\nHEVY_API_KEY="marker-key\n', r"\.env, line 2 is no setting"),
        (b"my key is marker-key\n", r"\.env, line 1 is no setting"),
        ("HEVY_API_KEY=marker-key # Schlüssel".encode("latin-1"), "is no UTF-8 text: save it as"),
    ],
    ids=["one quote", "prose", "Latin-1"],
)
def test_a_file_that_cannot_be_taken_is_told_without_its_keys(
    tmp_path: Path, content: bytes, told: str
) -> None:
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(SettingsError, match=told) as refused:
        load_settings({}, tmp_path)
    assert "marker-key" not in str(refused.value)


def test_a_folder_of_that_name_is_not_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    assert load_settings({}, tmp_path).timezone == "UTC"


@pytest.mark.parametrize(
    ("variable", "secret"),
    [
        ("SPOTTER_DAGSTER_DATABASE", "PGPASSWORD"),
        ("SPOTTER_ATHLETES_DATABASE", "PGPASSWORD"),
        ("SPOTTER_RELEASE_POSTGRES", "SPOTTER_RELEASE_POSTGRES_PASSWORD"),
    ],
)
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("mysql://spotter@127.0.0.1/clients", "no URL of a database"),
        ("postgresql://spotter@127.0.0.1", "no URL of a database"),
        ("postgresql://spotter@127.0.0.1:port/clients", "no URL of a database"),
        ("postgresql://spotter:secret@127.0.0.1/clients", "put it into {secret} instead"),
        ("postgresql://spotter:secret@127.0.0.1:port/clients", "put it into {secret} instead"),
        ("postgresql://spotter:secret/more@127.0.0.1/clients", "put it into {secret} instead"),
        ("postgresql://spotter:secret#more@127.0.0.1/clients", "put it into {secret} instead"),
        ("postgresql://spotter@127.0.0.1/clients?password=secret", "put it into {secret} instead"),
    ],
)
def test_a_database_is_a_url_of_postgresql_without_a_password(
    tmp_path: Path, variable: str, secret: str, value: str, told: str
) -> None:
    with pytest.raises(SettingsError, match=told.format(secret=secret)) as raised:
        load_settings({variable: value}, tmp_path)
    assert variable in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_database_has_one_spelling(tmp_path: Path) -> None:
    values = {"SPOTTER_DAGSTER_DATABASE": "postgres://spotter@127.0.0.1/dagster"}
    settings = load_settings(values, tmp_path)
    assert settings.dagster_database == "postgresql://spotter@127.0.0.1/dagster"
    assert settings.athletes_database == ""


BI = "postgresql://spotter@127.0.0.1/bi"


def test_the_copy_of_the_release_has_a_place_a_password_and_a_reader(tmp_path: Path) -> None:
    assert load_settings({}, tmp_path).release_postgres is None
    given = {"SPOTTER_RELEASE_POSTGRES": BI, "PGPASSWORD": "of the lake"}
    shared = given["PGPASSWORD"]
    assert load_settings(given, tmp_path).release_postgres == ReleasePostgres(
        url=BI, password=shared, schema="spotter", reader=""
    )
    given |= {
        "SPOTTER_RELEASE_POSTGRES_PASSWORD": "its own",
        "SPOTTER_RELEASE_POSTGRES_SCHEMA": "marts_2",
        "SPOTTER_RELEASE_POSTGRES_READER": "BI reader",
    }
    settings = load_settings(given, tmp_path)
    own = given["SPOTTER_RELEASE_POSTGRES_PASSWORD"]
    assert settings.release_postgres == ReleasePostgres(
        url=BI, password=own, schema="marts_2", reader="BI reader"
    )
    assert own not in repr(settings)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SPOTTER_RELEASE_POSTGRES_SCHEMA", "Marts"),
        ("SPOTTER_RELEASE_POSTGRES_SCHEMA", "pg_marts"),
        ("SPOTTER_RELEASE_POSTGRES_SCHEMA", "2_marts"),
        ("SPOTTER_RELEASE_POSTGRES_SCHEMA", "marts; drop"),
        ("SPOTTER_RELEASE_POSTGRES_SCHEMA", "m" * 64),
        ("SPOTTER_RELEASE_POSTGRES_READER", "r" * 64),
    ],
)
def test_names_of_the_copy_are_checked(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        load_settings({"SPOTTER_RELEASE_POSTGRES": BI, variable: value}, tmp_path)
