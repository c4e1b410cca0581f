"""Commands that read do not import pandas."""

import subprocess
import sys


def test_a_query_with_a_parameter_imports_no_pandas_unless_it_is_shown() -> None:
    """Also the end of the block shows it again, and a module that was imported stays."""
    code = """
import sys
import duckdb
from orchestration.cli.hidden_pandas import with_pandas, without_pandas

con = duckdb.connect()
with without_pandas():
    assert con.execute("select $1, $2", ["x", [1, None]]).fetchone() == ("x", [1, None])
    assert sys.modules["pandas"] is None
assert "pandas" not in sys.modules
with without_pandas():
    with_pandas()
    con.execute("select $1", ["x"])
    assert sys.modules["pandas"].DataFrame
    with without_pandas():
        import pandas
    assert sys.modules["pandas"] is pandas
"""
    subprocess.run([sys.executable, "-c", code], check=True)
