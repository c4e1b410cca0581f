"""Doubts of past days follow the marts' rule, which the oracle has as well."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from coach_agent.evaluation import doubts
from coach_agent.evaluation.doubts import RecordedSet, doubted_places
from orchestration.dbt.runner import DBT_PROJECT_DIR
from tests.profiles import examples
from tests.warehouse.compliance_oracle_doubts import Performed, wrong_places


def random_days(random: Random) -> list[list[Performed]]:
    """Workouts of a lifter with typing errors, drop sets, ramps and sets without a load."""
    usual = random.choice((10.0, 40.0, 100.0))
    days = []
    for day in range(random.randint(1, 20)):
        usual *= random.choice((1, 1, 1, 1.05, 0.5, 2))
        rows = []
        for at in range(random.randint(1, 5)):
            factor = random.choice((1, 1, 1, 1, 0.3, 0.6, 0.15, 2.2, 10, 0.1))
            load = None if random.random() < 0.1 else round(usual * factor, 1) or None
            reps = random.choice((5, 8, 8, 12, 19, 20, 40, 88))
            kind = random.choice(("", "", "", "", "failure", "dropset"))
            rows.append(Performed((f"{day:03}", 0, at), kind, load, reps))
        days.append(rows)
    return days


@examples(2000, quick=200)
@given(seed=st.integers(0, 10**9))
def test_the_doubts_of_past_days_are_those_of_the_oracle(seed: int) -> None:
    days = random_days(Random(seed))  # noqa: S311 - the same days for a seed
    recorded = [
        [RecordedSet(each.load, each.reps, each.kind == "dropset") for each in rows]
        for rows in days
    ]
    found = {
        (f"{at:03}", 0, place) for at in range(len(days)) for place in doubted_places(recorded, at)
    }
    assert found == wrong_places(days)


def test_numbers_without_a_constant_are_those_of_dbt() -> None:
    text = (DBT_PROJECT_DIR / "dbt_project.yml").read_text()
    for name, value in {
        "far": doubts.FAR,
        "witnesses": doubts.WITNESSES,
        "alone_hi": doubts.ALONE_HIGH,
        "alone_lo": doubts.ALONE_LOW,
    }.items():
        assert f"  typo.{name}: {value} " in text
