"""Hide pandas from DuckDB, which imports it for the first query with a parameter.

A command that reads needs no table of pandas, and the import is a large part of its start.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _HiddenPandas(MetaPathFinder):
    """Makes pandas a module that is not installed; DuckDB and pyarrow support that."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is hidden", name=fullname)
        return None


@contextmanager
def without_pandas() -> Iterator[None]:
    """Hide pandas until the end or `with_pandas`, unless it was imported before."""
    sys.meta_path.insert(0, _HiddenPandas())
    try:
        yield
    finally:
        with_pandas()


def with_pandas() -> None:
    """End `without_pandas`: with pandas DuckDB converts long lists five times as fast."""
    sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, _HiddenPandas)]
