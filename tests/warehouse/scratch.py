"""A separate warehouse file for a test, and dbt builds on it."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from coach_agent.domain.plan import Plan
from coach_agent.journal.decisions import record_decision
from coach_agent.llm.answers import Answered, record_answer
from coach_agent.planning.decision import Decision
from coach_agent.store.corrections import Action, Correction, Done, record_correction
from hevy_connector.canonical_json import canonical_json
from hevy_connector.csv_imports.workout_matches import record_matches
from hevy_connector.raw.landing import land, land_all
from hevy_connector.raw.sync_state import save_sync_state
from hevy_connector.raw.tables import Origin
from hevy_connector.records import Batch, Entity, Record
from orchestration.dbt.changed_sources import build_changed
from orchestration.dbt.checks import failures
from orchestration.dbt.runner import NodeOutcome, build, ensure_manifest
from orchestration.runs.provenance import Provenance
from orchestration.services.releases.release import release_marts
from orchestration.services.releases.release_contents import DATABASE_FILE
from orchestration.storage.migrations import create_tables, schema_version
from tests.warehouse.payloads import Json

_FILE = "warehouse.duckdb"

MODELS = ("--exclude-resource-type", "test", "unit_test")
"""A selection of all models without the data tests, which take as long again."""


class ScratchWarehouse:
    """Raw and coach tables to fill, marts to read."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._folder = folder
        self._path = folder / _FILE
        self._is_read_only = read_only
        self._con = self._connected()
        if not read_only and not schema_version(self._con):
            create_tables(self._con)

    def _connected(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect(self._path, read_only=self._is_read_only)

    def land(
        self,
        entity: Entity,
        athlete: str,
        payloads: Sequence[Json],
        *,
        now: datetime,
        origin: Origin = "api",
        is_complete: bool = False,
    ) -> None:
        """Land payloads as the connector does; a complete landing deletes missing records."""
        land(
            self._con,
            entity,
            athlete,
            _records(payloads),
            now=now,
            run_id="run",
            origin=origin,
            is_complete=is_complete,
        )

    def land_each(
        self, entity: Entity, payloads: Mapping[str, Sequence[Json]], *, now: datetime
    ) -> None:
        """Land the payloads of several athletes at once, from their accounts."""
        readings = {athlete: Batch(_records(own)) for athlete, own in payloads.items()}
        land_all(self._con, entity, readings, now=now, run_id="run", origin="api")

    def record_matches(self, athlete: str, *, now: datetime) -> None:
        """Match workouts of files with the account, as each sync does."""
        record_matches(self._con, athlete, now=now, run_id="run")

    def record_plan(self, plan_id: str, plan: Plan, decided_at: datetime) -> None:
        """Record a decision of the engine with this plan."""
        decision = Decision(
            decision_id=f"decision of {plan_id}",
            input_json="{}",
            input_sha256="",
            plan=plan,
            plan_id=plan_id,
            output_sha256="",
            output_json=plan.to_json().decode(),
            profile_sha256="",
            profile_json="{}",
            rule_version=plan.rule_version,
        )
        record_decision(self._con, decision, now=decided_at, run_id="run")

    def record_answer(self, engines: str, models: str, plan: Plan, answered_at: datetime) -> None:
        """Record a language model's answer to a plan of the engine's; both are plan ids."""
        assert plan.words is not None
        answered = Answered("{}", plan.words.decided_by, plan.words.prompt_version, "")
        record_answer(
            self._con,
            plan.athlete_id,
            answered,
            decision_id=f"decision of {models}",
            engine_decision_id=f"decision of {engines}",
            is_shadow=False,
            now=answered_at,
        )

    def record_publication(
        self,
        athlete: str,
        plan_id: str,
        routine: Json,
        effective_at: datetime,
        *,
        routine_id: str | None = None,
    ) -> None:
        """Record a finished publication of a plan as this routine, or for another one if given."""
        digest = Record("", canonical_json(routine)).payload_sha256
        self._con.execute(
            """
            insert into coach.publications by name
            select
                $plan_id as publication_id, 1 as publication_number, $plan_id as plan_id,
                $athlete as athlete_id,
                $routine_id as routine_id, $written as written_routine_id,
                'auto' as mode, 'published' as state,
                $digest as published_sha256, $at as staged_at, $at as effective_at,
                'run' as run_id
            """,
            {
                "plan_id": plan_id,
                "athlete": athlete,
                "routine_id": routine_id or routine["id"],
                "written": None if routine_id is None else routine["id"],
                "digest": digest,
                "at": effective_at.replace(tzinfo=None),
            },
        )

    def record_hold(
        self, athlete: str, plan_id: str, routine_id: str, finished_at: datetime
    ) -> None:
        """Record a publication that found the routine equal to the plan."""
        self._con.execute(
            """
            insert into coach.publications by name
            select
                $plan_id as publication_id, 1 as publication_number, $plan_id as plan_id,
                $athlete as athlete_id, $routine_id as routine_id, 'auto' as mode,
                'unchanged' as state, $at as staged_at, $at as finished_at, 'run' as run_id
            """,
            {
                "plan_id": plan_id,
                "athlete": athlete,
                "routine_id": routine_id,
                "at": finished_at.replace(tzinfo=None),
            },
        )

    def record_reading(self, athlete: str, *, now: datetime) -> None:
        """Record a complete read of the account's workouts, with or without changes."""
        save_sync_state(self._con, "hevy_workouts", athlete, cursor_at=now, completed_at=now)

    def correct(
        self,
        athlete_id: str,
        workout_id: str,
        action: Action,
        *,
        now: datetime,
        place: tuple[int, int] | None = None,
        done: Done | None = None,
    ) -> None:
        """Record a correction by the athlete; `place` is an exercise's and a set's index."""
        correction = Correction(athlete_id, workout_id, action, "a test", place, done or Done())
        record_correction(self._con, correction, now=now)

    @contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield the connection."""
        yield self._con

    @classmethod
    def copied(cls, source: Path, folder: Path) -> "ScratchWarehouse":
        """Copy the closed warehouse of one folder to another."""
        folder.mkdir(exist_ok=True)
        shutil.copyfile(source / _FILE, folder / _FILE)
        return cls(folder)

    def copy(self, folder: Path) -> "ScratchWarehouse":
        """Copy the warehouse to another folder."""
        self.close()
        copied = self.copied(self._folder, folder)
        self._con = self._connected()
        return copied

    def move(self, folder: Path) -> None:
        """Move the warehouse to another folder."""
        self.close()
        folder.mkdir()
        self._folder = folder
        self._path = self._path.rename(folder / _FILE)
        self._con = self._connected()

    def forget_others(self, athletes: Sequence[str]) -> None:
        """Leave only these athletes in the marts."""
        for row in self.rows(
            """
            select table_name from duckdb_columns()
            where schema_name = 'marts' and column_name = 'athlete_id'
            """
        ):
            self._con.execute(
                f"delete from marts.{row['table_name']} where not list_contains($1, athlete_id)",
                [list(athletes)],
            )

    def close(self) -> None:
        """Close the file."""
        self._con.close()

    def tables(self, schema: str) -> list[str]:
        """Return the tables of a schema, with its name."""
        found = self.rows(
            "select table_name from duckdb_tables() where schema_name = $schema", schema=schema
        )
        return sorted(f"{schema}.{row['table_name']}" for row in found)

    def content(self, table: str) -> list[tuple[Any, ...]]:
        """Return all rows of a table in a fixed order."""
        return self._con.execute(f"select * from {table} order by all").fetchall()

    def build(self, *selection: str) -> None:
        """Run `dbt build`; a failed model or test fails the caller with its message."""
        self._con.close()  # one process may not open the file twice with different settings
        outcomes = build(self._path, self._folder / "target", selection)
        self._con = self._connected()
        assert all(one.is_ok for one in outcomes), "\n".join(failures(outcomes))

    def build_changed(self, *selection: str) -> list[NodeOutcome]:
        """Build like a night what may differ, or a selection; return the outcomes."""
        manifest = json.loads(ensure_manifest().read_text(encoding="utf-8"))
        self._con.close()
        outcomes = build_changed(self._path, self._folder / "target", manifest, selection)
        self._con = self._connected()
        return outcomes

    def release(self, now: datetime) -> Path:
        """Release the marts to readers; return the path of the released file."""
        self._con.close()
        released = release_marts(
            self._path, self._folder / "release", Provenance("run", None, "0"), now
        )
        self._con = self._connected()
        return released.folder / DATABASE_FILE

    def rows(self, query: str, **parameters: Any) -> list[Json]:
        """Return the rows of a query, by column name."""
        cursor = self._con.execute(query, parameters or None)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _records(payloads: Sequence[Json]) -> list[Record]:
    return [
        Record(str(payload["id"]), canonical_json(payload), _updated_at(payload))
        for payload in payloads
    ]


def _updated_at(payload: Json) -> datetime | None:
    text = payload.get("updated_at")
    return None if text is None else datetime.fromisoformat(text)
