"""Which failures are the machine's, and not the athlete's at whom they happened."""

import duckdb

from orchestration.lib.lake import LakeExtrasError
from orchestration.lib.warehouse import WarehouseBusyError, WarehouseDamagedError

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
