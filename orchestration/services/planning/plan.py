"""Decide the next workout of athletes from the warehouse, and store the decisions.

Reads and writes are batched: per-athlete queries are dominated by overhead. If a batch fails, its
athletes are decided one by one, so a failure is isolated to its athlete.
"""

import logging
import os
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread

import duckdb

from coach_agent.domain.red_flags import how_to_clear, stop_text
from coach_agent.domain.values import naive_utc
from coach_agent.journal.current_plans import clear_current_plan, clear_current_plans
from coach_agent.journal.decisions import record_rows
from coach_agent.journal.plan_basis import BasisRow, basis_row, record_bases
from coach_agent.journal.plan_record import DecisionRows, decision_rows
from coach_agent.language.messages import in_language, phrase
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.planning.meet import meet_text
from coach_agent.planning.nothing_left import nothing_left_text
from coach_agent.planning.rotation import unknown_rules
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import (
    Situation,
    SituationRows,
    read_situation_rows,
    read_situations,
)
from coach_agent.store.tables import has_table
from hevy_connector.raw.transactions import retry_on_conflict, run_in_transaction
from orchestration.runs.garbage_collection import collect_rarely, rare_collection
from orchestration.runs.infrastructure_errors import is_infrastructure_error
from orchestration.runs.processors import end_on_sigterm
from orchestration.storage.warehouse import Connect

_log = logging.getLogger(__name__)

ATHLETES_A_BATCH = 100
"""Situations in memory at the same time, about 200 MB for months of training."""

WORTH_PROCESSES = 200
"""From this number of athletes on, worker processes save more time than their start takes."""


@dataclass(frozen=True)
class DecisionResult:
    """Result of one athlete: a decision, nothing to plan, or an error.

    `unknown` are names in the profile that do not exist. `rows` and `basis` are to be stored.
    `read` is None after a failed read. After an error there is no active plan.
    """

    profile: AthleteProfile
    read: Situation | SituationRows | None = None
    unknown: tuple[str, ...] = ()
    decision: Decision | None = None
    rows: DecisionRows | None = None
    basis: BasisRow | None = None
    is_new: bool = False
    error: Exception | None = None

    @property
    def known(self) -> Situation | SituationRows:
        """The situation, or its rows if a worker process decided."""
        if self.read is None:
            raise ValueError(f"The situation of {self.profile.id} was not read.")
        return self.read

    @cached_property
    def situation(self) -> Situation:
        """The situation; of rows it is built, in several milliseconds."""
        return self.known if isinstance(self.known, Situation) else self.known.situation()


def decide_next(
    con: duckdb.DuckDBPyConnection,
    profile: AthleteProfile,
    situation: Situation,
    *,
    now: datetime,
    run_id: str,
) -> DecisionResult:
    """Decide for one athlete in a known situation, and store the decision.

    Raises:
        GuardrailError: the plan violates its limits; there is no active plan.
        ProfileError: the profile names a routine that does not exist; there is no active plan.
    """
    # The previous plan must not outlive the new situation, even if this process is killed.
    retry_on_conflict(lambda: clear_current_plan(con, profile.id))
    [kept] = _store(con, [_decide_one((profile, situation), now, run_id)])
    if kept.error is not None:
        raise kept.error
    return kept


def plan_all(
    connect: Connect,
    profiles: Sequence[AthleteProfile],
    *,
    now: datetime,
    run_id: str,
    processes: int = 1,
) -> Generator[list[DecisionResult], None, None]:
    """Decide for each athlete, in this order, and store the decisions; yields batch by batch.

    Consume a batch before the next one: memory holds two. Close the generator early to end the
    worker processes. With `processes` > 1 and enough athletes, worker processes run the engine on
    the next batch in parallel. If the system kills a worker, this process decides the rest.

    Raises:
        OSError, WarehouseBusyError, WarehouseDamagedError, and DuckDB's errors of files and memory:
            infrastructure errors, which concern all athletes.
    """

    def keep(decided: Iterable[DecisionResult]) -> list[DecisionResult]:
        found = list(decided)
        with connect() as con:
            return _store(con, found)

    decide_one = partial(_decide_one, now=now, run_id=run_id)
    is_worth_it = processes > 1 and len(profiles) >= WORTH_PROCESSES
    with rare_collection(), _engine(decide_one, processes if is_worth_it else 1) as decide_batch:
        under_way: Iterable[DecisionResult] | None = None
        for batch in _batches(profiles):
            with connect() as con:
                readings = _read(con, batch, now)
            begun = decide_batch(readings)
            if under_way is not None:
                yield keep(under_way)
            under_way = begun
        if under_way is not None:
            yield keep(under_way)


_Reading = tuple[AthleteProfile, Situation | SituationRows | Exception]
_DecideOne = Callable[[_Reading], DecisionResult]


def _batches(profiles: Sequence[AthleteProfile]) -> Iterator[list[AthleteProfile]]:
    remaining = iter(profiles)
    while batch := list(islice(remaining, ATHLETES_A_BATCH)):
        yield batch


@contextmanager
def _engine(
    decide_one: _DecideOne, processes: int
) -> Iterator[Callable[[Sequence[_Reading]], Iterable[DecisionResult]]]:
    """Yield a function that decides a batch in order: lazily in this process, or in worker
    processes.
    """
    if processes == 1:
        yield partial(map, decide_one)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_start_worker)
    is_broken = False

    @contextmanager
    def while_whole(errors: tuple[type[Exception], ...]) -> Iterator[None]:
        nonlocal is_broken
        try:
            yield
        except errors:
            if not is_broken:
                _log.warning("The system allows no process of the engine: this one does its work.")
            is_broken = True

    def begin(readings: Sequence[_Reading]) -> Iterable[DecisionResult]:
        begun: Iterator[DecisionResult] = iter(())
        # OSError: no resources for another process.
        with while_whole((BrokenProcessPool, OSError)):
            chunk = max(1, len(readings) // (2 * processes))
            begun = pool.map(partial(_decide_in_worker, decide_one), readings, chunksize=chunk)
        return all_of(readings, begun)

    def all_of(
        readings: Sequence[_Reading], begun: Iterator[DecisionResult]
    ) -> Iterator[DecisionResult]:
        left = iter(readings)
        with while_whole((BrokenProcessPool,)):
            # zip in this order: no reading is consumed from `left` before its answer has arrived.
            for found, (profile, read) in zip(begun, left, strict=False):
                known = None if isinstance(read, Exception) else read
                yield replace(found, profile=profile, read=known)
        yield from map(decide_one, left)

    try:
        yield begin
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """End this worker process when its parent is killed; it would wait forever."""
    end_on_sigterm()
    collect_rarely()

    def end() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=end, daemon=True).start()


def _decide_in_worker(decide_one: _DecideOne, reading: _Reading) -> DecisionResult:
    """Decide in a worker process; the large situation is not sent back."""
    found = decide_one(reading)
    return replace(
        found,
        read=None,
        decision=found.decision and replace(found.decision, situation=None),
        error=None if found.error is None else _picklable(found.error),
    )


def _picklable(error: Exception) -> Exception:
    """Return the error, or its message as a RuntimeError if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _read(
    con: duckdb.DuckDBPyConnection, profiles: Sequence[AthleteProfile], now: datetime
) -> list[_Reading]:
    try:
        found = read_situation_rows(con, {each.id: each.timezone for each in profiles}, now)
        return [(profile, found[profile.id]) for profile in profiles]
    except Exception as error:
        if is_infrastructure_error(error):
            raise
        if len(profiles) == 1:
            return [(profiles[0], error)]
        return [reading for each in profiles for reading in _read(con, [each], now)]


def _decide_one(reading: _Reading, now: datetime, run_id: str) -> DecisionResult:
    """Decide and build the rows to be stored; without side effects, in any process."""
    profile, read = reading
    if isinstance(read, Exception):
        return DecisionResult(profile, error=read)
    found = DecisionResult(profile, read)
    try:
        situation = found.situation
        unknown = tuple(unknown_rules(profile, situation.routines, situation.exercise_titles))
        found = replace(found, read=situation, unknown=unknown)
        decision = decide(situation, profile)
        if decision is None:
            return found
        return replace(
            found,
            decision=decision,
            rows=decision_rows(decision, naive_utc(now), run_id),
            basis=basis_row(decision.plan_id, decision.plan, situation.routines, now),
        )
    except Exception as error:
        if is_infrastructure_error(error):
            raise
        return replace(found, error=error)


def _store(
    con: duckdb.DuckDBPyConnection, decided: Sequence[DecisionResult]
) -> list[DecisionResult]:
    try:
        return run_in_transaction(con, lambda: _record(con, decided))
    except Exception as error:
        if is_infrastructure_error(error):
            raise
        if len(decided) > 1:
            return [kept for each in decided for kept in _store(con, [each])]
        failed = replace(decided[0], decision=None, rows=None, basis=None, error=error)
        retry_on_conflict(lambda: clear_current_plan(con, failed.profile.id))
        return [failed]


def _record(
    con: duckdb.DuckDBPyConnection, decided: Sequence[DecisionResult]
) -> list[DecisionResult]:
    clear_current_plans(con, [each.profile.id for each in decided if each.rows is None])
    new = record_rows(con, [each.rows for each in decided if each.rows is not None])
    record_bases(con, [each.basis for each in decided if each.basis is not None])
    return [
        replace(each, is_new=each.rows is not None and each.rows.plan_id in new) for each in decided
    ]


def known_situations(
    con: duckdb.DuckDBPyConnection, profiles: Sequence[AthleteProfile], now: datetime
) -> dict[str, Situation]:
    """Return each athlete's situation; empty before the first build of the marts."""
    if not (profiles and has_table(con, "marts.coach_context")):
        return {}
    return read_situations(con, {each.id: each.timezone for each in profiles}, now)


def known_situation(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, now: datetime
) -> Situation | None:
    """Return the athlete's situation; None before the first build of the marts."""
    return known_situations(con, [profile], now).get(profile.id)


def why_no_plan(profile: AthleteProfile, situation: Situation | None) -> str:
    """Return the reason for a missing plan, and the action to take.

    Raises:
        ProfileError: the profile names a routine that does not exist.
    """
    with in_language(profile.preferences.language):
        return _why_no_plan(profile, situation)


def _why_no_plan(profile: AthleteProfile, situation: Situation | None) -> str:
    red_flags = (*(() if situation is None else situation.red_flags), *profile.red_flags)
    if red_flags:
        return f"{stop_text(red_flags)} {how_to_clear()}"
    if profile.hevy.account == "none" and not (situation and situation.routines):
        return phrase("no-plan-no-file", athlete=profile.id)
    if situation is not None and (day_of_meet := meet_text(situation, profile)) is not None:
        return day_of_meet
    try:
        if situation is None or not situation.routines or decide(situation, profile):
            return phrase("no-plan-yet", athlete=profile.id)
    except GuardrailError as error:
        return phrase("no-plan-unsafe", athlete=profile.id, reason=str(error))
    return nothing_left_text(situation, profile)
