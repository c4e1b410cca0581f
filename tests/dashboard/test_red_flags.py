"""A red flag stops at once: in the check-in form before the request runs, and in the profile."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.released_page import show_released_page
from tests.orchestration.services.answers.scenario import write_release


def page() -> None:
    from dashboard.forms import offer_check_in
    from dashboard.requests import show_request
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


def test_only_an_open_red_flag_can_be_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Athletes without a red flag were asked whether it is cleared."""
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_DAGSTER_URL", "http://127.0.0.1:9")
    app = AppTest.from_function(page, default_timeout=30).run()
    assert [each.label for each in app.checkbox] == ["Take the whole workout easy"]


def test_a_red_flag_of_a_profile_newer_than_the_release_hides_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_release(tmp_path)
    (tmp_path / "athletes").mkdir()
    profile = 'id = "ann"\n[hevy]\naccount = "none"\n[pain]\nchest = "severe"\n'
    (tmp_path / "athletes" / "ann.toml").write_text(profile)
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path / "athletes"))
    # No server listens there.
    monkeypatch.setenv("SPOTTER_DAGSTER_URL", "http://127.0.0.1:9")
    app = AppTest.from_function(show_released_page, args=("Today",), default_timeout=300).run()
    assert not app.exception
    assert any("call your emergency number" in error.value for error in app.error)
    assert [title.value for title in app.title] == ["Today"]
    assert "The red flag is cleared; plan again" in [each.label for each in app.checkbox]
