"""Format the result of an import for the terminal."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from coach_agent.engine.explain.plan_texts import number
from hevy_connector.csv_imports.alias_proposals import AliasProposal
from orchestration.services.ingestion.import_outcome import Clock, ImportOutcome, NamedLine

# Longer lists are truncated; `--json` is complete.
SHOWN_LINES = 10

_REFERENCES = {"account": "the Hevy account", "files": "earlier files"}


def import_lines(outcome: ImportOutcome) -> list[str]:
    """Return the report of an import as lines."""
    return [
        *_profile_lines(outcome),
        _reading_line(outcome),
        *_column_lines(outcome),
        _row_sum(outcome),
        *_workout_lines(outcome),
        *_clock_lines(outcome.clock, is_dry_run=outcome.is_dry_run),
        *_listed(_quarantine_title(outcome), _reasons(outcome.quarantined)),
        *_listed("Rows repeated in the file, counted once", _reasons(outcome.repeated)),
        *_listed("Odd rows, loaded as they are", _reasons(outcome.flagged)),
        *_title_lines(outcome),
    ]


def no_workouts_text(outcomes: Sequence[ImportOutcome]) -> str:
    """Return the error of an import whose files have no readable workout."""
    read = sum(each.rows.read for each in outcomes)
    unreadable = sum(each.rows.quarantined for each in outcomes)
    reason = f"{read} rows read, {unreadable} of them unreadable" if read else "there are no rows"
    written = " Nothing was written." if outcomes[0].is_refused else ""
    return f"No workout was loaded: {reason}.{written}"


def _quarantine_title(outcome: ImportOutcome) -> str:
    unreadable = "Rows that cannot be read"
    return unreadable if outcome.is_refused else f"{unreadable}, kept in quarantine"


def _profile_lines(outcome: ImportOutcome) -> Iterator[str]:
    if outcome.is_dry_run:
        yield "Dry run: nothing is written. An import would do this:"
    if outcome.new_profile is not None:
        verb = "would write" if outcome.is_dry_run else "wrote"
        yield f"New athlete {outcome.athlete_id}: {verb} {outcome.new_profile}"


def _reading_line(outcome: ImportOutcome) -> str:
    line = f"{outcome.dialect}, times as in {outcome.timezone}"
    if outcome.new_profile is None or outcome.clock.is_zone_given:
        return line
    return f"{line}: if the phone was elsewhere, say where with --timezone"


def _column_lines(outcome: ImportOutcome) -> Iterator[str]:
    if outcome.unread_columns:
        names = ", ".join(map(repr, outcome.unread_columns))
        yield f"Columns not read: {names}"


def _row_sum(outcome: ImportOutcome) -> str:
    rows = outcome.rows
    newly = f" ({outcome.newly_quarantined_count} of them new)" if rows.quarantined else ""
    return (
        f"{rows.read} rows read = {rows.loaded} loaded + {rows.known} known + "
        f"{rows.in_account} in the Hevy account + {rows.repeated} repeated + "
        f"{rows.attached} rest timers and notes + {rows.quarantined} quarantined{newly}"
    )


def _workout_lines(outcome: ImportOutcome) -> Iterator[str]:
    workouts = outcome.workouts
    yield (
        f"Workouts: {workouts.new} new, {workouts.changed} changed, {workouts.unchanged} known "
        f"already, {workouts.matched} new here but in the Hevy account"
    )
    if workouts.in_account:
        yield (
            "Matched with the Hevy account, and counted once, as it has them: "
            f"{workouts.in_account} of the file's workouts"
        )


def _clock_lines(clock: Clock, *, is_dry_run: bool) -> Iterator[str]:
    if not clock.shifts:
        return
    hours = " and ".join(f"{number(abs(shift) / timedelta(hours=1))} h" for shift in clock.shifts)
    side = "ahead of" if clock.shifts[-1] > timedelta() else "behind"
    yield (
        f"The file's times are {hours} {side} {_REFERENCES[clock.reference]}: it was written in "
        "another time zone."
    )
    if clock.reference == "files" and clock.is_zone_given:
        be = "would be" if is_dry_run else "were"
        yield f"The times known from earlier files {be} corrected to the zone that was given."
    else:
        yield f"The known times stay; workouts moved in the same way: {clock.moved_count}."
        if clock.reference == "files":
            yield "If the file is right, import it again with --timezone and the zone it is from."


def _listed(title: str, items: Sequence[str]) -> Iterator[str]:
    if not items:
        return
    yield f"{title}: {len(items)}"
    for item in items[:SHOWN_LINES]:
        yield f"  {item}"
    if len(items) > SHOWN_LINES:
        yield f"  and {len(items) - SHOWN_LINES} more, all of them with --json"


def _reasons(named: Sequence[NamedLine]) -> list[str]:
    return [one.reason for one in named]


def _title_lines(outcome: ImportOutcome) -> Iterator[str]:
    titles = outcome.unknown_titles
    yield from _listed(
        "Titles without a Hevy exercise, kept as they are",
        [_title_text(title) for title in titles],
    )
    athlete = f"--athlete {outcome.athlete_id}"
    sure = sum(title.is_sure for title in titles)
    if sure:
        joined = "them with these exercises" if sure == len(titles) else "the sure ones"
        yield f"To join {joined}: spotter aliases accept --all {athlete}"
    if sure < len(titles):
        yield f"To see and join {'the others' if sure else 'them'}: spotter aliases list {athlete}"


def _title_text(title: AliasProposal) -> str:
    return f'"{title.title}", {title.set_count} sets; {title.text}'
