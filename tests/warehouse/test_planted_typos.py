"""Doubts over the real training logs: true sets are believed, planted errors are found."""

from collections import Counter, defaultdict
from random import Random

import pytest

from tests.coach.past_sessions import LOG_FILES, LOGS, sessions_in
from tests.warehouse.compliance_oracle_doubts import Performed, Place, wrong_places

pytestmark = [
    pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here"),
    pytest.mark.long,
]

Exposures = list[list[Performed]]
_KINDS = {"dropset": "dropset"}


def exposures() -> list[Exposures]:
    """Return the sets of each exercise of each log, day by day, as in the marts."""
    found: list[Exposures] = []
    for log in LOG_FILES:
        lifts: dict[str, Exposures] = defaultdict(list)
        for session in sessions_in(log):
            for index, done in enumerate(session.done):
                is_of_body = str(done.exercise["exercise_type"]).startswith("bodyweight_")
                rows = [
                    Performed(
                        (session.workout_id, index, each.set_index),
                        _KINDS.get(each.set_type, ""),
                        None if is_of_body else each.weight_kg or None,
                        each.reps,
                    )
                    for each in done.sets
                    if each.set_type != "warmup" and each.reps
                ]
                if rows:
                    lifts[done.exercise["exercise_template_id"]].append(rows)
        found += lifts.values()
    return found


def mistyped(done: Performed, random: Random) -> tuple[str, Performed]:
    """Return the set with a tenfold load, a tenth of it, or a digit twice or lost."""
    assert done.load is not None
    digits = f"{done.load:g}"
    kind = random.choice(["tenfold", "tenth", "load digit twice", "reps digit twice", "digit lost"])
    if kind == "digit lost" and done.load < 10:
        kind = "tenfold"
    reps = done.reps
    load = {
        "tenfold": 10 * done.load,
        "tenth": done.load / 10,
        "load digit twice": float(digits[0] + digits),
        "digit lost": float(digits.split(".")[0][:-1] or 0),
    }.get(kind, done.load)
    if kind == "reps digit twice":
        reps = int(str(reps)[0] + str(reps))
    return kind, done._replace(load=load, reps=reps)


def test_at_most_one_true_set_of_five_hundred_is_doubted() -> None:
    lifts = exposures()
    count = sum(len(rows) for lift in lifts for rows in lift)
    assert count > 15_000
    assert 500 * sum(len(wrong_places(lift)) for lift in lifts) <= count


@pytest.mark.parametrize("seed", range(3))
def test_nineteen_of_twenty_planted_errors_are_found(seed: int) -> None:
    """One set of a hundred is mistyped; hardly any others are doubted."""
    random = Random(seed)  # noqa: S311 - the same errors in each run
    planted, found, others = Counter[str](), Counter[str](), 0
    for lift in exposures():
        kinds: dict[Place, str] = {}
        changed: Exposures = []
        for rows in lift:
            changed.append([])
            for done in rows:
                if done.load is not None and random.random() < 0.01:
                    kinds[done.place], done = mistyped(done, random)
                changed[-1].append(done)
        wrong = wrong_places(changed)
        planted.update(kinds.values())
        found.update(kind for place, kind in kinds.items() if place in wrong)
        others += len(wrong - kinds.keys() - wrong_places(lift))
    assert planted.total() > 100
    assert found.total() >= 0.95 * planted.total(), (planted, found)
    assert others <= 5
