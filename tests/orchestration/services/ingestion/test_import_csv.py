"""Imports of synthetic training files into a separate warehouse, with an account."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from coach_agent.profile.equipment import PoundEquipment
from coach_agent.profile.model import ProfileError, load_profile
from hevy_connector.canonical_json import canonical_json
from hevy_connector.csv_imports.workout_matches import record_matches
from hevy_connector.errors import CsvFormatError
from hevy_connector.raw.landing import land
from hevy_connector.records import Entity, Record
from orchestration.cli.app import app
from orchestration.config.athletes import UnknownAthleteError
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv, import_files
from orchestration.services.ingestion.import_outcome import ImportOutcome, RowCounts, WorkoutCounts
from orchestration.storage.warehouse import open_warehouse

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
START = datetime(2026, 3, 2, 18, 2, tzinfo=UTC)
KG_PER_LB = 0.45359237

HEVY = (
    '"title","start_time","end_time","description","exercise_title","superset_id",'
    '"exercise_notes","set_index","set_type","weight_{weight}","reps","distance_km",'
    '"duration_seconds","rpe"'
)
STRONG = (
    "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,"
    "Workout Notes,RPE"
)


@dataclass(frozen=True)
class Trained:
    """A workout of an hour with sets of five repetitions, in whole kilograms."""

    start_at: datetime
    weights_kg: tuple[int, ...]
    title: str = "Push"
    exercise: str = "Bench Press (Barbell)"


def training(days: range, **more: Any) -> list[Trained]:
    return [Trained(START + day * DAY, (60 + day, 60 + day, 55 + day), **more) for day in days]


def hevy_csv(workouts: Sequence[Trained], *, ahead: timedelta = 0 * HOUR, unit: str = "kg") -> str:
    rows = [HEVY.format(weight="lbs" if unit == "lb" else "kg")]
    for one in workouts:
        span = [
            f"{moment.day} {moment:%b %Y, %H:%M}"
            for moment in (one.start_at + ahead, one.start_at + ahead + HOUR)
        ]
        for index, weight_kg in enumerate(one.weights_kg):
            weight = round(weight_kg / KG_PER_LB, 2) if unit == "lb" else weight_kg
            rows.append(
                f'"{one.title}","{span[0]}","{span[1]}","","{one.exercise}",,"",{index},"normal",'
                f"{weight},5,,0,"
            )
    return "\n".join(rows)


def strong_csv(workouts: Sequence[Trained]) -> str:
    rows = [STRONG]
    for one in workouts:
        written = f'{one.start_at + timedelta(seconds=45):%Y-%m-%d %H:%M:%S},"Evening",1h'
        rows += [
            f'{written},"Bench Press",{index},{weight_kg}.0,5.0,0,0.0,"","",'
            for index, weight_kg in enumerate(one.weights_kg, 1)
        ]
        rows.append(f'{written},"Bench Press",Rest Timer,0,0.0,0,120.0,,,')
    return "\n".join(rows) + "\n"


def account_payload(one: Trained) -> dict[str, Any]:
    """Return the workout as in the account: seconds, floats, template and an id."""
    start_at = one.start_at + timedelta(seconds=40)
    return {
        "id": f"api-{one.start_at:%m-%d}",
        "title": one.title,
        "start_time": start_at.isoformat(),
        "end_time": (start_at + HOUR).isoformat(),
        "exercises": [
            {
                "index": 0,
                "title": one.exercise,
                "exercise_template_id": "T1",
                "sets": [
                    {"index": at, "type": "normal", "weight_kg": weight_kg + 0.001, "reps": 5}
                    for at, weight_kg in enumerate(one.weights_kg)
                ],
            }
        ],
    }


@dataclass(frozen=True)
class World:
    """A home with one athlete, `me`, in UTC."""

    folder: Path
    settings: Settings

    def imports(self, text: str, athlete_id: str = "me", **options: Any) -> ImportOutcome:
        path = self.folder / "export.csv"
        path.write_text(text, encoding="utf-8")
        return import_csv(self.settings, path, athlete_id, ImportOptions(**options), self.no_step)

    @staticmethod
    def no_step(step: str) -> None:
        """Ignore the progress."""

    def syncs(self, workouts: Sequence[Trained]) -> int:
        """Sync the whole account, and match the workouts like each sync."""
        self._lands("hevy_workouts", [account_payload(one) for one in workouts])
        with open_warehouse(self.settings.warehouse_path) as con:
            return record_matches(con, "me", now=datetime.now(UTC), run_id="sync")

    def learns(self, *titles: str) -> None:
        """Land the catalogue of exercises."""
        self._lands("hevy_exercise_templates", [{"id": one, "title": one} for one in titles])

    def _lands(self, entity: Entity, payloads: Sequence[dict[str, Any]]) -> None:
        with open_warehouse(self.settings.warehouse_path) as con:
            land(
                con,
                entity,
                "me",
                [Record(one["id"], canonical_json(one)) for one in payloads],
                now=datetime.now(UTC),
                run_id="sync",
                origin="api",
                is_complete=True,
            )

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with open_warehouse(self.settings.warehouse_path, read_only=True) as con:
            return con.execute(sql).fetchall()

    @property
    def counted(self) -> list[tuple[str, datetime]]:
        """Return origin and start of each workout that the marts count."""
        rows = self.query("""
            select
                arg_max(origin, loaded_at),
                timezone('UTC', arg_max((payload ->> '$.start_time')::timestamptz, loaded_at))
            from raw.hevy_workouts
            where record_id not in (select file_record_id from raw.workout_matches)
            group by record_id
            having not arg_max(is_deleted, loaded_at)
            order by 2
        """)
        return [(origin, start.replace(tzinfo=UTC, second=0)) for origin, start in rows]


@pytest.fixture
def world(tmp_path: Path) -> World:
    places = {"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "athletes"}
    settings = load_settings(places, tmp_path)
    settings.athletes_dir.mkdir()
    (settings.athletes_dir / "me.toml").write_text('id = "me"\n')
    return World(tmp_path, settings)


def from_files(days: range) -> list[tuple[str, datetime]]:
    return [("csv", START + day * DAY) for day in days]


def test_the_same_file_twice_adds_nothing(world: World) -> None:
    first = world.imports(hevy_csv(training(range(3))))
    assert first.rows == RowCounts(9, 9, 0, 0, 0, 0, 0)
    assert first.workouts == WorkoutCounts(3, 0, 0, 0, 0)
    again = world.imports(hevy_csv(training(range(3))))
    assert again.rows == RowCounts(9, 0, 9, 0, 0, 0, 0)
    assert again.workouts == WorkoutCounts(0, 0, 3, 0, 0)
    assert world.counted == from_files(range(3))


def test_a_new_athlete_has_the_time_zone_of_the_machine(world: World) -> None:
    variables = {"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "athletes", "TZ": "Asia/Kolkata"}
    elsewhere = World(world.folder, load_settings(variables, world.folder))
    assert (
        elsewhere.imports(hevy_csv(training(range(3))), athlete_id="new").timezone == "Asia/Kolkata"
    )
    assert elsewhere.imports(hevy_csv(training(range(3))), athlete_id="me").timezone == "UTC"
    profile = (elsewhere.settings.athletes_dir / "new.toml").read_text(encoding="utf-8")
    assert 'timezone = "Asia/Kolkata"' in profile


def test_a_later_export_adds_what_is_new_and_changes_what_was_corrected(world: World) -> None:
    world.imports(hevy_csv(training(range(3))))
    corrected = [replace(training(range(1))[0], weights_kg=(60, 60, 99)), *training(range(1, 5))]
    assert world.imports(hevy_csv(corrected)).workouts == WorkoutCounts(2, 1, 2, 0, 0)
    assert world.counted == from_files(range(5))


def test_an_export_from_another_zone_adds_only_what_is_new(world: World) -> None:
    """Ten winter days eight hours ahead, the summer's seven; two workouts are new."""
    known = [*training(range(2)), *training(range(100, 102))]
    world.imports(hevy_csv(known))
    moved = hevy_csv(training(range(2)), ahead=8 * HOUR).splitlines()
    moved += hevy_csv(training(range(100, 104)), ahead=7 * HOUR).splitlines()[1:]
    outcome = world.imports("\n".join(moved))
    assert outcome.workouts == WorkoutCounts(2, 0, 4, 0, 0)
    assert (outcome.clock.shifts, outcome.clock.moved_count) == ((7 * HOUR, 8 * HOUR), 2)
    assert world.counted == [*from_files(range(2)), *from_files(range(100, 104))]


def test_the_zone_of_the_phone_can_be_corrected(world: World) -> None:
    """In winter Berlin is an hour ahead of UTC."""
    text = hevy_csv(training(range(3)), ahead=HOUR)
    world.imports(text)
    assert world.counted == [("csv", start + HOUR) for _, start in from_files(range(3))]
    assert world.imports(text, timezone="Europe/Berlin").workouts.changed == 3
    assert world.counted == from_files(range(3))
    assert world.imports(text, timezone="Europe/Berlin").workouts.unchanged == 3
    assert world.imports(text).workouts.unchanged == 3


def test_renamed_exercises_are_updated(world: World) -> None:
    world.imports(hevy_csv(training(range(3), exercise="Bench")))
    assert world.imports(hevy_csv(training(range(3)))).workouts == WorkoutCounts(0, 3, 0, 0, 0)
    assert world.counted == from_files(range(3))


def test_other_units_tell_of_the_same_workouts(world: World) -> None:
    world.imports(hevy_csv(training(range(3))))
    assert world.imports(hevy_csv(training(range(4)), unit="lb")).workouts.new == 1
    assert world.counted == from_files(range(4))


@pytest.mark.parametrize("is_strong_first", [True, False], ids=["Strong first", "Hevy first"])
def test_strong_and_hevy_of_one_history_merge(world: World, is_strong_first: bool) -> None:
    hevy, strong = hevy_csv(training(range(1, 4))), strong_csv(training(range(3)))
    for is_strong in (is_strong_first, not is_strong_first):
        outcome = world.imports(
            strong if is_strong else hevy, **({"weight_unit": "kg"} if is_strong else {})
        )
    assert outcome.workouts.new == 1
    assert [start.date() for _, start in world.counted] == [
        (START + day * DAY).date() for day in range(4)
    ]
    titles = world.query("""
        select arg_max(payload ->> '$.title', loaded_at) as title
        from raw.hevy_workouts group by record_id order by title
    """)
    assert titles == [("Evening",), ("Push",), ("Push",), ("Push",)]


def test_rest_timers_are_counted_as_rows_and_not_as_sets(world: World) -> None:
    outcome = world.imports(strong_csv(training(range(2))), weight_unit="kg")
    assert outcome.rows == RowCounts(8, 6, 0, 0, 0, 2, 0)


@pytest.mark.parametrize("ahead", [0 * HOUR, 2 * HOUR], ids=["in UTC", "two hours ahead"])
def test_the_order_of_file_and_account_is_no_matter(world: World, ahead: timedelta) -> None:
    text = hevy_csv(training(range(4)), ahead=ahead)
    expected = [("api", START), ("api", START + DAY), *from_files(range(2, 4))]

    world.syncs(training(range(2)))
    outcome = world.imports(text)
    assert outcome.rows == RowCounts(12, 6, 0, 6, 0, 0, 0)
    assert outcome.workouts == WorkoutCounts(2, 0, 0, 2, 2)
    assert world.counted == expected
    assert world.query("select count(distinct record_id) from raw.hevy_workouts") == [(6,)]

    world.settings.warehouse_path.unlink()
    world.imports(text)
    assert world.syncs(training(range(2))) == 2
    assert world.counted == expected


def test_what_was_deleted_in_hevy_does_not_come_back(world: World) -> None:
    world.syncs(training(range(3)))
    world.syncs(training(range(2)))
    assert world.imports(hevy_csv(training(range(3)))).workouts.matched == 3
    assert world.counted == [("api", START), ("api", START + DAY)]


def test_a_row_that_cannot_be_read_is_counted_each_time_and_kept_once(world: World) -> None:
    text = hevy_csv(training(range(2))).replace('"normal",55,', '"strange",55,')
    for newly in (1, 0):
        outcome = world.imports(text)
        assert (outcome.rows.read, outcome.rows.quarantined) == (6, 1)
        assert outcome.newly_quarantined_count == newly
        assert [one.line for one in outcome.quarantined] == [4]
    assert world.query("select source_line from raw.quarantine") == [(4,)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (hevy_csv([]), "there are no rows."),
        (
            hevy_csv(training(range(1))).replace('"normal"', '"strange"'),
            "3 rows read, 3 of them unreadable.",
        ),
    ],
    ids=["only a header", "all quarantined"],
)
def test_a_file_without_readable_workouts_makes_no_athlete_and_fails(
    world: World, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    """A new profile was written, the exit code was 0 and the next step was a run."""
    monkeypatch.setenv("SPOTTER_HOME", str(world.settings.home))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(world.settings.athletes_dir))
    [file] = write_files(world, text)
    profiles = sorted(world.settings.athletes_dir.iterdir())
    done = CliRunner().invoke(app, ["import-csv", str(file), "--athlete", "new"])
    assert isinstance(done.exception, SettingsError)
    assert str(done.exception) == f"No workout was loaded: {reason} Nothing was written."
    assert "quarantine:" not in done.output
    assert "spotter run" not in done.output
    assert sorted(world.settings.athletes_dir.iterdir()) == profiles
    assert not world.settings.warehouse_path.exists()

    done = CliRunner().invoke(app, ["import-csv", str(file), "--athlete", "me"])
    assert str(done.exception) == f"No workout was loaded: {reason}"
    kept = 3 if "unreadable" in reason else 0
    assert world.query("select count(*) from raw.quarantine") == [(kept,)]


def test_odd_rows_are_loaded_and_named(world: World) -> None:
    text = hevy_csv(training(range(1))).replace(",60,5,", ",60,5366,", 1)
    outcome = world.imports(text)
    assert outcome.rows.loaded == 3
    (flag,) = outcome.flagged
    assert flag.line == 2
    assert "5,366" in flag.reason


def test_the_rows_add_up_in_every_report(world: World) -> None:
    world.syncs(training(range(1)))
    world.imports(hevy_csv(training(range(1, 2))))
    lines = hevy_csv(training(range(3))).splitlines()
    text = "\n".join([*lines, lines[-1], lines[-1].replace("normal", "strange")])
    summary = world.imports(text).summary()
    rows = summary["rows"]
    assert rows == {
        "read": 11,
        "loaded": 3,
        "known": 3,
        "in_account": 3,
        "repeated": 1,
        "attached": 0,
        "quarantined": 1,
    }
    assert rows["read"] == sum(rows.values()) - rows["read"]
    assert json.loads(json.dumps(summary)) == summary


def test_a_dry_run_says_the_same_and_writes_nothing(world: World) -> None:
    text = hevy_csv(training(range(3))).replace('"normal",57,', '"strange",57,')
    dry = world.imports(text, athlete_id="new", is_dry_run=True)
    assert sorted(path.name for path in world.folder.rglob("*")) == [
        "athletes",
        "export.csv",
        "me.toml",
    ]
    assert replace(dry, is_dry_run=False) == world.imports(text, athlete_id="new")

    world.syncs(training(range(1)))
    before = world.settings.warehouse_path.read_bytes()
    dry = world.imports(text, is_dry_run=True)
    assert world.settings.warehouse_path.read_bytes() == before
    assert dry.workouts == WorkoutCounts(2, 0, 0, 1, 1)
    assert replace(dry, is_dry_run=False) == world.imports(text)
    assert world.imports(text, is_dry_run=True).newly_quarantined_count == 0


def test_titles_without_a_template_are_listed_and_can_be_joined(world: World) -> None:
    text = hevy_csv([*training(range(2), exercise="Bench Pres"), *training(range(2, 3))])
    (title,) = world.imports(text).unknown_titles
    assert (title.title, title.set_count) == ("Bench Pres", 6)
    assert title.exercise is not None
    assert title.exercise.startswith("Bench Press")
    world.learns("Bench-Pres")
    (title,) = world.imports(text).unknown_titles
    assert title.exercise == "Bench-Pres"
    (world.settings.athletes_dir / "me.toml").write_text(
        'id = "me"\n[exercise_aliases]\n"bench pres" = "Bench Press (Barbell)"\n'
    )
    assert world.imports(text).unknown_titles == ()


def test_a_new_athlete_lives_where_the_phone_was(world: World) -> None:
    outcome = world.imports(hevy_csv(training(range(1))), athlete_id="new", timezone="Asia/Kolkata")
    assert outcome.new_profile == world.settings.athletes_dir / "new.toml"
    assert 'timezone = "Asia/Kolkata"' in outcome.new_profile.read_text()
    assert world.imports(hevy_csv(training(range(1))), athlete_id="new").timezone == "Asia/Kolkata"


@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        ("", {}, CsvFormatError, "empty"),
        (hevy_csv(training(range(1))), {"timezone": "Mars/Olympus"}, SettingsError, "--timezone"),
        (hevy_csv(training(range(1))), {"athlete_id": "No One"}, UnknownAthleteError, "No One"),
        (strong_csv(training(range(1))), {}, CsvFormatError, "--weight-unit"),
        (
            hevy_csv(training(range(40))).replace("Apr", "Foo"),
            {},
            CsvFormatError,
            "'1 Foo 2026, 18:02' is not known in any language. Set the language .* to English",
        ),
        (hevy_csv(training(range(1))), {"athlete_id": "bad"}, ProfileError, "bad.toml"),
    ],
    ids=["empty", "zone", "athlete", "unit", "language", "profile"],
)
def test_what_cannot_be_imported_writes_nothing(
    world: World, text: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    (world.settings.athletes_dir / "bad.toml").write_text('id = "good"\n')
    if options.get("athlete_id") != "bad":
        (world.settings.athletes_dir / "bad.toml").unlink()
    with pytest.raises(error, match=message):
        world.imports(text, **options)
    assert not world.settings.home.exists()


def test_a_new_athlete_of_a_file_in_pounds_has_a_profile_in_pounds(world: World) -> None:
    """The profile was in kilograms, so every plan was rounded to plates that do not exist."""
    world.imports(hevy_csv(training(range(3)), unit="lb"), athlete_id="pat")
    assert load_profile(world.settings.athletes_dir / "pat.toml").gym == PoundEquipment().in_kg()
    world.imports(hevy_csv(training(range(3))), athlete_id="kim")
    assert load_profile(world.settings.athletes_dir / "kim.toml").gym.unit == "kg"


FITNOTES = (
    "Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment\n"
    "2026-02-01,Squat (Barbell),Legs,100,kgs,5,,,,\n"
)


def write_files(world: World, *texts: str) -> list[Path]:
    paths = [world.folder / f"{number}.csv" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def test_files_of_different_apps_and_units_are_imported_together(world: World) -> None:
    """A unit that one file needs was rejected for a file with its own."""
    paths = write_files(
        world,
        hevy_csv(training(range(3)), unit="lb"),
        strong_csv(training(range(5, 7))),
        FITNOTES,
        hevy_csv(training(range(4)), unit="lb"),
    )
    options = ImportOptions(weight_unit="kg", distance_unit="km")
    outcomes = import_files(world.settings, paths, "me", options, print)
    assert [one.dialect for one in outcomes] == [
        "Hevy (lb, km)",
        "Strong, commas",
        "FitNotes, commas",
        "Hevy (lb, km)",
    ]
    assert [(one.rows.loaded, one.rows.known) for one in outcomes] == [
        (9, 0),
        (6, 0),
        (1, 0),
        (3, 9),
    ]
    # The squat is in the athlete's time zone, UTC, at noon.
    with open_warehouse(world.settings.warehouse, read_only=True) as con:
        rows = con.execute(
            "select count(*), count(distinct record_id) from raw.hevy_workouts where origin = 'csv'"
        ).fetchone()
    assert rows == (7, 7)


def test_an_invalid_file_stores_nothing_of_any(world: World) -> None:
    paths = write_files(world, hevy_csv(training(range(3))), "name,age\nAnn,30\n")
    with pytest.raises(CsvFormatError, match=r"1.csv: This is no export .* No file was imported."):
        import_files(world.settings, paths, "new", ImportOptions(), print)
    assert not world.settings.home.exists()
    assert not (world.settings.athletes_dir / "new.toml").exists()
