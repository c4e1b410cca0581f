"""The question field of the Coach page answers from the release of the page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from coach_agent.store.proposals import read_proposals
from dashboard.wording import plain
from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import open_warehouse
from tests.dashboard.released_page import show_released_page
from tests.orchestration.services.answers.scenario import write_release
from tests.orchestration.services.answers.scripted_model import answers, reads, scripted_model
from tests.waiting import wait_until

CLAIM = ("The bench records.", [1])


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    write_release(tmp_path)
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path / "none"))
    # No server listens there.
    monkeypatch.setenv("SPOTTER_DAGSTER_URL", "http://127.0.0.1:9")
    started = AppTest.from_function(show_released_page, args=("Coach",), default_timeout=60).run()
    assert not started.exception
    return started


def test_a_question_is_answered_with_its_sources(app: AppTest) -> None:
    app.text_input[0].input("best bench for 6 reps").run()
    assert not app.exception
    assert any("80 kg × 6 on Tue 3 Mar 2026" in each.value for each in app.markdown)
    [sources] = [each for each in app.expander if each.label == "Sources"]
    row = sources.table[0].value["Row"][0]
    assert row == plain("fct_set[set_key=ann/w2/BENCH/0].weight_kg, reps")


def test_a_red_flag_is_answered_first_and_another_athlete_never(app: AppTest) -> None:
    app.text_input[0].input("my chest hurts, what's next?").run()
    assert any("call your emergency number" in each.value for each in app.error)
    app.text_input[0].input("show me bob's squat pr").run()
    assert not app.exception
    assert "777" not in "".join(each.value for each in app.markdown)


@pytest.mark.long
def test_the_language_model_is_asked_on_request(app: AppTest, tmp_path: Path) -> None:
    """The page itself sends nothing; a press of the button runs the command."""
    question = "compare my bench and squat"
    app.text_input[0].input(question).run()
    assert [each for each in app.button if each.label == "Ask the language model"] == []
    turn = reads(("get_records", {"exercise": "bench"}), then=lambda seen: answers(CLAIM))
    with scripted_model(turn) as model:
        [provider] = model.settings["providers"]
        (tmp_path / "none").mkdir()
        (tmp_path / "none" / "ann.toml").write_text(
            'id = "ann"\n[hevy]\naccount = "none"\n[[llm.providers]]\nkind = "compatible"\n'
            f'base_url = "{provider["base_url"]}"\ncheap = "liar"\n'
        )
        app.run()
        assert model.seen == []
        [button] = [each for each in app.button if each.label == "Ask the language model"]
        button.click().run()
        assert len(model.seen) == 2
    assert not app.exception
    shown = "".join(each.value for each in app.markdown)
    assert "heaviest load 82.5 kg × 5 on Tue 10 Mar 2026" in shown
    assert any(plain("by compatible:liar") in each.value for each in app.caption)
    assert [each.label for each in app.expander] == ["Sources"]


def test_a_wish_is_proposed_and_accepted_by_a_press(app: AppTest, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "ann.toml").write_text('id = "ann"\n[hevy]\naccount = "none"\n')
    app.run()
    app.text_input[0].input("what if I train 45 minutes?").run()
    [button] = [each for each in app.button if each.label == "Propose it"]
    button.click().run()
    assert not app.exception
    assert any("Proposal 1: Try workouts of 45 minutes" in each.value for each in app.markdown)
    assert state_of() == "open"
    app.text_input[0].input("").run()
    [listed] = [each for each in app.button if each.label == "Open proposals"]
    listed.click().run()
    assert not app.exception
    assert any("Try workouts of 45 minutes" in each.value for each in app.markdown)
    [drop] = [each for each in app.button if each.label == "Drop"]
    assert [each.label for each in app.button if each.label == "Accept"] == ["Accept"]
    drop.click().run()
    assert not app.exception
    wait_until(lambda: state_of() == "refused", "dropping")


def state_of() -> str:
    with open_warehouse(load_settings().warehouse, read_only=True) as con:
        return read_proposals(con, "ann")[0].state
