"""Build a service from the options of a user."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.api.faults import Faults
from hevy_connector.simulator.api.quirks import parse_quirks
from hevy_connector.simulator.api.service import Service
from hevy_connector.simulator.api.state_file import load_state, save_state
from hevy_connector.simulator.athletes.lifter import demo_state


def demo_service(
    *,
    api_key: str,
    seed: int,
    now: datetime | None = None,
    workouts: int | None = None,
    state_path: Path | None = None,
    profile: str = "live",
    quirks: Sequence[str] = (),
    faults: Sequence[str] = (),
    latency_s: float = 0.0,
) -> Service:
    """Build a service from the demo athlete's account or a state file.

    `now` (aware) freezes its clock, `workouts` sets the length of a new history. The seed
    determines a new history and the random choice of failing requests.

    Raises:
        QuirkError: unknown profile or switch.
        FaultRuleError: a rule cannot be parsed.
        StateFileError: the file cannot be used.
    """
    chosen = parse_quirks(profile, quirks)
    failing = Faults(faults, seed=seed)
    known = load_state(state_path) if state_path else None
    state = known or demo_state(seed, now or datetime.now(UTC), workouts=workouts)
    clock = SimulatedClock(now)
    if state_path is None:
        account = Account(state, clock=clock)
    else:
        save_state(state, state_path)
        account = Account(
            state, clock=clock, on_write=lambda written: save_state(written, state_path)
        )
    return Service(account, api_key, chosen, latency_s, failing)
