"""Wrong passwords delay all visitors; a login shows only its athlete's data."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.logins import LOCKED_S, SEES_ALL, Gate, Login, delay_s
from orchestration.config.settings import SettingsError, load_settings

PASSWORDS = {"coach": "of the coach", "ann": "of-ann", "kim": "of-kim"}
WRONG = "wrong"


@pytest.mark.parametrize(
    ("failures", "expected_s"),
    [(0, 0), (1, 0), (2, 0), (3, 2), (4, 4), (5, 8), (6, 900), (7, 900)],
)
def test_each_wrong_password_costs_more(failures: int, expected_s: float) -> None:
    assert delay_s(failures) == expected_s


def locked(gate: Gate, name: str) -> float:
    """Try wrong passwords without a pause until the delay is long; return the time."""
    now_s = 0.0
    while (wait_s := gate.wait_s(name, PASSWORDS, now_s)) < LOCKED_S:
        now_s += wait_s
        assert gate.is_right(name, WRONG, PASSWORDS, now_s) is False
    return now_s


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "failed_logins.json")


def test_after_some_wrong_passwords_the_right_one_is_not_looked_at_for_a_while(gate: Gate) -> None:
    now_s = locked(gate, "ann")
    assert now_s == 2 + 4 + 8
    for later_s in (0.0, LOCKED_S - 1):
        assert gate.is_right("ann", "of-ann", PASSWORDS, now_s + later_s) is None
    assert gate.is_right("kim", "of-kim", PASSWORDS, now_s) is True, "others are not locked out"
    assert gate.is_right("ann", WRONG, PASSWORDS, now_s + LOCKED_S) is False
    assert gate.is_right("ann", "of-ann", PASSWORDS, now_s + LOCKED_S) is True
    assert gate.is_right("ann", WRONG, PASSWORDS, now_s + LOCKED_S) is False
    assert gate.wait_s("ann", PASSWORDS, now_s + LOCKED_S) == 0, "counted anew"


def test_a_restart_ends_neither_a_delay_nor_a_lockout(gate: Gate, tmp_path: Path) -> None:
    """The counts were in memory, so a restart of the dashboard reset them."""
    path = tmp_path / "failed_logins.json"
    now_s = locked(gate, "ann")
    for _ in range(3):
        assert gate.is_right("kim", WRONG, PASSWORDS, now_s) is False
    again = Gate(path)
    assert again.is_right("ann", "of-ann", PASSWORDS, now_s + LOCKED_S - 1) is None
    assert again.wait_s("kim", PASSWORDS, now_s) == 2
    assert again.wait_s("ann", PASSWORDS, now_s - 10 * LOCKED_S) == LOCKED_S, "a clock set back"
    assert again.is_right("ann", "of-ann", PASSWORDS, now_s + LOCKED_S) is True
    assert Gate(path).wait_s("ann", PASSWORDS, now_s) == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert "of-ann" not in path.read_text()


def test_damaged_counts_let_nobody_in(gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "failed_logins.json").write_text('{"ann": [6')
    with pytest.raises(SettingsError, match=r"is damaged\. Remove it"):
        gate.is_right("ann", "of-ann", PASSWORDS, 0.0)


def test_names_that_nobody_has_count_together_and_open_nothing(gate: Gate) -> None:
    for number in range(3):
        assert gate.is_right(f"nobody-{number}", "", PASSWORDS, 0.0) is False
    assert gate.is_right("nobody-9", "", PASSWORDS, 0.0) is None


def test_a_password_is_that_of_its_name_alone(gate: Gate) -> None:
    assert gate.is_right("ann", "of-kim", PASSWORDS, 0.0) is False
    assert gate.is_right("coach", "of-ann", PASSWORDS, 0.0) is False
    assert Login("ann").may_see("ann")
    assert not Login("ann").may_see("kim")
    assert SEES_ALL.may_see("kim")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("marker", "login 1 is none"),
        ("ann:a :marker", "login 2 is none"),
        ("ann:", "login 1 is none"),
        ("ann:a ann:marker", "login 2 is of an athlete who has another"),
        ("coach:marker", "login 1 is of coach"),
    ],
)
def test_a_login_that_is_none_is_told_and_not_repeated(
    text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=told) as refused:
        load_settings({"SPOTTER_DASHBOARD_LOGINS": text}, tmp_path)
    assert "marker" not in str(refused.value)


def script() -> None:
    import streamlit as st

    from dashboard.logins import ask_for_login
    from dashboard.requests import send
    from orchestration.config.settings import load_settings
    from orchestration.services.requests.athlete_requests import NextPlan

    settings = load_settings()
    login = ask_for_login(settings)
    if login is not None:
        st.title(f"sees {login.athlete_id}")
        if st.button("ask for kim"):
            send(settings, NextPlan(athlete_id="kim"))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_DASHBOARD_PASSWORD", "of the coach")
    monkeypatch.setenv("SPOTTER_DASHBOARD_LOGINS", "ann:of-ann kim:of-kim")
    return AppTest.from_function(script, default_timeout=60).run()


def log_in(page: AppTest, name: str, password: str) -> list[str]:
    """Enter both; return the shown errors."""
    page.text_input[0].set_value(name).run()
    page.text_input[1].set_value(password).run()
    return [each.value for each in page.error]


def test_an_athlete_logs_in_and_asks_for_nobody_else(page: AppTest) -> None:
    assert not page.title
    assert log_in(page, "ann", "of-kim") == ["That is not the password."]
    page.run()
    assert not page.title
    assert log_in(page, "ann", "of-ann") == []
    assert [title.value for title in page.title] == ["sees ann"]
    page.button[0].click().run()
    assert "sends no requests for kim" in page.exception[0].message


def test_the_coach_sees_everybody(page: AppTest) -> None:
    log_in(page, "coach", "of the coach")
    assert [title.value for title in page.title] == ["sees None"]


def test_a_new_visitor_is_no_new_chance(page: AppTest) -> None:
    for number in range(3):
        visitor = AppTest.from_function(script, default_timeout=60).run()
        assert log_in(visitor, "kim", f"wrong {number}")[0].startswith(("That", "Too many"))
        visitor.run()
    [told] = log_in(page, "kim", "of-kim")
    assert told.startswith("Too many wrong passwords. Try again in ")
    assert not page.title


def test_a_session_ends_with_its_password(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in(page, "ann", "of-ann")
    page.run()
    assert page.title
    monkeypatch.setenv("SPOTTER_DASHBOARD_LOGINS", "ann:another kim:of-kim")
    page.run()
    assert not page.title
