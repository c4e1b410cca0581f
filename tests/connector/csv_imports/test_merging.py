"""Merge of files with known workouts, independent of the order of file and account."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pytest

from hevy_connector.canonical_json import canonical_json
from hevy_connector.csv_imports.merging import Merge, merge_file
from hevy_connector.csv_imports.workout_matches import read_known, record_matches, save_matches
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import create_raw_tables
from hevy_connector.records import Record

NOW = datetime(2026, 5, 1, 6, tzinfo=UTC)
START = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def payload(
    start_at: datetime,
    weight_kg: float,
    *,
    title: str = "Push",
    exercise: str = "Bench Press",
    end_at: datetime | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Build the payload of a workout with three sets."""
    performed = {"type": "normal", "weight_kg": weight_kg, "reps": 5, "duration_seconds": None}
    return {
        "title": title,
        "start_time": start_at.isoformat(),
        "end_time": (end_at or start_at + HOUR).isoformat(),
        "exercises": [{"index": 0, "title": exercise, "sets": [performed] * 3}],
        **more,
    }


def records(prefix: str, payloads: Sequence[dict[str, Any]]) -> list[Record]:
    return [
        Record(f"{prefix}{at}", canonical_json({"id": f"{prefix}{at}", **one}))
        for at, one in enumerate(payloads)
    ]


def written(payloads: Sequence[dict[str, Any]]) -> list[Record]:
    """Build records with the ids of a file, from the text of start and title."""
    return [
        Record(name, canonical_json({"id": name, **one}))
        for one in payloads
        for name in [f"{one['start_time']} {one['title']}"]
    ]


def history(days: range, shift: timedelta = 0 * HOUR, **more: Any) -> list[dict[str, Any]]:
    return [payload(START + day * DAY + shift, 60 + day, **more) for day in days]


class Athlete:
    """One athlete's raw tables in memory; each landing is an hour after the one before."""

    def __init__(self) -> None:
        self.con = duckdb.connect(config={"threads": 1})
        self.con.execute("set TimeZone = 'UTC'")
        create_raw_tables(self.con)
        self.now = NOW

    def imports(
        self,
        prefix: str,
        payloads: Sequence[dict[str, Any]],
        *,
        is_zone_given: bool = False,
        other_app: str | None = None,
    ) -> Merge:
        return self.reads(
            records(prefix, payloads), is_zone_given=is_zone_given, other_app=other_app
        )

    def reads(
        self, file: Sequence[Record], *, is_zone_given: bool = False, other_app: str | None = None
    ) -> Merge:
        self.now += HOUR
        merge = merge_file(
            file,
            read_known(self.con, "a"),
            is_zone_given=is_zone_given,
            other_app=other_app,
        )
        landed = land(
            self.con,
            "hevy_workouts",
            "a",
            [one.record for one in merge.workouts],
            now=self.now,
            run_id=f"import-{self.now:%H}",
            origin="csv",
        )
        save_matches(self.con, "a", merge.new_matches, now=self.now, run_id="run")
        assert landed.added == sum(one.state != "unchanged" for one in merge.workouts)
        return merge

    def syncs(self, payloads: Sequence[dict[str, Any]], *, is_complete: bool = True) -> int:
        self.now += HOUR
        land(
            self.con,
            "hevy_workouts",
            "a",
            records("api", payloads),
            now=self.now,
            run_id="sync",
            origin="api",
            is_complete=is_complete,
        )
        return record_matches(self.con, "a", now=self.now, run_id="sync")

    @property
    def counted(self) -> list[tuple[str, str, datetime]]:
        """Return the workouts that the warehouse counts: origin, title and start."""
        rows = self.con.execute("""
            select
                arg_max(origin, loaded_at) as origin,
                arg_max(payload ->> '$.title', loaded_at) as title,
                timezone('UTC', arg_max((payload ->> '$.start_time')::timestamptz, loaded_at))
            from raw.hevy_workouts
            where record_id not in (select file_record_id from raw.workout_matches)
            group by record_id
            having not arg_max(is_deleted, loaded_at)
            order by all
        """).fetchall()
        return [(origin, title, start.replace(tzinfo=UTC)) for origin, title, start in rows]

    @property
    def starts(self) -> list[datetime]:
        return sorted(start for _, _, start in self.counted)


def states(merge: Merge) -> dict[str, int]:
    found = [one.state for one in merge.workouts]
    return {state: found.count(state) for state in dict.fromkeys(found)}


def starts(days: range) -> list[datetime]:
    return [START + day * DAY for day in days]


def test_the_same_file_twice_adds_nothing() -> None:
    athlete = Athlete()
    assert states(athlete.imports("f", history(range(3)))) == {"new": 3}
    assert states(athlete.imports("f", history(range(3)))) == {"unchanged": 3}


def test_a_later_export_adds_what_is_new_and_changes_what_was_corrected() -> None:
    athlete = Athlete()
    athlete.imports("f", history(range(3)))
    corrected = payload(START, 61)
    later = [*history(range(1, 5)), corrected]
    assert states(athlete.imports("g", later)) == {"unchanged": 2, "new": 2, "changed": 1}
    assert athlete.starts == starts(range(5))


@pytest.mark.parametrize("hours", [7, -8, 13])
def test_an_export_from_another_zone_changes_nothing_and_its_new_workouts_are_moved(
    hours: int,
) -> None:
    athlete = Athlete()
    athlete.imports("f", history(range(4)))
    moved = [*history(range(2), hours * HOUR), *history(range(2, 6), (hours - 1) * HOUR)]
    merge = athlete.imports("g", moved)
    assert states(merge) == {"unchanged": 4, "new": 2}
    assert merge.shifts == tuple(sorted([(hours - 1) * HOUR, hours * HOUR]))
    assert merge.moved_count == 2
    assert athlete.starts == starts(range(6))


def of_days(hours: Sequence[int], shift: timedelta = 0 * HOUR) -> list[dict[str, Any]]:
    """Build ten days of workouts with one title at these hours, each with its own weight."""
    midnight = START.replace(hour=0)
    return [
        payload(midnight + day * DAY + hour * HOUR + shift, 60 + 2 * day + place)
        for day in range(10)
        for place, hour in enumerate(hours)
    ]


@pytest.mark.parametrize("is_zone_given", [False, True])
@pytest.mark.parametrize(
    ("hours", "shift"),
    [([8, 17], 9 * HOUR), ([6, 18], 12 * HOUR), ([9], DAY), ([9], -DAY)],
    ids=["8:00 and 17:00, 9 h", "6:00 and 18:00, 12 h", "9:00, a day", "9:00, a day back"],
)
def test_the_text_of_a_time_that_means_another_workout_elsewhere_does_not_identify_it(
    hours: Sequence[int], shift: timedelta, is_zone_given: bool
) -> None:
    athlete = Athlete()
    athlete.reads(written(of_days(hours)))
    abroad = written(of_days(hours, shift))
    first = "changed" if is_zone_given else "unchanged"
    for state in (first, "unchanged"):
        merge = athlete.reads(abroad, is_zone_given=is_zone_given)
        assert states(merge) == {state: 10 * len(hours)}
        assert merge.new_matches == {}
    at = shift if is_zone_given else 0 * HOUR
    assert athlete.starts == [
        START.replace(hour=hour) + day * DAY + at for day in range(10) for hour in hours
    ]


def test_a_new_workout_whose_text_is_taken_gets_an_id_of_its_own() -> None:
    """Shifted by nine hours, the morning of day 5 has the text of that day's afternoon."""
    athlete = Athlete()
    known = of_days([8, 17])
    morning = known.pop(10)
    athlete.reads(written(known))
    abroad = of_days([8, 17], 9 * HOUR)
    merge = athlete.reads(written(abroad))
    assert states(merge) == {"unchanged": 19, "new": 1}
    (new,) = [one.record for one in merge.workouts if one.state == "new"]
    taken = written([abroad[10]])[0].record_id
    assert taken == written([known[10]])[0].record_id
    assert new.record_id == json.loads(new.payload)["id"] == f"{taken}-2"
    assert json.loads(new.payload)["start_time"] == morning["start_time"]
    assert states(athlete.reads(written(abroad))) == {"unchanged": 20}
    abroad[10] = abroad[10] | {"exercises": []}
    assert states(athlete.reads(written(abroad))) == {"unchanged": 19, "changed": 1}
    assert len(athlete.counted) == 20


def test_an_edited_workout_without_content_is_matched_by_id() -> None:
    athlete = Athlete()
    athlete.reads(written([payload(START, 60)]))
    athlete.reads(
        [
            replace(one, payload=canonical_json(payload(START - HOUR, 60)))
            for one in written([payload(START, 60)])
        ],
        is_zone_given=True,
    )
    edited = written([payload(START, 99, end_at=START + 2 * HOUR)])
    assert states(athlete.reads(edited)) == {"changed": 1}
    assert athlete.starts == [START - HOUR]


def test_what_is_done_at_each_full_hour_is_corrected_by_the_zone() -> None:
    """By content alone the second would match the first, since the file is an hour or two ahead."""
    athlete = Athlete()

    def file(ahead: timedelta) -> list[Record]:
        names = [
            one.record_id for one in written([payload(START + at * HOUR, 60) for at in (0, 2)])
        ]
        return [
            Record(name, canonical_json(payload(START + at * HOUR + ahead, 60)))
            for name, at in zip(names, (0, 2), strict=True)
        ]

    athlete.reads(file(0 * HOUR))
    assert states(athlete.reads(file(2 * HOUR), is_zone_given=True)) == {"changed": 2}
    assert athlete.starts == [START + 2 * HOUR, START + 4 * HOUR]


def test_the_zone_that_is_given_corrects_the_times() -> None:
    athlete = Athlete()
    athlete.imports("f", history(range(3), 2 * HOUR))
    merge = athlete.imports("f", history(range(4)), is_zone_given=True)
    assert states(merge) == {"changed": 3, "new": 1}
    assert athlete.starts == starts(range(4))


def test_renamed_exercises_and_workouts_are_updated() -> None:
    athlete = Athlete()
    athlete.imports("f", history(range(3)))
    renamed = history(range(3), title="Push A", exercise="Bench Press (Barbell)")
    assert states(athlete.imports("g", renamed)) == {"changed": 3}
    assert {title for _, title, _ in athlete.counted} == {"Push A"}
    assert len(athlete.counted) == 3


def test_two_apps_of_one_history_count_once_and_hevy_takes_precedence() -> None:
    def strong(days: range) -> list[dict[str, Any]]:
        return [
            one | {"end_time": None} for one in history(days, title="Evening", exercise="Bench")
        ]

    athlete = Athlete()
    athlete.imports("s", strong(range(3)), other_app="Strong")
    assert states(athlete.imports("h", history(range(4)))) == {"changed": 3, "new": 1}
    again = athlete.imports("s", strong(range(5)), other_app="Strong")
    assert states(again) == {"unchanged": 4, "new": 1}
    assert sorted(title for _, title, _ in athlete.counted) == ["Evening", *["Push"] * 4]


def test_an_end_that_is_known_is_not_lost() -> None:
    athlete = Athlete()
    athlete.imports("f", [payload(START, 60)])
    athlete.imports("g", [payload(START, 60, exercise="Bench") | {"end_time": None}])
    (latest,) = athlete.con.execute(
        "select arg_max(payload ->> '$.end_time', loaded_at) from raw.hevy_workouts"
    ).fetchall()
    assert latest == ((START + HOUR).isoformat(),)


ACCOUNT = [
    payload(START + day * DAY + timedelta(seconds=40), 60 + day, exercise_template_id="T")
    for day in range(3)
]


@pytest.mark.parametrize("shift", [0 * HOUR, 2 * HOUR, -8 * HOUR], ids=str)
def test_the_order_of_file_and_account_is_no_matter(shift: timedelta) -> None:
    """Days 0 to 2 are in both, 3 and 4 in the file alone."""
    file = history(range(5), shift)
    first, second = Athlete(), Athlete()
    first.syncs(ACCOUNT)
    assert states(first.imports("f", file)) == {"matched": 3, "new": 2}
    second.imports("f", file)
    assert second.syncs(ACCOUNT) == 3
    assert first.counted == second.counted
    assert [origin for origin, _, _ in first.counted] == ["api"] * 3 + ["csv"] * 2
    assert second.syncs(ACCOUNT) == 0
    assert states(first.imports("f", file)) == states(second.imports("f", file)) == {"unchanged": 5}
    assert first.counted == second.counted


def test_the_account_knows_better_than_a_wrong_zone() -> None:
    athlete = Athlete()
    athlete.syncs(ACCOUNT)
    wrong = history(range(5), 2 * HOUR)
    assert states(athlete.imports("f", wrong, is_zone_given=True)) == {"matched": 3, "new": 2}
    assert states(athlete.imports("f", wrong, is_zone_given=True)) == {"unchanged": 5}
    assert [start for origin, _, start in athlete.counted if origin == "csv"] == starts(range(3, 5))


def test_a_date_at_an_end_of_the_calendar_is_loaded_as_it_is() -> None:
    athlete = Athlete()
    athlete.imports("f", history(range(3)))
    edges = [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC, microsecond=0)]
    ends = [payload(edge, 60, end_at=edge) for edge in edges]
    for shift in (8 * HOUR, -8 * HOUR):
        merge = athlete.imports("g", [*history(range(3), shift), *ends])
        assert len(merge.workouts) == 5
    assert len(athlete.counted) == 5


def test_what_was_deleted_in_the_account_does_not_come_back() -> None:
    athlete = Athlete()
    athlete.syncs(ACCOUNT)
    athlete.syncs(ACCOUNT[:2])
    assert states(athlete.imports("f", history(range(4)))) == {"matched": 3, "new": 1}
    assert athlete.starts == [
        *(START + day * DAY + timedelta(seconds=40) for day in range(2)),
        START + 3 * DAY,
    ]


def test_what_both_tell_stays_one_workout_whatever_is_edited_later() -> None:
    athlete = Athlete()
    athlete.syncs(ACCOUNT)
    athlete.imports("f", history(range(3)))
    edited = payload(START - 3 * DAY, 200, title="Squats")
    assert athlete.syncs([edited, *ACCOUNT[1:]]) == 0
    merge = athlete.imports("f", [payload(START, 99), *history(range(1, 3))])
    assert states(merge) == {"changed": 1, "unchanged": 2}
    assert [origin for origin, _, _ in athlete.counted] == ["api"] * 3


@pytest.mark.parametrize("ahead", [0 * HOUR, -8 * HOUR], ids=["home", "abroad"])
@pytest.mark.parametrize("by", [timedelta(minutes=10), -5 * DAY], ids=str)
def test_a_workout_that_was_moved_in_the_account_keeps_its_record(
    by: timedelta, ahead: timedelta
) -> None:
    athlete = Athlete()
    before = history(range(8))
    after = [*before[:3], payload(START + 3 * DAY + by, 63), *before[4:]]
    athlete.syncs(before)
    athlete.reads(written(before))
    athlete.syncs(after)
    exported = written(
        [
            one
            | {
                key: (datetime.fromisoformat(one[key]) + ahead).isoformat()
                for key in ("start_time", "end_time")
            }
            for one in after
        ]
    )
    merge = athlete.reads(exported)
    assert states(merge) == {"unchanged": 7, "changed": 1}
    (moved,) = [one.record for one in merge.workouts if one.state == "changed"]
    assert moved.record_id == written(before)[3].record_id
    assert json.loads(moved.payload)["start_time"] == after[3]["start_time"]
    assert [origin for origin, _, _ in athlete.counted] == ["api"] * 8
    assert states(athlete.reads(exported)) == {"unchanged": 8}
    assert states(athlete.reads(written(before))) == {"unchanged": 8}


def test_workouts_that_were_moved_into_each_others_place_keep_their_records() -> None:
    """The first is now at the time of the second, so it has the text of the second."""
    athlete = Athlete()
    before = history(range(4))
    after = [payload(START + DAY, 60), payload(START + 9 * DAY, 61), *before[2:]]
    athlete.syncs(before)
    athlete.reads(written(before))
    athlete.syncs(after)
    merge = athlete.reads(written(after))
    assert [one.record.record_id for one in merge.workouts] == [
        one.record_id for one in written(before)
    ]
    assert [origin for origin, _, _ in athlete.counted] == ["api"] * 4


# 60 kg and 1000 m in an export in lb and miles: 132.28 lb and 0.62 miles.
OTHER_UNIT = {"weight_kg": 59.9992, "distance_meters": 997.79}


def run(*sets: dict[str, Any], exercise: str = "Farmers Walk") -> dict[str, Any]:
    return payload(START, 0) | {"exercises": [{"index": 0, "title": exercise, "sets": sets}]}


def known_set(**more: Any) -> dict[str, Any]:
    return {"type": "normal", "weight_kg": 60.0, "distance_meters": 1000.0, "reps": 1, **more}


@pytest.mark.parametrize(
    ("later", "state", "numbers"),
    [
        (run(known_set(**OTHER_UNIT)), "unchanged", [(60.0, 1000.0)]),
        (run(known_set(**OTHER_UNIT), exercise="Walk"), "changed", [(60.0, 1000.0)]),
        (run(known_set(**OTHER_UNIT, type="warmup")), "changed", [(60.0, 1000.0)]),
        (run(known_set(**OTHER_UNIT, rpe=8)), "changed", [(60.0, 1000.0)]),
        (
            run(known_set(weight_kg=20.0), known_set(**OTHER_UNIT)),
            "changed",
            [(20.0, 1000.0), (60.0, 1000.0)],
        ),
        (run(known_set(weight_kg=60.25)), "changed", [(60.25, 1000.0)]),
    ],
    ids=["all equal", "renamed", "another type", "with RPE", "a set before it", "another weight"],
)
def test_an_export_in_another_unit_does_not_change_known_numbers(
    later: dict[str, Any], state: str, numbers: list[tuple[float, float]]
) -> None:
    athlete = Athlete()
    athlete.reads(written([run(known_set())]))
    (merged,) = athlete.reads(written([later])).workouts
    assert merged.state == state
    (exercise,) = json.loads(merged.record.payload)["exercises"]
    assert [(one["weight_kg"], one["distance_meters"]) for one in exercise["sets"]] == numbers


def test_a_workout_that_reaches_the_account_later_is_matched_then() -> None:
    athlete = Athlete()
    athlete.syncs(ACCOUNT[:2])
    assert states(athlete.imports("f", history(range(3)))) == {"matched": 2, "new": 1}
    assert athlete.syncs(ACCOUNT) == 1
    assert len(athlete.counted) == 3


def test_each_earlier_import_has_a_shift_of_its_own() -> None:
    athlete = Athlete()
    athlete.imports("f", history(range(3), 2 * HOUR))
    athlete.imports("g", history(range(10, 12), -8 * HOUR), is_zone_given=True)
    assert athlete.syncs([*ACCOUNT, *history(range(10, 11))]) == 4
    assert [start for origin, _, start in athlete.counted if origin == "csv"] == [START + 11 * DAY]


def test_an_athlete_without_files_costs_nothing() -> None:
    athlete = Athlete()
    assert athlete.syncs(ACCOUNT) == 0


def test_a_record_keeps_the_id_under_which_it_is_known() -> None:
    athlete = Athlete()
    athlete.imports("f", history(range(2)))
    merge = athlete.imports("g", history(range(2), exercise="Bench"))
    assert [one.record.record_id for one in merge.workouts] == ["f0", "f1"]
    assert [json.loads(one.record.payload)["id"] for one in merge.workouts] == ["f0", "f1"]
