"""dbt's documentation as one page that needs no network: models, columns, lineage, metrics.

`make docs`: builds the warehouse of the demo athlete in a temporary folder, for the types of the
tables, and prints the path of the page.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from orchestration.config.locations import CODE_ROOT
from orchestration.dbt.checks import failures
from orchestration.dbt.runner import build, generate_docs
from tests.build_dbt import land_demo_athlete

PAGE = CODE_ROOT / "site" / "index.html"


def main(page: Path = PAGE) -> int:
    """Write the page; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        warehouse, target = Path(folder) / "warehouse.duckdb", Path(folder) / "dbt"
        land_demo_athlete(warehouse)
        broken = failures(build(warehouse, target, ["--exclude-resource-type", "test"]))
        if broken:
            print("\n".join(broken), file=sys.stderr)
            return 1
        page.parent.mkdir(exist_ok=True)
        shutil.copyfile(generate_docs(warehouse, target), page)
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
