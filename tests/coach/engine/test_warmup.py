import pytest

from coach_agent.engine.limits.warmup import fit_ramp, ramp
from coach_agent.engine.loads.plates import Loads, barbell_loads, listed_loads

GYM = barbell_loads(20.0, (20.0, 20.0, 15.0, 10.0, 5.0, 2.5, 1.25))
RACK = listed_loads(tuple(float(kg) for kg in range(2, 52, 2)))


@pytest.mark.parametrize(
    ("top_kg", "top_reps", "loads", "bar_kg", "expected"),
    [
        pytest.param(100, 5, GYM, 20.0, [(20, 10), (40, 5), (60, 5), (80, 3)], id="100 x 5"),
        pytest.param(
            100, 3, GYM, 20.0, [(20, 10), (40, 5), (60, 5), (80, 3), (90, 1)], id="100 x 3"
        ),
        pytest.param(60, 8, GYM, 20.0, [(20, 10), (25, 5), (35, 5), (47.5, 3)], id="60 x 8"),
        pytest.param(40, 8, GYM, 20.0, [(20, 10), (25, 5), (32.5, 3)], id="a step below the bar"),
        pytest.param(30, 8, GYM, 20.0, [(25, 3)], id="no bar set up to 30 kg"),
        pytest.param(20, 8, GYM, 20.0, [(20, 5)], id="nothing below the bar"),
        pytest.param(24, 10, RACK, None, [(10, 5), (14, 5), (20, 3)], id="dumbbells"),
    ],
)
def test_the_ramp_leads_up_to_the_working_load(
    top_kg: float,
    top_reps: int,
    loads: Loads,
    bar_kg: float | None,
    expected: list[tuple[float, int]],
) -> None:
    steps = ramp(top_kg, top_reps, loads, bar_kg)
    assert [(step.load_kg, step.reps) for step in steps] == expected


@pytest.mark.parametrize(
    ("reps", "expected"),
    [
        ([], []),
        ([3], [80]),
        ([5, 3], [60, 80]),
        ([10, 5, 5, 3], [20, 40, 60, 80]),
        ([10, 10, 10, 5, 5, 3], [20, 20, 20, 40, 60, 80]),
        ([None, None], [60, 80]),
        ([10], [40]),
        ([8], [55]),
        ([8, 8, 8], [40, 55, 55]),
    ],
    ids=str,
)
def test_the_routine_decides_how_many_warm_ups_there_are(
    reps: list[int | None], expected: list[float]
) -> None:
    steps = ramp(100, 5, GYM, 20.0)
    assert list(fit_ramp(steps, reps, 100, GYM)) == expected
