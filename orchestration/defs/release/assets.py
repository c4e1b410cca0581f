"""The released marts, for people and dashboards."""

from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg

from orchestration.assets.coach_assets import check_result, format_by_athlete
from orchestration.assets.documentation import documentation_links
from orchestration.assets.pools import writer_pool
from orchestration.config.release_postgres import ReleasePostgres
from orchestration.config.settings import SettingsError, load_settings
from orchestration.dbt.translator import mart_keys
from orchestration.defs.coaching.assets import PUBLICATION
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.defs.transform.assets import manifest
from orchestration.runs.provenance import provenance_of
from orchestration.services.operations.step_failures import describe_failures
from orchestration.services.releases.release import release_marts
from orchestration.services.releases.release_postgres import (
    ReleasePostgresFailedError,
    publish_to_postgres,
)
from orchestration.services.releases.volume_anomaly import lost_histories

MARTS = ["release", "marts"]

_KEPT = "The marts are not released, and readers keep the release before"


@dg.definitions
def defs() -> dg.Definitions:
    """Define the release, downstream of every mart, so that a failed test of any mart blocks it.

    It also depends on the publication, which changes the history. The copy in PostgreSQL is an
    asset only if it is configured.
    """

    @dg.asset(
        key=MARTS,
        group_name="release",
        deps=[*mart_keys(manifest()), PUBLICATION],
        kinds={"python", "duckdb"},
        owners=["team:data"],
        code_version="2",
        metadata=documentation_links("release.md"),
        pool=writer_pool(),
        output_required=False,
        check_specs=[
            dg.AssetCheckSpec(
                "history",
                asset=MARTS,
                description="No athlete's history lost half of its sets since the previous "
                "release; otherwise that release stays current.",
            )
        ],
    )
    def released_marts(
        context: dg.AssetExecutionContext,
        athletes: AthletesResource,
        warehouse: WarehouseResource,
    ) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """The marts for readers, as a database and as Parquet; one row per row of a mart.

        Both are replaced atomically.
        """
        settings = load_settings()
        ids = sorted(set(athletes.all_ids()) - athletes.accepted_deletions)
        with describe_failures(_KEPT), warehouse.connect(read_only=True) as con:
            lost = lost_histories(con, settings.release_folder, ids)
        yield check_result("history", format_by_athlete(lost), some_are_fine=False)
        if lost:
            # The others have their plans: the run counts as successful.
            context.log.error("A history is incomplete: nothing was released.")
            return
        with describe_failures(_KEPT):
            released = release_marts(
                warehouse.place,
                settings.release_folder,
                provenance_of(context.run.run_id),
                datetime.now(UTC),
                athletes.all_profiles(),
            ).manifest
        tables = [
            dg.TableRecord({"mart": name, "rows": count})
            for name, count in released.row_counts.items()
        ]
        yield dg.MaterializeResult(
            metadata={
                "dagster/row_count": sum(released.row_counts.values()),
                "dagster/uri": str(settings.release_path),
                "release_number": released.release_number,
                "data_until": (
                    None
                    if released.data_until is None
                    else dg.TimestampMetadataValue(released.data_until.timestamp())
                ),
                "marts": dg.MetadataValue.table(tables),
            }
        )

    target = load_settings().release_postgres
    copies = [] if target is None else [_postgres_asset(target)]
    return dg.Definitions(assets=[released_marts, *copies])


def _postgres_asset(target: ReleasePostgres) -> dg.AssetsDefinition:
    """Return the asset of the release's copy in a schema of PostgreSQL."""

    @dg.asset(
        key=["release", "postgres"],
        group_name="release",
        deps=[MARTS],
        kinds={"python", "postgres"},
        owners=["team:data"],
        code_version="1",
        metadata=documentation_links("release.md"),
    )
    def released_to_postgres() -> dg.MaterializeResult:
        """The released marts in PostgreSQL for BI tools; all tables change in one transaction."""
        with describe_failures("The copy in PostgreSQL is not updated"):
            try:
                tables = publish_to_postgres(load_settings().release_path, target)
            except (ReleasePostgresFailedError, SettingsError) as error:
                raise dg.Failure(str(error), allow_retries=False) from error
        records = [
            dg.TableRecord({"table": each.name, "rows": each.row_count, "written": each.is_written})
            for each in tables
        ]
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": sum(each.row_count for each in tables),
                "dagster/uri": target.url,
                "schema": target.schema,
                "tables": dg.MetadataValue.table(records),
            }
        )

    return released_to_postgres
