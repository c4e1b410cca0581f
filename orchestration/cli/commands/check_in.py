"""`spotter check-in`: record feelings and time, and plan again immediately."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

import duckdb
import typer

from coach_agent.domain.pain import Pain, PainError, parse_pain, part_name
from coach_agent.domain.red_flags import how_to_clear, red_flags_in, stop_text
from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.domain.titles import did_you_mean
from coach_agent.journal.current_plans import JournaledPlan, clear_current_plan, read_current_plan
from coach_agent.language.messages import decimals, in_language, join_words, phrase
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.check_ins import (
    ALL,
    FEELINGS,
    LONGEST_MINUTES,
    LONGEST_NOTE,
    NONE,
    CheckIn,
    CheckInNote,
    read_open_red_flags,
    read_valid_check_in,
    record_check_in,
    record_note,
)
from coach_agent.store.session_rpes import (
    HIGHEST,
    LOWEST,
    SessionRpe,
    is_session_rpe,
    record_session_rpe,
)
from hevy_connector.raw.transactions import retry_on_conflict, run_in_transaction, transaction
from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.athletes import configured_athletes, find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.planning.plan import decide_next, known_situation, why_no_plan
from orchestration.services.publishing.approve import withdraw
from orchestration.services.publishing.athlete_publisher import PublicationOutcome
from orchestration.services.releases.newer_plans import write_newer_plan
from orchestration.services.releases.stops import write_stops
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.plan import show_plan


def check_in(
    energy: Annotated[
        str | None, typer.Option(metavar="HOW", help="very-low, low, normal, high or very-high.")
    ] = None,
    soreness: Annotated[
        str | None, typer.Option(metavar="HOW", help="Same words; very-high is very sore.")
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(min=5, max=LONGEST_MINUTES, help="Available minutes."),
    ] = None,
    pain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART:LEVEL",
            help="Pain such as 'right shoulder:moderate' (mild, moderate, severe); repeatable.",
        ),
    ] = None,
    deload: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TITLE|all|none",
            help="Deload an exercise, all or none; repeatable.",
        ),
    ] = None,
    note: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="How you feel, in your own words."),
    ] = None,
    session_rpe: Annotated[
        float | None,
        typer.Option(metavar="0-10", help="Effort of the workout you just finished."),
    ] = None,
    cleared: Annotated[
        bool,
        typer.Option("--cleared", help="Clear red flags and plan again."),
    ] = False,
    athlete: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Athlete; optional if there is one."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Record a check-in and adjust the next workout.

    The workout never becomes harder. A check-in is valid for 36 hours or until the next one; report
    a pain that is over as mild. After a red flag, such as chest pain, nothing is planned until you
    are cleared, and a published plan gets a note in Hevy not to train it. The rules plan
    immediately; the next run publishes to Hevy and asks the language model. A session RPE counts
    for the workout that you started last, within 36 hours; no plan depends on it.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    now = datetime.now(UTC)
    hidden = None if note is None else secrets_scrubber(settings.keys)(note)
    noted = _build_note(hidden, pain or (), now, is_clearance=cleared)
    stood = None
    if noted is not None and noted.red_flags:
        # Before anything else can fail.
        with open_warehouse(settings.warehouse) as con:
            stood = read_current_plan(con, profile.id)
            retry_on_conflict(lambda: _record_stop(con, profile.id, noted))
            _write_red_flags(con, settings)
            _write_newer_plan(con, settings, profile)
    with _stop_with_errors(settings, profile, noted, stood):
        said = CheckIn(
            checked_in_at=now,
            energy=_feeling("--energy", energy),
            soreness=_feeling("--soreness", soreness),
            minutes=minutes,
            pain=tuple(_pains(pain or ())),
            deload=tuple(deload or ()),
        )
        says_nothing = said == CheckIn(checked_in_at=now)
        exertion = _build_session_rpe(session_rpe, now)
        changes_plan = not says_nothing or noted is not None
        if not changes_plan and exertion is None:
            raise SettingsError(
                "Give at least one of --energy, --soreness, --minutes, --pain, --deload, "
                "--note, --session-rpe, --cleared."
            )
        with open_warehouse(settings.warehouse) as con:
            before = situation = known_situation(con, profile, now) if changes_plan else None
            if before is not None:
                _require_exercises(said.deload, before)
            stood = stood or read_current_plan(con, profile.id)
            unstored = None if noted is None or noted.red_flags else noted
            given = None if says_nothing else said
            run_in_transaction(con, lambda: _record(con, profile.id, exertion, unstored, given))
            if unstored is not None:
                _write_red_flags(con, settings)
            red_flags = read_open_red_flags(con, profile, now)
            if before is None and red_flags:
                retry_on_conflict(lambda: clear_current_plan(con, profile.id))
            elif before is not None:
                situation = before if says_nothing else before.with_check_in(said)
                situation = situation.model_copy(update={"red_flags": red_flags})
                try:
                    decide_next(con, profile, situation, now=now, run_id=f"check-in {uuid4()}")
                except GuardrailError as error:
                    _write_newer_plan(con, settings, profile)
                    raise SettingsError(
                        "The check-in is stored, but no safe plan is possible, so none is active: "
                        f"{error}"
                    ) from error
            plan = read_current_plan(con, profile.id)
            pains = _severe_pains(con, profile, now)
            _write_newer_plan(con, settings, profile)
    waits_for_model = (
        changes_plan and plan is not None and bool(usable_providers(profile.llm, settings.keys))
    )
    result = _Result(profile, said, exertion, plan, situation, red_flags, stood, pains)
    with in_language(profile.preferences.language):
        if as_json:
            print(json.dumps(_report(settings, result, session_rpe, waits_for_model), indent=2))
        elif red_flags:
            _show_stop(settings, result)
        else:
            if cleared and result.severe_pains:
                parts = join_words([part_name(part) for part in result.severe_pains])
                _show(phrase("cleared-but-pain", parts=parts))
            _show_result(result, now, is_planned=changes_plan, waits_for_model=waits_for_model)


@dataclass(frozen=True)
class _Result:
    """The effect of a check-in; `stood` is the plan from before a red flag.

    `severe_pains` are the parts of the body that exercises are left out for.
    """

    profile: AthleteProfile
    said: CheckIn
    exertion: SessionRpe | None
    plan: JournaledPlan | None
    situation: Situation | None
    red_flags: tuple[str, ...]
    stood: JournaledPlan | None
    severe_pains: tuple[str, ...] = ()


def _report(
    settings: Settings, result: _Result, session_rpe: float | None, waits_for_model: bool
) -> dict[str, Any]:
    withdrawn = withdraw(settings, result.profile) if result.red_flags else None
    return {
        "check_in": result.said.model_dump(mode="json"),
        "session_rpe": session_rpe,
        "readiness": result.said.readiness,
        "plan": None if result.plan is None else result.plan.summary(),
        "waits_for_model": waits_for_model,
        "red_flags": result.red_flags,
        "stop": stop_text(result.red_flags) or None,
        "severe_pain": result.severe_pains,
        "withdrawal": None if withdrawn is None else _withdrawal(withdrawn, result.stood),
    }


def _show_stop(settings: Settings, result: _Result) -> None:
    # Hevy can take seconds to answer.
    _show(stop_text(result.red_flags))
    if (withdrawn := withdraw(settings, result.profile)) is not None:
        _show(_withdrawal_text(withdrawn, result.stood))
    _show(how_to_clear())
    if result.exertion is not None:
        _show(_session_rpe_text(result.exertion))


def _show_result(
    result: _Result, now: datetime, *, is_planned: bool, waits_for_model: bool
) -> None:
    exertion, situation = result.exertion, result.situation
    _show(phrase("noted") if exertion is None else _session_rpe_text(exertion))
    if not is_planned:
        return
    if result.plan is not None:
        show_plan(terminal.console, result.profile, result.plan, now=now)
        if waits_for_model:
            terminal.console.print(phrase("check-in-model"))
    elif situation is not None and situation.routines:
        terminal.console.print(why_no_plan(result.profile, situation))
    else:
        terminal.console.print(phrase("check-in-no-plan"))


def _write_red_flags(con: duckdb.DuckDBPyConnection, settings: Settings) -> None:
    # Not the time of the command: a release can begin while it waits for the warehouse.
    write_stops(con, configured_athletes(settings), settings.release_folder, datetime.now(UTC))


def _write_newer_plan(
    con: duckdb.DuckDBPyConnection, settings: Settings, profile: AthleteProfile
) -> None:
    write_newer_plan(con, profile.id, settings.release_folder, datetime.now(UTC))


def _severe_pains(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, now: datetime
) -> tuple[str, ...]:
    """Return the parts with severe pain, which a clearance of red flags does not end."""
    said = read_valid_check_in(con, profile.id, now)
    pains = (*(() if said is None else said.pain), *profile.lasting_pains)
    return tuple(dict.fromkeys(each.part for each in pains if each.level == "severe"))


def _record_stop(con: duckdb.DuckDBPyConnection, athlete_id: str, noted: CheckInNote) -> None:
    """Keep the red flag and remove the plan from before it, together or not at all."""
    with transaction(con):
        record_note(con, athlete_id, noted)
        clear_current_plan(con, athlete_id)


def _record(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    exertion: SessionRpe | None,
    noted: CheckInNote | None,
    said: CheckIn | None,
) -> None:
    """Insert the given parts of a check-in; the caller owns the transaction."""
    if exertion is not None:
        record_session_rpe(con, athlete_id, exertion)
    if noted is not None:
        record_note(con, athlete_id, noted)
    if said is not None:
        record_check_in(con, athlete_id, said)


def _show(line: str) -> None:
    terminal.console.print(line, markup=False, highlight=False)


def _withdrawal(outcome: PublicationOutcome, stood: JournaledPlan | None) -> dict[str, Any]:
    return {
        "routine_title": outcome.routine_title,
        "state": outcome.state,
        "skip": [] if outcome.state == "published" else _to_skip(stood),
        "text": _withdrawal_text(outcome, stood),
    }


def _withdrawal_text(outcome: PublicationOutcome, stood: JournaledPlan | None) -> str:
    """The state of the routine in Hevy; without a note in it, the exercises to skip."""
    title = outcome.routine_title
    if outcome.state == "published":
        return phrase("withdrawn", routine=title)
    skipped = ", ".join(_to_skip(stood))
    skip = (
        phrase("withdrawn-skip-exercises", routine=title, exercises=skipped)
        if skipped
        else phrase("withdrawn-skip", routine=title)
    )
    if outcome.state == "previewed":
        return f"{skip} {phrase('withdrawn-preview')}"
    reason = outcome.problem or phrase("withdrawn-unknown")
    return f"{skip} {phrase('withdrawn-failed', reason=reason)}"


def _to_skip(stood: JournaledPlan | None) -> list[str]:
    """Titles of the exercises of the plan from before the red flag."""
    slots = () if stood is None else stood.plan.slots
    return list(dict.fromkeys(slot.exercise_title for slot in slots if slot.sets))


def _build_note(
    note: str | None, pains: Sequence[str], now: datetime, *, is_clearance: bool
) -> CheckInNote | None:
    """Return the note to store; None without a note, a red flag or a clearance.

    A note that is too long is an error, unless it has a red flag: then it is truncated.
    """
    text = (note or "").strip() or None
    found = tuple(
        dict.fromkeys(code for each in (text or "", *pains) for code in red_flags_in(each))
    )
    if text is not None and len(text) > LONGEST_NOTE:
        if not found:
            raise SettingsError(f"--note: at most {LONGEST_NOTE} characters.")
        text = text[:LONGEST_NOTE]
    if text is None and not found and not is_clearance:
        return None
    return CheckInNote(noted_at=now, note=text, red_flags=found, is_clearance=is_clearance)


@contextmanager
def _stop_with_errors(
    settings: Settings,
    profile: AthleteProfile,
    noted: CheckInNote | None,
    stood: JournaledPlan | None,
) -> Iterator[None]:
    """Prefix an error in other input of the check-in with the instruction to stop."""
    try:
        yield
    except SettingsError as error:
        if noted is None or not noted.red_flags:
            raise
        with in_language(profile.preferences.language):
            told = [stop_text(noted.red_flags)]
            if (withdrawn := withdraw(settings, profile)) is not None:
                told.append(_withdrawal_text(withdrawn, stood))
        raise SettingsError(" ".join([*told, str(error)])) from error


def _build_session_rpe(value: float | None, now: datetime) -> SessionRpe | None:
    if value is None:
        return None
    if not is_session_rpe(value):
        raise SettingsError(
            f"--session-rpe {value:g}: must be from {LOWEST} (rest) to {HIGHEST} (maximal)."
        )
    return SessionRpe(recorded_at=now, session_rpe=value)


def _session_rpe_text(exertion: SessionRpe) -> str:
    return phrase("session-rpe-noted", rpe=decimals(f"{exertion.session_rpe:g}"))


def _feeling(option: str, word: str | None) -> int | None:
    if word is None:
        return None
    if word.lower() not in FEELINGS:
        raise SettingsError(f"{option} {word}: must be one of {', '.join(FEELINGS)}.")
    return FEELINGS[word.lower()]


def _pains(texts: Sequence[str]) -> Iterator[Pain]:
    for text in texts:
        try:
            yield parse_pain(text)
        except PainError as error:
            # A red flag such as "head:severe" is accepted although no exercise loads that part.
            if not red_flags_in(text):
                raise SettingsError(f"--pain {error}") from error


def _require_exercises(deload: Sequence[str], situation: Situation) -> None:
    known = {slot.exercise_title for routine in situation.routines for slot in routine.slots}
    for title in deload:
        if title not in {ALL, NONE} and title not in known:
            hint = did_you_mean(title, known)
            raise SettingsError(f"--deload {title}: no routine has this exercise.{hint}")
