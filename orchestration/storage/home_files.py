"""Prefixes and suffixes of temporary files in a home."""

UNPACKING, COPYING, ASIDE = ".unpacking-", ".copying-", "before-"
"""Prefixes of an unpacked restore, a copy of the warehouse, and a home replaced by a restore."""

DAMAGED = "damaged-history-"
"""Prefix of a damaged Dagster history that a run moved away."""

MOVED_SUFFIX = ".moved"
"""Suffix of the destination of a warehouse migration; a killed one leaves it."""
