"""Commands that read do not import pandas."""

import subprocess
import sys


def test_queries_and_arrow_tables_need_no_pandas_and_a_job_has_it() -> None:
    """A module None in `sys.modules` would make every Arrow table fail."""
    code = """
import sys
import duckdb
import pyarrow
from orchestration.cli.hidden_pandas import with_pandas, without_pandas

con = duckdb.connect()
with without_pandas():
    assert con.execute("select $1, $2", ["x", [1, None]]).fetchone() == ("x", [1, None])
    con.register("landed", pyarrow.table({"a": [1, 2], "b": ["x", None]}))
    assert con.execute("from landed").fetchall() == [(1, "x"), (2, None)]
    assert con.execute("from landed").to_arrow_table().to_pylist()[0] == {"a": 1, "b": "x"}
    assert "pandas" not in sys.modules
    with_pandas()
    con.execute("select $1", ["x"])
    assert sys.modules["pandas"].DataFrame
"""
    subprocess.run([sys.executable, "-c", code], check=True)
