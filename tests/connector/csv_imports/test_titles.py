import duckdb
import pytest

from hevy_connector.csv_imports.titles import normalised_title
from orchestration.dbt.runner import DBT_PROJECT_DIR


@pytest.mark.parametrize("title", ["A  b ", "\tA\u00a0B\n", "ÉCARTÉ Poulie", "卧推  杠铃", ""])
def test_the_warehouse_compares_titles_in_the_same_way(title: str) -> None:
    macro = (DBT_PROJECT_DIR / "macros" / "exercises.sql").read_text()
    body = macro.split("normalised_title(title) -%}")[1].split("{%- endmacro %}")[0]
    query = f"select {body.replace('{{ title }}', '$1')}"
    assert duckdb.execute(query, [title]).fetchone() == (normalised_title(title),)
