"""`spotter briefing`: the latest briefing and its deliveries."""

import json
from datetime import UTC, datetime
from typing import Annotated

import duckdb
import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from coach_agent.domain.red_flags import how_to_clear, stop_text
from coach_agent.journal.current_plans import read_current_plan
from coach_agent.language.messages import in_language
from coach_agent.store.briefings import read_latest_briefing, read_notifications
from coach_agent.store.check_ins import read_open_red_flags
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import SettingsError, load_settings
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.briefing import Briefing, Item


def show_briefing(
    athlete: Athlete = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the Markdown that is sent.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the latest briefing.

    Each run writes it: next workout, reasons, changes, progress and problems. It is sent to the
    addresses under [notify] in the profile, once a day or when its content changes.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        try:
            written = read_latest_briefing(con, profile.id)
            sent = () if written is None else read_notifications(con, written)
        except duckdb.CatalogException:
            written, sent = None, ()  # a warehouse older than briefings
        current = read_current_plan(con, profile.id)
        red_flags = read_open_red_flags(con, profile, datetime.now(UTC))
    if written is None:
        raise SettingsError(f"There is no briefing for '{profile.id}' yet. Run: spotter run")
    is_outdated = written.plan_id != (current.plan_id if current else None)
    if as_json:
        report = {
            **json.loads(written.content),
            "content_sha256": written.content_sha256,
            "written_at": written.written_at.isoformat(),
            "is_outdated": is_outdated,
            "stop": stop_text(red_flags) or None,
            "markdown": written.markdown,
            "notifications": [
                {
                    "destination": each.destination,
                    "state": each.state,
                    "detail": each.detail,
                    "tried_at": each.tried_at.isoformat(),
                }
                for each in sent
            ],
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    # A briefing with a workout from before the red flag. Later ones contain the stop.
    if red_flags and written.plan_id is not None:
        with in_language(profile.preferences.language):
            raise SettingsError(f"{stop_text(red_flags)} {how_to_clear()}")
    if markdown:
        print(written.markdown, end="")
        return
    _show(Briefing.model_validate_json(written.content))
    for each in sent:
        what = "sent" if each.state == "sent" else f"not sent: {each.detail}"
        _print(Text(f"{each.destination}: {what}", style="dim"))
    if is_outdated:
        terminal.show_warning("It is outdated, a newer plan is active: spotter plan show")


def _show(briefing: Briefing) -> None:
    _print(Text(briefing.title, style="bold"))
    _print(Text(" ".join(briefing.lead)))
    for section in briefing.sections:
        terminal.console.print()
        _print(Text(section.heading, style="bold"))
        for item in section.items:
            _show_item(item)


def _show_item(item: Item) -> None:
    name = f"{item.name}: " if item.name else ""
    told, why = Text.assemble((name, "bold"), item.text), Text(item.why, style="italic")
    lines = Table.grid(padding=(0, 1))
    if item.mark:
        lines.add_row(item.mark, told)
    else:
        lines.add_row(told)
    terminal.console.print(Padding(lines, (0, 0, 0, 2)), highlight=False)
    if item.why:
        terminal.console.print(Padding(why, (0, 0, 0, 4)), highlight=False)


def _print(text: Text) -> None:
    terminal.console.print(text, highlight=False)
