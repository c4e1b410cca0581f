"""How the folders are called that a home has for a while: they begin so."""

UNPACKING, COPYING, ASIDE = ".unpacking-", ".copying-", "before-"
"""What a restore unpacks, what a backup copies, and what a restore put aside."""

DAMAGED = "damaged-history-"
"""A damaged history of Dagster that a run put aside."""

MOVED_SUFFIX = ".moved"
"""Of a file that a warehouse is moved into; who was killed leaves it."""
