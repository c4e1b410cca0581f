"""Errors of a profile have line, value and requirement."""

from pathlib import Path

import pytest

from coach_agent.profile.model import ProfileError, load_profile


def write(folder: Path, text: str, name: str = "one") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problem(folder: Path, text: str) -> str:
    path = write(folder, text)
    with pytest.raises(ProfileError) as error:
        load_profile(path)
    return str(error.value).replace(str(path), "one.toml")


def test_a_file_that_is_nested_too_deeply_is_invalid(tmp_path: Path) -> None:
    text = 'id = "one"\nx = ' + "[" * 5_000
    assert "nested too deeply" in problem(tmp_path, text)


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
            "one.toml, line 2: exercises.Squat.rep_sum is missing: must be given with "
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
            "must have one title for 'supino '",
            id="alias of two titles",
        ),
        pytest.param(
            'id = "one"\n[exercise_aliases]\nA = "B"\nB = "C"',
            'one.toml, line 2: exercise_aliases = {"A": "B", "B": "C"}: '
            "must map 'A' to the final title: 'B' is itself an alias",
            id="alias of an alias",
        ),
        pytest.param(
            'id = "one"\nblock_start = 2026-01-05\n\n[[phases]]\nkind = "base"\nweeks = 4\n'
            '[[phases]]\nkind = "bulk"\nweeks = 60\n[deload]\nmode = "often"\nevery_weeks = 8',
            "one.toml, line 8: phases[1].kind = 'bulk': "
            "must be 'base', 'build', 'peak' or 'taper'\n"
            "one.toml, line 9: phases[1].weeks = 60: must be less than or equal to 52\n"
            "one.toml, line 11: deload.mode = 'often': "
            "must be 'calendar', 'reactive', 'both' or 'never'\n"
            "one.toml, line 12: deload.every_weeks = 8: must be less than or equal to 6",
            id="each table of an array by its line",
        ),
        pytest.param(
            'id = "one"\nblock_start = 2026-01-05\n[[phases]]\nkind = "base"\nweek = 4',
            "one.toml, line 3: phases[0].weeks is missing\n"
            "one.toml, line 5: unknown key phases[0].week; did you mean weeks?",
            id="misspelt key in an array",
        ),
        pytest.param(
            'id = "one"\n[[phases]]\nkind = "base"\nweeks = 4',
            'one.toml, line 2: phases = [{"kind": "base", "weeks": 4}]: '
            "must come with block_start, the Monday on which the first one begins",
            id="phases without a beginning",
        ),
        pytest.param(
            'id = "one"\nblock_start = 2026-01-07',
            "one.toml, line 2: block_start = '2026-01-07': must be a Monday, such as 2026-01-05",
            id="a block begins on Mondays",
        ),
        pytest.param(
            'id = "one"\n[goal]\ndate = "next summer"',
            "one.toml, line 3: goal.date = 'next summer': must be a date such as 2026-06-14",
            id="no date",
        ),
        pytest.param(
            'id = "one"\n[goal]\ndate = 2026-02-30',
            "one.toml: line 3: date = 2026-02-30: must be a date such as 2026-06-14",
            id="a day that there is not",
        ),
        pytest.param(
            'id = "one"\n[goal]\ndate = 2026-06-14T09:00:00',
            "one.toml, line 3: goal.date = '2026-06-14 09:00:00': "
            "must be a date such as 2026-06-14",
            id="a time for a date",
        ),
        pytest.param(
            'id = "one"\n[goal]\nevent = "Nationals"',
            "one.toml, line 3: goal.event = 'Nationals': must come with goal.date, its day",
            id="event without a day",
        ),
        pytest.param(
            'id = "one"\nblock_start = 2026-03-02\n[goal]\ndate = 2026-03-01',
            'one.toml, line 3: goal = {"date": "2026-03-01"}: '
            "must have its date after block_start, 2026-03-02",
            id="event before the block",
        ),
        pytest.param(
            'id = "one"\n[deload]\nmode = "calendar"',
            'one.toml, line 2: deload = {"mode": "calendar"}: '
            "must come with block_start, the Monday from which weeks are counted",
            id="calendar without a beginning",
        ),
        *(
            pytest.param(
                f'id = "one"\n{before}[deload]\n{mode}every_weeks = 5',
                f'one.toml, line {line}: deload = {{{said}"every_weeks": 5}}: must have '
                "every_weeks only where deloads come by calendar: mode = 'calendar' or 'both', "
                "and block_start",
                id=f"weeks that nobody counts {line}",
            )
            for before, mode, line, said in (
                ("", "", 2, ""),
                ("block_start = 2026-01-05\n", 'mode = "never"\n', 3, '"mode": "never", '),
            )
        ),
        pytest.param(
            'id = "one"\nsession_minutes = 10\n[limits]\nweekly_volume_pct = 50',
            "one.toml, line 2: session_minutes = 10: must be greater than or equal to 15\n"
            "one.toml, line 4: limits.weekly_volume_pct = 50: must be less than or equal to 30",
            id="minutes and volume",
        ),
        pytest.param(
            'id = "one"\n[weekdays]\n"Upper A" = ["mon", "someday"]',
            "one.toml, line 3: weekdays.\"Upper A\"[1] = 'someday': "
            "must be 'mon', 'tue', 'wed', 'thu', 'fri', 'sat' or 'sun'",
            id="no weekday",
        ),
        pytest.param(
            'id = "one"\n[weekdays]\nA = ["mon", "thu"]\nB = ["thu"]',
            'one.toml, line 2: weekdays = {"A": ["mon", "thu"], "B": ["thu"]}: '
            "must give each day one routine; 'thu' has 2",
            id="two routines on a day",
        ),
        pytest.param(
            'id = "one"\nroutines = ["A"]\n[weekdays]\nA = ["mon"]',
            'one.toml, line 3: weekdays = {"A": ["mon"]}: '
            "must not be combined with routines, which is another order",
            id="two orders",
        ),
        pytest.param(
            'id = "one"\nroutines = ["A", "C"]\n[coach]\nroutines = ["A", "B"]',
            'one.toml, line 2: routines = ["A", "C"]: must be among coach.routines; \'C\' is not',
            id="an order of routines that the coach may not touch",
        ),
        pytest.param(
            'id = "one"\n[weekdays]\nC = ["mon"]\n[coach]\nroutines = ["A", "A"]',
            'one.toml, line 5: coach.routines = ["A", "A"]: must name each routine once',
            id="a routine to touch twice",
        ),
        pytest.param(
            'id = "one"\n[equipment]\nunit = "stone"',
            "one.toml, line 3: equipment.unit = 'stone': must be 'kg' or 'lb'",
            id="no unit",
        ),
        pytest.param(
            'id = "one"\nplace = "home"\n[places.home]\nunit = "lb"\nbar_kg = 20\nbar_lb = "45"',
            "one.toml, line 5: unknown key places.home.bar_kg; did you mean bar_lb?\n"
            "one.toml, line 6: places.home.bar_lb = '45': must be a valid number",
            id="kilograms among pounds",
        ),
        pytest.param(
            'id = "one"\n[exercises.Dip]\nincrement_kg = 2.5\nincrement_lb = 5',
            "one.toml, line 4: exercises.Dip.increment_lb = 5: "
            "must not be combined with increment_kg: use one unit",
            id="a step in two units",
        ),
        pytest.param(
            'id = "one"\n[exercises.Dip]\ntraining_max_lb = 200',
            "one.toml, line 3: exercises.Dip.training_max_lb = 200: "
            "counts with model = 'training_max' alone",
            id="a training max in pounds without its model",
        ),
        pytest.param(
            'id = "one"\nequipment = "all"',
            "one.toml, line 2: equipment = 'all': must be a table",
            id="equipment in words",
        ),
        pytest.param(
            'id = "one"\nplace = "hotel"\n[places.home]\n[places.gym]',
            "one.toml, line 2: place = 'hotel': must be where you train now: 'gym' or 'home'",
            id="unknown place",
        ),
        pytest.param(
            'id = "one"\nplace = "hotel"',
            "one.toml, line 2: place = 'hotel': "
            "must be the name of a table [places.<name>]; there is none",
            id="no places",
        ),
        pytest.param(
            'id = "one"\n[places.home]',
            "one.toml, line 1: place is missing: must be where you train now: 'home'",
            id="which place",
        ),
        pytest.param(
            'id = "one"\nplace = "home"\n[equipment]\nbar_kg = 15\n[places.home]',
            'one.toml, line 5: places = {"home": {}}: '
            "must not be combined with [equipment]: make that one a place, too",
            id="equipment of no place",
        ),
        pytest.param(
            'id = "one"\n[pain]\n"right shoulder" = "bad"\n" " = "mild"',
            "one.toml, line 3: pain.\"right shoulder\" = 'bad': "
            "must be 'mild', 'moderate' or 'severe'\n"
            "one.toml, line 4: pain.\" \" = ' ': "
            "must be a part of the body, such as 'right shoulder', of neck, shoulder, chest, upper "
            "back, lower back, upper arm, biceps, triceps, elbow, forearm, wrist, hand, abdomen, "
            "hip, groin, glute, thigh, quadriceps, hamstring, knee, calf, ankle, foot",
            id="pain",
        ),
        pytest.param(
            'id = "one"\navoid = ["Dip", "Dip"]\n[preferences]\nlanguage = "English"',
            'one.toml, line 2: avoid = ["Dip", "Dip"]: must name each exercise once\n'
            "one.toml, line 4: preferences.language = 'English': must match pattern '^[a-z]{2}$'",
            id="preferences",
        ),
        pytest.param(
            'id = "one"\navoid = ["Dip"]\n[preferences.swap]\n"Bench Press" = ["Dip"]',
            'one.toml, line 2: avoid = ["Dip"]: '
            "must not name 'Dip', a substitute of preferences.swap",
            id="a substitute to avoid",
        ),
        pytest.param(
            'id = "one"\n[preferences.swap]\nDip = ["Dip"]\nSquat = [" "]',
            "one.toml, line 4: preferences.swap.Squat[0] = ' ': must be the title of an exercise",
            id="a substitute without a title",
        ),
        pytest.param(
            'id = "one"\n[preferences.swap]\nDip = ["Dip"]',
            'one.toml, line 2: preferences.swap = {"Dip": ["Dip"]}: '
            "must not name 'Dip' as its own substitute",
            id="its own substitute",
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
