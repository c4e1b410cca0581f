"""An athlete corrects the own history on the command line; the marts follow at once."""

import pytest

from tests.end_to_end.targets import Place
from tests.end_to_end.world import Home, new_home

HEADER = (
    '"title","start_time","end_time","description","exercise_title","superset_id",'
    '"exercise_notes","set_index","set_type","weight_kg","reps","distance_km",'
    '"duration_seconds","rpe"\n'
)
TYPED = 846
LOADS = (86, 86, 88, 88, TYPED)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, place: Place) -> Home:
    """An athlete with five days of squats, the last one mistyped, and a plank of hours."""
    folder = tmp_path_factory.mktemp("correct")
    home = new_home(folder, "http://127.0.0.1:9", **place(folder))
    (home.athletes / "demo.toml").unlink()
    rows = (
        f'"A","{day} Feb 2026, 18:02","{day} Feb 2026, 19:01","","Squat (Barbell)",,"",0,"normal",'
        f"{load},8,,,\n"
        for day, load in enumerate(LOADS, start=1)
    )
    plank = '"5 Feb 2026, 18:02","5 Feb 2026, 19:01","","Plank",,"",0,"normal",,,,6000,'
    file = home.folder / "workout_data.csv"
    file.write_text(f'{HEADER}{"".join(rows)}"5",{plank}\n')
    imported = home.spotter("import-csv", file, "--athlete", "ann")
    assert imported.returncode == 0, imported.stderr
    return home


def test_a_doubted_set_is_shown_and_accepted(home: Home) -> None:
    (doubted,) = home.spotter_json("correct", "list")["doubted_sets"]
    assert (doubted["weight_kg"], doubted["reps"]) == (TYPED, 8)
    shown = home.spotter("correct", "list")
    assert "846 kg x 8" in shown.stdout
    assert doubted["set_key"] in shown.stdout
    accepted = home.spotter("correct", "accept", doubted["set_key"], "--because", "a leg press")
    assert accepted.returncode == 0, accepted.stderr
    after = home.spotter_json("correct", "list")
    assert after["doubted_sets"] == []
    assert [one["reason"] for one in after["corrections"]] == ["a leg press"]
    best = home.query("select max(top_weight_kg) from marts.fct_exercise_session", home.release)
    assert best == [(TYPED,)]


def test_a_set_without_a_load_is_shown_and_doubted(home: Home) -> None:
    ((key,),) = home.query(
        "select set_key from marts.fct_set where exercise_title = 'Plank'", home.release
    )
    doubted = home.spotter("correct", "doubt", key, "--because", "it was a minute")
    assert doubted.returncode == 0, doubted.stderr
    shown = home.spotter("correct", "list")
    assert shown.returncode == 0, shown.stderr
    assert f"2026-02-05  Plank  6000 s\n    {key}" in shown.stdout
    told = home.spotter_json("correct", "list")
    assert [one["duration_s"] for one in told["doubted_sets"]] == [6000]
    assert told["corrections"][-1]["duration_s"] == 6000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("exclude", "nothing", "--because", "why"), "has no workout 'nothing'"),
        (("doubt", "ann/nothing/0/0", "--because", "why"), "no set 'ann/nothing/0/0'"),
        (("list", "--athlete", "bob"), "bob"),
    ],
)
def test_what_is_not_there_is_told_and_changes_nothing(
    home: Home, arguments: tuple[str, ...], message: str
) -> None:
    done = home.spotter("correct", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
