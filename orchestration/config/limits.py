"""Limits shared by several packages."""

from datetime import timedelta

LONGEST_RUN_S = 7200.0
"""Longest duration of a Dagster run in seconds, as in dagster.yaml."""

CLOCK_MAY_BE_OFF = timedelta(minutes=5)
"""Largest difference between two clocks that is not reported."""
