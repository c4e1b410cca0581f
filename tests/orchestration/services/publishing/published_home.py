"""A home with one routine and a plan for it, whose account is in the simulated service."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.plan import Plan
from coach_agent.journal.decisions import record_decision
from coach_agent.journal.plan_basis import record_basis
from coach_agent.journal.publications import publications_of
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile, parse_profile
from coach_agent.publishing.states import PublicationRow
from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import land
from hevy_connector.raw.sync_state import save_sync_state
from hevy_connector.records import Record
from hevy_connector.schemas import JsonObject, Routine
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    Account,
    AccountState,
    RunningSimulator,
    running_simulator,
)
from orchestration.config.athletes import hevy_client
from orchestration.config.settings import Settings, load_settings
from orchestration.services.publishing.athlete_publisher import PublicationOutcome
from orchestration.services.publishing.publish import publish_all
from orchestration.storage.warehouse import open_warehouse
from tests.coach.publishing_world import PUSH, USER, plan_with_heavier_sets

START = datetime.now(UTC) - timedelta(hours=1)


@dataclass
class Home:
    """A home with a warehouse that contains one routine, and a plan for it."""

    settings: Settings
    athlete: AthleteProfile
    simulator: RunningSimulator
    before: JsonObject

    def in_mode(self, mode: Literal["preview", "approve", "auto"]) -> None:
        wishes = self.athlete.publish.model_copy(update={"mode": mode})
        self.athlete = self.athlete.model_copy(update={"publish": wishes})

    def connect(self):  # type: ignore[no-untyped-def]
        return open_warehouse(self.settings.warehouse_path)

    @property
    def plan(self) -> Plan:
        return plan_with_heavier_sets(Routine.model_validate(self.before))

    def decide(self, plan_id: str, plan: Plan, *, minutes_later: int = 0) -> None:
        """Record the steps of a run before its publication: the routine as read now."""
        payload = self.now_in_hevy()
        record = Record(payload["id"], canonical_json(payload))
        now = START + timedelta(minutes=minutes_later)
        decision = Decision(
            decision_id=f"dec_{plan_id}",
            input_json="{}",
            input_sha256="",
            plan=plan,
            plan_id=plan_id,
            output_sha256="",
            output_json="{}",
            rule_version="test",
            profile_sha256="",
            profile_json="{}",
        )
        context = RoutineContext(
            routine_id=plan.routine_id, title="Push", sha256=record.payload_sha256, slots=()
        )
        with self.connect() as con:
            land(con, "hevy_routines", "demo", [record], now=now, run_id="r", origin="api")
            record_decision(con, decision, now=now, run_id="r")
            record_basis(con, decision.plan_id, decision.plan, [context], now=now)

    def run(self) -> list[PublicationOutcome]:
        """Run the publication of the active plan."""
        make_client = partial(hevy_client, self.settings)
        connect = partial(open_warehouse, self.settings.warehouse_path)
        return publish_all([self.athlete], make_client, connect, run_id="run")

    def now_in_hevy(self) -> JsonObject:
        return self.simulator.account.routine(self.before["id"])

    def rows(self) -> list[PublicationRow]:
        """Return the publications, newest first."""
        with self.connect() as con:
            return publications_of(con, "demo")

    def put_count(self) -> int:
        return sum(each.method == "PUT" for each in self.simulator.requests)


@cache
def _first_plan() -> tuple[AccountState, bytes]:
    """Return the account and the warehouse with its first plan: every home begins with them."""
    account = Account(AccountState(seed=1, user=USER))
    routine = account.make_routine(PUSH)
    with (
        TemporaryDirectory() as folder,
        running_simulator(account, api_key=SIMULATOR_KEY) as simulator,
    ):
        made = _home(Path(folder), simulator)
        with made.connect() as con:
            for entity in ("hevy_workouts", "hevy_routines"):
                save_sync_state(con, entity, "demo", cursor_at=START, completed_at=START)
            templates = [
                Record(each["exercise_template_id"], "{}") for each in routine["exercises"]
            ]
            land(
                con,
                "hevy_exercise_templates",
                "demo",
                templates,
                now=START,
                run_id="r",
                origin="api",
            )
        made.decide("plan_1", made.plan)
        return account.state(), made.settings.warehouse_path.read_bytes()


def _home(folder: Path, simulator: RunningSimulator) -> Home:
    settings = load_settings(
        {"SPOTTER_HOME": str(folder), "HEVY_API_URL": simulator.url, "HEVY_PER_SECOND": "0"}
    )
    profile = parse_profile(
        'id = "demo"\n[hevy]\naccount = "simulator"\n[publish]\nmode = "approve"',
        Path("demo.toml"),
    )
    [routine] = simulator.account.state().routines
    return Home(settings, profile, simulator, routine)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    state, warehouse = _first_plan()
    account = Account(deepcopy(state))
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        made = _home(tmp_path, simulator)
        made.settings.warehouse_path.write_bytes(warehouse)
        yield made
