"""Links from the pages of assets to what explains them."""

from typing import Any

import dagster as dg

from orchestration.lib.settings import PROJECT_ROOT


def documented(page: str, *, beside: str | None = None) -> dict[str, Any]:
    """Metadata with a link to a page of `docs/`, and to the source file `beside` it."""
    files = [f"docs/{page}", *([beside] if beside else [])]
    return {
        "dagster/code_references": dg.CodeReferencesMetadataValue(
            code_references=[
                dg.LocalFileCodeReference(
                    file_path=str(PROJECT_ROOT / file), line_number=1, label=file
                )
                for file in files
            ]
        )
    }
