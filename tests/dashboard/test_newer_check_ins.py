"""Check-ins that are newer than the release, on the page."""

from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from coach_agent.domain.pain import parse_pain
from coach_agent.store.check_ins import CheckIn
from orchestration.services.releases.newer_plans import CHECK_INS_FOLDER, NewerPlan
from orchestration.services.releases.released import require_current_release
from tests.dashboard.released_page import show_released_page
from tests.orchestration.services.answers.scenario import write_release


def test_load_lists_a_check_in_that_is_newer_than_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a check-in the page said "Nothing so far" until the next run."""
    folder = write_release(tmp_path)
    at = require_current_release(folder).manifest.released_at + timedelta(minutes=1)
    pain = parse_pain("right shoulder:moderate")
    said = CheckIn(checked_in_at=at, energy=2, minutes=45, pain=(pain,))
    newer = NewerPlan(written_at=at, plan=None, check_ins=(said,))
    (folder / CHECK_INS_FOLDER).mkdir()
    (folder / CHECK_INS_FOLDER / "ann.json").write_text(newer.model_dump_json())
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    # No server listens there.
    monkeypatch.setenv("SPOTTER_DAGSTER_URL", "http://127.0.0.1:9")
    app = AppTest.from_function(show_released_page, args=("Progress",), default_timeout=300)
    app.query_params["part"] = "Load"
    app.run()
    assert not app.exception
    assert "right shoulder: moderate" in app.table[-1].value.to_string()
