from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hevy_connector.csv_imports.alias_proposals import AliasProposal
from orchestration.services.ingestion.import_outcome import (
    Clock,
    ImportOutcome,
    NamedLine,
    RowCounts,
    WorkoutCounts,
)
from orchestration.services.ingestion.import_report import import_lines

HOUR = timedelta(hours=1)
OUTCOME = ImportOutcome(
    athlete_id="me",
    dialect="Hevy (kg, km)",
    timezone="Europe/Berlin",
    is_dry_run=False,
    rows=RowCounts(
        read=100, loaded=40, known=30, in_account=20, repeated=4, attached=3, quarantined=3
    ),
    workouts=WorkoutCounts(new=8, changed=2, unchanged=6, matched=4, in_account=5),
    clock=Clock("files", (), is_zone_given=False, moved_count=0),
    quarantined=(),
    newly_quarantined_count=1,
    repeated=(),
    flagged=(),
    unknown_titles=(),
    new_profile=None,
)
LINES = [
    "Hevy (kg, km), times as in Europe/Berlin",
    "100 rows read = 40 loaded + 30 known + 20 in the Hevy account + 4 repeated + "
    "3 rest timers and notes + 3 quarantined (1 of them new)",
    "Workouts: 8 new, 2 changed, 6 known already, 4 new here but in the Hevy account",
    "Matched with the Hevy account, and counted once, as it has them: 5 of the file's workouts",
]


def test_the_rows_add_up_in_one_line() -> None:
    assert import_lines(OUTCOME) == LINES


def test_columns_that_are_not_read_are_named() -> None:
    lines = import_lines(replace(OUTCOME, unread_columns=("time", "tempo")))
    assert lines == [LINES[0], "Columns not read: 'time', 'tempo'", *LINES[1:]]


def test_a_dry_run_says_so_first() -> None:
    outcome = replace(OUTCOME, is_dry_run=True, new_profile=Path("athletes/me.toml"))
    assert import_lines(outcome)[:3] == [
        "Dry run: nothing is written. An import would do this:",
        "New athlete me: would write athletes/me.toml",
        "Hevy (kg, km), times as in Europe/Berlin: if the phone was elsewhere, say where with "
        "--timezone",
    ]


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        pytest.param(
            Clock("files", (7 * HOUR, 8 * HOUR), is_zone_given=False, moved_count=3),
            [
                "The file's times are 7 h and 8 h ahead of earlier files: it was written "
                "in another time zone.",
                "The known times stay; workouts moved in the same way: 3.",
                "If the file is right, import it again with --timezone and the zone it is from.",
            ],
            id="files",
        ),
        pytest.param(
            Clock("files", (-5.5 * HOUR,), is_zone_given=True, moved_count=0),
            [
                "The file's times are 5.5 h behind earlier files: it was written in "
                "another time zone.",
                "The times known from earlier files were corrected to the zone that was given.",
            ],
            id="zone given",
        ),
        pytest.param(
            Clock("account", (HOUR,), is_zone_given=True, moved_count=2),
            [
                "The file's times are 1 h ahead of the Hevy account: it was written in another "
                "time zone.",
                "The known times stay; workouts moved in the same way: 2.",
            ],
            id="account",
        ),
    ],
)
def test_a_file_of_another_zone_is_told(clock: Clock, expected: list[str]) -> None:
    assert import_lines(replace(OUTCOME, clock=clock)) == LINES + expected


def test_long_lists_are_cut_with_their_count() -> None:
    flagged = [NamedLine(line, f"Line {line}: odd") for line in range(1, 14)]
    lines = import_lines(replace(OUTCOME, flagged=flagged))
    assert lines[4:6] == ["Odd rows, loaded as they are: 13", "  Line 1: odd"]
    assert lines[-2:] == ["  Line 10: odd", "  and 3 more, all of them with --json"]


def test_unknown_titles_come_with_suggestions() -> None:
    titles = (
        AliasProposal("Bench Pres", 40, "Bench Press (Barbell)", 97.0, is_sure=True),
        AliasProposal("Leg curl", 9, "Lying Leg Curl (Machine)", 81.0, is_sure=False),
        AliasProposal("Supino", 2, None, 0.0, is_sure=False),
    )
    assert import_lines(replace(OUTCOME, unknown_titles=titles))[4:] == [
        "Titles without a Hevy exercise, kept as they are: 3",
        '  "Bench Pres", 40 sets; "Bench Press (Barbell)"',
        '  "Leg curl", 9 sets; perhaps "Lying Leg Curl (Machine)"',
        '  "Supino", 2 sets; no similar exercise',
        "To join the sure ones: spotter aliases accept --all --athlete me",
        "To see and join the others: spotter aliases list --athlete me",
    ]


@pytest.mark.parametrize(
    ("is_sure", "advice"),
    [
        (True, "To join them with these exercises: spotter aliases accept --all --athlete me"),
        (False, "To see and join them: spotter aliases list --athlete me"),
    ],
)
def test_titles_lead_to_the_command_that_joins_them(advice: str, *, is_sure: bool) -> None:
    """A plan took a command more: the report named the list alone, which names the command."""
    titles = (AliasProposal("Bench Pres", 40, "Bench Press (Barbell)", 97.0, is_sure=is_sure),)
    assert import_lines(replace(OUTCOME, unknown_titles=titles))[-1] == advice
