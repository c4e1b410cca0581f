"""The check-in form answers a red flag at once, before the request runs."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    from dashboard.forms import offer_check_in, show_request
    from orchestration.config.settings import load_settings

    settings = load_settings()
    show_request(settings)
    offer_check_in(settings, "ann")


@pytest.mark.parametrize(("note", "stops"), [("my chest hurts", True), ("chest day", False)])
def test_a_red_flag_is_answered_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, note: str, stops: bool
) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    # No server listens there: the request itself fails.
    monkeypatch.setenv("SPOTTER_DAGSTER_URL", "http://127.0.0.1:9")
    app = AppTest.from_function(page, default_timeout=30).run()
    app.text_input[0].input(note)
    next(each for each in app.button if each.label == "Check in").click().run()
    told = [error.value for error in app.error]
    assert any("call your emergency number" in each for each in told) is stops
