"""Find tables by their names."""

import duckdb


def has_table(con: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return true if there is a table or view with this name, given as `schema.name`.

    DuckDB's lists of tables are slower: on a lake, they read the statistics of each table.

    Raises:
        duckdb.CatalogException: the catalog cannot be read.
    """
    try:
        con.execute(f"from {name} limit 0")
    except duckdb.CatalogException as error:
        if "does not exist" not in str(error):
            raise
        return False
    return True
