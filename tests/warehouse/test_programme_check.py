"""The check of a followed programme reads its workouts and routines from the marts."""

import json
import logging
from datetime import date
from pathlib import Path

import duckdb
import pytest

from coach_agent.domain.values import canonical_json
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.files import parse_programme
from coach_agent.store.programmes import ProgrammeRoutine, StoredProgramme, record_programme
from orchestration.config.settings import SettingsError
from orchestration.services.programmes.follow_programme import follow_stored
from orchestration.services.programmes.programme_check import (
    check_programme,
    read_followed_weeks,
)
from tests.warehouse.scenario import at
from tests.warehouse.scratch import ScratchWarehouse

NOW = at("2026-03-08 06:00")
TEXT = """\
name = "mine"
title = "Mine"
summary = "One day, trained twice."
level = "novice"
goal = "strength"
days_per_week = 2
minutes = 40
ends = true
sources = ["my notebook"]

[lifts.bench]
exercise = "bench"

[[blocks]]
title = "Block"
weeks = 2

[blocks.days.Push]
bench = "4x5"
"""


PROGRAMME = parse_programme(TEXT, Path("mine.toml"))


def stored() -> StoredProgramme:
    return StoredProgramme(
        programme_id="prog_1",
        athlete_id="coached",
        name=PROGRAMME.name,
        title=PROGRAMME.title,
        content=json.dumps({"programme": json.loads(canonical_json(PROGRAMME)), "routines": []}),
        folder_title=PROGRAMME.title,
        routines=(ProgrammeRoutine(0, "Push", "{}", "published", "push"),),
    )


def test_the_week_is_checked_against_the_marts(
    warehouse: ScratchWarehouse, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Six workouts in the week that the seventh began on; the routine has more than the bench."""
    profile = AthleteProfile(id="coached")
    warehouse.copy(tmp_path).close()
    with duckdb.connect(tmp_path / "warehouse.duckdb") as con:
        with pytest.raises(SettingsError, match="You follow no programme"):
            check_programme(con, profile, NOW)
        record_programme(con, stored(), at=NOW, run_id="run")
        follow_stored(con, stored(), PROGRAMME, date(2026, 3, 6), NOW)
        found = check_programme(con, profile, NOW)
        assert (found.week, found.weeks, found.begins) == (1, 2, date(2026, 3, 6))
        assert (found.done, found.remaining) == (("Push", "Push"), ())
        assert {each.subject for each in found.findings} == {"curl", "row", "sled"}
        assert {each.kind for each in found.findings} == {"added"}
        others = [AthleteProfile(id="nobody"), profile]
        [(athlete_id, followed)] = read_followed_weeks(con, others, NOW).items()
        assert (athlete_id, followed.check, followed.is_over) == ("coached", found, False)
        assert [each.sets for each in followed.weeks] == [8, 8]

        follow_stored(con, stored(), PROGRAMME, date(2026, 3, 9), NOW)
        with pytest.raises(SettingsError, match="Mine begins on 2026-03-09"):
            check_programme(con, profile, NOW)
        early = read_followed_weeks(con, others, NOW)["coached"]
        assert (early.check, early.is_over, early.start) == (None, False, date(2026, 3, 9))
        follow_stored(con, stored(), PROGRAMME, date(2026, 2, 16), NOW)
        with pytest.raises(SettingsError, match="Mine is over"):
            check_programme(con, profile, at("2026-04-20 06:00"))
        late = read_followed_weeks(con, others, at("2026-04-20 06:00"))["coached"]
        assert (late.check, late.is_over) == (None, True)

        con.execute("update coach.programmes set content = '{\"programme\": {}}'")
        with caplog.at_level(logging.WARNING):
            assert read_followed_weeks(con, others, NOW) == {}
        assert "The programme of coached is not in the release" in caplog.text
