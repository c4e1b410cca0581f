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
    "plan": "plan:plan_app",
    "aliases": "aliases:aliases_app",
    "correct": "correct:correct_app",
    "profile": "profile:profile_app",
    "program": "program:program_app",
    "connect": "connect:connect_app",
    "health": "health:health_app",
    "memory": "memory:memory_app",
    "run": "run:run",
    "sync": "run:sync",
    "part": "part:part",
    "demo": "run:demo",
    "publications": "publications:show_publications",
    "diff": "publications:show_diff",
    "rollback": "publications:roll_back",
    "metrics": "metrics:metrics",
    "as-of": "as_of:show_as_of",
    "check-in": "check_in:check_in",
    "next-set": "next_set:show_next_set",
    "ask": "ask:ask_question",
    "search": "search:search_texts",
    "mcp": "mcp_server:serve_mcp",
    "backtest": "backtest:show_backtest",
    "what-if": "what_if:what_if",
    "before-after": "before_after:before_after",
    "evaluate-model": "evaluate_model:evaluate_model",
    "init": "profile:init",
    "simulate": "simulate:simulate",
    "briefing": "briefing:show_briefing",
    "review": "review:show_review",
    "replay": "decisions:replay_decision",
    "backup": "backup:back_up",
    "restore": "backup:restore",
    "migrate": "migrate:migrate_warehouse",
    "compact": "compact:compact_home",
    "logs": "logs:show_log",
    "doctor": "doctor:doctor",
    "dashboard": "dashboard:dashboard",
    "serve": "serve:serve_part",
    "explain": "decisions:explain",
    "export": "export:export",
    "import-csv": "import_csv:import_csv",
    "status": "status:status",
    "sql": "sql:query_release",
    "simulator": "simulator:simulator",
    "dev": "dev:dev",
    "webhook": "dev:receive_webhook",
}

app = typer.Typer(name="spotter", pretty_exceptions_enable=False, cls=lazy_group(_PLACES))
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
