"""`spotter search`: find notes, memories and weekly reviews."""

from typing import Annotated

import typer
from rich.text import Text

from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import load_settings
from orchestration.services.search.documents import KINDS, DocumentKind
from orchestration.services.search.hits import hit_line
from orchestration.services.search.search import MOST_HITS, search


def search_texts(
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    kind: Annotated[
        DocumentKind | None, typer.Option("--kind", help="Only texts of this kind.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST_HITS, help="Most hits.")] = 5,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Search your notes, memories and reviews.

    Words and their meaning are compared, on this machine. Only a model of embeddings that your
    profile names receives the texts.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    found = search(settings, profile, query, kinds=(kind,) if kind else KINDS, limit=limit)
    if as_json:
        print(found.model_dump_json(indent=2))
        return
    if found.warning:
        terminal.show_warning(found.warning)
    if not found.hits:
        terminal.console.print("Nothing found.")
    for hit in found.hits:
        terminal.console.print(Text(hit_line(hit)), soft_wrap=True, highlight=False)
        terminal.console.print(Text(f"    {hit.source}", style="dim"), soft_wrap=True)
