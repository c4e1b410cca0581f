import duckdb
import pytest

from hevy_connector.csv_imports.titles import UnknownTitle, normalised_title, unknown_titles
from orchestration.dbt.runner import DBT_PROJECT_DIR

CATALOGUE = ["Bench Press (Barbell)", "Incline Bench Press (Barbell)", "Squat (Barbell)"]


def test_titles_are_compared_without_case_and_doubled_blanks() -> None:
    assert unknown_titles({" bench  PRESS (Barbell)": 3}, CATALOGUE, {}) == ()


def test_unknown_titles_are_counted_once_and_come_with_what_is_spelt_alike() -> None:
    counts = {"Zercher": 2, "Bench Press (Barbel)": 3, "bench press  (barbel)": 1}
    assert unknown_titles(counts, CATALOGUE, {}) == (
        UnknownTitle(
            "Bench Press (Barbel)", 4, ("Bench Press (Barbell)", "Incline Bench Press (Barbell)")
        ),
        UnknownTitle("Zercher", 2, ()),
    )


def test_an_alias_is_known_if_its_title_is() -> None:
    aliases = {"supino reto": "Bench Press (Barbell)", "Kniebeuge": "Squad (Barbell)"}
    assert unknown_titles({"Supino  Reto": 3, "Kniebeuge": 1}, CATALOGUE, aliases) == (
        UnknownTitle("Squad (Barbell)", 1, ("Squat (Barbell)", "Bench Press (Barbell)")),
    )


@pytest.mark.parametrize("title", ["A  b ", "\tA\u00a0B\n", "ÉCARTÉ Poulie", "卧推  杠铃", ""])
def test_the_warehouse_compares_titles_in_the_same_way(title: str) -> None:
    macro = (DBT_PROJECT_DIR / "macros" / "exercises.sql").read_text()
    body = macro.split("normalised_title(title) -%}")[1].split("{%- endmacro %}")[0]
    query = f"select {body.replace('{{ title }}', '$1')}"
    assert duckdb.execute(query, [title]).fetchone() == (normalised_title(title),)
