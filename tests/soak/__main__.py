"""`python -m tests.soak --days 60`: simulate days, in a home with faults and one without.

Both are coached by real servers on a simulated clock. Both must end with equal state; exit code 1
if they differ, or if anything is left behind.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from tests.soak.both import end_on_request, live_both
from tests.soak.report import differences, summary, table_of


def main() -> int:
    """Run both worlds, print the figures, and return 0 if they ended alike."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="decides what goes wrong")
    parser.add_argument("--folder", type=Path, help="where to work; by default a temporary one")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = parser.parse_args()
    end_on_request()
    with tempfile.TemporaryDirectory(prefix="spotter-soak.") as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        disturbed, undisturbed = live_both(folder, asked.days, asked.seed)
    told = differences(disturbed.state, undisturbed.state)
    figures = {
        "seed": asked.seed,
        "disturbed": summary(disturbed.days),
        "undisturbed": summary(undisturbed.days),
        "differences": told,
    }
    if asked.json:
        print(json.dumps(figures, indent=2))
    else:
        console = Console(width=140)
        console.print(table_of("Disturbed", disturbed.days))
        console.print(table_of("Undisturbed", undisturbed.days))
        console.print_json(json.dumps(figures))
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
