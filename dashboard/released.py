"""One release with its tables and plans, each read once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from orchestration.services.releases import released
from orchestration.services.releases.release_contents import (
    PLANS_FILE,
    PROGRAMMES_FILE,
    RED_FLAGS_FILE,
)
from orchestration.services.releases.released import Row, read_json, read_release

__all__ = ["Released", "Row", "current_release"]

_CACHED_ANSWERS = 2_000


class Released(released.Released):
    """One release whose rows, plans and red flags are cached."""

    def rows(self, query: str, *parameters: str) -> list[Row]:
        """Return the rows of a query on the marts, cached for this release."""
        return _rows(str(self.folder), self.manifest.run_id, query, parameters, super().rows)

    def plans(self) -> dict[str, Any]:
        """Return the active plans at the release by athlete, cached."""
        return _plans(str(self.folder), self.manifest.run_id)

    def programmes(self) -> dict[str, Any]:
        """Return the followed programmes at the release by athlete, cached."""
        return _programmes(str(self.folder), self.manifest.run_id)

    def red_flags(self) -> dict[str, list[str]]:
        """Return the codes of the red flags at the release by athlete, cached."""
        return _red_flags(str(self.folder), self.manifest.run_id)


def current_release(folder: Path) -> Released | None:
    """Return the current release of the folder; None before the first."""
    found = read_release(folder)
    return None if found is None else Released(found.folder, found.manifest, found.stops)


@st.cache_data(max_entries=_CACHED_ANSWERS, show_spinner=False)
def _rows(
    folder: str,
    run_id: str,
    query: str,
    parameters: Sequence[str],
    _read: Callable[..., list[Row]],
) -> list[Row]:
    """Query with a cache; `run_id` is part of the key, because a new home restarts the numbers."""
    return _read(query, *parameters)


@st.cache_data(max_entries=10, show_spinner=False)
def _plans(folder: str, run_id: str) -> dict[str, Any]:
    return read_json(Path(folder), PLANS_FILE)


@st.cache_data(max_entries=10, show_spinner=False)
def _programmes(folder: str, run_id: str) -> dict[str, Any]:
    return read_json(Path(folder), PROGRAMMES_FILE)


@st.cache_data(max_entries=10, show_spinner=False)
def _red_flags(folder: str, run_id: str) -> dict[str, list[str]]:
    return read_json(Path(folder), RED_FLAGS_FILE)
