"""A stand-in for the Hevy service: one account, served over HTTP as the live service answers.

with running_simulator(demo_account(seed=7, now=now), api_key=SIMULATOR_KEY) as simulator:
    ...  # a client for simulator.url
"""

from hevy_connector.simulator.account import Account
from hevy_connector.simulator.assembly import demo_service
from hevy_connector.simulator.clock import SimulatedClock
from hevy_connector.simulator.faults import FAULT_GRAMMAR, FaultRuleError, Faults
from hevy_connector.simulator.lifter import demo_account, demo_state
from hevy_connector.simulator.problem import ApiProblem
from hevy_connector.simulator.quirks import LIVE, SPEC, QuirkError, Quirks, parse_quirks
from hevy_connector.simulator.request_log import LoggedRequest, ReceivedRequest, RequestLog
from hevy_connector.simulator.server import (
    SIMULATOR_KEY,
    RunningSimulator,
    create_app,
    running_simulator,
    serve,
)
from hevy_connector.simulator.service import Service
from hevy_connector.simulator.state import AccountState
from hevy_connector.simulator.state_file import StateFileError, load_state, save_state

__all__ = [
    "FAULT_GRAMMAR",
    "LIVE",
    "SIMULATOR_KEY",
    "SPEC",
    "Account",
    "AccountState",
    "ApiProblem",
    "FaultRuleError",
    "Faults",
    "LoggedRequest",
    "QuirkError",
    "Quirks",
    "ReceivedRequest",
    "RequestLog",
    "RunningSimulator",
    "Service",
    "SimulatedClock",
    "StateFileError",
    "create_app",
    "demo_account",
    "demo_service",
    "demo_state",
    "load_state",
    "parse_quirks",
    "running_simulator",
    "save_state",
    "serve",
]
