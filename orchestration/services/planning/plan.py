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
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread

import duckdb

from coach_agent.domain.red_flags import how_to_clear, stop_text
from coach_agent.journal.current_plans import clear_current_plan, clear_current_plans
from coach_agent.journal.decisions import record_decisions
from coach_agent.journal.plan_basis import record_bases
from coach_agent.language.messages import in_language, phrase
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.planning.meet import meet_text
from coach_agent.planning.nothing_left import nothing_left_text
from coach_agent.planning.rotation import unknown_rules
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation, read_situations
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

    `unknown` are names in the profile that do not exist. After an error there is no active plan.
    """

    profile: AthleteProfile
    situation: Situation | None = None
    unknown: tuple[str, ...] = ()
    decision: Decision | None = None
    is_new: bool = False
    error: Exception | None = None


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
    [kept] = _store(con, [_decide_one(profile, situation)], now=now, run_id=run_id)
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
            return _store(con, found, now=now, run_id=run_id)

    is_worth_it = processes > 1 and len(profiles) >= WORTH_PROCESSES
    with rare_collection(), _engine(processes if is_worth_it else 1) as decide_batch:
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


_Reading = tuple[AthleteProfile, Situation | Exception]


def _batches(profiles: Sequence[AthleteProfile]) -> Iterator[list[AthleteProfile]]:
    remaining = iter(profiles)
    while batch := list(islice(remaining, ATHLETES_A_BATCH)):
        yield batch


@contextmanager
def _engine(processes: int) -> Iterator[Callable[[Sequence[_Reading]], Iterable[DecisionResult]]]:
    """Yield a function that decides a batch in order: lazily in this process, or in worker
    processes.
    """
    if processes == 1:
        yield lambda readings: (_decide_one(*reading) for reading in readings)
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
            begun = pool.map(_decide_in_worker, readings, chunksize=chunk)
        return all_of(readings, begun)

    def all_of(
        readings: Sequence[_Reading], begun: Iterator[DecisionResult]
    ) -> Iterator[DecisionResult]:
        left = iter(readings)
        with while_whole((BrokenProcessPool,)):
            # zip in this order: no reading is consumed from `left` before its answer has arrived.
            for found, (_, read) in zip(begun, left, strict=False):
                yield found if isinstance(read, Exception) else _with_situation(found, read)
        yield from (_decide_one(*reading) for reading in left)

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


def _decide_in_worker(reading: _Reading) -> DecisionResult:
    """Decide in a worker process; the large situation stays with the parent."""
    found = _with_situation(_decide_one(*reading), None)
    return replace(found, error=None if found.error is None else _picklable(found.error))


def _with_situation(found: DecisionResult, situation: Situation | None) -> DecisionResult:
    decision = found.decision and replace(found.decision, situation=situation)
    return replace(found, situation=situation, decision=decision)


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
        found = read_situations(con, {each.id: each.timezone for each in profiles}, now)
        return [(profile, found[profile.id]) for profile in profiles]
    except Exception as error:
        if is_infrastructure_error(error):
            raise
        if len(profiles) == 1:
            return [(profiles[0], error)]
        return [reading for each in profiles for reading in _read(con, [each], now)]


def _decide_one(profile: AthleteProfile, read: Situation | Exception) -> DecisionResult:
    if isinstance(read, Exception):
        return DecisionResult(profile, error=read)
    found = DecisionResult(profile, read)
    try:
        unknown = tuple(unknown_rules(profile, read.routines, read.exercise_titles))
        found = replace(found, unknown=unknown)
        return replace(found, decision=decide(read, profile))
    except Exception as error:
        if is_infrastructure_error(error):
            raise
        return replace(found, error=error)


def _store(
    con: duckdb.DuckDBPyConnection, decided: Sequence[DecisionResult], *, now: datetime, run_id: str
) -> list[DecisionResult]:
    try:
        return run_in_transaction(con, lambda: _record(con, decided, now=now, run_id=run_id))
    except Exception as error:
        if is_infrastructure_error(error):
            raise
        if len(decided) > 1:
            return [
                kept for each in decided for kept in _store(con, [each], now=now, run_id=run_id)
            ]
        failed = replace(decided[0], decision=None, error=error)
        retry_on_conflict(lambda: clear_current_plan(con, failed.profile.id))
        return [failed]


def _record(
    con: duckdb.DuckDBPyConnection, decided: Sequence[DecisionResult], *, now: datetime, run_id: str
) -> list[DecisionResult]:
    clear_current_plans(con, [each.profile.id for each in decided if each.decision is None])
    decisions = [each.decision for each in decided if each.decision is not None]
    new = record_decisions(con, decisions, now=now, run_id=run_id)
    bases = [
        (each.decision.plan_id, each.decision.plan, each.situation.routines)
        for each in decided
        if each.decision is not None and each.situation is not None
    ]
    record_bases(con, bases, now=now)
    return [
        replace(each, is_new=each.decision is not None and each.decision.plan_id in new)
        for each in decided
    ]


def known_situations(
    con: duckdb.DuckDBPyConnection, profiles: Sequence[AthleteProfile], now: datetime
) -> dict[str, Situation]:
    """Return each athlete's situation; empty before the first build of the marts."""
    has_marts = con.execute(
        "select 1 from duckdb_tables() where schema_name = 'marts' and table_name = 'coach_context'"
    ).fetchall()
    if not (profiles and has_marts):
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
