import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hevy_connector.csv_exports import CsvImport, read_hevy_csv
from hevy_connector.csv_rows import cut_rows
from hevy_connector.errors import CsvFormatError
from hevy_connector.schemas import Workout

BERLIN = ZoneInfo("Europe/Berlin")
REAL_LOGS = Path(__file__).resolve().parents[2].parent / "shared" / "data"

COLUMNS = (
    "title",
    "start_time",
    "end_time",
    "description",
    "exercise_title",
    "superset_id",
    "exercise_notes",
    "set_index",
    "set_type",
    "weight_kg",
    "reps",
    "distance_km",
    "duration_seconds",
    "rpe",
)
BENCH_SET = dict.fromkeys(COLUMNS, "") | {
    "title": "Upper A",
    "start_time": "4 Mar 2026, 18:02",
    "end_time": "4 Mar 2026, 19:01",
    "exercise_title": "Bench Press (Barbell)",
    "set_index": "0",
    "set_type": "normal",
    "weight_kg": "72.5",
    "reps": "6",
}

# As the app writes it: texts quoted, numbers bare, no final line feed. Data begins on line 2;
# the bench sets cover two lines each.
EXPORT = """\
"title","start_time","end_time","description","exercise_title","superset_id","exercise_notes","set_index","set_type","weight_kg","reps","distance_km","duration_seconds","rpe"
"Upper A 💪🏽","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Bench Press (Barbell)",0,"pause
on chest",0,"warmup",20,10,,,
"Upper A 💪🏽","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Bench Press (Barbell)",0,"pause
on chest",1,"normal",72.5,6,,,8.5
"Upper A 💪🏽","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Pull Up",0,"",0,"failure",,9,,,
"Jog","2 Mar 2026, 07:30","2 Mar 2026, 08:00","an ""easy"" one","Running",,"",0,"normal",,,2.4,810,
"Jog","2 Mar 2026, 07:30","2 Mar 2026, 08:00","an ""easy"" one","Plank",,"",0,"dropset",,0,0,60,"""


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def export(*rows: dict[str, str], columns: tuple[str, ...] = COLUMNS) -> bytes:
    """A file with these cells: what a row does not name is that of `BENCH_SET`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, "", "ignore", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(BENCH_SET | row for row in rows)
    return text.getvalue().encode()


def read(content: bytes | str, timezone: ZoneInfo = BERLIN) -> CsvImport:
    raw = content.encode() if isinstance(content, str) else content
    result = read_hevy_csv(raw, athlete_id="ann", timezone=timezone)
    assert result.rows_read == result.sets_loaded + len(result.rejected)
    loaded = [one for workout in workouts(result) for one in sets_of(workout)]
    assert len(loaded) == result.sets_loaded
    return result


def workouts(result: CsvImport) -> list[dict[str, Any]]:
    return [json.loads(record.payload) for record in result.workouts]


def sets_of(workout: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for exercise in workout["exercises"] for one in exercise["sets"]]


def only_set(*rows: dict[str, str], columns: tuple[str, ...] = COLUMNS) -> dict[str, Any]:
    [workout] = workouts(read(export(*rows, columns=columns)))
    [one] = sets_of(workout)
    return one


def renamed(old: str, new: str) -> tuple[str, ...]:
    return tuple(new if name == old else name for name in COLUMNS)


def test_an_export_becomes_workouts_in_the_shape_of_the_api() -> None:
    result = read(EXPORT)
    upper, easy = workouts(result)
    nothing = {
        "weight_kg": None,
        "reps": None,
        "distance_meters": None,
        "duration_seconds": None,
        "rpe": None,
        "custom_metric": None,
    }
    assert upper == {
        "id": result.workouts[0].record_id,
        "title": "Upper A 💪🏽",
        "routine_id": None,
        "description": "",
        "start_time": "2026-03-04T17:02:00+00:00",
        "end_time": "2026-03-04T18:01:00+00:00",
        "exercises": [
            {
                "index": 0,
                "title": "Bench Press (Barbell)",
                "notes": "pause\non chest",
                "exercise_template_id": None,
                "superset_id": 0,
                "sets": [
                    nothing | {"index": 0, "type": "warmup", "weight_kg": 20, "reps": 10},
                    nothing
                    | {"index": 1, "type": "normal", "weight_kg": 72.5, "reps": 6, "rpe": 8.5},
                ],
            },
            {
                "index": 1,
                "title": "Pull Up",
                "notes": "",
                "exercise_template_id": None,
                "superset_id": 0,
                "sets": [nothing | {"index": 0, "type": "failure", "reps": 9}],
            },
        ],
    }
    assert easy["description"] == 'an "easy" one'
    assert [exercise["superset_id"] for exercise in easy["exercises"]] == [None, None]
    assert sets_of(easy) == [
        nothing | {"index": 0, "type": "normal", "distance_meters": 2400, "duration_seconds": 810},
        nothing | {"index": 0, "type": "dropset", "reps": 0, "duration_seconds": 60},
    ]
    assert (result.rows_read, result.sets_loaded, result.rejected) == (5, 5, ())
    for record in result.workouts:
        assert Workout.model_validate_json(record.payload).id == record.record_id
        assert record.vendor_updated_at is None
        assert not record.is_deleted


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(EXPORT.encode() + b"\n", id="final line feed"),
        pytest.param(EXPORT.encode() + b"\n\n  \n", id="blank lines at the end"),
        pytest.param(EXPORT.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(b"\xef\xbb\xbf" + EXPORT.encode(), id="byte order mark"),
    ],
)
def test_the_form_of_the_lines_changes_no_record(content: bytes) -> None:
    assert read(content) == read(EXPORT)


def test_columns_may_stand_in_any_order_among_others() -> None:
    shuffled = ("", *reversed(COLUMNS), "my mood")
    assert read(export({}, columns=shuffled)) == read(export({}))


def test_an_export_of_before_supersets_has_none() -> None:
    old = tuple(name for name in COLUMNS if name != "superset_id")
    [workout] = workouts(read(export({}, columns=old)))
    assert workout["exercises"][0]["superset_id"] is None


def test_a_header_alone_is_an_empty_log() -> None:
    assert read(export()) == CsvImport((), (), 0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("4 Mar 2026, 18:02", "2026-03-04T17:02:00+00:00", id="classic"),
        pytest.param("04 Mar 2026, 18:02", "2026-03-04T17:02:00+00:00", id="zero-padded day"),
        pytest.param("11 Jun 2026, 13:01", "2026-06-11T11:01:00+00:00", id="summer time"),
        pytest.param("Jun 11, 2026, 1:01 PM", "2026-06-11T11:01:00+00:00", id="US"),
        pytest.param("Jun 11, 2026, 1:01\u202fPM", "2026-06-11T11:01:00+00:00", id="US narrow"),
        pytest.param("Jun 11, 2026, 12:05 AM", "2026-06-10T22:05:00+00:00", id="after midnight"),
        pytest.param("Jun 11, 2026, 12:05 PM", "2026-06-11T10:05:00+00:00", id="after noon"),
        pytest.param("29 Feb 2024, 00:00", "2024-02-28T23:00:00+00:00", id="leap day"),
    ],
)
def test_local_times_become_utc(text: str, expected: str) -> None:
    [workout] = workouts(read(export({"start_time": text, "end_time": text})))
    assert (workout["start_time"], workout["end_time"]) == (expected, expected)


@pytest.mark.parametrize(
    ("word", "number"),
    [(word, f"{number:02}") for number, word in enumerate(MONTHS, start=1)],
)
def test_every_month_is_known(word: str, number: str) -> None:
    when = f"9 {word} 2025, 12:00"
    [workout] = workouts(read(export({"start_time": when, "end_time": when}), ZoneInfo("UTC")))
    assert workout["start_time"] == f"2025-{number}-09T12:00:00+00:00"


@pytest.mark.parametrize(
    ("start", "end", "expected_start", "expected_end"),
    [
        # Berlin 2025: 26 Oct 03:00 (+2) becomes 02:00 (+1); 30 Mar 02:00 (+1) becomes 03:00 (+2).
        pytest.param(
            "26 Oct 2025, 02:10", "26 Oct 2025, 02:50", "00:10", "00:50", id="repeated hour"
        ),
        pytest.param(
            "26 Oct 2025, 02:30", "26 Oct 2025, 02:10", "00:30", "01:10", id="across the change"
        ),
        pytest.param(
            "30 Mar 2025, 02:30", "30 Mar 2025, 04:00", "01:30", "02:00", id="skipped hour"
        ),
        pytest.param(
            "30 Mar 2025, 02:30", "30 Mar 2025, 03:10", "00:30", "01:10", id="skipped, end near"
        ),
    ],
)
def test_the_hours_of_the_clock_changes_give_a_possible_workout(
    start: str, end: str, expected_start: str, expected_end: str
) -> None:
    [workout] = workouts(read(export({"start_time": start, "end_time": end})))
    assert workout["start_time"][11:16] == expected_start
    assert workout["end_time"][11:16] == expected_end


@pytest.mark.parametrize("distance_column", ["distance_km", "distance_miles"])
@pytest.mark.parametrize(
    ("weight_column", "weight", "expected_kg"),
    [
        ("weight_kg", "70.31", 70.31),
        ("weight_kg", "60.0", 60),
        ("weight_lbs", "155", 70.30681735),  # 155 * 0.45359237
        ("weight_lbs", "2", 0.90718474),
    ],
)
def test_weights_are_kilograms_whatever_the_unit_of_distances(
    weight_column: str, weight: str, expected_kg: float, distance_column: str
) -> None:
    columns = tuple(
        {"weight_kg": weight_column, "distance_km": distance_column}.get(name, name)
        for name in COLUMNS
    )
    one = only_set({weight_column: weight, distance_column: "1"}, columns=columns)
    assert one["weight_kg"] == expected_kg
    assert (
        one["distance_meters"] == {"distance_km": 1000, "distance_miles": 1609.344}[distance_column]
    )


@pytest.mark.parametrize(
    ("column", "distance", "expected_m"),
    [
        ("distance_km", "2.4", 2400),
        ("distance_km", "2.01", 2010),  # in binary floats 2009.9999999999998
        ("distance_miles", "3.2", 5149.9008),  # 3.2 * 1609.344
    ],
)
def test_distances_are_metres(column: str, distance: str, expected_m: float) -> None:
    one = only_set({column: distance}, columns=renamed("distance_km", column))
    assert one["distance_meters"] == expected_m


@pytest.mark.parametrize(
    ("cells", "field", "expected"),
    [
        pytest.param({"weight_kg": ""}, "weight_kg", None, id="blank weight is not zero"),
        pytest.param({"weight_kg": "0"}, "weight_kg", 0, id="zero weight was recorded"),
        pytest.param({"reps": "0"}, "reps", 0, id="zero reps are kept"),
        pytest.param({"reps": "10.0"}, "reps", 10, id="re-saved reps"),
        pytest.param({"reps": "5366"}, "reps", 5366, id="absurd reps are kept"),
        pytest.param({"distance_km": "0"}, "distance_meters", None, id="zero distance"),
        pytest.param({"distance_km": "518"}, "distance_meters", 518_000, id="absurd distance"),
        pytest.param({"duration_seconds": "0"}, "duration_seconds", None, id="zero duration"),
        pytest.param({"duration_seconds": "0.0"}, "duration_seconds", None, id="re-saved zero"),
        pytest.param({"rpe": "6.5"}, "rpe", 6.5, id="half point that Hevy does not offer"),
        pytest.param({"rpe": "10"}, "rpe", 10, id="highest RPE"),
    ],
)
def test_numbers_are_kept_and_only_zero_times_and_distances_are_missing(
    cells: dict[str, str], field: str, expected: float | None
) -> None:
    assert only_set(cells)[field] == expected


def test_a_set_without_any_number_is_a_set() -> None:
    one = only_set({"weight_kg": "", "reps": ""})
    assert set(one.values()) == {0, "normal", None}


def test_a_restart_of_the_set_index_begins_the_exercise_again() -> None:
    indices = ["0", "1", "0", "2", "2"]
    [workout] = workouts(read(export(*({"set_index": index} for index in indices))))
    assert [exercise["title"] for exercise in workout["exercises"]] == ["Bench Press (Barbell)"] * 3
    assert [exercise["index"] for exercise in workout["exercises"]] == [0, 1, 2]
    # Within an exercise the sets are counted anew, as the API does.
    assert [[one["index"] for one in exercise["sets"]] for exercise in workout["exercises"]] == [
        [0, 1],
        [0, 1],
        [0],
    ]


def test_an_exercise_that_returns_after_another_is_one_more_exercise() -> None:
    titles = ["Squat (Barbell)", "Pull Up", "Squat (Barbell)"]
    rows = [{"exercise_title": title, "set_index": str(at)} for at, title in enumerate(titles)]
    [workout] = workouts(read(export(*rows)))
    assert [exercise["title"] for exercise in workout["exercises"]] == titles


def test_rows_of_one_workout_belong_together_wherever_they_stand() -> None:
    early, late = {"title": "Early"}, {"title": "Late"}
    result = read(export(early, late, early | {"exercise_title": "Pull Up"}))
    assert [
        (workout["title"], [exercise["title"] for exercise in workout["exercises"]])
        for workout in workouts(result)
    ] == [
        ("Early", ["Bench Press (Barbell)", "Pull Up"]),
        ("Late", ["Bench Press (Barbell)"]),
    ]


def test_white_space_around_titles_does_not_make_another_workout_or_exercise() -> None:
    padded = {"title": " Upper A ", "exercise_title": "Bench Press (Barbell) ", "set_index": "1"}
    [workout] = workouts(read(export({}, padded)))
    assert workout["title"] == "Upper A"
    assert len(workout["exercises"]) == 1


def test_record_ids_tell_athletes_titles_and_times_apart_and_nothing_else() -> None:
    def record_ids(content: bytes, athlete_id: str = "ann") -> list[str]:
        result = read_hevy_csv(content, athlete_id=athlete_id, timezone=BERLIN)
        return [record.record_id for record in result.workouts]

    [known] = record_ids(export({}))
    assert known.startswith("csv-")
    assert record_ids(export({"reps": "9", "exercise_title": "Squat"})) == [known]
    others = record_ids(
        export(
            {"title": "B"}, {"start_time": "4 Mar 2026, 18:03"}, {"end_time": "Mar 4, 2026, 20:00"}
        )
    ) + record_ids(export({}), athlete_id="other")
    assert len({known, *others}) == 5


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (
            {"set_type": "myo"},
            "Line 3: set_type 'myo' is none of normal, warmup, failure, dropset.",
        ),
        ({"set_type": ""}, "set_type '' is none of"),
        ({"set_index": ""}, "set_index is empty"),
        ({"set_index": "1.5"}, "set_index '1.5' is not a whole number"),
        ({"superset_id": "A"}, "superset_id 'A' is not a whole number"),
        ({"weight_kg": "heavy"}, "weight_kg 'heavy' is not a number"),
        ({"weight_kg": "-20"}, "weight_kg '-20' is not a number of zero or more"),
        ({"weight_kg": "72,5"}, "weight_kg '72,5' is not a number"),
        ({"reps": "NaN"}, "reps 'NaN' is not a whole number"),
        ({"reps": "inf"}, "reps 'inf' is not a whole number"),
        ({"reps": "1e999"}, "reps '1e999' is not a whole number"),
        ({"reps": "8.5"}, "reps '8.5' is not a whole number"),
        ({"reps": "5000000000"}, "reps '5000000000' is not a whole number"),
        ({"duration_seconds": "90.5"}, "duration_seconds '90.5' is not a whole number"),
        ({"rpe": "0"}, "rpe '0' is not a whole or half number"),
        ({"rpe": "10.5"}, "rpe '10.5' is not a whole or half number"),
        ({"rpe": "8.3"}, "rpe '8.3' is not a whole or half number"),
        ({"exercise_title": " "}, "exercise_title is empty"),
        ({"start_time": ""}, "start_time '' is no date"),
        ({"start_time": "2026-03-04 18:02"}, "is not written like '4 Mar 2026, 18:02'"),
        ({"start_time": "17 ene 2024, 19:40"}, "the month 'ene' is not known"),
        ({"end_time": "4 de set. de 2026, 15:16"}, "the month 'de set. de' is not known"),
        ({"start_time": "30 Feb 2026, 18:02"}, "start_time '30 Feb 2026, 18:02' is no date"),
        ({"start_time": "4 Mar 2026, 24:00"}, "is no date: hour must be in"),
        ({"start_time": "Mar 4, 2026, 13:02 PM"}, "the hour must be in 1..12"),
        ({"start_time": "1 Jan 0001, 00:00"}, "a time is out of the calendar"),
        ({"end_time": "4 Mar 2026, 18:01"}, "the end lies before the start"),
    ],
)
def test_an_unreadable_row_is_rejected_and_the_rest_of_its_workout_loads(
    cells: dict[str, str], reason: str
) -> None:
    content = export({}, cells, {"set_index": "1"})
    result = read(content)
    [rejected] = result.rejected
    assert reason in rejected.reason
    assert rejected.reason.startswith("Line 3: ")
    assert rejected.source_line == 3
    assert rejected.payload == content.decode().splitlines()[2]
    [workout] = workouts(result)
    assert len(sets_of(workout)) == 2


def test_a_workout_without_a_readable_row_is_absent() -> None:
    result = read(export({"reps": "?"}, {"reps": "!"}, {"title": "Other"}))
    assert [workout["title"] for workout in workouts(result)] == ["Other"]
    assert [rejected.source_line for rejected in result.rejected] == [2, 3]


def test_lines_are_those_of_the_file_where_cells_run_over_several() -> None:
    note = {"exercise_notes": "one\ntwo\nthree"}
    content = export(note, note | {"reps": "?"}, {"reps": "?"}).replace(b"\n", b"\r\n")
    rejected = read(content).rejected
    assert [one.source_line for one in rejected] == [5, 8]
    assert rejected[0].payload.count("\n") == 2


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        pytest.param('"Upper A"', "1 cells, the header 14", id="too few cells"),
        pytest.param("," * 14, "15 cells, the header 14", id="too many cells"),
        pytest.param('"Upper A","4 Mar', "quotation marks do not match", id="cut inside a text"),
        pytest.param('"Upper "A","x"', "quotation marks do not match", id="stray mark"),
        pytest.param('a"b', "quotation marks do not match", id="mark in a bare cell"),
        pytest.param(',,"', "quotation marks do not match", id="mark at the end"),
    ],
)
@pytest.mark.parametrize("place", ["middle", "end"])
def test_a_damaged_row_costs_only_itself(damaged: str, reason: str, place: str) -> None:
    lines = EXPORT.split("\n")
    at = {"middle": 5, "end": len(lines)}[place]
    result = read("\n".join([*lines[:at], damaged, *lines[at:]]))
    [rejected] = result.rejected
    assert reason in rejected.reason
    assert (rejected.source_line, rejected.payload) == (at + 1, damaged)
    assert result.workouts == read(EXPORT).workouts


def test_a_whole_row_inside_a_text_betrays_an_open_quotation_mark() -> None:
    lines = ['a,"b\n', "1,2,3\n", '4,5,6"\n', "7,8,9"]
    rows = list(cut_rows(lines, 0, 3))
    assert [(row.line, row.text, row.cells) for row in rows] == [
        (1, 'a,"b', ()),
        (2, "1,2,3", ("1", "2", "3")),
        (3, '4,5,6"', ()),
        (4, "7,8,9", ("7", "8", "9")),
    ]
    assert rows[0].fault == "a quotation mark is not closed"


def test_a_row_with_a_long_text_and_a_cell_too_many_is_rejected_as_one() -> None:
    lines = EXPORT.split("\n")
    lines[2] += ",,"
    result = read("\n".join(lines))
    [rejected] = result.rejected
    assert (rejected.source_line, rejected.payload) == (2, "\n".join(lines[1:3]))
    assert result.sets_loaded == 4


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda text, at: text[:at] + '"' + text[at:], id="a mark too many"),
        pytest.param(lambda text, at: text[:at] + text[at + 1 :], id="a character lost"),
    ],
)
@pytest.mark.parametrize(
    ("first", "last"), [pytest.param(3, 4, id="two-line row"), pytest.param(5, 5, id="one line")]
)
def test_no_damage_to_one_row_reaches_another(
    damage: Callable[[str, int], str], first: int, last: int
) -> None:
    """Every single position of the row is damaged once."""
    lines = EXPORT.split("\n")
    victim = "\n".join(lines[first : last + 1])
    others = "\n".join(lines[:first] + lines[last + 1 :])
    untouched = {one for workout in workouts(read(others)) for one in identities(workout)}
    for position in range(len(victim)):
        damaged = damage(victim, position)
        result = read("\n".join([*lines[:first], damaged, *lines[last + 1 :]]))
        found = {one for workout in workouts(result) for one in identities(workout)}
        assert found >= untouched, damaged
        assert {one.source_line for one in result.rejected} <= set(range(first + 1, last + 2))


def identities(workout: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What tells the sets of `EXPORT` apart, wherever a damaged neighbour moves them."""
    return [
        (workout["title"], exercise["title"], one["type"], one["reps"], one["duration_seconds"])
        for exercise in workout["exercises"]
        for one in exercise["sets"]
    ]


STRONG_COMMA = (
    "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes\n"
)
STRONG_SEMICOLON = 'Date;"Workout Name";Exercise Name;"Set Order";Weight;Weight Unit;Reps\n'
STRONG_GERMAN = "Datum,Workout-Name,Dauer,Name der Übung,Reihenfolge festlegen,Gewicht\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "The file is empty", id="empty"),
        pytest.param(b"\xef\xbb\xbf\r\n \n", "The file is empty", id="blank"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8 text", id="picture"),
        pytest.param(EXPORT.encode("utf-16"), "not UTF-8 text", id="UTF-16"),
        pytest.param(EXPORT.encode() + b"\xe9", "not UTF-8 text", id="broken text at the end"),
        pytest.param(b"PK\x03\x04\x00\x00", "no Hevy workout export", id="archive"),
        pytest.param(b"name,age\nAnn,30\n", "no column title, start_time", id="another table"),
        pytest.param(b'"title,"start_time"\n', "cannot be read as column names", id="header"),
        pytest.param(STRONG_COMMA.encode(), "Strong exports are recognised but not", id="Strong"),
        pytest.param(STRONG_SEMICOLON.encode(), "Strong exports are recognised", id="Strong ;"),
        pytest.param(STRONG_GERMAN.encode(), "Strong exports are recognised", id="Strong German"),
        pytest.param(
            b'"date","weight_kg","fat_percent","neck_cm"\n"4 Mar 2026, 07:15",80,,\n',
            "body measurements",
            id="measurements",
        ),
        pytest.param(
            EXPORT.split("\n")[0].replace(",", ";").encode(), "with semicolons", id="re-saved"
        ),
        pytest.param(
            export({}, columns=tuple(name for name in COLUMNS if name not in ("reps", "rpe"))),
            "no column reps, rpe",
            id="missing columns",
        ),
        pytest.param(
            export({}, columns=tuple(name for name in COLUMNS if name != "weight_kg")),
            "no column weight_kg or weight_lbs",
            id="missing weight",
        ),
        pytest.param(
            export({}, columns=(*COLUMNS, "weight_lbs")),
            "more than one column for weight_kg or weight_lbs",
            id="two weights",
        ),
        pytest.param(
            export({}, columns=(*COLUMNS, "superset_id")),
            "more than one column for superset_id",
            id="column twice",
        ),
    ],
)
def test_a_file_that_is_no_workout_export_is_refused_whole(content: bytes, message: str) -> None:
    with pytest.raises(CsvFormatError, match=message):
        read(content)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=300).map(str.encode),
        st.text(alphabet='",\n\r 0aA', max_size=300).map(lambda text: export() + text.encode()),
    )
)
def test_any_bytes_are_refused_or_counted(content: bytes) -> None:
    try:
        read(content)
    except CsvFormatError as error:
        assert str(error)  # noqa: PT017  (either outcome is right)


@settings(max_examples=100, deadline=None)
@given(
    row=st.integers(0, 2),
    column=st.sampled_from(COLUMNS),
    text=st.one_of(
        st.text(max_size=30),
        st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,20})?([eE][0-9]{1,4})?", fullmatch=True),
        st.from_regex(r"[0-9]{1,2} (Jan|Dec|Mai) [0-9]{4}, [0-9]{2}:[0-9]{2}", fullmatch=True),
    ),
)
def test_any_text_in_any_cell_loads_or_rejects_that_row_alone(
    row: int, column: str, text: str
) -> None:
    rows: list[dict[str, str]] = [{"set_index": str(index)} for index in range(3)]
    rows[row][column] = text
    result = read(export(*rows))
    assert result.rows_read == 3
    assert result.sets_loaded >= 2


def real_log(name: str) -> bytes:
    path = REAL_LOGS / name
    if not path.exists():
        pytest.skip(f"the real training log {name} is not on this machine")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "workout_count", "set_count"),
    [
        ("hevy-ferreira-mit/hevy_workouts_raw.csv", 501, 9542),
        ("hevy-mouadja02/workout_data.csv", 17, 330),
    ],
)
def test_a_real_log_loads_whole(name: str, workout_count: int, set_count: int) -> None:
    result = read(real_log(name))
    assert len({record.record_id for record in result.workouts}) == workout_count
    assert len(result.workouts) == workout_count
    assert (result.rows_read, result.sets_loaded, result.rejected) == (set_count, set_count, ())


def test_the_long_real_log_keeps_its_types_and_gaps() -> None:
    result = read(real_log("hevy-ferreira-mit/hevy_workouts_raw.csv"))
    loaded = [one for workout in workouts(result) for one in sets_of(workout)]
    types = [one["type"] for one in loaded]
    assert Counter(types) == {
        "normal": 7303,
        "failure": 2149,
        "dropset": 76,
        "warmup": 14,
    }
    assert sum(one["weight_kg"] is None for one in loaded) == 708
    assert sum(one["reps"] is None for one in loaded) == 333


def test_a_broken_row_in_a_real_log_costs_one_set() -> None:
    lines = real_log("hevy-ferreira-mit/hevy_workouts_raw.csv").decode().split("\n")
    # A row of one line between two others: its closing quotation mark and what follows are lost.
    at = next(
        at
        for at in range(len(lines) // 2, len(lines))
        if all(line.count(",") == 15 and line[0] == '"' for line in lines[at - 1 : at + 2])
    )
    lines[at] = lines[at][:40]
    assert lines[at].count('"') % 2 == 1
    result = read("\n".join(lines))
    assert [one.source_line for one in result.rejected] == [at + 1]
    assert result.sets_loaded == 9541
