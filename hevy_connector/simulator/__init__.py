"""Simulator of the Hevy service: one account, served over HTTP like the live service.

with running_simulator(demo_account(seed=7, now=now), api_key=SIMULATOR_KEY) as simulator:
    ...  # a client for simulator.url
"""

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.api.faults import FAULT_GRAMMAR, FaultRuleError, Faults
from hevy_connector.simulator.api.problem import ApiProblem
from hevy_connector.simulator.api.quirks import LIVE, SPEC, QuirkError, Quirks, parse_quirks
from hevy_connector.simulator.api.request_log import LoggedRequest, ReceivedRequest, RequestLog
from hevy_connector.simulator.api.server import (
    SIMULATOR_KEY,
    RunningSimulator,
    create_app,
    running_simulator,
    serve,
)
from hevy_connector.simulator.api.service import Service
from hevy_connector.simulator.api.state import AccountState
from hevy_connector.simulator.api.state_file import StateFileError, load_state, save_state
from hevy_connector.simulator.athletes.lifter import demo_account, demo_state
from hevy_connector.simulator.demo_service import demo_service

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
