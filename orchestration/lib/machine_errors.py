"""Which failures are the machine's, and not the athlete's at whom they happened."""

import duckdb

from orchestration.lib.lake import LakeExtrasError
from orchestration.lib.warehouse import (
    CatalogLostError,
    WarehouseBusyError,
    WarehouseDamagedError,
    is_lost_catalog,
)

MACHINE_ERRORS = (
    OSError,
    LakeExtrasError,
    WarehouseBusyError,
    WarehouseDamagedError,
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.FatalException,
    duckdb.InternalException,
)
"""What stops the next athlete, too: the disk, memory, the warehouse."""


def is_machines(error: BaseException) -> bool:
    """Whether it stops the next athlete, too: `MACHINE_ERRORS`, or a lake that lost its catalog."""
    return isinstance(error, MACHINE_ERRORS) or tells_of_a_lost_catalog(error)


def tells_of_a_lost_catalog(error: BaseException) -> bool:
    """Whether a lake lost its catalog, upon which a part begins again and nothing is lost.

    Inside an open connection DuckDB tells of that by errors of several types.
    """
    return isinstance(error, CatalogLostError) or (
        isinstance(error, duckdb.Error) and is_lost_catalog(str(error))
    )
