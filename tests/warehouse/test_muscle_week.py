"""The weekly volume of each muscle group equals a count by hand."""

import csv
from collections import defaultdict
from datetime import date, timedelta
from fractions import Fraction
from typing import get_args

import pytest

from hevy_connector.schemas.writing import MuscleGroup
from orchestration.dbt.runner import DBT_PROJECT_DIR
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.years_of_training import MUSCLES, VETERAN, sessions

_HALF = Fraction(1, 2)


class Volume:
    """Hard sets of a muscle group in a week."""

    def __init__(self) -> None:
        self.direct = 0
        self.indirect = 0
        self.assumed = Fraction(0)

    @property
    def fractional(self) -> Fraction:
        """Return one for a direct set, a half for an indirect one."""
        return self.direct + _HALF * self.indirect


def counted_by_hand() -> dict[tuple[str, date], Volume]:
    """Return volumes by muscle group and week, from the first week to the last with a workout."""
    volumes: dict[tuple[str, date], Volume] = defaultdict(Volume)
    first_weeks: dict[str, date] = {}
    for session in sessions():
        for one in session.sets:
            if one.exercise not in MUSCLES or one.kind == "warmup":
                continue
            primary, secondary = MUSCLES[one.exercise]
            for group in {primary, *secondary}:
                first_weeks.setdefault(group, session.week)
                volume = volumes[group, session.week]
                if not one.is_hard:
                    continue
                weight = Fraction(1) if group == primary else _HALF
                volume.direct += group == primary
                volume.indirect += group != primary
                volume.assumed += weight if one.rpe is None else 0
    last_week = sessions()[-1].week
    for group, week in first_weeks.items():
        for past in range((last_week - week).days // 7 + 1):
            _ = volumes[group, week + timedelta(weeks=past)]
    return volumes


@pytest.fixture(scope="module")
def weeks(warehouse: ScratchWarehouse) -> dict[tuple[str, date], Json]:
    rows = warehouse.rows(
        "select * from marts.fct_muscle_week where athlete_id = $athlete", athlete=VETERAN
    )
    return {(row["muscle_group"], row["week_start_date"]): row for row in rows}


def test_sets_are_counted_for_each_muscle_group(weeks: dict[tuple[str, date], Json]) -> None:
    expected = {
        key: (volume.fractional, volume.direct, volume.indirect)
        for key, volume in counted_by_hand().items()
    }
    found = {
        key: (row["fractional_set_count"], row["direct_set_count"], row["indirect_set_count"])
        for key, row in weeks.items()
    }
    assert found == expected
    assert min(row["fractional_set_count"] for row in weeks.values()) == 0


def test_assumed_hard_sets_are_marked(weeks: dict[tuple[str, date], Json]) -> None:
    for key, volume in counted_by_hand().items():
        share = weeks[key]["assumed_hard_share"]
        if volume.fractional == 0:
            assert share is None
        else:
            assert share == pytest.approx(float(volume.assumed / volume.fractional), abs=1e-9)


def test_the_change_is_against_the_week_before(weeks: dict[tuple[str, date], Json]) -> None:
    volumes = counted_by_hand()
    for group, week in volumes:
        before = volumes.get((group, week - timedelta(weeks=1)))
        change = weeks[group, week]["change_pct"]
        if before is None or before.fractional == 0:
            assert change is None
        else:
            gain = volumes[group, week].fractional / before.fractional - 1
            assert change == pytest.approx(float(100 * gain), abs=1e-9)


def test_lats_and_upper_back_are_held_against_the_back_together(
    weeks: dict[tuple[str, date], Json],
) -> None:
    volumes = counted_by_hand()
    backs = [(group, week) for group, week in volumes if group in ("lats", "upper_back")]
    for group, week in backs:
        together = [volumes.get((one, week)) for one in ("lats", "upper_back")]
        row = weeks[group, week]
        assert row["landmark_muscle"] == "back"
        assert row["landmark_set_count"] == sum(one.direct for one in together if one)


def test_every_muscle_group_of_hevy_has_a_place() -> None:
    """The words of the API's writes equal those of its reads."""
    with (DBT_PROJECT_DIR / "seeds" / "muscle_groups.csv").open(newline="") as file:
        groups = {row["muscle_group"] for row in csv.DictReader(file)}
    assert groups == set(get_args(MuscleGroup))
