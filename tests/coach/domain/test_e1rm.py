import pytest

from coach_agent.domain.e1rm import can_manage, epley_load, epley_max, estimated_max

EPLEY_AT_100_KG = {
    2: 106.7,
    3: 110.0,
    4: 113.3,
    5: 116.7,
    6: 120.0,
    7: 123.3,
    8: 126.7,
    9: 130.0,
    10: 133.3,
    11: 136.7,
    12: 140.0,
}


@pytest.mark.parametrize(("reps", "expected_kg"), EPLEY_AT_100_KG.items())
def test_epley_follows_its_table(reps: int, expected_kg: float) -> None:
    assert epley_max(100, reps) == pytest.approx(expected_kg, abs=0.05)


@pytest.mark.parametrize("reps", [1, *EPLEY_AT_100_KG])
def test_the_inverse_gives_the_load_back(reps: int) -> None:
    assert epley_load(epley_max(100, reps), reps) == pytest.approx(100)


def test_a_rep_at_failure_is_the_load_itself() -> None:
    assert epley_max(100, 1) == 100


@pytest.mark.parametrize(
    ("reps", "rpe", "kg", "low_kg", "high_kg", "method", "tags"),
    [
        pytest.param(
            *(5, None, 116.67, 110.83, 122.50, "epley", ("assumes_failure",)), id="no RPE"
        ),
        pytest.param(5, 8, 123.33, 113.47, 133.20, "epley", (), id="three in reserve"),
        pytest.param(1, 9.5, 100, 95, 105, "tested", (), id="tested single"),
        pytest.param(1, 8, 110, 104.5, 115.5, "epley", (), id="easy single"),
        pytest.param(
            *(12, None, 140, 119, 161, "epley", ("assumes_failure", "low_confidence")),
            id="many reps",
        ),
        pytest.param(10, 10, 133.33, 117.33, 149.33, "epley", (), id="ten to failure"),
    ],
)
def test_the_estimate_has_a_band_and_says_how_it_was_made(
    reps: int,
    rpe: float | None,
    kg: float,
    low_kg: float,
    high_kg: float,
    method: str,
    tags: tuple[str, ...],
) -> None:
    estimate = estimated_max(100, reps, rpe)
    assert estimate is not None
    assert (estimate.kg, estimate.low_kg, estimate.high_kg) == pytest.approx(
        (kg, low_kg, high_kg), abs=0.005
    )
    assert (estimate.method, estimate.tags) == (method, tags)


@pytest.mark.parametrize(
    ("load_kg", "reps", "rpe"),
    [(100, 13, None), (100, 10, 7.5), (0, 5, None), (100, 0, None), (-20, 5, None)],
    ids=["13 reps", "12.5 effective reps", "no load", "no rep", "assistance"],
)
def test_no_maximum_is_made_up(load_kg: float, reps: int, rpe: float | None) -> None:
    assert estimated_max(load_kg, reps, rpe) is None


@pytest.mark.parametrize(
    ("load_kg", "reps", "next_kg", "next_reps", "expected"),
    [(24, 12, 26, 8, True), (6, 12, 8, 8, False), (40, 12, 42.5, 8, True), (80, 10, 82.5, 6, True)],
)
def test_a_step_must_be_manageable(
    load_kg: float, reps: int, next_kg: float, next_reps: int, expected: bool
) -> None:
    assert can_manage(load_kg, reps, None, next_kg, next_reps) is expected


def test_going_past_the_range_makes_a_big_step_possible() -> None:
    """8 kg x 8 need 10.13; 6 kg x 14 show at most 6 x 1.4667 x 1.15 = 10.12, x 15 show 10.35."""
    assert not can_manage(6, 14, None, 8, 8)
    assert can_manage(6, 15, None, 8, 8)


def test_proof_asks_for_the_estimate_itself() -> None:
    """62.5 kg x 8 need 79.17; 60 kg x 9 show 78, x 10 show 80."""
    assert not can_manage(60, 9, None, 62.5, 8, needs_proof=True)
    assert can_manage(60, 10, None, 62.5, 8, needs_proof=True)
