"""The released marts: what people and dashboards open."""

from datetime import UTC, datetime
from pathlib import Path

import dagster as dg

from orchestration.defs.coaching.assets import PUBLICATION
from orchestration.defs.resources import WarehouseResource
from orchestration.defs.transform.assets import mart_keys
from orchestration.lib.provenance import provenance_of
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
        code_version="2",
        pool="duckdb_writer",
    )
    def released_marts(
        context: dg.AssetExecutionContext, warehouse: WarehouseResource
    ) -> dg.MaterializeResult:
        """The marts for readers, as a database and as Parquet; both are replaced in one step."""
        settings = load_settings()
        manifest = release_marts(
            Path(warehouse.path),
            settings.release_folder,
            provenance_of(context.run.run_id),
            datetime.now(UTC),
        ).manifest
        tables = [
            dg.TableRecord({"mart": name, "rows": count})
            for name, count in manifest.row_counts.items()
        ]
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": sum(manifest.row_counts.values()),
                "dagster/uri": str(settings.release_path),
                "release_number": manifest.release_number,
                "data_until": (
                    None
                    if manifest.data_until is None
                    else dg.TimestampMetadataValue(manifest.data_until.timestamp())
                ),
                "marts": dg.MetadataValue.table(tables),
            }
        )

    return dg.Definitions(assets=[released_marts])
