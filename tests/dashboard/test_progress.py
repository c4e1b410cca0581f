"""Records, labels of the load chart, and names of athletes, by hand."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import yaml

from coach_agent.language.messages import in_language
from dashboard.charts import adherence_chart, load_chart
from dashboard.views.progress import lift_markup, records_markup
from dashboard.views.volume import LEAST_PERIODS, response_rows, response_words
from dashboard.wording import distinct_names, natural_order
from orchestration.dbt.runner import DBT_PROJECT_DIR

PAGE: Any = SimpleNamespace(unit="kg", today=date(2026, 3, 4))


def record(title: str, kind: str, value: float, **values: Any) -> dict[str, Any]:
    return {
        "title": title,
        "record_kind": kind,
        "record_value": value,
        "previous_value": None,
        "weight_kg": None,
        "e1rm_family": None,
        "workout_date": date(2026, 3, 3),
        **values,
    }


def test_records_of_an_exercise_are_together() -> None:
    """Each record repeated its exercise: 60 records of 15 exercises were five screens."""
    markup = records_markup(
        [
            record("Squat", "load", 110.0, previous_value=107.5),
            record("Bench", "reps", 9.0, weight_kg=85.0, workout_date=date(2026, 2, 27)),
            record("Squat", "e1rm", 135.7, e1rm_family="epley_rated"),
        ],
        PAGE,
    )
    assert markup.count("<li>") == 2
    assert markup.count("Squat") == 1
    assert "Heaviest load: 110 kg, before 107.5 kg" in markup
    assert "Estimated maximum (with RPE): 135.7 kg" in markup
    assert "Most reps at 85 kg: 9 reps" in markup
    assert markup.count("Yesterday") == 2
    # A date on a line of its own began with the separator.
    assert markup.count(' · <span class="when">Yesterday</span>') == 2


def test_one_maximum_has_no_line() -> None:
    """A single workout was drawn as a dot at the left end of an empty chart."""
    lift = {
        "title": "Squat",
        "verdict": "insufficient",
        "slope_pct": None,
        "last_trained_date": date(2026, 3, 3),
    }
    drawn = [lift_markup({**lift, "maxima_kg": maxima}, PAGE) for maxima in ([120.0], [118.0, 120])]
    assert ["<img" in card for card in drawn] == [False, True]
    assert all("120 kg" in card for card in drawn)


def test_labels_of_close_lines_do_not_overlap() -> None:
    """The labels of fitness and fatigue covered each other and the lines."""
    rows = [
        {"day": day, "fitness (CTL)": 7.0, "fatigue (ATL)": 7.1}
        for day in ("2026-02-22", "2026-03-04")
    ]
    chart = load_chart(rows, "hard sets a day").to_dict()
    last = [each for each in next(iter(chart["datasets"].values())) if each["label"]]
    shifts = {each["label"]: each["shift"] for each in last}
    assert shifts["fatigue"] < 0 < shifts["fitness"]
    # "29 Nov" was cut off at the right edge.
    assert chart["layer"][0]["encoding"]["x"]["axis"]["labelBound"]
    days = chart["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert [(each["month"], each["date"]) for each in days] == [(2, 22), (3, 5)]
    assert chart["layer"][0]["encoding"]["y"]["title"] == "hard sets a day"


def test_athletes_with_one_name_are_told_apart_by_id() -> None:
    """Fifty athletes called alike were fifty equal lines of a list."""
    athletes = [
        {"athlete_id": "ann1", "name": "Ann"},
        {"athlete_id": "ann2", "name": "Ann"},
        {"athlete_id": "kim", "name": None},
    ]
    assert distinct_names(athletes) == {"ann1": "Ann (ann1)", "ann2": "Ann (ann2)", "kim": "kim"}


def test_bars_of_weeks_are_named_by_their_mondays() -> None:
    """The axis named Sundays below the bars of Mondays."""
    rows = [{"day": day, "as planned (%)": 91.0} for day in ("2026-02-23", "2026-03-02")]
    axis = adherence_chart(rows).to_dict()["layer"][0]["encoding"]["x"]["axis"]
    assert [(each["month"], each["date"]) for each in axis["values"]] == [(2, 23), (3, 2)]


def response(periods: int, low: float) -> dict[str, Any]:
    is_known = periods >= LEAST_PERIODS and low > 0
    return {
        "muscle_group": "upper_back",
        "verdict": "more_helps" if is_known else "not_enough_data",
        "period_count": periods,
        "least_weekly_sets": 6.4,
        "most_weekly_sets": 13.6,
        "slope_pct": low + 0.1,
        "lower_pct": low,
        "upper_pct": low + 0.2,
    }


def test_without_an_answer_it_states_what_is_missing() -> None:
    """Six periods of eight weeks are the least; after two, 32 weeks are left."""
    assert "at least 48 more weeks" in response_words([])
    assert "You have 2, so an answer takes at least 32 more weeks" in response_words(
        [response(1, 0.1), response(2, 0.1)]
    )
    assert "do not differ enough" in response_words([response(9, -0.1)])
    assert response_rows([response(2, 0.1), response(9, -0.1)]) == []


def test_an_answer_has_its_interval_and_its_range_of_sets() -> None:
    found = [response(9, 0.05), response(9, -0.1)]
    assert response_words(found).startswith("How your estimated maxima changed")
    assert response_rows(found) == [
        {
            "Muscle": "Upper back",
            "One more set a week, % in 4 weeks": "+0.15 (+0.05 to +0.25)",
            "Sets a week": "6 to 14",
        }
    ]


def test_an_answer_is_in_the_language_of_the_athlete() -> None:
    with in_language("de"):
        assert response_words([]).startswith("Noch zu wenig Daten.")
        assert response_rows([response(9, 0.05)]) == [
            {
                "Muskel": "Oberer Rücken",
                "Ein Satz pro Woche mehr, % in 4 Wochen": "+0,15 (+0,05 bis +0,25)",
                "Sätze pro Woche": "6 bis 14",
            }
        ]


def test_an_answer_needs_the_periods_of_the_mart() -> None:
    project = yaml.safe_load((DBT_PROJECT_DIR / "dbt_project.yml").read_text())
    assert project["vars"]["response.min_periods"] == LEAST_PERIODS


def test_names_with_numbers_are_in_the_order_of_the_numbers() -> None:
    """Client 10 came before Client 2."""
    names = ["client 10", "Client 2", "Ann", "10", "Client", "9", "client 2b"]
    ordered = sorted(names, key=natural_order)
    assert ordered == ["9", "10", "Ann", "Client", "Client 2", "client 2b", "client 10"]
