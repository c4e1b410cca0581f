"""Values of secret variables are in no text that is stored or sent."""

import pytest

from coach_agent.domain.secret_values import secrets_scrubber

FIRST, SECOND = "json://first.example/hook", "json://second.example/hook"


@pytest.mark.parametrize(
    ("variable", "value", "text", "expected"),
    [
        ("HEVY_API_KEY", "marker-1234", "key marker-1234 refused", "key *** refused"),
        ("ANN_WEBHOOK_TOKEN", "marker-1234", "it shows marker-1234", "it shows ***"),
        ("DB_PASSWORD", "marker-1234", "as marker-1234", "as ***"),
        ("SPOTTER_NOTIFY", f"{FIRST} {SECOND}", f"{SECOND} refused", "*** refused"),
        ("SPOTTER_NOTIFY", f"{FIRST} {SECOND}", f"to {FIRST} {SECOND}", "to ***"),
        ("ANN_NOTIFY_URLS", f"{FIRST}\n{SECOND}", f"{FIRST} refused", "*** refused"),
        ("ANN_NTFY_URL", FIRST, f"{FIRST} refused", "*** refused"),
        ("DB_PASSWORD", "correct horse", "a horse is here", "a horse is here"),
        ("HEVY_API_URL", "https://api.hevyapp.com", "https://api.hevyapp.com/v1", None),
        ("SPOTTER_TIMEZONE", "Europe/Berlin", "in Europe/Berlin", None),
    ],
)
def test_the_values_of_secret_variables_are_hidden(
    variable: str, value: str, text: str, expected: str | None
) -> None:
    assert secrets_scrubber({variable: value})(text) == (text if expected is None else expected)
