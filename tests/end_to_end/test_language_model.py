"""Nights with a language model: down, in shadow, then active. Only loopback is used."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from coach_agent.llm.fake_gemini import FAKE_KEY, FakeGemini, running_fake_gemini, usual_answer
from hevy_connector.simulator import RunningSimulator
from tests.end_to_end.conftest import Copy, Keep
from tests.end_to_end.world import ROOT, ROW_COUNTS, After, Home, put_count

TEXT = (ROOT / "docs" / "language-models.md").read_text(encoding="utf-8")

KEYS = {"GEMINI_API_KEY": FAKE_KEY}


@dataclass(frozen=True)
class Told:
    """Output of each night, and the state of the journal after it: they only decide and publish.

    `kept` has the numbers of rows and the plan before and after the last one, which has nothing
    new.
    """

    kept: tuple[Any, Any]
    prompts: list[str]
    reports: dict[str, Any]
    requests: dict[str, int]
    puts: dict[str, int]
    standing: dict[str, str]


@dataclass(frozen=True)
class Nights:
    """A copy of the home after the nights, with a model without requests."""

    home: Home
    fake: FakeGemini
    told: Told


def lighter(prompt: str) -> dict[str, Any]:
    """Return the lightest allowed load in each exercise."""
    answer = usual_answer(prompt)
    found = re.findall(r'<data name="windows">\n(.*?)\n</data>', prompt)
    if not found:
        return answer
    windows = json.loads(found[0])
    for choice, window in zip(answer["slots"], windows, strict=True):
        for block, allowed in zip(choice["blocks"], window.get("blocks", []), strict=True):
            if allowed.get("loads"):
                block["load"] = allowed["loads"][0]
    return answer


def configure(home: Home, settings: str) -> None:
    """Configure the demo athlete with these settings and no others of the table."""
    profile = home.athletes / "demo.toml"
    text = (ROOT / "athletes" / "demo.toml").read_text(encoding="utf-8")
    profile.write_text(f"{text}\n{settings}", encoding="utf-8")


def gemini(url: str, before: str = "") -> str:
    return f'[llm]\n{before}\n[[llm.providers]]\nkind = "google"\nbase_url = "{url}"\n'


def run_nights(home: Home, simulator: RunningSimulator) -> Told:
    """Repeat the same decision: no workout is done between the nights."""
    reports: dict[str, Any] = {}
    requests: dict[str, int] = {}
    puts: dict[str, int] = {}
    standing: dict[str, str] = {}
    with running_fake_gemini(answer=lighter) as fake:

        def note(name: str) -> None:
            requests[name] = len(fake.prompts)
            puts[name] = put_count(simulator)
            ((standing[name],),) = home.query(
                "select decided_by from coach.plans join coach.current_plans using (plan_id)"
            )

        for name, settings in {
            "down": gemini("http://127.0.0.1:1"),
            "shadow": gemini(fake.base_url, "shadow = true"),
            "with a say": gemini(fake.base_url),
        }.items():
            configure(home, settings)
            reports[name] = home.decide()
            note(name)
        before = home.query(ROW_COUNTS), home.spotter_json("plan", "show")
        reports["again"] = home.decide(with_briefing=True)
        after = home.query(ROW_COUNTS), home.spotter_json("plan", "show")
        note("again")
        home.build_models("fct_llm_call")
        return Told((before, after), list(fake.prompts), reports, requests, puts, standing)


@pytest.fixture(scope="module")
def nights(
    keep: Keep,
    after_first_night: After,
    copy_world: Copy,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Nights]:
    def run(folder: Path, variables: dict[str, str]) -> Told:
        with after_first_night(folder) as (home, simulator):
            return run_nights(replace(home, extra={**home.extra, **KEYS}), simulator)

    world, told = keep("language_model", run)
    folder = tmp_path_factory.mktemp("model")
    variables = copy_world(world, folder)
    with running_fake_gemini(answer=lighter) as fake:
        home = Home(folder, "http://127.0.0.1:9", {**variables, **KEYS})
        configure(home, gemini(fake.base_url))
        yield Nights(home, fake, told)


@pytest.mark.long
def test_a_model_that_is_down_leaves_the_rules_plan_and_a_warning(nights: Nights) -> None:
    assert nights.told.standing["down"] == "engine"
    (warning,) = nights.told.reports["down"]["warnings"]
    assert "demo: google (gemini-3" in warning
    assert "ModelConnectionError" in warning


@pytest.mark.long
def test_a_shadow_is_asked_and_recorded_but_not_published(nights: Nights) -> None:
    assert (nights.told.requests["shadow"], nights.told.puts["shadow"]) == (
        1,
        nights.told.puts["down"],
    )
    assert nights.told.standing["shadow"] == "engine"
    assert nights.told.reports["shadow"]["warnings"] == []


@pytest.mark.long
def test_its_answer_is_taken_once_it_has_a_say_and_not_asked_for_again(nights: Nights) -> None:
    assert nights.told.requests == {"down": 0, "shadow": 1, "with a say": 2, "again": 2}
    assert nights.told.standing["with a say"].startswith("google:gemini-3")
    assert nights.told.puts["with a say"] == nights.told.puts["shadow"] + 1
    assert nights.told.reports["with a say"] == {"warnings": [], "sent_to_hevy": 1}
    assert nights.told.puts["again"] == nights.told.puts["with a say"]


@pytest.mark.long
def test_a_night_with_nothing_new_changes_nothing(nights: Nights) -> None:
    assert nights.told.reports["again"] == {"warnings": [], "sent_to_hevy": 0}
    before, after = nights.told.kept
    assert after == before


@pytest.mark.long
def test_the_plan_has_the_models_words_and_loads(nights: Nights) -> None:
    report = nights.home.spotter_json("plan", "show")
    plan = report["plan"]
    assert report["publication_state"] == "published"
    assert plan["words"]["summary"] == "Keep it up. Lower it slowly and under control."
    assert "Keep it up" not in plan["summary"]
    assert all(slot["note"] for slot in plan["slots"])
    assert any(
        adjustment["rule"] == "coach_load"
        for slot in plan["slots"]
        for adjustment in slot["adjustments"]
    )
    shown = nights.home.spotter("plan", "show").stdout
    assert "Keep it up. Lower it slowly and under control." in shown
    assert "Make the first set your best one." in shown


@pytest.mark.long
def test_the_plan_and_the_briefing_tell_of_the_last_workout_in_its_words(nights: Nights) -> None:
    report = nights.home.spotter_json("plan", "show")
    insight = report["plan"]["insight"]
    assert re.fullmatch(r"You reached (?:all|most of) your targets last time\.", insight["insight"])
    assert [each["kind"] for each in report["remarks"]] == ["insight"]
    assert (
        "Comment on the last workout by google"
        in nights.home.spotter("plan", "show", "--why").stdout
    )
    briefing = nights.home.spotter_json("briefing")["markdown"]
    # After the break nothing goes up, so the action "next step" is left out.
    assert f"*Coach's comment: {insight['insight']}*" in briefing


@pytest.mark.long
def test_the_briefing_and_its_deliveries_have_the_comment_on_the_plan(nights: Nights) -> None:
    report = nights.home.spotter_json("briefing")
    for told in (report["markdown"], nights.home.spotter("briefing").stdout):
        assert "Coach's comment" in told
        assert "Keep it up. Lower it slowly and under control." in told
        assert "a language model" in " ".join(told.split())


@pytest.mark.long
def test_a_week_that_no_run_reviewed_is_told_by_the_rules(nights: Nights) -> None:
    """The simulated athlete stopped training long before the last complete week."""
    known = nights.home.spotter_json("review", "--week", "2026-02-25")
    assert (known["week_start"], known["decided_by"]) == ("2026-02-23", "engine")
    assert known["review"]["workout_count"] > 0
    assert nights.home.spotter_json("review")["review"] is None
    to_come = nights.home.spotter("review", "--week", "2099-01-01")
    assert (to_come.returncode, "still to come" in to_come.stderr) == (2, True)


@pytest.mark.long
def test_what_is_kept_of_the_rules_replays_byte_for_byte(nights: Nights) -> None:
    assert nights.home.spotter_json("replay", "latest")["verdict"] == "equal"


@pytest.mark.long
def test_both_decisions_are_kept_with_one_input(nights: Nights) -> None:
    rows = nights.home.query(
        """
        select plans.decided_by, decisions.input_sha256
        from coach.llm_answers as answers
        join coach.decisions as decisions
            on decisions.decision_id in (answers.decision_id, answers.engine_decision_id)
        join coach.plans as plans on plans.decision_id = decisions.decision_id
        order by 1
        """
    )
    assert [name.partition(":")[0] for name, _ in rows] == ["engine", "google"]
    assert len({digest for _, digest in rows}) == 1


@pytest.mark.long
def test_each_request_is_in_the_ledger(nights: Nights) -> None:
    rows = nights.home.query(
        """
        select call_name, outcome, attempt, cost_usd > 0, error from coach.llm_calls
        order by asked_at, request_index
        """
    )
    assert [row[:4] for row in rows] == [
        *[("plan", "error", 1, None)] * 3,
        ("insight", "skipped", 0, None),
        ("plan", "ok", 1, True),
        ("insight", "ok", 1, True),
    ]
    assert all("ModelConnectionError" in row[4] for row in rows[:3])


@pytest.mark.long
def test_the_mart_of_the_next_night_has_the_requests(nights: Nights) -> None:
    rows = nights.home.query(
        "select answered_by, count(*) from marts.fct_llm_call group by 1 order by 1"
    )
    assert sum(count for name, count in rows if name == "engine") == 4
    assert sum(count for name, count in rows if name.startswith("google")) == 2


@pytest.mark.long
def test_the_key_is_kept_nowhere(nights: Nights) -> None:
    files = [path for path in nights.home.folder.rglob("*") if path.is_file()]
    assert [path for path in files if FAKE_KEY.encode() in path.read_bytes()] == []


@pytest.mark.long
def test_what_is_printed_is_what_was_sent(nights: Nights) -> None:
    printed = nights.home.spotter("plan", "prompt").stdout
    assert printed.removesuffix("\n") == nights.told.prompts[0]
    report = nights.home.spotter_json("plan", "prompt")
    assert (
        "\n".join((report["static"], report["profile"], report["recent"]))
        == (nights.told.prompts[0])
    )
    (asked,) = report["asked"]
    assert asked.startswith("google:gemini-3")


@pytest.mark.long
def test_both_plans_are_shown_side_by_side(nights: Nights) -> None:
    report = nights.home.spotter_json("plan", "compare")
    assert report["answered_by"].startswith("google:gemini-3")
    assert report["requests"] == []
    assert report["standing"]["under_engine"]["slots"] == 0
    assert report["standing"]["is_earned"] is False
    loads = [
        [[each["weight_kg"] for each in slot["sets"]] for slot in report[plan]["slots"]]
        for plan in ("engine", "model")
    ]
    assert loads[0] != loads[1]
    shown = nights.home.spotter("plan", "compare").stdout
    assert "google:gemini-3" in shown
    assert "Make the first set your best one." in shown
    assert "Nothing was done yet that compares the model with the rules." in " ".join(shown.split())
    assert nights.fake.prompts == []


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.M | re.S)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


@pytest.mark.long
@pytest.mark.parametrize("command", commands())
def test_a_command_works_as_told(nights: Nights, command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/spotter"
    done = nights.home.spotter(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.long
def test_without_a_key_nobody_is_there_to_compare_with(nights: Nights) -> None:
    keyless = Home(nights.home.folder, nights.home.hevy_url)
    done = keyless.spotter("plan", "compare")
    assert done.returncode == 2
    assert "GEMINI_API_KEY=" in done.stderr
    assert keyless.spotter_json("plan", "prompt")["asked"] == []


@pytest.mark.long
def test_a_check_in_says_that_the_rules_answered_alone(nights: Nights) -> None:
    asked = list(nights.fake.prompts)
    told = nights.home.spotter_json("check-in", "--energy", "normal")
    assert told["waits_for_model"]
    assert told["plan"]["plan"]["words"] is None
    said = nights.home.spotter("check-in", "--energy", "normal").stdout
    assert "the next run also asks your language model." in said
    keyless = Home(nights.home.folder, nights.home.hevy_url)
    assert not keyless.spotter_json("check-in", "--energy", "normal")["waits_for_model"]
    assert nights.fake.prompts == asked
