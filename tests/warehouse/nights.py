"""The nights of one warehouse, built once for all tests that read them."""

from contextlib import ExitStack, closing
from pathlib import Path

from tests.warehouse.scratch import MODELS, ScratchWarehouse
from tests.warehouse.stories import EVENINGS, STORIES

REBUILT = "rebuilt"
_BUILT = "built"
COMPILED = Path(_BUILT, "target", "compiled")

LAST = len(EVENINGS)

_TABLES = (*MODELS, "--exclude", "config.materialized:view", "resource_type:seed")
"""Arguments of dbt that select all but the views, which stay those of the first night."""


def build_nights(folder: Path) -> None:
    """Keep a warehouse after each night in a numbered folder, and one that is rebuilt as a whole.

    Only the last night runs the data tests: they cover everything untested.
    """
    (folder / _BUILT).mkdir()
    warehouse = ScratchWarehouse(folder / _BUILT)
    with ExitStack() as stack:
        stories = [stack.enter_context(closing(story(warehouse))) for story in STORIES]
        for night in range(1, LAST + 1):
            for story in stories:
                next(story, None)
            warehouse.build(*_selection(night))
            warehouse.copy(folder / str(night)).close()
    warehouse.move(folder / REBUILT)
    warehouse.build("--full-refresh", *_TABLES)
    warehouse.close()


def _selection(night: int) -> tuple[str, ...]:
    if night == LAST:
        return ()
    return MODELS if night == 1 else _TABLES
