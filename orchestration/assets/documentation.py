"""Links from the pages of assets to their documentation."""

from typing import Any

import dagster as dg
from dagster._utils.warnings import disable_dagster_warnings

from orchestration.config.locations import PROJECT_FILES


def documentation_links(page: str, *, beside: str | None = None) -> dict[str, Any]:
    """Return metadata with links to a page of `docs/` and to the source file `beside`."""
    files = [f"docs/{page}", *([beside] if beside else [])]
    with disable_dagster_warnings():  # beta warnings; the UI has no other link to a file
        references = [
            dg.LocalFileCodeReference(
                file_path=str(PROJECT_FILES / file), line_number=1, label=file
            )
            for file in files
        ]
        return {
            "dagster/code_references": dg.CodeReferencesMetadataValue(code_references=references)
        }
