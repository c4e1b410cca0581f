"""The README's pictures: pages of the dashboard with the demo athlete of this day.

`make screenshots`: runs the nightly job against the simulator in a temporary folder, opens the
dashboard in Chromium, and writes into docs/images.
"""

import sys
import tempfile
from pathlib import Path

from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from orchestration.config.locations import CODE_ROOT
from tests.end_to_end.browser import CHROMIUM, DESK, PHONE, opened_page, running_chromium
from tests.end_to_end.served_dashboard import served_dashboard, settled
from tests.end_to_end.world import new_home

FOLDER = CODE_ROOT / "docs" / "images"
PICTURES = (("today", "", PHONE, 844), ("progress", "progress", DESK, 1000))


def main(folder: Path = FOLDER) -> int:
    """Write the pictures; return the exit code."""
    if CHROMIUM is None:
        print("chromium is not installed", file=sys.stderr)
        return 1
    folder.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator,
    ):
        home = new_home(Path(scratch), simulator.url)
        done = home.spotter("run")
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
            return 1
        with served_dashboard(home) as url, running_chromium() as chromium:
            for name, path, width, height in PICTURES:
                with opened_page(chromium, width=width, height=height) as page:
                    settled(page, f"{url}/{path}")
                    page.screenshot(path=folder / f"{name}.png")
                print(folder / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
