"""Account reads are checked each day, also if no night reaches the marts."""

from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg
import pytest

from orchestration.defs.transform.checks import daily_checks, data_checks

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is currently in beta"),
    pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated"),
]

FCT_SET = dg.AssetKey(["marts", "fct_set"])
MORNING = datetime(2026, 3, 4, 9, 46, tzinfo=UTC)
LATER = datetime(2026, 3, 4, 9, 52, tzinfo=UTC)


@pytest.fixture
def history() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def looks(history: dg.DagsterInstance, *moments: datetime) -> list[int]:
    """Return the number of checks that the sensor requests at each of these times, in order."""
    sets = dg.AssetSpec(FCT_SET)
    found = []
    cursor = None
    for moment in moments:
        told = dg.evaluate_automation_conditions(
            dg.Definitions(
                assets=[sets],
                asset_checks=[data_checks],
                resources=dict.fromkeys(("athletes", "warehouse"), None),
            ),
            history,
            cursor=cursor,
            evaluation_time=moment,
        )
        cursor = told.cursor
        found.append(told.total_requested)
    return found


def test_both_are_asked_for_once_a_day(history: dg.DagsterInstance) -> None:
    history.report_runless_asset_event(dg.AssetMaterialization(FCT_SET))
    tomorrow = LATER.replace(day=5)
    assert looks(history, MORNING, LATER, LATER, MORNING.replace(day=5), tomorrow) == [
        0,
        2,
        0,
        0,
        2,
    ]


def test_before_the_first_night_there_is_nothing_to_look_at(history: dg.DagsterInstance) -> None:
    assert looks(history, MORNING, LATER) == [0, 0]


def test_the_sensor_covers_all_that_has_a_condition() -> None:
    assert daily_checks.default_status is dg.DefaultSensorStatus.RUNNING
    conditioned = {
        spec.key for spec in data_checks.check_specs if spec.automation_condition is not None
    }
    graph = dg.Definitions(
        assets=[dg.AssetSpec(FCT_SET)],
        asset_checks=[data_checks],
        resources=dict.fromkeys(("athletes", "warehouse"), None),
    ).resolve_asset_graph()
    assert daily_checks.asset_selection.resolve_checks(graph) == conditioned
    assert len(conditioned) == 2
