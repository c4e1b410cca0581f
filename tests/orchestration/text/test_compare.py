"""Two plans for one day, side by side on 80 columns."""

from io import StringIO

from rich.console import Console

from coach_agent.domain.plan import Plan
from coach_agent.llm.shadow import Score, ShadowScore
from orchestration.text.compare import compare_view
from tests.coach.llm.usual_day import (
    BENCH_SLOT,
    RAISE_SLOT,
    as_proposed,
    block,
    changed,
    plan_of,
    slot_values,
    top,
    usual_windows,
)

WINDOWS = usual_windows()


def shown(model: Plan | None, standing: ShadowScore | None = None) -> list[str]:
    console = Console(file=StringIO(), width=80)
    console.print(compare_view(WINDOWS.plan, model, "google:flash", standing))
    written = console.file
    assert isinstance(written, StringIO)
    return [line.rstrip() for line in written.getvalue().splitlines()]


def test_each_exercise_has_both_plans_and_the_models_note() -> None:
    answer = changed(
        as_proposed(WINDOWS),
        block(BENCH_SLOT, load=100.0),
        slot_values(BENCH_SLOT, cues=["same_form"]),
        top(reasoning="Hold your breath."),
    )
    lines = shown(plan_of(answer, WINDOWS))
    assert max(map(len, lines)) <= 80
    (bench,) = [line for line in lines if line.startswith("Bench Press")]
    assert bench.split("  ")[-1].strip() == "4 × 100 kg × 5"
    assert "4 × 102.5 kg × 5" in bench
    assert any(line.strip() == "Same form on every rep." for line in lines)
    assert "Keep it up." in lines
    assert "Sentences left out: 1." in lines


def test_an_exercise_that_moves_is_told_in_its_own_row() -> None:
    lines = shown(plan_of(changed(as_proposed(WINDOWS), top(order=[1, 2, 3, 5, 4, 6])), WINDOWS))
    (moved,) = [line for line in lines if line.startswith("Lateral Raise")]
    assert moved.endswith("as number 4")
    assert WINDOWS.plan.slots[RAISE_SLOT].exercise_title.startswith("Lateral Raise")


def test_without_an_answer_it_says_so() -> None:
    assert "No model gave a valid answer: the rules' own plan stays active." in shown(None)


def test_how_the_model_stands_is_told_with_its_interval() -> None:
    standing = ShadowScore(Score(24, 6, -1.25, -2.04, -0.46), Score(1, 1, 0.5))
    text = " ".join(shown(plan_of(as_proposed(WINDOWS), WINDOWS), standing))
    assert (
        "Under the rules' plan, in 24 exercises of 6 workouts, the model was 1.2 % nearer to what "
        "was done than the rules [0.5, 2.0]."
    ) in text
    assert (
        "Under its own plan, in 1 exercise of 1 workout, the model was 0.5 % farther from what was "
        "done than the rules."
    ) in text
    assert "it may now change numbers." in text


def test_where_nothing_was_compared_it_says_what_it_takes() -> None:
    unknown = ShadowScore(Score(0, 0), Score(0, 0))
    text = " ".join(shown(plan_of(as_proposed(WINDOWS), WINDOWS), unknown))
    assert "Nothing was done yet that compares the model with the rules." in text
    assert "at least 20 exercises of 5 workouts" in text
