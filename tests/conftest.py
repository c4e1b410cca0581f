"""The order of the suite: what takes longest begins first, so that no worker ends alone with it."""

import pytest

_LONGEST = (
    "test_ui.py",
    "test_incremental.py",
    "test_kill.py",
    "test_release.py",
    "test_compliance_oracle.py",
    "test_properties.py",
    "test_histories.py",
    "test_schemathesis.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    if item.path.name in _LONGEST:
        return _LONGEST.index(item.path.name)
    return len(_LONGEST) + (item.path.parent.name != "end_to_end")
