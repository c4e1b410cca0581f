"""Titles that name help or added weight, in the connector and in the warehouse's macro."""
# ruff: noqa: RUF001 - letters of other scripts are the subject.

import duckdb
import pytest
from jinja2 import Environment

from hevy_connector.body_load import body_load_type
from orchestration.dbt.runner import DBT_PROJECT_DIR

WORDS = DBT_PROJECT_DIR / "seeds" / "body_load_words.csv"

ASSISTED = [
    "Pull Up (Assisted)",
    "Assisted Pull Up",
    "Pull-up assist",
    "Klimmzüge (Unterstützt)",
    "KLIMMZÜGE UNTERSTÜTZT",
    "Bandunterstützte Klimmzüge",
    "Dips mit Unterstützung (Maschine)",
    "Dominadas asistidas",
    "Fondos (Asistido)",
    "Dominadas con ayuda",
    "Dominadas en Gravitrón",
    "Barra Fixa (Assistida)",
    "Barra fixa no Graviton",
    "Traction assistée",
    "Tractions (Assisté)",
    "Trazioni assistite",
    "Trazioni facilitate",
    "Optrekken (geassisteerd)",
    "Podciąganie ze wspomaganiem",
    "Podciąganie (asystowane)",
    "Подтягивания (с поддержкой)",
    "Подтягивания в гравитроне",
    "Barfiks (Destekli)",
    "BARFİKS (YARDIMLI)",
    "Yardımlı Barfiks",
    "Assisterade chins",
    "Avustettu leuanveto",
    "アシスト懸垂",
    "懸垂（補助）",
    "어시스트 풀업",
    "풀업 (보조)",
    "引体向上（辅助）",
    "引體向上 (輔助)",
]
WEIGHTED = [
    "Weighted Pull Ups",
    "Pull Up - weighted",
    "Dips (Weighted)",
    "Dips (Zusatzgewicht)",
    "Dominadas lastradas",
    "Tractions lestées",
    "Dips lestés",
    "Trazioni zavorrate",
    "Barra fixa com peso",
    "Podciąganie z obciążeniem",
    "Подтягивания с весом",
    "Ağırlıklı Barfiks",
]
NEITHER = [
    "Weighted Step Up",
    "Russian Twist (Weighted)",
    "Affondi zavorrati",
    "Kniebeuge mit Zusatzgewicht",
    "Pull Up",
    "Unassisted Pull Up",
    "Bench Press (Barbell)",
    "Assistance work",
    "Brustunterstütztes Rudern",
    "Brust-unterstütztes Rudern",
    "Schulterdrücken mit Rückenunterstützung",
    "Göğüs destekli row",
    "Тяга с поддержкой груди",
    "補助種目",
    "보조운동",
    "Klimmzüge",
    "???",
    "",
]
CASES = [
    *((title, "bodyweight_assisted") for title in ASSISTED),
    *((title, "bodyweight_weighted") for title in WEIGHTED),
    *((title, None) for title in NEITHER),
]


def test_the_words_of_the_warehouse_are_those_of_the_connector() -> None:
    own = (DBT_PROJECT_DIR.parent / "hevy_connector" / "body_load_words.csv").read_bytes()
    assert WORDS.read_bytes() == own


@pytest.mark.parametrize(("title", "exercise_type"), CASES)
def test_a_title_names_a_load_in_any_language(title: str, exercise_type: str | None) -> None:
    """Of all words "(assisted)" alone was known: less help was a weaker lift, and 25 lb on the
    belt after 20 a typing error.
    """
    assert body_load_type(title) == exercise_type


def test_the_macro_finds_the_same_titles() -> None:
    macros = (DBT_PROJECT_DIR / "macros" / "exercises.sql").read_text(encoding="utf-8")
    module = Environment(autoescape=False).from_string(macros).module  # noqa: S701 - SQL
    with duckdb.connect() as con:
        con.execute("create table words as from read_csv($1, all_varchar = true)", [str(WORDS)])
        con.execute("create table keyed (exercise_key varchar)")
        con.executemany(
            "insert into keyed values ('title:' || lower($1)), ($1)",
            [[title] for title, _ in CASES],
        )
        found = con.execute(module.body_load_types("keyed", "words")).fetchall()
        expected = con.execute(
            "select 'title:' || lower(title), kind from (select unnest($1) as title, "
            "unnest($2) as kind)",
            [[title for title, kind in CASES if kind], [kind for _, kind in CASES if kind]],
        ).fetchall()
    assert sorted(found) == sorted(expected)
