"""A stand-in for the Hevy service: one account, served over HTTP as the live service answers.

with running_simulator(demo_account(seed=7, now=now), api_key=SIMULATOR_KEY) as simulator:
    ...  # a client for simulator.url
"""

from hevy_connector.simulator.account import Account, AccountState
from hevy_connector.simulator.clock import SimulatedClock
from hevy_connector.simulator.lifter import demo_account, demo_state
from hevy_connector.simulator.problem import ApiProblem
from hevy_connector.simulator.server import (
    SIMULATOR_KEY,
    LoggedRequest,
    RequestLog,
    RunningSimulator,
    create_app,
    running_simulator,
    serve,
)

__all__ = [
    "SIMULATOR_KEY",
    "Account",
    "AccountState",
    "ApiProblem",
    "LoggedRequest",
    "RequestLog",
    "RunningSimulator",
    "SimulatedClock",
    "create_app",
    "demo_account",
    "demo_state",
    "running_simulator",
    "serve",
]
