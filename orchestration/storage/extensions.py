"""DuckDB's extensions from their wheels, each for exactly one version of DuckDB."""

from importlib.util import find_spec
from pathlib import Path

import duckdb


class ExtensionMissingError(Exception):
    """The wheel with an extension of DuckDB is not installed; the message has the fix."""


def extension_path(name: str, extra: str) -> Path:
    """Return the path of an extension in its wheel; nothing is downloaded.

    Raises:
        ExtensionMissingError: it is not installed; the optional dependencies `extra` have it.
    """
    spec = find_spec(f"duckdb_extension_{name}")
    for folder in spec.submodule_search_locations or () if spec else ():
        path = Path(folder) / f"extensions/v{duckdb.__version__}/{name}.duckdb_extension"
        if path.exists():
            return path
    raise ExtensionMissingError(
        f"DuckDB's extension {name} for DuckDB {duckdb.__version__} is not installed. "
        f"Run: make install, or pip install 'spotter[{extra}]'"
    )
