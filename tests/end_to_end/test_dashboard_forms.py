"""Each form of the page Data and of memories sends what it shows, for its own athlete alone."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from orchestration.services.requests.athlete_requests import (
    AcceptAliases,
    AcceptSets,
    DecideMemory,
    Request,
)
from tests.end_to_end.fake_dagster import fake_dagster
from tests.end_to_end.filled_dashboard import add_athlete
from tests.end_to_end.test_asking import Dagster
from tests.end_to_end.test_dashboard import PATIENCE_S, everything_told
from tests.end_to_end.test_dashboard_pages import copied, pressed, script_of
from tests.end_to_end.world import Home

DIGEST = "0a" * 32
PROPOSALS = {
    "proposals": [
        {
            "title": "Supino",
            "set_count": 3,
            "exercise": "Bench Press (Barbell)",
            "is_sure": True,
        }
    ],
    "proposals_sha256": DIGEST,
}
MEMORIES = [
    {
        "number": 3,
        "version": 2,
        "text": "You train on Tue and Thu",
        "status": "guessed",
        "confidence": 0.8,
        "last_seen": "2026-03-04",
    }
]


@pytest.fixture
def dagster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dagster]:
    dagster = Dagster()
    dagster.may_answer.set()
    with fake_dagster(dagster.answer) as url:
        monkeypatch.setenv("SPOTTER_DAGSTER_URL", url)
        yield dagster


@pytest.fixture
def home(dashboard_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return copied(dashboard_home, tmp_path, monkeypatch)


def commands_print(monkeypatch: pytest.MonkeyPatch, answer: Any) -> list[list[str]]:
    """Replace Spotter's commands by one that prints JSON; returns the arguments of each."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        commands.append(command[1:])
        return SimpleNamespace(returncode=0, stdout=json.dumps(answer), stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    return commands


def seen_by(athlete_id: str, page: str, **address: str) -> AppTest:
    """Draw a page for the login of an athlete."""
    app = AppTest.from_function(
        script_of, kwargs={"page": page, "athlete_id": athlete_id}, default_timeout=PATIENCE_S
    )
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def test_all_doubted_sets_of_an_exercise_are_accepted_by_its_key(
    home: Home, dagster: Dagster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted as the command does: without marked errors, under all titles of the exercise."""
    with duckdb.connect(home.release) as con:
        [(key, title)] = con.execute(
            """
            select exercise_key, dim_exercise.title
            from fct_set inner join dim_exercise using (athlete_id, exercise_key)
            group by all order by count(*) desc, 1 limit 1
            """
        ).fetchall()
        con.execute("update fct_set set is_typo_suspect = false where is_confirmed is null")
        con.execute(
            """
            update fct_set
            set
                is_typo_suspect = true,
                is_confirmed = if(n = 1, false, null),
                exercise_title = if(n = 2, repeat('x', 501), exercise_title)
            from (
                select set_key as doubted_key, row_number() over (order by set_key) as n
                from fct_set where exercise_key = $1 and is_confirmed is null
                qualify n <= 3
            )
            where set_key = doubted_key
            """,
            [key],
        )
        add_athlete(con, "zoe", "Zoe", "Asia/Tokyo")
    app = seen_by("demo", "Data", part="Fixes")
    assert "2 sets left out of records and plans." in everything_told(app)
    [exercise] = [box for box in app.selectbox if box.label == "Exercise"]
    assert exercise.options == [f"{title}: 2"]
    pressed(app, "Accept")
    assert dagster.requests == [AcceptSets(athlete_id="demo", exercise=key, because="checked")]
    assert "None. Sets far off" in everything_told(seen_by("zoe", "Data", part="Fixes"))


def join(app: AppTest) -> None:
    pressed(app, "Compare")
    pressed(app, "Join")


def confirm(app: AppTest) -> None:
    pressed(app, "Show")
    pressed(app, "Confirm")


def forget(app: AppTest) -> None:
    pressed(app, "Show")
    assert "Forget" not in {each.label for each in app.button}, "one tap deletes nothing"
    pressed(app, "Forget now")


@pytest.mark.parametrize(
    ("where", "answer", "act", "request_"),
    [
        (
            ("Data", "Names"),
            PROPOSALS,
            join,
            AcceptAliases(athlete_id="zoe", proposals_sha256=DIGEST),
        ),
        (
            ("Coach", "Memory"),
            MEMORIES,
            confirm,
            DecideMemory(athlete_id="zoe", number=3, version=2, action="confirm"),
        ),
        (
            ("Coach", "Memory"),
            MEMORIES,
            forget,
            DecideMemory(athlete_id="zoe", number=3, version=2, action="forget"),
        ),
    ],
    ids=["join", "confirm", "forget"],
)
def test_a_decision_is_sent_for_what_was_shown_to_its_athlete(
    home: Home,
    dagster: Dagster,
    monkeypatch: pytest.MonkeyPatch,
    where: tuple[str, str],
    answer: Any,
    act: Callable[[AppTest], None],
    request_: Request,
) -> None:
    with duckdb.connect(home.release) as con:
        add_athlete(con, "zoe", "Zoe", "Asia/Tokyo")
    commands = commands_print(monkeypatch, answer)
    page, part = where
    app = seen_by("zoe", page, part=part)
    act(app)
    assert dagster.requests == [request_]
    assert {each for command in commands for each in command if "athlete" in each} == {
        "--athlete=zoe"
    }
    assert "Tue and Thu" not in everything_told(app), "an answer is not kept after a decision"


def reading_script() -> None:
    import streamlit as st

    from dashboard.correction_forms import read_on_request
    from orchestration.config.settings import load_settings

    command = ("memory", "--athlete=demo", "--json")
    run_id = st.query_params["run"]
    st.markdown(str(read_on_request(load_settings(), "Show", command, run_id)))


def test_an_answer_is_not_kept_over_a_night(monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory had another statement under the same number, which was then confirmed."""
    commands_print(monkeypatch, MEMORIES)
    app = AppTest.from_function(reading_script, default_timeout=PATIENCE_S)
    app.query_params["run"] = "first"
    pressed(app.run(), "Show")
    assert "Tue and Thu" in app.run().markdown[0].value
    app.query_params["run"] = "second"
    assert app.run().markdown[0].value == "None"
