"""The briefing of the morning: written each run, sent once a day or when it says something new."""

from datetime import UTC, datetime
from itertools import islice

import dagster as dg

from coach_agent.briefings import (
    Notification,
    record_briefing,
    record_notifications,
    waiting_destinations,
)
from coach_agent.journal import read_current_plan
from coach_agent.profile import AthleteProfile
from orchestration.defs.coaching.assets import PUBLICATION
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.lib.briefing import Briefing, write_briefing
from orchestration.lib.coach_assets import check_result, coach_asset
from orchestration.lib.machine_errors import tells_of_a_lost_catalog
from orchestration.lib.notifying import Message, send
from orchestration.lib.planning_outcome import SHOWN_ATHLETES
from orchestration.lib.settings import load_settings
from orchestration.lib.step_failures import explained
from orchestration.lib.tables import table_metadata

BRIEFING = dg.AssetKey(["coach_briefing"])


@coach_asset(
    BRIEFING,
    deps=[PUBLICATION],
    checks={
        "written": "Each athlete has a briefing; the log has the whole of what went wrong.",
        "delivered": "Each briefing reached every address of the profile that waited for it. What "
        "failed is tried again by the next run.",
    },
)
@explained("No briefing is written")
def coach_briefing(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """What each athlete reads in the morning; one row per athlete, day and content.

    No trouble of one athlete or service fails the night: the plan is in Hevy already.
    """
    told: dict[str, Briefing] = {}
    unwritten: list[str] = []
    tried: list[tuple[str, Notification]] = []
    for profile in athletes.profiles():
        try:
            briefing, sent = _brief(profile, warehouse, context.run.run_id)
        except Exception as error:
            if tells_of_a_lost_catalog(error):
                raise
            # Whatever it is, it is this athlete's: the others get their briefings.
            context.log.exception("No briefing for %s", profile.id)
            unwritten.append(f"{profile.id}: {type(error).__name__}: {error}")
        else:
            told[profile.id] = briefing
            tried += [(profile.id, each) for each in sent]
    undelivered = [
        f"{athlete_id}, {each.destination}: {each.detail}"
        for athlete_id, each in tried
        if each.state == "failed"
    ]
    with warehouse.connect(read_only=True) as con:
        table = table_metadata(con, "coach", "briefings")
    return dg.MaterializeResult(
        metadata={
            **table,
            "briefings": len(told),
            "sent": sum(each.state == "sent" for _, each in tried),
            **{
                f"briefing of {athlete_id}": dg.MetadataValue.md(briefing.markdown())
                for athlete_id, briefing in islice(told.items(), SHOWN_ATHLETES)
            },
        },
        check_results=[check_result("written", unwritten), check_result("delivered", undelivered)],
    )


def _brief(
    profile: AthleteProfile, warehouse: WarehouseResource, run_id: str
) -> tuple[Briefing, tuple[Notification, ...]]:
    """Write and keep an athlete's briefing, and send it where it is waited for.

    The warehouse is closed while a service is asked.
    """
    now = datetime.now(UTC)
    destinations = profile.notify.destinations(load_settings().keys)
    with warehouse.connect() as con:
        journaled = read_current_plan(con, profile.id)
        briefing = write_briefing(con, profile, journaled, now)
        written = briefing.written(now=now, run_id=run_id)
        record_briefing(con, written)
        waiting = waiting_destinations(con, written, [name for name, _ in destinations])
    if not waiting:
        return briefing, ()
    asked = [each for each in destinations if each[0] in waiting]
    message = Message(briefing.title, briefing.body(), briefing.plain())
    sent = send(asked, message, lambda: datetime.now(UTC))
    with warehouse.connect() as con:
        record_notifications(con, written, sent, run_id=run_id)
    return briefing, sent
