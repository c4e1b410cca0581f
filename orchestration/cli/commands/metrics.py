"""`spotter metrics`: query dbt's metrics on the released marts."""

import json
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Annotated

import duckdb
import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.queries.sql_output import write_csv, write_json, write_table
from orchestration.services.queries.sql_session import (
    Write,
    open_release,
    released_athletes,
    run_sql,
)

_DAY = ["%Y-%m-%d"]


def metrics(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Metric; default: list all metrics.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP",
            help="Time grain (day to year) or dimension; repeatable.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Dimension =, != or in values; repeatable.",
        ),
    ] = None,
    athlete: Annotated[
        str | None, typer.Option(metavar="ID", help="Athlete; default: all.")
    ] = None,
    since: Annotated[datetime | None, typer.Option(formats=_DAY, help="First day.")] = None,
    until: Annotated[datetime | None, typer.Option(formats=_DAY, help="Last day.")] = None,
    show_sql: Annotated[
        bool, typer.Option("--sql", help="Print the query instead of running it.")
    ] = False,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
) -> None:
    """Show a metric, or list all metrics.

    Hard sets, tonnage, e1RM, adherence and others are defined in the dbt project. Days and weeks
    are local to the athlete; weeks start on Monday. Grains: day, week, month, quarter, year.
    Without a grain the first and last day with a value are shown. Rows without a value are not.
    """
    # It takes 1 s to import, so other commands do not import it.
    from orchestration.dbt.metrics import MetricError, MetricQuery, SemanticLayer
    from orchestration.dbt.runner import ensure_semantic_manifest

    if as_json and as_csv:
        raise SettingsError("Choose one of --json and --csv.")
    layer = SemanticLayer(ensure_semantic_manifest())
    if name is None:
        found = layer.metrics()
        if as_json:
            print(json.dumps([asdict(metric) for metric in found], indent=2))
        else:
            terminal.show_metrics(found)
        return
    write: Write = partial(write_table, console=terminal.console)
    if as_json or as_csv:
        write = write_json if as_json else write_csv
    with open_release(load_settings().release_path) as con:
        if athlete is not None:
            _require_athlete(con, athlete)
        question = MetricQuery(
            metric=name,
            by=by or [],
            where=where or [],
            athlete_id=athlete,
            since=since.date() if since else None,
            until=until.date() if until else None,
        )
        try:
            sql = layer.sql(question)
        except MetricError as error:
            raise SettingsError(str(error)) from error
        if show_sql:
            print(sql)
        else:
            run_sql(con, sql, write)


def _require_athlete(con: duckdb.DuckDBPyConnection, athlete: str) -> None:
    known = released_athletes(con)
    if athlete not in known:
        raise SettingsError(
            f"No athlete '{athlete}' in the released marts. There are: {', '.join(known) or 'none'}"
        )
