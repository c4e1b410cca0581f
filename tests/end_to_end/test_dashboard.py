"""The dashboard agrees with the release, checks access, and shows first steps without data."""

import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from coach_agent.domain.plan import SlotPrescription
from dashboard.wording import plain
from orchestration.config.settings import SettingsError, load_settings
from orchestration.server.dashboard import STREAMLIT_OPTIONS, dashboard_command, requires_password
from orchestration.text.sets import forecasts
from tests.end_to_end.fake_dagster import a_failed_night, fake_dagster
from tests.end_to_end.filled_dashboard import BECAUSE, NIGHT
from tests.end_to_end.world import ROOT, FirstNight, Home

APP = ROOT / "dashboard" / "app.py"
PATIENCE_S = 60
NO_SET = "no set"
PASSWORD = "gym"  # noqa: S105 - of no use anywhere


def script(page: str) -> None:
    from dashboard.app import show_page
    from dashboard.released import current_release
    from orchestration.config.settings import load_settings

    settings = load_settings()
    released = current_release(settings.release_folder)
    assert released is not None
    show_page(page, settings, released)


def live_in(home: Home, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    for name, value in {**home.env, "SPOTTER_DAGSTER_URL": "http://127.0.0.1:9", **more}.items():
        monkeypatch.setenv(name, value)


def opened(page: str, **address: str) -> AppTest:
    """Draw a page with the parameters of its address, such as the part."""
    app = AppTest.from_function(script, kwargs={"page": page}, default_timeout=PATIENCE_S)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def markup_of(app: AppTest) -> str:
    return "\n".join(each.proto.body for each in app.get("html"))


def texts_of(markup: str, tag: str) -> list[str]:
    """Return the texts of elements without elements of the same name inside."""
    found = re.findall(rf"<{tag}(?: [^>]*)?>(.*?)</{tag}>", markup)
    return [unescape(re.sub(r"<[^>]+>", "", each)) for each in found]


def tables_of(markup: str) -> list[list[list[str]]]:
    """Return the cells of each table's body by row."""
    bodies = re.findall(r"<tbody>(.*?)</tbody>", markup)
    return [[texts_of(row, "td") for row in re.findall(r"<tr>(.*?)</tr>", body)] for body in bodies]


def everything_told(app: AppTest) -> str:
    return "\n".join(str(each.value) for each in [*app.markdown, *app.caption, *app.warning])


@pytest.fixture
def home(first_night: FirstNight, monkeypatch: pytest.MonkeyPatch) -> Home:
    found = Home(first_night.folder, "http://127.0.0.1:9")
    live_in(found, monkeypatch)
    return found


def test_today_shows_every_set_of_the_plan_that_stands(home: Home) -> None:
    report = home.spotter_json("plan", "show")
    app = opened("Today")
    assert [title.value for title in app.title] == [report["plan"]["routine_title"]]
    slots = report["plan"]["slots"]
    markup = markup_of(app)
    headings = texts_of(markup, "h2")
    assert len(headings) == len(slots)
    tables = tables_of(markup)
    cards = re.findall(r"<details class=\"lift .*?</details>", markup)
    for slot, heading, card, rows in zip(slots, headings, cards, tables, strict=True):
        assert heading.startswith(f"{slot['exercise_index'] + 1}. {slot['exercise_title']}")
        assert ("superset" in heading) == (slot["superset_id"] is not None)
        assert all(next_ for _, next_, *_ in rows)
        planned = [next_ for _, next_, *_ in rows if next_ != NO_SET]
        done = [last for *_, last in rows if last not in {"", NO_SET}]
        assert (len(planned), len(done)) == (len(slot["sets"]), len(slot["last_done"]))
        assert slot["reason"] in unescape(card)
        for target, text in zip(slot["sets"], planned, strict=True):
            if target["weight_kg"] is not None:
                assert text.endswith(f"@ {target['weight_kg']:g} kg")
        expected = forecasts(SlotPrescription.model_validate(slot))
        chances = [each.p_success for each in expected if each is not None]
        shown = [chance for *_, chance, _ in rows if "%" in chance]
        assert [text.split("%")[0] for text in shown] == [
            f"{100 * chance:.0f}" for chance in chances if chance is not None
        ]
    changes = app.table[0].value
    assert len(changes) == len(report["changes"])


def test_loads_are_told_in_pounds_to_who_wants_them(home: Home) -> None:
    """100 kg are 220.46 lb, which a gym marks as 220.5."""
    app = opened("Today")
    [unit] = [each for each in app.get("button_group") if each.label == "Unit"]
    unit.set_value("lb").run()
    told = [next_ for rows in tables_of(markup_of(app)) for _, next_, *_ in rows]
    assert any(text.endswith(" lb") for text in told)
    assert not any(text.endswith(" kg") for text in told)


def test_an_exercise_equals_what_sql_says(home: Home) -> None:
    app = opened("Progress")
    [chosen] = app.selectbox
    [(exercise, title)] = home.query(
        """
        select exercise_key, title from fct_exercise_trend
        inner join dim_exercise using (athlete_id, exercise_key)
        order by exposure_count desc nulls last, title limit 1
        """,
        home.release,
    )
    assert title in texts_of(markup_of(app), "h2")
    chosen.set_value(exercise).run()
    assert not app.exception
    [(last, best, verdict)] = home.query(
        f"""
        select
            max_by(e1rm_kg, started_at), max(e1rm_kg),
            (select verdict from fct_exercise_trend where exercise_key = '{exercise}')
        from fct_exercise_session where exercise_key = '{exercise}'
        """,
        home.release,
    )
    assert [metric.value for metric in app.metric] == [
        f"{round(last, 1):g} kg",
        f"{round(best, 1):g} kg",
    ]
    words = {"not_stalled": "Not stalled", "stalled": "Stalled", "insufficient": "Too few"}
    assert f"**{words[verdict]}" in everything_told(app)
    [(records,)] = home.query(
        f"""
        select count(*) from fct_personal_record
        where exercise_key = '{exercise}' and is_current and not is_first
        """,
        home.release,
    )
    assert len(app.table[0].value) == records
    [(points,)] = home.query(
        f"select count(e1rm_kg) from fct_exercise_session where exercise_key = '{exercise}'",
        home.release,
    )
    assert len(app.dataframe[0].value) == points
    [(sessions,)] = home.query(
        f"""
        select count(distinct workout_id) from fct_set
        where exercise_key = '{exercise}' and set_class = 'working'
        """,
        home.release,
    )
    assert len(texts_of(markup_of(app), "li")) == sessions


def test_history_lists_all_training_days_and_the_last_sets_of_each_exercise(home: Home) -> None:
    app = opened("History")
    workouts = home.query(
        "select workout_date, title from fct_workout order by started_at desc", home.release
    )
    buttons = [each.label for each in app.button if each.key and each.key.startswith("open ")]
    assert [label.split(" · ")[1] for label in buttons] == [
        plain(title) for _, title in workouts[: len(buttons)]
    ]
    days = sorted({day for day, _ in workouts})
    end = days[-1]
    shown = [day for day in days if (end - day).days < 7 * 7 + end.weekday() + 1]
    assert markup_of(app).count("trained on") == len(shown)
    [(title, day, load_kg)] = home.query(
        """
        select exercise_title, workout_date, max_by(weight_kg, set_index) from fct_set
        where set_class = 'working' and weight_kg is not null
        group by workout_id, exercise_key, exercise_title, workout_date, started_at
        order by started_at desc limit 1
        """,
        home.release,
    )
    told = [
        text
        for text in texts_of(markup_of(opened("History", part="Exercises")), "li")
        if text.startswith(title)
    ]
    assert f"{day:%a} {day.day} {day:%b}" in told[0]
    assert f"{load_kg:g} kg ×" in told[0]


def test_volume_equals_what_sql_says(home: Home) -> None:
    app = opened("Progress", part="Muscles")
    shown, strip = (frame.value for frame in app.dataframe)
    expected = home.query(
        """
        select fractional_set_count, direct_set_count from fct_muscle_week
        where
            volume_band is not null
            and week_start_date = (select max(week_start_date) from fct_muscle_week)
        order by fractional_set_count desc, muscle_group
        """,
        home.release,
    )
    assert list(zip(shown["sets"], shown["direct sets"], strict=True)) == expected
    weeks = home.query(
        """
        select week_start_date, sum(fractional_set_count), count(*) from fct_muscle_week
        where volume_band is not null group by all order by all
        """,
        home.release,
    )[-6:]
    assert [
        (week, sets.sum(), len(sets)) for week, sets in strip.groupby("week", sort=False)["sets"]
    ] == [(f"{day.day} {day:%b}", total, count) for day, total, count in weeks]
    assert any("Not enough data. A muscle needs 6 periods" in each.value for each in app.caption)
    sides = home.query(
        """
        select
            push_set_count, pull_set_count, upper_set_count, lower_set_count, quad_set_count,
            hamstring_set_count
        from fct_consistency_week
        where week_start_date <= (select max(week_start_date) from fct_muscle_week)
        order by week_start_date desc limit 4
        """,
        home.release,
    )
    month = [sum(each) for each in zip(*sides, strict=True)]
    assert app.table[0].value[["This week", "Four weeks"]].to_numpy().tolist() == [
        [f"{of[at]:g} to {of[at + 1]:g}" for of in (sides[0], month)] for at in (0, 2, 4)
    ]


def test_data_counts_what_was_released_and_says_that_dagster_is_off(home: Home) -> None:
    app = opened("Data")
    [(workouts,)] = home.query("select count(*) from fct_workout", home.release)
    assert list(app.table[0].value["Workouts"]) == [workouts]
    assert "None: all records were read." in everything_told(app)
    assert "None yet." in everything_told(opened("Data", part="Fixes"))
    app = opened("Data", part="Runs")
    assert "Dagster does not answer" in everything_told(app)
    counted = dict(home.query("from manifest_marts", home.release))
    released = app.table[0].value
    assert dict(zip(released["Table"], released["Rows"], strict=True)) == {
        plain(name): f"{count:,}" for name, count in counted.items()
    }


def test_its_night_read_the_trained_workout_and_planned_another_routine(
    dashboard_home: Home,
) -> None:
    night = json.loads((dashboard_home.folder / NIGHT).read_text())
    assert night["new_raw_rows"] >= 1
    assert night["sent_to_hevy"] == 1
    [(trained,)] = dashboard_home.query(
        "select max_by(routine_id, started_at) from fct_workout where routine_id is not null",
        dashboard_home.release,
    )
    planned = dashboard_home.spotter_json("plan", "show")["plan"]["routine_id"]
    assert planned not in {trained, None}


def test_data_tells_what_could_not_be_read_and_what_was_corrected(
    dashboard_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_in(dashboard_home, monkeypatch)
    rejected = opened("Data").table[1].value
    corrected = opened("Data", part="Fixes").table[0].value
    [(reason,)] = dashboard_home.query(
        "select reason from fct_quarantined_record", dashboard_home.release
    )
    assert list(rejected["Why"]) == [plain(reason)]
    assert "Line 3" in reason
    [(title, weight_kg, reps, day)] = dashboard_home.query(
        """
        select exercise.title, sets.weight_kg, sets.reps, workout.workout_date
        from fct_set as sets
        inner join fct_workout as workout using (workout_id)
        inner join dim_exercise as exercise using (exercise_key)
        where sets.is_confirmed = false
        """,
        dashboard_home.release,
    )
    assert corrected.to_dict("records") == [
        {
            "What": plain(f"{title}: {weight_kg:g} kg × {reps}"),
            "Of": f"{day:%a} {day.day} {day:%b %Y}",
            "Is": "a typing error",
            "Because": BECAUSE,
        }
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Squat (Barbell), 97.5 kg at 8:30, -5 %", "Squat (Barbell), 97.5 kg at 8:30, -5 %"),
        ("![](http://x/who_looks.png)", r"!\[\](http://x/who\_looks.png)"),
        ("<b>*A*</b> $x$ :red[b] `c` ~d~", r"\<b\>\*A\*\</b\> \$x\$ \:red\[b\] \`c\` \~d\~"),
        ("1. Push", r"1\. Push"),
        ("# Push\n- heavy\n---", "\\# Push\n\\- heavy\n\\---"),
    ],
)
def test_what_others_wrote_is_no_markup(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_an_old_release_is_shown_with_a_warning(
    first_night: FirstNight, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home" / "release"
    shutil.copytree(first_night.folder / "home" / "release", folder, symlinks=True)
    live_in(Home(tmp_path, "http://127.0.0.1:9"), monkeypatch)
    manifest = (folder / "manifest.json").resolve()
    told = json.loads(manifest.read_text())
    told["released_at"] = (datetime.now(UTC) - timedelta(days=3)).isoformat()
    manifest.chmod(0o644)
    manifest.write_text(json.dumps(told))
    app = opened("Today")
    assert [warning.value for warning in app.warning if "3 days ago" in warning.value]


def test_a_failed_run_is_told_with_the_age_of_what_is_shown(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_dagster(a_failed_night) as url:
        monkeypatch.setenv("SPOTTER_DAGSTER_URL", url)
        app = opened("Today")
    [error] = app.error
    assert error.value.startswith("The last run of nightly failed.")


def test_who_has_nothing_is_led_to_the_demo_a_key_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_in(Home(tmp_path, "http://127.0.0.1:9"), monkeypatch, SPOTTER_DASHBOARD_PASSWORD=PASSWORD)
    app = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    assert not app.title  # no password was entered yet
    app.text_input[0].set_value("wrong").run()
    assert [error.value for error in app.error] == ["That is not the password."]
    app.text_input[0].set_value(PASSWORD).run()
    assert [title.value for title in app.title] == ["Welcome to Spotter"]
    for step in ("spotter dev --demo", "spotter init", "drop it below"):
        assert step in everything_told(app)


def test_without_a_password_nothing_is_shown_where_others_can_reach_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit itself listens everywhere by default, like a test of an app."""
    app = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    assert "SPOTTER_DASHBOARD_PASSWORD" in app.error[0].value
    assert not app.title
    done = home.spotter("dashboard", "--host", "192.168.1.5")
    assert done.returncode == 2
    assert "SPOTTER_DASHBOARD_PASSWORD" in done.stderr


@pytest.mark.parametrize(
    ("host", "is_open"),
    [
        ("127.0.0.1", False),
        ("::1", False),
        ("localhost", False),
        ("0.0.0.0", True),  # noqa: S104 - only asked about
        ("192.168.1.5", True),
        ("gym.example", True),
        (None, True),
    ],
)
def test_only_loopback_needs_no_password(host: str | None, is_open: bool) -> None:
    assert requires_password(host) is is_open


def test_the_server_is_told_to_send_nothing_home(tmp_path: Path) -> None:
    settings = load_settings({"SPOTTER_DASHBOARD_PASSWORD": PASSWORD}, tmp_path)
    command = dashboard_command(settings, "192.168.1.5", 8600)
    assert STREAMLIT_OPTIONS["browser.gatherUsageStats"] is False
    assert "--host=192.168.1.5" in command
    with pytest.raises(SettingsError, match="SPOTTER_DASHBOARD_PASSWORD"):
        dashboard_command(load_settings({}, tmp_path), "192.168.1.5", 8600)
