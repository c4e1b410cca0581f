"""Hide pandas from DuckDB, which imports it for the first query with a parameter.

The import takes a third of the time of a command that reads.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_HIDDEN: Any = None
"""Python raises ModuleNotFoundError for a module with this value in `sys.modules`."""


@contextmanager
def without_pandas() -> Iterator[None]:
    """Hide pandas until the end or `with_pandas`, unless it was imported before."""
    sys.modules.setdefault("pandas", _HIDDEN)
    try:
        yield
    finally:
        with_pandas()


def with_pandas() -> None:
    """End `without_pandas`: with pandas DuckDB converts long lists five times as fast."""
    if "pandas" in sys.modules and sys.modules["pandas"] is _HIDDEN:
        del sys.modules["pandas"]
