"""No setting with a URL sends a key to a foreign host."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from health_connector.addresses import OuraApp
from health_connector.errors import HealthConfigError
from health_connector.intervals import IntervalsClient
from health_connector.oura import OuraClient
from health_connector.oura_login import exchange_code
from hevy_connector.client.client import HevyClient
from hevy_connector.errors import HevyConfigError
from orchestration.config.documentation import configuration_markdown
from orchestration.config.lake import lake_of
from orchestration.config.settings import SettingsError, load_settings

CLEAR = "http://hevy.example"
# Settings of the operator with the receiver of each: the limits of HEVY_API_URL and of the store
# are tested here, the databases' in test_lake.py, and those of a profile in tests/coach.
VARIABLES = {
    "HEVY_API_URL",
    "SPOTTER_DAGSTER_URL",  # no key: a request is signed, see test_athlete_requests.py
    "SPOTTER_NOTIFY",  # the operator's own addresses, with their secrets in them
    "SPOTTER_ATHLETES_DATABASE",
    "SPOTTER_DAGSTER_DATABASE",
    "SPOTTER_RELEASE_POSTGRES",
    "SPOTTER_LAKE_CATALOG",
    "SPOTTER_LAKE_DATA",
    "AWS_ENDPOINT_URL_S3",
    "INTERVALS_API_URL",
    "OURA_API_URL",
    "OURA_TOKEN_URL",
    "OURA_AUTHORIZE_URL",  # opened in the athlete's browser, without a secret
}
# Keys of a file or a row for addresses, and for variables with secrets.
PROFILE_KEYS = {
    "hevy.api_key_env",
    "hevy.webhook_token_env",  # compared with incoming requests, and never sent
    "llm.providers[].api_key_env",
    "llm.providers[].base_url",
    "notify.urls",
    "notify.urls_env",
}


def test_there_is_no_other_setting_with_an_address() -> None:
    named = re.findall(r"^\| `([^`]+)` \| (.*)", configuration_markdown(), flags=re.M)
    said = {name: f"{name} {meaning}" for name, meaning in named}
    found = {name for name in said if re.search(r"://|URL|DATABASE|_DATA\b", said[name])}
    assert {name for name in found if name.isupper()} == VARIABLES
    keys = {name for name, _ in named if re.search(r"url|_env$", name)}
    assert {name for name in keys if name.islower()} == PROFILE_KEYS


def test_the_key_of_hevy_is_sent_in_the_clear_to_this_machine_alone(tmp_path: Path) -> None:
    for text in ({"HEVY_API_URL": CLEAR}, {"HEVY_API_URL": "http://127.0.0.1@hevy.example"}):
        with pytest.raises(SettingsError, match="the key would be sent for all to read"):
            load_settings(text, tmp_path)
    (tmp_path / ".env").write_text(f"HEVY_API_URL={CLEAR}\n")
    with pytest.raises(SettingsError, match="the key would be sent for all to read"):
        load_settings({}, tmp_path)
    (tmp_path / ".env").unlink()
    (tmp_path / "secrets").write_text(f"HEVY_API_URL={CLEAR}\n")
    with pytest.raises(SettingsError, match="the key would be sent for all to read"):
        load_settings({"SPOTTER_SECRETS_FILE": "secrets"}, tmp_path)
    with pytest.raises(HevyConfigError, match="would receive the key unencrypted"):
        HevyClient("key", base_url=CLEAR)


def test_secrets_of_health_services_are_sent_in_the_clear_to_this_machine_alone() -> None:
    with pytest.raises(HealthConfigError, match="would receive the key unencrypted"):
        IntervalsClient("key", base_url=CLEAR)
    with pytest.raises(HealthConfigError, match="would receive the key unencrypted"):
        OuraClient("token", base_url=CLEAR)
    app = OuraApp("id", "secret", token_url=CLEAR)
    with pytest.raises(HealthConfigError, match="OURA_TOKEN_URL"):
        exchange_code(app, "code", "http://127.0.0.1:1/oura", datetime(2026, 3, 1, tzinfo=UTC))


def test_a_session_token_of_the_store_is_not_sent_in_the_clear() -> None:
    variables = {
        "SPOTTER_LAKE_CATALOG": "postgresql://spotter@127.0.0.1/lake",
        "SPOTTER_LAKE_DATA": "s3://bucket/prefix",
        "AWS_ENDPOINT_URL_S3": "http://store.example",
    }
    assert lake_of(variables).store.endpoint == "http://store.example", "keys sign, and stay here"
    with pytest.raises(SettingsError, match="AWS_SESSION_TOKEN would be sent for all to read"):
        lake_of({**variables, "AWS_SESSION_TOKEN": "token"})
    here = {**variables, "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9000"}
    assert lake_of({**here, "AWS_SESSION_TOKEN": "token"}).store.session_token == "token"  # noqa: S105
