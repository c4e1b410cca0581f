"""Sizes of randomized tests: quick in `make test`, thorough in `make test-long`.

The environment variable SPOTTER_TEST_PROFILE selects the profile; the default is quick. Both run
the same tests. Examples are the same in each run, so a failure concerns the change at hand. Only
thorough runs without CI try random ones, and replay those that failed before.
"""

import os
from typing import Any, Final, Literal

import pytest
from hypothesis import settings

Profile = Literal["quick", "thorough"]

_VARIABLE: Final = "SPOTTER_TEST_PROFILE"
_QUICK_EXAMPLES: Final = 15
# The default of Hypothesis, for tests without their own number.
_THOROUGH_EXAMPLES: Final = 100

# A test of this mark runs in both suites. Hypothesis tests get it when they are collected.
randomized = pytest.mark.randomized


def active_profile() -> Profile:
    """Return the profile of this run.

    Raises:
        ValueError: the environment names an unknown profile.
    """
    name = os.environ.get(_VARIABLE, "quick")
    if name == "quick" or name == "thorough":
        return name
    raise ValueError(f"{_VARIABLE} is {name!r}; use quick or thorough")


def count(*, quick: int, thorough: int) -> int:
    """Return the number of random cases, seeds or steps for the active profile."""
    return quick if active_profile() == "quick" else thorough


def kill_points(steps: int, *, quick: int = 3) -> range:
    """Return the steps, from 1, at which a process is killed: every `quick`-th, or all of them."""
    return range(1, steps + 1, count(quick=quick, thorough=1))


def examples(thorough: int, *, quick: int = _QUICK_EXAMPLES, **options: Any) -> settings:
    """Return Hypothesis settings with the number of examples of the active profile."""
    return settings(max_examples=count(quick=quick, thorough=thorough), **options)


def load_hypothesis_profile() -> None:
    """Make the settings of this run the default of all Hypothesis tests.

    There is no deadline: how long an example takes depends on the load of the machine.
    """
    default = examples(_THOROUGH_EXAMPLES, deadline=None)
    if "CI" in os.environ or active_profile() == "quick":
        default = settings(default, derandomize=True, database=None)
    settings.register_profile("spotter", default)
    settings.load_profile("spotter")
