"""The released marts: what people and dashboards open."""

from pathlib import Path

import dagster as dg

from orchestration.defs.coaching.assets import PUBLICATION
from orchestration.defs.resources import WarehouseResource
from orchestration.defs.transform.assets import mart_keys
from orchestration.lib.release import release_marts
from orchestration.lib.settings import load_settings


@dg.definitions
def defs() -> dg.Definitions:
    """The release waits for every mart, so that a failed test on any of them stops it.

    And for the publication, which is history as soon as it is made.
    """

    @dg.asset(
        key=["release", "marts"],
        group_name="release",
        deps=[*mart_keys(), PUBLICATION],
        kinds={"python", "duckdb"},
        owners=["team:data"],
        code_version="1",
        pool="duckdb_writer",
    )
    def released_marts(warehouse: WarehouseResource) -> dg.MaterializeResult:
        """A copy of the marts for readers; the file is replaced whole, never half."""
        release = release_marts(Path(warehouse.path), load_settings().release_path)
        tables = [
            dg.TableRecord({"mart": name, "rows": count})
            for name, count in release.row_counts.items()
        ]
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": sum(release.row_counts.values()),
                "dagster/uri": str(release.path),
                "marts": dg.MetadataValue.table(tables),
            }
        )

    return dg.Definitions(assets=[released_marts])
