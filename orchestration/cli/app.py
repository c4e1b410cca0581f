"""The `spotter` command. Exit codes: 0 success, 1 failure, 2 invalid input or settings.

75 is a lost connection to the lake's catalog: a retry may succeed.
"""

import os
import sys
import traceback
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated

import duckdb
import typer

from coach_agent.profile.model import ProfileError
from coach_agent.programmes.files import ProgrammeError
from coach_agent.publishing.rollback import RollbackError
from coach_agent.store.corrections import CorrectionError
from coach_agent.store.memories import UnknownMemoryError
from coach_agent.verification.replay import DamagedDecisionError, UnknownDecisionError
from health_connector.errors import HealthError
from hevy_connector.errors import HevyError
from orchestration.cli.commands.aliases import aliases_app
from orchestration.cli.commands.as_of import show_as_of
from orchestration.cli.commands.ask import ask_question
from orchestration.cli.commands.backtest import show_backtest
from orchestration.cli.commands.backup import back_up, restore
from orchestration.cli.commands.before_after import before_after
from orchestration.cli.commands.briefing import show_briefing
from orchestration.cli.commands.check_in import check_in
from orchestration.cli.commands.compact import compact_home
from orchestration.cli.commands.connect import connect_app
from orchestration.cli.commands.correct import correct_app
from orchestration.cli.commands.dashboard import dashboard
from orchestration.cli.commands.decisions import explain, replay_decision
from orchestration.cli.commands.doctor import doctor
from orchestration.cli.commands.export import export
from orchestration.cli.commands.health import health_app
from orchestration.cli.commands.import_csv import import_csv
from orchestration.cli.commands.language_model import plan_compare, plan_prompt
from orchestration.cli.commands.logs import show_log
from orchestration.cli.commands.mcp_server import serve_mcp
from orchestration.cli.commands.memory import memory_app
from orchestration.cli.commands.metrics import metrics
from orchestration.cli.commands.migrate import migrate_warehouse
from orchestration.cli.commands.next_set import show_next_set
from orchestration.cli.commands.options import AsJson, KeepsFormulas
from orchestration.cli.commands.part import part
from orchestration.cli.commands.plan import plan_app
from orchestration.cli.commands.profile import init, profile_app
from orchestration.cli.commands.program import program_app
from orchestration.cli.commands.publications import (
    approve_plan,
    reject_plan,
    roll_back,
    show_diff,
    show_publications,
)
from orchestration.cli.commands.review import show_review
from orchestration.cli.commands.run import demo, run, sync
from orchestration.cli.commands.serve import serve_part
from orchestration.cli.commands.simulate import simulate
from orchestration.cli.commands.start import is_debugging, start
from orchestration.cli.views import terminal
from orchestration.config.athletes import UnknownAthleteError, configured_athletes
from orchestration.config.durable_files import UMASK
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.runs.infrastructure_errors import remedy, sentence
from orchestration.runs.stages import EXIT_RETRY
from orchestration.runs.status import HistoryDamagedError, HistoryLostError
from orchestration.runs.worker_processes import StopRequestedError
from orchestration.services.approve import ApprovalError
from orchestration.services.as_of import AsOfError
from orchestration.services.backup import BackupError
from orchestration.services.compaction import CompactionError
from orchestration.services.decision_lineage import UnknownSlotError
from orchestration.services.migrate import MigrationError
from orchestration.services.release_manifest import ManifestError
from orchestration.services.sql_output import write_csv, write_json, write_table
from orchestration.services.sql_session import (
    QueryError,
    ReleaseMissingError,
    Write,
    in_child,
    open_release,
    require_release,
    run_sql,
)
from orchestration.services.status import Status, read_status
from orchestration.storage.disk import full_disk_text, is_full
from orchestration.storage.file_lock import LockedError
from orchestration.storage.lake.catalog import LakeExtrasError
from orchestration.storage.migrations import WarehouseNewerError
from orchestration.storage.warehouse import (
    CatalogLostError,
    WarehouseBusyError,
    WarehouseDamagedError,
    WarehouseMissingError,
)
from orchestration.text.safe_output import safe_stream

app = typer.Typer(name="spotter", pretty_exceptions_enable=False)
app.callback(invoke_without_command=True)(start)
app.command()(run)
app.command()(sync)
app.command()(part)
app.command()(demo)
app.add_typer(plan_app, name="plan", no_args_is_help=True)
app.add_typer(aliases_app, name="aliases", no_args_is_help=True)
app.add_typer(correct_app, name="correct", no_args_is_help=True)
app.add_typer(memory_app, name="memory")
app.add_typer(profile_app, name="profile", no_args_is_help=True)
app.add_typer(program_app, name="program", no_args_is_help=True)
app.add_typer(connect_app, name="connect", no_args_is_help=True)
app.add_typer(health_app, name="health", no_args_is_help=True)
plan_app.command("approve")(approve_plan)
plan_app.command("reject")(reject_plan)
app.command("publications")(show_publications)
app.command("diff")(show_diff)
app.command("rollback")(roll_back)
plan_app.command("prompt")(plan_prompt)
plan_app.command("compare")(plan_compare)
app.command()(metrics)
app.command("as-of")(show_as_of)
app.command("check-in")(check_in)
app.command("next-set")(show_next_set)
app.command("ask")(ask_question)
app.command("mcp")(serve_mcp)
app.command("backtest")(show_backtest)
app.command("before-after")(before_after)
app.command()(init)
app.command()(simulate)
app.command("briefing")(show_briefing)
app.command("review")(show_review)
app.command("replay")(replay_decision)
app.command("backup")(back_up)
app.command()(restore)
app.command("migrate")(migrate_warehouse)
app.command("compact")(compact_home)
app.command("logs")(show_log)
app.command()(doctor)
app.command()(dashboard)
app.command("serve")(serve_part)
app.command()(explain)
app.command()(export)
app.command("import-csv")(import_csv)

_WEBHOOK_PORT = 8712


class UnknownStatusError(Exception):
    """The status cannot be determined, for an unexpected reason."""


_USER_ERRORS = (
    HistoryDamagedError,
    SettingsError,
    ProfileError,
    ProgrammeError,
    HevyError,
    HealthError,
    UnknownAthleteError,
    CorrectionError,
    UnknownMemoryError,
    ApprovalError,
    AsOfError,
    BackupError,
    CompactionError,
    RollbackError,
    LockedError,
    WarehouseBusyError,
    WarehouseDamagedError,
    WarehouseMissingError,
    WarehouseNewerError,
    LakeExtrasError,
    MigrationError,
    ReleaseMissingError,
    QueryError,
    DamagedDecisionError,
    UnknownDecisionError,
    UnknownSlotError,
    ManifestError,
    UnknownStatusError,
)


def main() -> None:
    """Run the command line; prints an error as one message, with a traceback only with --debug."""
    told_at = os.dup(2)
    os.umask(UMASK)
    sys.stdout, sys.stderr = safe_stream(sys.stdout), safe_stream(sys.stderr)
    try:
        app()
    except Exception as error:
        told, code = _error_message(error)
        # On a full disk Dagster leaves stderr redirected to a file on that disk.
        os.dup2(told_at, 2)
        if is_debugging.get():
            traceback.print_exc()
        terminal.show_error(told)
        sys.exit(code)


def _error_message(error: Exception) -> tuple[str, int]:
    """Return the message and the exit code of an error."""
    if isinstance(error, CatalogLostError | HistoryLostError):
        return str(error), EXIT_RETRY
    if isinstance(error, StopRequestedError):
        return str(error), error.code
    if isinstance(error, _USER_ERRORS):
        return str(error), 2
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        # dbt migrates the marts in the next build; readers do not wait for that.
        return (
            f"The marts are of another version of Spotter ({str(error).splitlines()[0]}). "
            "Rebuild them: spotter run"
        ), 2
    home = load_settings().home
    if is_full(home):
        return full_disk_text(home), 1
    if (what_to_do := remedy(error)) is not None:
        return f"{sentence(error)} {what_to_do}. Nothing else was changed.", 2
    kind, words = type(error).__name__, str(error).strip()
    return (
        f"{kind}: {words or 'no details'}\nThis is an unexpected error. `spotter --debug` before "
        "the command shows the traceback; `spotter doctor` checks the installation."
    ), 1


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show freshness, failures, pending plans, cost and disk.

    Exits with 0 if all is well, 1 if something is stale, missing, failed or has warnings, and 2 if
    the status cannot be determined or a damaged history was moved away.
    """
    settings = load_settings()
    try:
        found = _read_status(settings)
    except (*_USER_ERRORS, HistoryLostError):
        raise
    except Exception as error:
        if is_full(settings.home) or remedy(error) is not None:
            raise
        # Monitors interpret 1 as a result, so an unexpected error must not exit with it.
        told = str(error).strip().splitlines() or [type(error).__name__]
        raise UnknownStatusError(
            f"The status cannot be determined: {told[0]}. Check that you own the home "
            f"{settings.home}, or check for damage: spotter doctor"
        ) from error
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        terminal.show_status(found)
    from orchestration.runs.history_health import quarantine_folders

    if aside := quarantine_folders(settings):
        for folder in aside:
            terminal.show_error(terminal.damaged_history_text(folder))
        raise typer.Exit(2)
    if found.problems:
        raise typer.Exit(1)


def _read_status(settings: Settings) -> Status:
    from orchestration.runs.history import recent_runs

    athletes = configured_athletes(settings)
    runs = recent_runs(settings, [athlete.id for athlete in athletes])
    return read_status(settings, athletes, runs, datetime.now(UTC))


@app.command("sql")
def query_release(
    query: Annotated[
        str | None, typer.Argument(help="Statements; default: read from stdin.")
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    keeps_formulas: KeepsFormulas = False,
    only_path: Annotated[
        bool, typer.Option("--path", help="Print only the path of the file.")
    ] = False,
) -> None:
    """Query the released marts with SQL, read-only.

    Tables have the names of the warehouse, with or without `marts.`. `show tables` and
    `describe fct_set` list tables and columns; the table `manifest` has the time of the release.
    For an interactive session, open the file of --path with DuckDB.
    """
    path = load_settings().release_path
    if only_path:
        print(require_release(path))
        return
    if as_json and as_csv:
        raise SettingsError("Choose one of --json and --csv.")
    write: Write = partial(write_table, console=terminal.console)
    if as_json or as_csv:
        write = write_json if as_json else partial(write_csv, keeps_formulas=keeps_formulas)
    require_release(path)
    if query is None and sys.stdin.isatty():
        raise SettingsError(
            'No query. Run: spotter sql "show tables", or for a session: '
            f"duckdb -readonly {quote(str(path))}"
        )
    text = sys.stdin.read() if query is None else query
    code = in_child(lambda: _query(path, text, write))
    if code < 0:
        terminal.show_error(
            f"The statement crashed DuckDB (signal {-code}). Nothing was changed; simplify it."
        )
        raise typer.Exit(1)
    if code:
        raise typer.Exit(code)


def _query(path: Path, text: str, write: Write) -> int:
    """Run statements in a child process; returns its exit code."""
    try:
        with open_release(path) as con:
            try:
                run_sql(con, text, write)
            except (QueryError, KeyboardInterrupt) as error:
                terminal.show_error(str(error) or "interrupted")
                return 2
    except BrokenPipeError:
        raise
    except Exception as error:
        if is_debugging.get():
            traceback.print_exc()
        text, code = _error_message(error)
        terminal.show_error(text)
        return code
    return 0


@app.command()
def simulator(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on loopback; 0: a free one.")
    ] = 0,
    profile: Annotated[
        str,
        typer.Option(
            metavar="live|spec",
            help="Follow the live service or its specification.",
        ),
    ] = "live",
    quirk: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Change a setting of the profile; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the athlete's history.")] = 1,
    workouts: Annotated[
        int | None,
        typer.Option(min=0, max=100_000, help="Number of past workouts; 0: new account."),
    ] = None,
    latency: Annotated[
        float,
        typer.Option(
            min=0, max=600_000, metavar="MS", help="Delay of each answer in milliseconds."
        ),
    ] = 0,
    fail: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Inject failures (see below); repeatable."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            dir_okay=False,
            help="Load and save the account in this file.",
        ),
    ] = None,
    now: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M:%S"], help="Freeze the clock at this time (UTC)."),
    ] = None,
) -> None:
    """Serve a simulated Hevy account until Ctrl-C.

    It has 16 weeks of training. Use it with HEVY_API_URL=<the URL it prints>. Without --state it is
    in memory only.

    A RULE is a failure and its conditions, for example "429 every=3 retry-after=2" or "reset after
    method=PUT times=1". It starts with a status of 400 to 599, reset, timeout, timeout=S, truncate,
    slow=S, duplicate or drift=add|edit|delete. Optional: after, path=GLOB, method=M, one of nth=N,
    every=N and chance=P, and times=N. docs/simulator.md explains them and the quirks.
    """
    from hevy_connector.simulator import (
        SIMULATOR_KEY,
        FaultRuleError,
        QuirkError,
        StateFileError,
        demo_service,
        serve,
    )

    try:
        service = demo_service(
            api_key=SIMULATOR_KEY,
            seed=seed,
            now=now.replace(tzinfo=UTC) if now else None,
            workouts=workouts,
            state_path=state,
            profile=profile,
            quirks=quirk or (),
            faults=fail or (),
            latency_s=latency / 1000,
        )
    except (FaultRuleError, QuirkError, StateFileError) as error:
        raise SettingsError(str(error)) from error

    def announce(url: str) -> None:
        terminal.console.print(
            f"Hevy simulator at {url}, key {SIMULATOR_KEY}; Ctrl-C ends it.", soft_wrap=True
        )

    try:
        serve(service, port=port, on_started=announce)
    except OSError as error:
        raise SettingsError(
            f"Port {port} cannot be used: {error.strerror}. Choose another with --port."
        ) from error


@app.command()
def dev(
    simulated: Annotated[
        bool, typer.Option("--demo", help="Use the simulator and the demo athlete.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the UI on loopback.")] = 3000,
    dashboard_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of the dashboard; default: 8501 or free."),
    ] = None,
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Receive Hevy's webhook on loopback, too.")
    ] = False,
    webhook_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the webhook; 0: a free one.")
    ] = _WEBHOOK_PORT,
) -> None:
    """Serve Dagster UI and dashboard until Ctrl-C.

    Both listen on loopback; the daemon runs the schedules. With --demo it uses a separate home with
    the simulated athlete.
    """
    from orchestration.server.dev import serve_ui

    code = serve_ui(
        port,
        dashboard_port=dashboard_port,
        is_simulated=simulated,
        webhook_port=webhook_port if webhook else None,
    )
    raise typer.Exit(code)


@app.command("webhook")
def receive_webhook(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")
    ] = _WEBHOOK_PORT,
    host: Annotated[str, typer.Option(help="Listen address; use a proxy for TLS.")] = "127.0.0.1",
) -> None:
    """Receive Hevy's webhook until Ctrl-C.

    A delivery is stored immediately and starts the nightly job of its athlete once `spotter dev` of
    the same home is running. Each athlete needs a token: docs/webhook.md
    """
    from orchestration.server.dev import serve_webhook

    serve_webhook(host, port)


if __name__ == "__main__":
    main()
