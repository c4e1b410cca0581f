"""Import files of training from the home's folder `import`."""

from datetime import UTC, datetime

import dagster as dg
from pydantic import Field

from hevy_connector.csv_imports.imported_files import record_file
from hevy_connector.errors import CsvFormatError
from orchestration.assets.coach_assets import check_result
from orchestration.assets.pools import writer_pool
from orchestration.config.settings import load_settings
from orchestration.defs.resources import WarehouseResource
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv
from orchestration.services.ingestion.import_report import import_lines, no_workouts_text

IMPORTED_FILES = dg.AssetKey(["raw", "imported_files"])


class FileConfig(dg.Config):
    """The file to import."""

    file: str | None = Field(
        default=None,
        description="The file below the home's folder `import`: <athlete>/<name>.csv. Default: no "
        "import.",
    )


@dg.asset(
    key=IMPORTED_FILES,
    group_name="raw",
    kinds={"python", "duckdb"},
    owners=["team:data"],
    code_version="1",
    pool=writer_pool(),
    check_specs=[
        dg.AssetCheckSpec(
            "taken",
            asset=IMPORTED_FILES,
            description="The file was imported. A refused file is not retried until it changes; "
            "use `spotter import-csv` to set missing options.",
        )
    ],
)
def imported_files(
    context: dg.AssetExecutionContext,
    config: FileConfig,
    warehouse: WarehouseResource,
) -> dg.MaterializeResult:
    """Imported training files; one row per file and content.

    Their sets go to raw.hevy_workouts with origin csv.
    """
    if config.file is None:
        return _result("No file was to be imported.")
    athlete = config.file.partition("/")[0]
    settings = load_settings()
    path = settings.import_folder / config.file
    if not path.exists():
        return _result(f"{config.file} is gone.", is_refused=True)
    warehouse.prepare()
    content = path.read_bytes()
    try:
        outcome = import_csv(settings, path, athlete, ImportOptions(), context.log.info)
    except CsvFormatError as error:
        with warehouse.connect() as con:
            record_file(con, athlete, content, now=datetime.now(UTC), is_refused=True)
        return _result(f"{config.file} was refused: {error}", is_refused=True)
    rows = outcome.rows
    failed = [] if outcome.has_workouts else [no_workouts_text([outcome])]
    return _result(
        "\n".join([*failed, *import_lines(outcome)]),
        is_refused=bool(failed),
        new_versions=outcome.workouts.new + outcome.workouts.changed,
        quarantined=rows.quarantined,
        rows_read=rows.read,
    )


def _result(told: str, *, is_refused: bool = False, **counts: int) -> dg.MaterializeResult:
    return dg.MaterializeResult(
        metadata={"report": dg.MetadataValue.md(told), **counts},
        check_results=[check_result("taken", [told] if is_refused else [])],
    )
