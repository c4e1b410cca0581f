"""Runs of dbt in this process."""

from typing import TYPE_CHECKING

import pytest

from orchestration.dbt.runner import without_events

if TYPE_CHECKING:
    # dbt takes long to import, and each worker imports the modules of all tests.
    from dbt_common.events.event_manager import EventManager


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> "EventManager":
    """Return dbt's event manager of this process."""
    from dbt_common.events.event_manager_client import get_event_manager

    found = get_event_manager()
    monkeypatch.setattr(found, "callbacks", [])
    return found


def test_events_reach_nobody_in_a_build_and_everybody_afterwards(manager: "EventManager") -> None:
    from dbt_common.events.event_manager_client import get_event_manager
    from dbt_common.events.functions import fire_event
    from dbt_common.events.types import Note

    received: list[str] = []
    manager.add_callback(lambda event: received.append(event.info.msg))
    with without_events():
        fire_event(Note(msg="in a build"))
    fire_event(Note(msg="afterwards"))
    assert received == ["afterwards"]
    assert get_event_manager() is manager


def test_a_warning_that_is_configured_as_an_error_still_raises() -> None:
    from dbt_common.events.event_manager_client import get_event_manager
    from dbt_common.events.functions import warn_or_error
    from dbt_common.events.types import Note
    from dbt_common.exceptions.events import EventCompilationError

    with without_events():
        get_event_manager().warn_error = True
        with pytest.raises(EventCompilationError, match="deprecated"):
            warn_or_error(Note(msg="deprecated"))
