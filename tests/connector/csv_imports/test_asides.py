"""Rows of Strong that are no sets: rests and notes."""

import pytest

from tests.connector.csv_imports.exports import all_sets, read_strong, strong_export, workouts

SET = '"Squat",{order},100,5,0,0,,,'
REST = '"Squat",Rest Timer,0,0.0,0,{seconds},,,'


def test_a_rest_lands_on_the_set_before_it() -> None:
    rows = [
        '"Squat",W,60,5,0,0,,,',
        REST.format(seconds=60.0),
        SET.format(order=1),
        SET.format(order=2),
        REST.format(seconds=180),
    ]
    result = read_strong(strong_export(*rows))
    assert [one.get("rest_seconds") for one in all_sets(result)] == [60, None, 180]
    assert result.attached == (3, 6)
    assert result.workouts[0].lines == (2, 4, 5)


@pytest.mark.parametrize("word", ["Rest Timer", "rest timer", "Ruhezeit", "Minuteur", "休息"])
def test_a_rest_is_known_by_its_word_or_by_holding_seconds_alone(word: str) -> None:
    result = read_strong(strong_export(SET.format(order=1), f'"Squat",{word},0,0.0,0,90.0,,,'))
    assert [one.get("rest_seconds") for one in all_sets(result)] == [90]


def test_a_note_lands_on_the_exercise_that_follows() -> None:
    header = (
        '"Workout #";"Date";"Workout Name";"Duration (sec)";"Exercise Name";"Set Order";'
        '"Weight (kg)";"Reps";"RPE";"Distance (meters)";"Seconds";"Notes";"Workout Notes"'
    )
    start = '"12";"2025-02-03 17:35:58";"Push";"3130"'
    rows = [
        f'{start};"Dip";"Note";"";"";"";"";"";"lean forward";"deload"',
        f'{start};"Dip";"1";"10.0";"8";"";"";"";"";"deload"',
        f'{start};"Dip";"Rest Timer";"";"";"";"";"150.0";"";"deload"',
        f'{start};"Press";"Note";"";"";"";"";"";"slow";"deload"',
        f'{start};"Press";"1";"40.0";"8";"";"";"";"";"deload"',
        f'{start};"Press";"Note";"";"";"";"";"";"left elbow";"deload"',
    ]
    result = read_strong("\n".join([header, *rows]))
    [workout] = workouts(result)
    assert workout["description"] == "deload"
    assert [(one["title"], one["notes"]) for one in workout["exercises"]] == [
        ("Dip", "lean forward"),
        ("Press", "slow\nleft elbow"),
    ]
    assert [one.get("rest_seconds") for one in all_sets(result)] == [150, None]
    assert result.attached == (2, 4, 5, 7)
    assert (workout["start_time"], workout["end_time"]) == (
        "2025-02-03T17:35:58+00:00",
        "2025-02-03T18:28:08+00:00",
    )


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        pytest.param(
            [REST.format(seconds=90), SET.format(order=1)],
            2,
            "the rest follows no set of its exercise",
            id="first of the file",
        ),
        pytest.param(
            ['"Press",1,40,5,0,0,,,', REST.format(seconds=90)],
            3,
            "the rest follows no set of its exercise",
            id="after another exercise",
        ),
        pytest.param(
            [SET.format(order=1), REST.format(seconds=90), REST.format(seconds=120)],
            4,
            "the set of line 2 already has another rest",
            id="second rest",
        ),
        pytest.param(
            [SET.format(order=1), '"Press",Note,,,,,"slow",,'],
            3,
            "the note is next to no set of its exercise",
            id="note on nothing",
        ),
    ],
)
def test_a_row_that_belongs_to_no_set_is_rejected(rows: list[str], line: int, reason: str) -> None:
    [rejected] = read_strong(strong_export(*rows)).rejected
    assert rejected.source_line == line
    assert reason in rejected.reason


def test_the_rest_after_a_rejected_set_does_not_go_to_the_set_before() -> None:
    rows = [SET.format(order=1), '"Squat",2,many,5,0,0,,,', REST.format(seconds=90)]
    result = read_strong(strong_export(*rows))
    assert [one.source_line for one in result.rejected] == [3, 4]
    assert all("rest_seconds" not in one for one in all_sets(result))


def test_a_repeated_rest_is_one_rest_and_a_copy() -> None:
    rows = [SET.format(order=1), REST.format(seconds=90), REST.format(seconds=90.0)]
    result = read_strong(strong_export(*rows))
    assert result.attached == (3,)
    assert [(one.line, one.reason) for one in result.repeated] == [
        (4, "repeats the rest of the set of line 2 again")
    ]


def test_half_of_the_rows_being_rests_leaves_as_many_sets_as_were_done() -> None:
    rows = [
        row
        for order in range(1, 51)
        for row in (SET.format(order=order), REST.format(seconds=60 + order))
    ]
    result = read_strong(strong_export(*rows))
    assert [one["rest_seconds"] for one in all_sets(result)] == list(range(61, 111))
    assert (result.rows_read, len(result.attached)) == (100, 50)
