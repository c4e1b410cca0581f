"""An athlete corrects the history on the command line; the marts follow at once."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from coach_agent.store.corrections import of_set, record_correction
from tests.end_to_end.conftest import Copy
from tests.end_to_end.imports import TYPED, Imports
from tests.end_to_end.world import Home


@pytest.mark.long
def test_a_doubted_set_is_accepted_and_one_without_a_load_is_doubted(
    imports: Imports, copy_world: Copy, tmp_path: Path
) -> None:
    """The marts follow both with one build: the command finds the correction recorded before it."""
    home = Home(tmp_path, "http://127.0.0.1:9", copy_world(imports.folder, tmp_path))
    home.extra["HEVY_API_KEY"] = "marker-7f3a91"
    (doubted,) = home.spotter_json("correct", "list", "--athlete", "ann")["doubted_sets"]
    assert (doubted["weight_kg"], doubted["reps"]) == (TYPED, 8)
    shown = home.spotter("correct", "list", "--athlete", "ann")
    assert "846 kg × 8" in shown.stdout
    assert doubted["set_key"] in shown.stdout
    ((plank,),) = home.query(
        "select set_key from marts.fct_set where athlete_id = 'ann' and exercise_title = 'Plank'",
        home.release,
    )
    with home.opened(read_only=False) as con:
        doubt = of_set(con, plank, "doubt_set", "it was a minute")
        record_correction(con, doubt, now=datetime.now(UTC))

    accepted = home.spotter(
        "correct", "accept", doubted["set_key"], "--because", "marker-7f3a91: a leg press"
    )

    assert accepted.returncode == 0, accepted.stderr
    after = home.spotter_json("correct", "list", "--athlete", "ann")
    assert [one["duration_s"] for one in after["doubted_sets"]] == [6000]
    assert [one["reason"] for one in after["corrections"]] == [
        "it was a minute",
        "***: a leg press",
    ]
    assert after["corrections"][0]["duration_s"] == 6000
    shown = home.spotter("correct", "list", "--athlete", "ann")
    assert f"2026-02-05  Plank  6000 s\n    {plank}" in shown.stdout
    best = home.query(
        "select max(top_weight_kg) from marts.fct_exercise_session where athlete_id = 'ann'",
        home.release,
    )
    assert best == [(TYPED,)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("exclude", "nothing", "--athlete", "ann", "--because", "why"),
            "has no workout 'nothing'",
        ),
        (("doubt", "ann/nothing/0/0", "--because", "why"), "no set 'ann/nothing/0/0'"),
        (("list", "--athlete", "bob"), "bob"),
    ],
)
def test_what_is_not_there_is_told_and_changes_nothing(
    imports: Imports, arguments: tuple[str, ...], message: str
) -> None:
    home = Home(imports.folder, "http://127.0.0.1:9")
    before = home.query("select count(*) from coach.corrections")
    done = home.spotter("correct", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert home.query("select count(*) from coach.corrections") == before
