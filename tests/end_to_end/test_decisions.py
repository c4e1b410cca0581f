"""Inputs and results of a decision on the command line: every listed row exists."""

import json
from collections.abc import Iterator

import pytest

from tests.end_to_end.world import After, Home


@pytest.fixture(scope="module")
def home(after_first_night: After, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with after_first_night(tmp_path_factory.mktemp("decisions")) as (home, _):
        yield home


def test_the_night_replays_in_another_process_byte_for_byte(home: Home) -> None:
    told = home.spotter_json("replay", "latest")
    [(decision_id, output)] = home.query("select decision_id, output_sha256 from coach.decisions")
    assert (told["decision_id"], told["verdict"]) == (decision_id, "equal")
    assert told["replayed_sha256"] == told["output_sha256"] == output
    shown = home.spotter("replay", decision_id)
    assert shown.returncode == 0
    assert "Equal, byte for byte" in shown.stdout


def test_every_row_of_the_chain_exists(home: Home) -> None:
    chain = home.spotter_json("explain", "latest")
    plan = home.spotter_json("plan", "show")
    assert chain["plan_id"] == plan["plan_id"]
    assert [each["state"] for each in chain["publications"]] == [plan["publication_state"]]
    assert [each["prescription"]["exercise_title"] for each in chain["slots"]] == [
        each["exercise_title"] for each in plan["plan"]["slots"]
    ]
    workouts = [workout for slot in chain["slots"] for workout in slot["workouts"]]
    assert workouts
    keys = {key for (key,) in home.query("select set_key from marts.fct_set")}
    raw = set(
        home.query("""
            select 'hevy_workouts', record_id, payload_sha256 from raw.hevy_workouts
            union all select 'hevy_routines', record_id, payload_sha256 from raw.hevy_routines
            union all select 'athlete_profiles', record_id, payload_sha256
            from raw.athlete_profiles
        """)
    )
    for workout in workouts:
        [row] = workout["raw"]
        assert row["record_id"] == workout["workout_id"]
        assert {each["set_key"] for each in workout["sets_now"]} <= keys
        assert len(workout["sets_now"]) == len(workout["sets"])
        assert workout["is_as_seen"]
    rows = [row for workout in workouts for row in workout["raw"]] + chain["raw"]
    assert {(row["entity"], row["record_id"], row["payload_sha256"]) for row in rows} <= raw
    routines = [row for row in chain["raw"] if row["entity"] == "hevy_routines"]
    assert [row["is_latest"] for row in routines] == [False], "what was published came after it"
    changes = [change for slot in chain["slots"] for change in slot["changes"]]
    assert len(changes) == len(plan["changes"])


def test_one_exercise_is_asked_for_by_number_or_title(home: Home) -> None:
    by_number = home.spotter_json("explain", "latest", "2")
    [slot] = by_number["slots"]
    title = slot["prescription"]["exercise_title"]
    assert slot["number"] == 2
    assert home.spotter_json("explain", "latest", title.upper()) == by_number
    shown = home.spotter("explain", "latest", "2")
    assert shown.returncode == 0
    for words in (title, "marts.fct_set", "sha256", "rule ", "at most", "published to Hevy"):
        assert words in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("replay", "dec_nothing"), "There is no decision 'dec_nothing'."),
        (("explain", "latest", "99"), "The plan has no exercise '99'"),
        (("replay", "latest", "--rules", "old"), "use 'current'"),
        (("explain", "../../x"), "There is no decision '../../x'."),
        (("diff", "../../x"), "There is no publication '../../x'."),
        (("diff", "pub_"), "There is no publication 'pub_'."),
        (("rollback", "x' or 'a' = 'a"), "There is no publication 'x' or 'a' = 'a'."),
        (("plan", "reject", "", "--because", "no"), "There is no publication ''."),
        (("diff", "latest", "--athlete", "../demo"), "There is no athlete '../demo'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_answered_is_told_in_one_sentence(
    home: Home, arguments: tuple[str, ...], told: str
) -> None:
    done = home.spotter(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_of_it_is_wider_than_the_terminal(home: Home) -> None:
    narrow = Home(home.folder, home.hevy_url, {"COLUMNS": "80"})
    for arguments in (("replay",), ("replay", "--rules", "current"), ("explain",)):
        done = narrow.spotter(*arguments)
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_decision_of_other_rules_says_so_and_ends_with_1(
    after_first_night: After, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with after_first_night(tmp_path_factory.mktemp("older")) as (home, _):
        with home.opened(read_only=False) as con:
            # As before situations were stored: the ids are not derived from the rules.
            con.execute("""
                delete from coach.plan_records;
                update meta.migrations set applied_at = applied_at + interval 1 day;
                update coach.plans set plan = replace(
                    plan, (select any_value(rule_version) from coach.decisions), '1.older'
                );
                update coach.decisions set
                    rule_version = '1.older',
                    output = replace(output, rule_version, '1.older'),
                    output_sha256 = sha256(replace(output, rule_version, '1.older'))
            """)
        done = home.spotter("replay")
        assert done.returncode == 1
        assert "by rules 1.older" in done.stdout
        assert "--rules current" in done.stdout
        told = json.loads(home.spotter("replay", "--rules", "current", "--json").stdout)
        assert (told["verdict"], told["differences"]) == ("other_rules", [])
