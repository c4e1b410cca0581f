"""The `spotter` command. Exit codes: 0 success, 1 failure, 2 invalid input or settings.

75 is a lost connection to the lake's catalog: a retry may succeed.
"""

import os
import sys
import traceback

import typer

from orchestration.cli.commands.start import start
from orchestration.cli.debugging import is_debugging
from orchestration.cli.hidden_pandas import without_pandas
from orchestration.cli.lazy import lazy_group
from orchestration.cli.views import terminal
from orchestration.config.durable_files import UMASK
from orchestration.text.safe_output import safe_stream

_PLACES = {
    "plan": ("plan:plan_app", "Show, approve or reject the next workout."),
    "aliases": ("aliases:aliases_app", "Join titles of files with exercises."),
    "correct": ("correct:correct_app", "Correct workouts and doubted sets."),
    "profile": ("profile:profile_app", "Show and change your settings."),
    "program": ("program:program_app", "Show, build and publish training programmes."),
    "connect": ("connect:connect_app", "Connect accounts of other services."),
    "health": ("health:health_app", "Import recovery and body data."),
    "memory": ("memory:memory_app", "Show, confirm, correct or forget memories."),
    "run": ("run:run", "Run the nightly job now."),
    "sync": ("run:sync", "Update the raw tables from Hevy."),
    "demo": ("run:demo", "Run the nightly job against the simulator."),
    "publications": ("publications:show_publications", "List publications, newest first."),
    "diff": ("publications:show_diff", "Show the changes of a publication in Hevy."),
    "rollback": ("publications:roll_back", "Restore a routine to its previous state."),
    "metrics": ("metrics:metrics", "Show a metric, or list all metrics."),
    "as-of": ("as_of:show_as_of", "Rebuild the marts as they were known on a date."),
    "check-in": ("check_in:check_in", "Record a check-in and adjust the next workout."),
    "next-set": ("next_set:show_next_set", "Decide the next set: same, more, less or stop."),
    "ask": ("ask:ask_question", "Answer a question about your training."),
    "search": ("search:search_texts", "Search your notes, memories and reviews."),
    "mcp": ("mcp_server:serve_mcp", "Serve your training to an assistant over MCP."),
    "backtest": ("backtest:show_backtest", "Compare the engine's forecasts with past sessions."),
    "what-if": ("what_if:what_if", "Try another profile or programme on your own training."),
    "before-after": (
        "before_after:before_after",
        "Compare trends before and after the first plan.",
    ),
    "evaluate-model": (
        "evaluate_model:evaluate_model",
        "Compare language models by your past decisions.",
    ),
    "init": ("profile:init", "Create the profile of a new athlete."),
    "simulate": ("simulate:simulate", "Simulate lifters under a policy and show results."),
    "briefing": ("briefing:show_briefing", "Show the latest briefing."),
    "review": ("review:show_review", "Show the review of a training week."),
    "replay": ("decisions:replay_decision", "Replay a decision and compare it byte for byte."),
    "backup": ("backup:back_up", "Back up the home to one file."),
    "restore": ("backup:restore", "Restore a backup. Stop Dagster first."),
    "migrate": ("migrate:migrate_warehouse", "Move the warehouse into a lake or a file."),
    "compact": ("compact:compact_home", "Delete expired data and shrink the warehouse."),
    "logs": ("logs:show_log", "Show the log of a run."),
    "doctor": ("doctor:doctor", "Check the installation and suggest fixes."),
    "dashboard": ("dashboard:dashboard", "Serve the dashboard until Ctrl-C."),
    "serve": ("serve:serve_part", "Run one of Dagster's servers until stopped."),
    "explain": ("decisions:explain", "Trace a decision from raw rows to the loads."),
    "export": ("export:export", "Export a release as CSV, Parquet or Hevy's format."),
    "import-csv": ("import_csv:import_csv", "Import workouts from files, then build the marts."),
    "status": ("status:status", "Show freshness, failures, pending plans, cost and disk."),
    "sql": ("sql:query_release", "Query the released marts with SQL, read-only."),
    "simulator": ("simulator:simulator", "Serve a simulated Hevy account until Ctrl-C."),
    "dev": ("dev:dev", "Serve Dagster UI and dashboard until Ctrl-C."),
    "exporter": ("exporter:export_metrics", "Serve metrics for Prometheus until Ctrl-C."),
    "webhook": ("dev:receive_webhook", "Receive Hevy's webhook until Ctrl-C."),
}

_REMOVED = {
    "part": "Dagster runs the parts of a night: set SPOTTER_PARTITIONS, see docs/scaling.md.",
}
"""Removed commands with their replacement."""

app = typer.Typer(name="spotter", pretty_exceptions_enable=False, cls=lazy_group(_PLACES, _REMOVED))
app.callback(invoke_without_command=True)(start)


def main() -> None:
    """Run the command line; prints an error as one message, with a traceback only with --debug."""
    told_at = os.dup(2)
    os.umask(UMASK)
    sys.stdout, sys.stderr = safe_stream(sys.stdout), safe_stream(sys.stderr)
    try:
        with without_pandas():
            app()
    except Exception as error:
        # On a full disk Dagster leaves stderr redirected to a file on that disk.
        os.dup2(told_at, 2)
        if is_debugging.get():
            traceback.print_exc()
        sys.exit(_report(error))


def _report(error: Exception) -> int:
    """Print the message of an error and return its exit code."""
    try:
        from orchestration.cli.errors import error_message

        told, code = error_message(error)
        terminal.show_error(told)
    except OSError as reason:
        # Without a free file descriptor nothing can be imported.
        print(f"Error: {type(error).__name__}: {error}. {reason}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    main()
