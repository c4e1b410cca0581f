"""The rows of breaks and load reductions: plan numbers and text for each."""

from tests.coach.situations import parse, planned


def test_the_notation_reads_sets_plans_and_days() -> None:
    present, sessions = parse("[w20x5 2*80x8-12 80x5+] d9: [3*80x8] 80x8@8.5 x7, -, 2*(60s 24/40m)")
    assert present is not None
    assert [(each.is_warmup, each.reps, each.high) for each in present] == [
        (True, 5, 5),
        (False, 8, 12),
        (False, 8, 12),
        (False, 5, None),
    ]
    first, nothing, *repeated = sessions
    assert (first.days_ago, len(first.plan or ())) == (9, 3)
    assert [(each.load_kg, each.reps, each.rpe) for each in first.sets] == [
        (80, 8, 8.5),
        (None, 7, None),
    ]
    assert nothing.sets == ()
    assert [each.sets for each in repeated] == [repeated[0].sets] * 2
    timed, carried = repeated[0].sets
    assert (timed.seconds, carried.load_kg, carried.metres) == (60, 24, 40)


def test_a_history_becomes_a_plan_and_its_text() -> None:
    found = planned("3*97.5x5, 3*100x5")
    assert (found.load(), found.reps()) == (105, [5, 5, 5])
    assert "3 × 105 kg × 5" in found.text
