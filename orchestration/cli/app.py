"""The `spotter` command. Exit codes: 0 success, 1 failure, 2 invalid input or settings.

75 is a lost connection to the lake's catalog: a retry may succeed.
"""

import os
import sys
import traceback

import typer

from orchestration.cli.commands.start import start
from orchestration.cli.debugging import is_debugging
from orchestration.cli.lazy import lazy_group
from orchestration.cli.views import terminal
from orchestration.config.durable_files import UMASK
from orchestration.text.safe_output import safe_stream

_COMMANDS = "orchestration.cli.commands"
_PLACES = {
    "plan": f"{_COMMANDS}.plan:plan_app",
    "aliases": f"{_COMMANDS}.aliases:aliases_app",
    "correct": f"{_COMMANDS}.correct:correct_app",
    "profile": f"{_COMMANDS}.profile:profile_app",
    "program": f"{_COMMANDS}.program:program_app",
    "connect": f"{_COMMANDS}.connect:connect_app",
    "health": f"{_COMMANDS}.health:health_app",
    "memory": f"{_COMMANDS}.memory:memory_app",
    "run": f"{_COMMANDS}.run:run",
    "sync": f"{_COMMANDS}.run:sync",
    "part": f"{_COMMANDS}.part:part",
    "demo": f"{_COMMANDS}.run:demo",
    "publications": f"{_COMMANDS}.publications:show_publications",
    "diff": f"{_COMMANDS}.publications:show_diff",
    "rollback": f"{_COMMANDS}.publications:roll_back",
    "metrics": f"{_COMMANDS}.metrics:metrics",
    "as-of": f"{_COMMANDS}.as_of:show_as_of",
    "check-in": f"{_COMMANDS}.check_in:check_in",
    "next-set": f"{_COMMANDS}.next_set:show_next_set",
    "ask": f"{_COMMANDS}.ask:ask_question",
    "mcp": f"{_COMMANDS}.mcp_server:serve_mcp",
    "backtest": f"{_COMMANDS}.backtest:show_backtest",
    "before-after": f"{_COMMANDS}.before_after:before_after",
    "init": f"{_COMMANDS}.profile:init",
    "simulate": f"{_COMMANDS}.simulate:simulate",
    "briefing": f"{_COMMANDS}.briefing:show_briefing",
    "review": f"{_COMMANDS}.review:show_review",
    "replay": f"{_COMMANDS}.decisions:replay_decision",
    "backup": f"{_COMMANDS}.backup:back_up",
    "restore": f"{_COMMANDS}.backup:restore",
    "migrate": f"{_COMMANDS}.migrate:migrate_warehouse",
    "compact": f"{_COMMANDS}.compact:compact_home",
    "logs": f"{_COMMANDS}.logs:show_log",
    "doctor": f"{_COMMANDS}.doctor:doctor",
    "dashboard": f"{_COMMANDS}.dashboard:dashboard",
    "serve": f"{_COMMANDS}.serve:serve_part",
    "explain": f"{_COMMANDS}.decisions:explain",
    "export": f"{_COMMANDS}.export:export",
    "import-csv": f"{_COMMANDS}.import_csv:import_csv",
    "status": f"{_COMMANDS}.status:status",
    "sql": f"{_COMMANDS}.sql:query_release",
    "simulator": f"{_COMMANDS}.simulator:simulator",
    "dev": f"{_COMMANDS}.dev:dev",
    "webhook": f"{_COMMANDS}.dev:receive_webhook",
}

app = typer.Typer(name="spotter", pretty_exceptions_enable=False, cls=lazy_group(_PLACES))
app.callback(invoke_without_command=True)(start)


def main() -> None:
    """Run the command line; prints an error as one message, with a traceback only with --debug."""
    told_at = os.dup(2)
    os.umask(UMASK)
    sys.stdout, sys.stderr = safe_stream(sys.stdout), safe_stream(sys.stderr)
    try:
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
