import re
from pathlib import Path

import pytest

from coach_agent.profile import AthleteProfile, ProfileError, load_profile, load_profiles
from coach_agent.profile_file import key_lines
from coach_agent.progression.constants import TM_WAVE

DEMO = Path(__file__).parents[2] / "athletes" / "demo.toml"


def write(folder: Path, text: str, name: str = "one") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problem(folder: Path, text: str) -> str:
    path = write(folder, text)
    with pytest.raises(ProfileError) as error:
        load_profile(path)
    return str(error.value).replace(str(path), "one.toml")


def test_an_id_is_enough(tmp_path: Path) -> None:
    profile = load_profile(write(tmp_path, 'id = "one"'))
    assert (profile.name, profile.timezone, profile.routines) == ("one", "UTC", ())
    assert (profile.hevy.account, profile.hevy.api_key_env) == ("hevy", "HEVY_API_KEY")
    assert profile.hevy.webhook_token_env == "HEVY_WEBHOOK_TOKEN"  # noqa: S105
    assert (profile.publish.mode, profile.limits.jump_pct) == ("preview", 5)


def test_aliases_are_told_to_the_warehouse(tmp_path: Path) -> None:
    text = 'id = "one"\n[exercise_aliases]\nSupino = "Bench Press"\n"A  B" = "Curl"'
    assert load_profile(write(tmp_path, text)).public_payload()["exercise_aliases"] == [
        {"written_title": "A  B", "title": "Curl"},
        {"written_title": "Supino", "title": "Bench Press"},
    ]


def test_the_demo_profile_is_what_people_copy() -> None:
    profile = load_profile(DEMO)
    assert (profile.id, profile.hevy.account, profile.publish.mode) == ("demo", "simulator", "auto")
    assert profile.routines == ("Upper A", "Lower A", "Upper B", "Lower B")
    assert profile.exercises["Squat (Barbell)"].increment_kg == 2.5


def test_the_keys_shown_in_comments_can_be_used(tmp_path: Path) -> None:
    text = re.sub(r"^# (?=\[|\w+ += )", "", DEMO.read_text(encoding="utf-8"), flags=re.MULTILINE)
    shown = load_profile(write(tmp_path, text, "demo"))
    default = AthleteProfile(id="demo")
    assert shown.hevy.api_key_env == default.hevy.api_key_env
    assert shown.hevy.webhook_token_env == default.hevy.webhook_token_env
    assert shown.equipment.kettlebells_kg == default.equipment.kettlebells_kg
    assert shown.limits == default.limits
    assert shown.exercises["EZ Bar Biceps Curl"].bar_kg == 10
    assert shown.exercises["Overhead Press (Barbell)"].wave == TM_WAVE.value
    assert len(shown.exercises["Leg Press (Machine)"].steps) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            'id = "one"\n\n[limits]\njump_pct = 15',
            "one.toml, line 4: limits.jump_pct = 15: must be less than or equal to 10",
            id="out of range",
        ),
        pytest.param(
            'id = "one"\n[equipment]\nbar_kgs = 20',
            "one.toml, line 3: unknown key equipment.bar_kgs; did you mean bar_kg?",
            id="misspelt key",
        ),
        pytest.param(
            'id = "one"\n[hevy]\nxyz = 1',
            "one.toml, line 3: unknown key hevy.xyz; allowed are account, api_key_env, "
            "webhook_token_env",
            id="unknown key",
        ),
        pytest.param(
            'id = "one"\n[exercises."Bench Press (Barbell)"]\nrepe_range = [5, 8]',
            'one.toml, line 3: unknown key exercises."Bench Press (Barbell)".repe_range; '
            "did you mean rep_range?",
            id="misspelt key of an exercise",
        ),
        pytest.param(
            'id = "one"\nexercises."Squat".model = "wave"',
            "one.toml, line 2: exercises.Squat.model = 'wave': must be 'linear', 'double', "
            "'top_backoff', 'training_max', 'stages', 'rep_sum' or 'steps'",
            id="dotted key",
        ),
        pytest.param(
            'id = "one"\n[exercises.Squat]\nmodel = "rep_sum"',
            "one.toml, line 2: exercises.Squat.rep_sum = null: must be given with "
            "model = 'rep_sum'",
            id="a key that a model needs",
        ),
        pytest.param(
            'id = "one"\n[exercises.Squat]\nmodel = "linear"\nbackoff_pct = 90',
            "one.toml, line 4: exercises.Squat.backoff_pct = 90: counts with "
            "model = 'top_backoff' alone",
            id="a key of another model",
        ),
        pytest.param(
            'id = "one"\n[exercises.Squat]\nmodel = "wave"\nrep_sum = 30',
            "one.toml, line 3: exercises.Squat.model = 'wave': must be 'linear', 'double', "
            "'top_backoff', 'training_max', 'stages', 'rep_sum' or 'steps'",
            id="a wrong model is told once",
        ),
        pytest.param(
            'id = "one"\n[exercises.Squat]\nmodel = "training_max"\nwave = [["65x5", "200x5"]]',
            "one.toml, line 4: exercises.Squat.wave[0][1] = '200x5': must be percent x "
            "repetitions, such as '75x5' or '85x5+'",
            id="a percent out of range",
        ),
        pytest.param(
            'id = "one"\n[exercises.Squat]\nmodel = "training_max"\nwave = [[]]',
            "one.toml, line 4: exercises.Squat.wave = [[]]: must have weeks of 1 to 12 sets",
            id="a week without sets",
        ),
        pytest.param(
            'id = "one"\n[exercises.Squat]\nmodel = "stages"\nstages = ["5x3", "sets"]',
            "one.toml, line 4: exercises.Squat.stages[1] = 'sets': must be sets x repetitions, "
            "such as '3x10' or '5x3+'",
            id="no stage",
        ),
        pytest.param(
            'id = "one"\n[exercises.Squat]\nmodel = "stages"\nstages = ["5x3", "5 x 3"]',
            'one.toml, line 4: exercises.Squat.stages = ["5x3", "5 x 3"]: '
            "must name stages, and each once",
            id="a stage twice",
        ),
        pytest.param(
            'id = "one"\n[exercises]\nSquat = { rep_range = [8, 5] }',
            "one.toml, line 3: exercises.Squat.rep_range = [8, 5]: must be [lowest, highest]",
            id="inline table",
        ),
        pytest.param(
            'id = "one"\n[equipment]\ndumbbells_kg = [\n  2,\n  -4,\n]\nbar_kg = 0',
            "one.toml, line 3: equipment.dumbbells_kg[1] = -4: must be greater than 0\n"
            "one.toml, line 7: equipment.bar_kg = 0: must be greater than 0",
            id="all problems at once, in order",
        ),
        pytest.param(
            'id = "one"\n[limits]\njump_pct = "5"',
            "one.toml, line 3: limits.jump_pct = '5': must be a valid number",
            id="number in quotes",
        ),
        pytest.param(
            'id = "one"\n[limits]\njump_pct = nan',
            "one.toml, line 3: limits.jump_pct = NaN: must be a finite number",
            id="no number",
        ),
        pytest.param(
            'id = "one"\ntimezone = "Berlin"',
            "one.toml, line 2: timezone = 'Berlin': must be an IANA time zone "
            "such as 'Europe/Berlin'",
            id="time zone",
        ),
        pytest.param(
            'id = "one"\nroutines = ["A", "A"]',
            'one.toml, line 2: routines = ["A", "A"]: must name each routine once',
            id="routine twice",
        ),
        pytest.param(
            'id = "one"\n[exercise_aliases]\n"Supino" = "Bench Press"\n"Remada" = " "',
            "one.toml, line 4: exercise_aliases.Remada = ' ': must be the title of an exercise",
            id="alias of nothing",
        ),
        pytest.param(
            'id = "one"\n[exercise_aliases]\nSupino = "Bench"\n"supino " = "Press"',
            """one.toml, line 2: exercise_aliases = {"Supino": "Bench", "supino ": "Press"}: """
            "must say once what 'supino ' stands for",
            id="alias of two titles",
        ),
        pytest.param(
            'id = "one"\n[exercise_aliases]\nA = "B"\nB = "C"',
            'one.toml, line 2: exercise_aliases = {"A": "B", "B": "C"}: '
            "must say at once what 'A' stands for: 'B' is itself an alias",
            id="alias of an alias",
        ),
        pytest.param('name = "One"', "one.toml, line 1: id is missing", id="no id"),
        pytest.param(
            'id = "tim"',
            "one.toml, line 1: id = 'tim': must be 'one', the name of the file",
            id="id of another file",
        ),
        pytest.param(
            '# me\nid = "One"',
            "one.toml, line 2: id = 'One': must match pattern '^[a-z0-9][a-z0-9_-]{0,63}$'",
            id="no slug",
        ),
        pytest.param(
            'id = "tim"\nhevy = "mine"',
            "one.toml, line 1: id = 'tim': must be 'one', the name of the file\n"
            "one.toml, line 2: hevy = 'mine': must be a table",
            id="no table",
        ),
        pytest.param(
            'id = "one"\n[hevy]\naccount = "none"\n[publish]\nmode = "auto"',
            'one.toml, line 4: publish = {"mode": "auto"}: '
            "must be mode = 'preview' while hevy.account is 'none'",
            id="nothing to publish to",
        ),
        pytest.param(
            'id = "one"\n[publish\nmode = "auto"',
            "one.toml: Expected ']' at the end of a table declaration (at line 2, column 9)",
            id="no TOML",
        ),
    ],
)
def test_a_problem_says_where_it_is_and_what_is_allowed(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert problem(tmp_path, text) == expected


@pytest.mark.parametrize("key", ["api_key_env", "webhook_token_env"])
def test_a_secret_pasted_into_the_wrong_place_is_not_repeated(tmp_path: Path, key: str) -> None:
    pasted = "01234567-89ab-cdef-0123-456789abcdef"
    text = problem(tmp_path, f'id = "one"\n[hevy]\n{key} = "{pasted}"')
    assert text.startswith(f"one.toml, line 3: hevy.{key} = …: must match pattern")
    assert pasted not in text


def test_a_missing_file_is_a_problem_of_the_profile(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="No such file"):
        load_profile(tmp_path / "one.toml")


def test_profiles_come_by_id_and_problems_of_all_files_together(tmp_path: Path) -> None:
    write(tmp_path, 'id = "b"', "b")
    write(tmp_path, 'id = "a"', "a")
    assert [profile.id for profile in load_profiles(tmp_path)] == ["a", "b"]
    write(tmp_path, 'id = "x"\nfoo = 1', "x")
    write(tmp_path, 'id = "y"\nbar = 1', "y")
    with pytest.raises(ProfileError) as error:
        load_profiles(tmp_path)
    assert [line.split("; ")[0].split("key ")[1] for line in str(error.value).splitlines()] == [
        "foo",
        "bar",
    ]


def test_the_warehouse_learns_no_name_of_a_secret() -> None:
    profile = AthleteProfile.model_validate({"id": "one", "hevy": {"api_key_env": "KIMS_KEY"}})
    assert profile.public_payload() == {
        "id": "one",
        "name": "one",
        "timezone": "UTC",
        "routines": [],
        "account": "hevy",
        "publish_mode": "preview",
        "exercise_aliases": [],
    }


def test_each_key_is_found_on_its_line() -> None:
    text = "\n".join(
        [
            "# a comment = 1",
            "a = 1",
            'b.c = """',
            "x = 1",
            '"""',
            "[t.'quoted [key]']",
            "d = [",
            "  1, # ]",
            "]",
            '"e f" = { g = 1 }',
            "[ t . u ]",
            "h = '['",
            "i = 2",
        ]
    )
    assert key_lines(text) == {
        ("a",): 2,
        ("b", "c"): 3,
        ("t", "quoted [key]"): 6,
        ("t", "quoted [key]", "d"): 7,
        ("t", "quoted [key]", "e f"): 10,
        ("t", "u"): 11,
        ("t", "u", "h"): 12,
        ("t", "u", "i"): 13,
    }
