"""A home with the release, briefings and memories of two athletes, and a call of each tool.

Ann's answers are known by hand. Bob has only numbers with 777, which are in no row of Ann's.
"""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from coach_agent.memory.memories import Kind, Memory, Source, Statement
from coach_agent.store.briefings import WrittenBriefing, record_briefings
from coach_agent.store.memories import MemoryVersion, record_versions
from orchestration.config.settings import Settings, load_settings
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.services.answers.scenario import NOW, write_release

CALLS: dict[str, dict[str, Any]] = {
    "ask_question": {"question": "squat pr"},
    "get_next_workout": {},
    "explain_loads": {},
    "get_progress": {"exercise": "squat"},
    "get_records": {},
    "get_strength": {"exercise": "squat"},
    "get_volume": {},
    "get_last_time": {"exercise": "squat"},
    "get_consistency": {},
    "get_doubts": {},
    "get_publication": {},
    "get_memories": {},
    "search_notes": {"query": "training on Monday"},
    "get_briefing": {},
    "list_marts": {},
    "query": {"sql": "select * from fct_set", "limit": 50},
}
OF_ANN = {
    "ask_question": "heaviest load 102.5 kg × 5",
    "get_next_workout": "2 × 5 @ 105 kg",
    "explain_loads": "All sets reached 5 reps.",
    "get_progress": "119.6 kg",
    "get_records": "82.5 kg × 5",
    "get_strength": "119.6 kg",
    "get_volume": "Lats, hard sets: week of 9 Mar 4.5",
    "get_last_time": "Fri 6 Mar 2026",
    "get_consistency": "week of 2 Mar: 2 training days",
    "get_doubts": "1025 kg × 5",
    "get_publication": "7 sets, not trained yet",
    "get_memories": "You train on Mon and Thu",
    "search_notes": "You train on Mon and Thu",
    "get_briefing": "Good morning, ann",
    "list_marts": "fct_personal_record",
    "query": "ann/w0/SQUAT/0",
}


def write_home(folder: Path) -> Settings:
    """Write the home of both athletes into a folder."""
    write_release(folder / "home")
    found = settings_of(folder)
    with open_warehouse(found.warehouse) as con:
        record_briefings(con, [briefing_of("ann", "Good morning, ann"), briefing_of("bob", "777")])
        record_versions(con, [memory_of("ann", Statement(weekdays=(0, 3)))])
        record_versions(con, [memory_of("bob", Statement(title="Sled 777"), "for_exercise")])
    return found


def memory_of(athlete: str, statement: Statement, kind: Kind = "training_days") -> MemoryVersion:
    """Return a memory that is seen today, since the server has the clock of the machine."""
    today = datetime.now(UTC).date()
    sources = [
        Source(mart="fct_workout", key=f"w{each}", day=today - timedelta(days=each))
        for each in range(4)
    ]
    memory = Memory(
        athlete_id=athlete, kind=kind, subject="", statement=statement, sources=tuple(sources)
    )
    return MemoryVersion(1, 1, memory, NOW, None, "run")


def settings_of(folder: Path, *, more: str = "") -> Settings:
    (folder / "athletes").mkdir()
    for athlete in ("ann", "bob"):
        profile = f'id = "{athlete}"\n[hevy]\naccount = "none"\n{more}'
        (folder / "athletes" / f"{athlete}.toml").write_text(profile)
    return load_settings(
        {
            "SPOTTER_HOME": str(folder / "home"),
            "SPOTTER_ATHLETES_DIR": str(folder / "athletes"),
        },
        folder,
    )


def briefing_of(athlete: str, markdown: str) -> WrittenBriefing:
    return WrittenBriefing(
        athlete_id=athlete,
        day=date(2026, 3, 12),
        content_sha256="",
        plan_id=f"plan of {athlete}",
        content="{}",
        markdown=markdown,
        written_at=NOW,
        run_id="run",
    )
