"""The note of an exercise: rendered from codes, each validated before it is shown."""

import re
from typing import Any, get_args

import pytest
from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor

from coach_agent.domain.plan import Plan
from coach_agent.language.messages import MessageError
from coach_agent.llm.comments.cues import CueCode, catalogue
from coach_agent.llm.comments.facts import fact_text
from coach_agent.llm.comments.known import Lift, Role, SetFact, known_of_plan
from coach_agent.llm.comments.messages import VARIABLES, languages, render, source
from coach_agent.llm.comments.note import LONGEST_NOTE, ReasonCode, note_of, true_reasons
from tests.coach.llm.usual_day import (
    BENCH_SLOT,
    CURL_SLOT,
    PLANK_SLOT,
    PULL_UP_SLOT,
    RAISE_SLOT,
    ROW_SLOT,
    as_proposed,
    changed,
    plan_of,
    slot_values,
    usual_windows,
)

WINDOWS = usual_windows()
SLOTS = WINDOWS.plan.slots
LIFTS = known_of_plan(zip(WINDOWS.routine.slots, SLOTS, strict=True), WINDOWS.plan, "en").lifts


class Used(Visitor):
    """Collects the variables and the functions of a message."""

    def __init__(self) -> None:
        self.variables: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:
        self.variables.add(node.id.name)


@pytest.mark.parametrize("language", sorted(languages()))
def test_every_message_uses_only_the_variables_that_it_is_given(language: str) -> None:
    resource = FluentParser().parse(source(language))
    found = {}
    for entry in resource.body:
        assert not isinstance(entry, ast.Junk | ast.Term), entry
        if isinstance(entry, ast.Message):
            used = Used()
            used.visit(entry)
            found[entry.id.name] = used.variables
    assert found.keys() == VARIABLES.keys()
    for name, used_variables in found.items():
        assert used_variables == VARIABLES[name], name


@pytest.mark.parametrize("language", sorted(languages()))
def test_no_message_without_a_variable_has_a_number(language: str) -> None:
    for name, variables in VARIABLES.items():
        if not variables:
            assert not re.search(r"\d", render(language, name)), name


def test_a_message_with_other_variables_is_an_error() -> None:
    for name, values in (("reps", {}), ("fact-rest", {"load": "8"}), ("unknown", {})):
        with pytest.raises(MessageError):
            render("en", name, **values)


def test_plurals_are_those_of_the_language() -> None:
    assert (render("en", "reps", count=1), render("en", "reps", count=3)) == ("1 rep", "3 reps")
    assert [render("pl", "sets", count=count) for count in (1, 3, 5)] == [
        "1 seria",
        "3 serie",
        "5 serii",
    ]
    assert render("xx", "reps", count=3) == "3 reps"


def test_every_code_has_a_message_and_every_cue_a_source() -> None:
    for code in get_args(ReasonCode):
        assert f"reason-{code.replace('_', '-')}" in VARIABLES
    assert catalogue().keys() > set(get_args(CueCode))
    for code, cue in catalogue().items():
        assert f"cue-{code.replace('_', '-')}" in VARIABLES
        assert cue.kind in {"technique", "effort", "focus"}
        assert cue.source


@pytest.mark.parametrize(
    ("index", "role", "text"),
    [
        (BENCH_SLOT, "last_time", "Last time 100 kg × 5, 5, 5, 5."),
        (BENCH_SLOT, "planned", "Today 102.5 kg × 5, 5, 5, 5."),
        (BENCH_SLOT, "step", "2.5 kg more than last time."),
        (BENCH_SLOT, "record", "Best of the last 3 workouts: 100 kg × 5."),
        (BENCH_SLOT, "target", "Go for 5, 5, 5, 5."),
        (BENCH_SLOT, "rest", "Rest 180 s."),
        (BENCH_SLOT, "trend", None),
        (ROW_SLOT, "last_time", "Last time 80 kg × 9, 8, 8."),
        (ROW_SLOT, "step", "1 rep more than last time."),
        (ROW_SLOT, "target", "Go for 6 to 10 reps."),
        (PULL_UP_SLOT, "last_time", "Last time 8, 8, 8."),
        (PLANK_SLOT, "planned", "Today 65 s, 65 s."),
        (PLANK_SLOT, "step", "5 s more than last time."),
    ],
)
def test_a_fact_is_told_in_its_role(index: int, role: Role, text: str | None) -> None:
    assert fact_text(role, LIFTS[index], "kg", "en") == text


@pytest.mark.parametrize(
    ("slope_pct", "is_stalled", "text"),
    [
        (0.83, False, "Estimated maximum up 0.8 % a workout."),
        (-0.5, False, "Estimated maximum down 0.5 % a workout."),
        (0.01, False, "Estimated maximum flat lately."),
        (0.2, True, "Estimated maximum flat lately."),
    ],
)
def test_a_trend_is_told_with_its_direction(slope_pct: float, is_stalled: bool, text: str) -> None:
    lift = Lift("Squat", slope_pct=slope_pct, is_stalled=is_stalled)
    assert fact_text("trend", lift, "kg", "en") == text


def test_more_assistance_is_told_as_more_of_it() -> None:
    lift = Lift("Dip", is_assisted=True, planned=one(25.0), last=one(20.0))
    assert fact_text("step", lift, "kg", "en") == "5 kg of assistance more than last time."


def one(load_kg: float) -> tuple[SetFact, ...]:
    return (SetFact(load_kg, 5),)


@pytest.mark.parametrize(
    ("index", "true"),
    [
        (BENCH_SLOT, {"all_reps_done"}),
        (ROW_SLOT, {"add_reps"}),
        (CURL_SLOT, {"all_reps_done", "top_of_range"}),
        (RAISE_SLOT, {"add_reps"}),
    ],
)
def test_only_reasons_that_hold_are_told(index: int, true: set[str]) -> None:
    assert set(true_reasons(SLOTS[index], LIFTS[index])) == true
    for reason in get_args(ReasonCode):
        note = note_of(SLOTS[index], LIFTS[index], "kg", "en", reason=reason, cues=[], facts=[])
        assert (note.text is not None) == (reason in true)
        assert [each.reason for each in note.rejected] == ([] if reason in true else ["claim"])


def test_a_cue_that_does_not_fit_the_exercise_is_left_out() -> None:
    assert "bar_close" in LIFTS[ROW_SLOT].cues
    assert "bar_close" not in LIFTS[PLANK_SLOT].cues
    plan = noted(PLANK_SLOT, cues=["bar_close", "straight_line"])
    assert plan.slots[PLANK_SLOT].note == "Stay in one straight line."
    assert plan.words is not None
    assert plan.words.dropped_sentences == 1


def noted(index: int, **codes: Any) -> Plan:
    answer = {**as_proposed(WINDOWS), "summary": "", "reasoning": ""}
    return plan_of(changed(answer, slot_values(index, **codes)), WINDOWS)


def test_a_note_is_short_whatever_is_selected() -> None:
    roles: list[Any] = ["last_time", "planned", "step", "record"]
    cues = ["press_with_intent", "shoulder_blades", "elbows_close", "feet_planted"]
    note = noted(BENCH_SLOT, reason="all_reps_done", cues=cues, facts=roles).slots[BENCH_SLOT].note
    assert note is not None
    assert note.startswith("You made all your reps last time. Lower with control")
    assert len(note) <= LONGEST_NOTE


def test_free_text_of_a_former_answer_is_in_no_note() -> None:
    plan = noted(BENCH_SLOT, note="Take off the safety pins.", cues=[])
    assert plan.slots[BENCH_SLOT].note is None
