"""Strong's export in all its dialects."""

import pytest

from hevy_connector.csv_imports.workouts import exercise_blocks
from tests.connector.csv_imports.exports import (
    BERLIN,
    S1,
    S1_SHORT,
    STRONG,
    all_sets,
    blocks,
    read,
    read_strong,
    strong_export,
    workouts,
)

NOTHING = {
    "weight_kg": None,
    "reps": None,
    "distance_meters": None,
    "duration_seconds": None,
    "rpe": None,
    "custom_metric": None,
}


def test_an_export_becomes_workouts_in_the_shape_of_the_api() -> None:
    result = read(STRONG, BERLIN, "kg")
    lower, core = workouts(result)
    assert lower == {
        "id": result.workouts[0].record.record_id,
        "title": "Lower",
        "routine_id": None,
        "description": "",
        # Berlin is two hours ahead in April; 1 h 4 min later it ends.
        "start_time": "2025-04-02T16:10:45+00:00",
        "end_time": "2025-04-02T17:14:45+00:00",
        "exercises": [
            {
                "index": 0,
                "title": "Squat (Barbell)",
                "notes": "",
                "exercise_template_id": None,
                "superset_id": None,
                "sets": [
                    NOTHING | {"index": 0, "type": "warmup", "weight_kg": 60, "reps": 5},
                    NOTHING
                    | {
                        "index": 1,
                        "type": "normal",
                        "weight_kg": 100,
                        "reps": 5,
                        "rpe": 8,
                        "rest_seconds": 180,
                    },
                    NOTHING
                    | {"index": 2, "type": "failure", "weight_kg": 105, "reps": 3, "rpe": 6.5},
                ],
            },
            {
                "index": 1,
                "title": "Leg Extension (Machine)",
                "notes": "knee ok",
                "exercise_template_id": None,
                "superset_id": None,
                "sets": [
                    NOTHING | {"index": 0, "type": "normal", "weight_kg": 45, "reps": 12},
                    NOTHING | {"index": 1, "type": "dropset", "weight_kg": 30, "reps": 10},
                ],
            },
        ],
    }
    assert core["description"] == "easy\nday"
    plank, chin_up = (exercise["sets"] for exercise in core["exercises"])
    assert plank == [NOTHING | {"index": 0, "type": "normal", "duration_seconds": 60}]
    assert chin_up == [NOTHING | {"index": 0, "type": "normal", "reps": 8}]
    assert [workout.lines for workout in result.workouts] == [(2, 3, 5, 6, 7), (8, 10)]
    assert result.attached == (4,)
    assert (result.app, result.dialect, result.rows_read) == ("Strong", "Strong, commas", 8)
    assert (result.rejected, result.repeated, result.flags) == ((), (), ())


GERMAN = (
    "Datum,Workout-Name,Dauer,Name der Übung,Reihenfolge festlegen,Gewicht,Wiederh.,Entfernung,"
    "Sekunden,Notizen,Workout-Notizen,RPE"
)
FRENCH = (
    "Date,Nom de l'entraînement,Durée,Nom de l'exercice,Ordre de la série,Poids,Réps,Distance,"
    "Secondes,Notes,Notes d'entraînement,RPE"
)
CHINESE = "日期,锻炼名称,时长,运动名称,设置顺序,重量,次,距离,秒,备注,锻炼备注,RPE"
S2 = (
    "Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;RPE;Distance;"
    "Distance Unit;Seconds;Notes;Workout Notes"
)
S3 = (
    '"Workout #";"Date";"Workout Name";"Duration (sec)";"Exercise Name";"Set Order";'
    '"Weight (kg)";"Reps";"RPE";"Distance (meters)";"Seconds";"Notes";"Workout Notes"'
)
S4_KG = "Date,Workout Name,Exercise Name,Set Order,kg,Reps,km,Seconds,Notes"
S4 = "Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes"

# One workout of one hour in every dialect: two squats, a run of 3.2 km in 19 minutes.
COMMA_ROWS = """
2024-01-09 07:30:00,"Mix",{hour},"Squat",1,100.0,5,0,0,"low","early",
2024-01-09 07:30:00,"Mix",{hour},"Squat",2,100.0,4,0,0,,,8
2024-01-09 07:30:00,"Mix",{hour},"Running",1,0,0,3.2,1140,"",,
"""
SAME_WORKOUT = {
    "Strong, commas": S1 + COMMA_ROWS.format(hour="1h"),
    "Strong, commas, German header": GERMAN + COMMA_ROWS.format(hour="60min"),
    "Strong, commas, French header": FRENCH.replace("'", "\u2019")
    + COMMA_ROWS.format(hour="60min").replace("\n", "\r\n"),
    "Strong, commas, Chinese header": CHINESE + COMMA_ROWS.format(hour="1小时"),
    "Strong, semicolons": f"""\
{S2};Workout Duration
2024-01-09 07:30:00;"Mix";"Squat";1;100;kg;5;;;;0;"low";"early";1h
2024-01-09 07:30:00;"Mix";"Squat";2;100;kg;4;8;;;0;"";;1h
2024-01-09 07:30:00;"Mix";"Running";1;;;;;3.2;km;1140;"";;1h
""",
    "Strong, semicolons, no header": """\
2024-01-09 07:30:00;"Mix";"Squat";1;100;kg;5;;;;0;"low";"early";1h
2024-01-09 07:30:00;"Mix";"Squat";2;100;kg;4;8;;;0;"";;1h
2024-01-09 07:30:00;"Mix";"Running";1;;;;;3.2;km;1140;"";;1h
""",
}
S3_WORKOUT = f"""\
{S3}
"12";"2024-01-09 07:30:00";"Mix";"3600";"Squat";"1";"100.0";"5";"";"";"";"low";"early"
"12";"2024-01-09 07:30:00";"Mix";"3600";"Squat";"2";"100.0";"4";"8";"";"";"";"early"
"12";"2024-01-09 07:30:00";"Mix";"3600";"Running";"3";"";"";"";"3200";"1140";"";"early"
"""


@pytest.mark.parametrize(
    ("dialect", "content"),
    [
        *(pytest.param(name, text, id=name) for name, text in SAME_WORKOUT.items()),
        pytest.param("Strong, semicolons", S3_WORKOUT, id="S3, numbers through the workout"),
        pytest.param("Strong, commas", S3_WORKOUT.replace(";", ","), id="S3 with commas"),
        pytest.param(
            "Strong, semicolons, no header",
            "\n".join(
                line.rpartition(";")[0]
                for line in SAME_WORKOUT["Strong, semicolons, no header"].splitlines()
            ),
            id="older, no header and no duration",
        ),
    ],
)
def test_every_dialect_gives_the_same_workout(dialect: str, content: str) -> None:
    result = read_strong(content)
    [workout] = workouts(result)
    [expected] = workouts(read_strong(SAME_WORKOUT["Strong, commas"]))
    assert result.dialect == dialect
    assert (result.rejected, result.repeated, result.flags) == ((), (), ())
    assert workout["end_time"] in (None, "2024-01-09T08:30:00+00:00")
    if workout["end_time"] is not None:
        assert workout["id"] == expected["id"]
    told = ("title", "description", "start_time", "exercises")
    assert {name: workout[name] for name in told} == {name: expected[name] for name in told}
    assert [(one["weight_kg"], one["distance_meters"]) for one in all_sets(result)] == [
        (100, None),
        (100, None),
        (None, 3200),
    ]


@pytest.mark.parametrize(
    ("header", "end"),
    [
        pytest.param(S4_KG, "", id="oldest, with units"),
        pytest.param(S4, ',""', id="older"),
        pytest.param(f"{S4},RPE", ',"",', id="older, with RPE"),
        pytest.param(S4.replace(",", ";"), ',""', id="older, semicolons"),
    ],
)
def test_a_dialect_without_duration_leaves_the_end_empty(header: str, end: str) -> None:
    rows = [f'2015-05-06 20:15:08,"A","Bench Press",{at},60.0,8,0.0,0,""{end}' for at in range(3)]
    text = "\n".join([header, *(row.replace(",", ";" if ";" in header else ",") for row in rows)])
    result = read_strong(text)
    [workout] = workouts(result)
    assert (workout["start_time"], workout["end_time"]) == ("2015-05-06T20:15:08+00:00", None)
    # Counted from 0, as the oldest files do.
    assert [(one["index"], one["weight_kg"]) for one in all_sets(result)] == [
        (0, 60),
        (1, 60),
        (2, 60),
    ]
    assert result.flags == ()


def test_the_short_header_has_no_notes() -> None:
    [workout] = workouts(read_strong(strong_export('"Squat",1,60.0,5.0,0,0.0,', header=S1_SHORT)))
    assert (workout["description"], workout["exercises"][0]["notes"]) == ("", "")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param("0,8,0,0", {"reps": 8}, id="body weight"),
        pytest.param("0,0,0,60", {"duration_seconds": 60}, id="timed set"),
        pytest.param("20,0,0,60", {"weight_kg": 20, "duration_seconds": 60}, id="loaded time"),
        pytest.param("100,0,0,0", {"weight_kg": 100, "reps": 0}, id="failed attempt"),
        pytest.param("0,0,2.5,0", {"distance_meters": 2500}, id="distance"),
        pytest.param("0,0,0,0", {}, id="empty set"),
        pytest.param(",,,", {}, id="blank set"),
        pytest.param("0.0,877777,0,0.0", {"reps": 877_777}, id="typing error"),
    ],
)
def test_zero_is_what_was_not_recorded(cells: str, expected: dict[str, int]) -> None:
    [one] = all_sets(read_strong(strong_export(f'"X",1,{cells},,,')))
    assert one == NOTHING | {"index": 0, "type": "normal"} | expected


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        pytest.param("W 1 F 3", ["warmup normal failure normal"], id="F takes a number"),
        pytest.param("F F 3", ["failure failure normal"], id="letters first"),
        pytest.param("W W W", ["warmup warmup warmup"], id="warm-ups alone"),
        pytest.param("1 D D D", ["normal dropset dropset dropset"], id="drop sets"),
        pytest.param("1 2 1 2", ["normal normal"] * 2, id="again"),
        pytest.param("W 1 2 W 1", ["warmup normal normal", "warmup normal"], id="warm-up again"),
        pytest.param("1 F F 2", ["normal failure", "failure normal"], id="again with a letter"),
        pytest.param("1 D W 1", ["normal dropset", "warmup normal"], id="drop set, then again"),
        pytest.param("1 D W F 2", ["normal dropset", "warmup failure normal"], id="both"),
        pytest.param("1 3 4", ["normal normal normal"], id="a number is missing"),
        pytest.param("5 6 7", ["normal normal normal"], id="through the workout"),
        pytest.param("w f d", ["warmup failure dropset"], id="small letters"),
        pytest.param("1.0 2.0", ["normal normal"], id="re-saved"),
    ],
)
def test_set_orders_become_types_and_exercises(orders: str, expected: list[str]) -> None:
    rows = [
        f'"Squat",{order},{100 + at},5,0,0,,,' for at, order in enumerate(orders.split(), start=1)
    ]
    result = read_strong(strong_export(*rows))
    assert blocks(result) == [("Squat", types.split()) for types in expected]
    assert [one["weight_kg"] for one in all_sets(result)] == [101 + at for at in range(len(rows))]


def test_numbers_from_zero_restart_at_zero() -> None:
    rows = [f'"Squat",{order},{100 + at},5,0,0,,,' for at, order in enumerate("01F30F2")]
    assert blocks(read_strong(strong_export(*rows))) == [
        ("Squat", ["normal", "normal", "failure", "normal"]),
        ("Squat", ["normal", "failure", "normal"]),
    ]


def test_an_exercise_without_sets_is_no_block() -> None:
    assert exercise_blocks([], 1) == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('"Squat",,60,5,0,0,,,', "Set Order is empty"),
        ('"Squat",X,60,5,0,0,,,', "Set Order 'X' is not a whole number"),
        ('"Squat",Myo,60,5,0,0,,,', "Set Order 'Myo' is no number and none of W, F, D"),
        ('"Squat",1,-60,5,0,0,,,', "Weight '-60' is not a number of zero or more"),
        ('"Squat",1,60,99999999999,0,0,,,', "Reps '99999999999' is not a whole number"),
        ('"Squat",1,60,5,0,0,,,hard', "RPE 'hard' is not a number of zero or more"),
        ('" ",1,60,5,0,0,,,', "Exercise Name is empty"),
    ],
)
def test_an_unreadable_row_is_rejected_with_its_line(row: str, reason: str) -> None:
    result = read_strong(strong_export('"Squat",1,60,5,0,0,,,', row))
    [rejected] = result.rejected
    assert rejected.reason.startswith(f"Line 3: {reason}")
    assert len(all_sets(result)) == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('soon,"A",1h,"Squat",1,60,5,0,0,,,', "Date 'soon' is no date"),
        ('2025-04-02 18:10:45,"A",90,"Squat",1,60,5,0,0,,,', "Duration '90' is no duration"),
        ('9999-12-31 23:00:00,"A",2h,"Squat",1,60,5,0,0,,,', "a time is out of the calendar"),
    ],
)
def test_an_unreadable_time_rejects_its_row(row: str, reason: str) -> None:
    [rejected] = read_strong(strong_export('"Squat",1,60,5,0,0,,,') + f"\n{row}").rejected
    assert reason in rejected.reason


def test_a_blank_rpe_or_zero_is_no_rpe_and_half_points_are_kept() -> None:
    rows = [f'"Squat",{at},60,5,0,0,,,{rpe}' for at, rpe in enumerate(["", "0", "6.5", "8.0"], 1)]
    assert [one["rpe"] for one in all_sets(read_strong(strong_export(*rows)))] == [
        None,
        None,
        6.5,
        8,
    ]


def test_spreadsheet_dates_are_read() -> None:
    rows = [f'{date},"A",1h,"Squat",1,60,5,0,0,,,' for date in ("3/4/2025 18:10", "13/4/2025 9:05")]
    assert [workout["start_time"] for workout in workouts(read_strong("\n".join([S1, *rows])))] == [
        "2025-04-03T18:10:00+00:00",
        "2025-04-13T09:05:00+00:00",
    ]


def test_record_ids_are_not_those_of_a_hevy_export_and_hold_the_duration() -> None:
    rows = ('"Squat",1,60,5,0,0,,,',)
    one, other = (
        read_strong(strong_export(*rows).replace(",1h,", f",{duration},"))
        for duration in ("1h", "2h")
    )
    assert one.workouts[0].record.record_id != other.workouts[0].record.record_id
    assert one == read_strong(strong_export(*rows))
