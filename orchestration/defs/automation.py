"""Schedules and sensors: nightly runs, and runs in between for new data."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from platform import node
from zlib import crc32

import dagster as dg

from coach_agent.profile.model import ProfileError
from hevy_connector.csv_imports.imported_files import is_known_file
from orchestration.assets.retries import part_hooks
from orchestration.config.athletes import configured_athletes
from orchestration.config.locations import CODE_ROOT
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.defs.ingestion.files import IMPORTED_FILES
from orchestration.runs.backoff import (
    PastRun,
    consecutive_failures,
    recent_runs_of_day,
    retry_at,
    runs_covering,
    runs_for,
)
from orchestration.runs.nights import first_runs
from orchestration.runs.partitions import partition_key
from orchestration.runs.recorded_runs import read_past_runs, runs_asked_for
from orchestration.runs.schedule import (
    NIGHTLY_AT,
    NightRun,
    by_zone,
    catch_up_runs,
    next_night,
    night_on_time,
)
from orchestration.runs.tags import (
    ASKED_TAG,
    ATHLETE_TAG,
    FULL_TAG,
    IMPORT_FILES,
    MARTS,
    NIGHTLY,
    SYNC,
    TRIGGER_TAG,
    Trigger,
)
from orchestration.services.ingestion.import_folder import PendingFile, find_files, mark_imported
from orchestration.services.ingestion.poll_events import poll_events
from orchestration.services.ingestion.profile_changes import profile_changes
from orchestration.services.ingestion.webhook_events import WEBHOOK_EVENTS, new_deliveries
from orchestration.storage.warehouse import (
    WarehouseBusyError,
    WarehouseMissingError,
    open_warehouse,
)

# About ten minutes, slightly different on each machine to spread the load.
ASK_EVERY_S = 540 + crc32(f"{node()} {CODE_ROOT}".encode()) % 120

# Dagster times a tick out after one minute.
_TIMEOUT_S = 20.0

_RUNNING = dg.DefaultSensorStatus.RUNNING


def missed_runs(settings: Settings) -> dg.SensorDefinition:
    """Return the sensor that requests missed nightly runs, and retries of failed ones."""
    return dg.SensorDefinition(
        name="missed_runs",
        job_name=_first_job(settings),
        minimum_interval_seconds=60,
        default_status=_RUNNING,
        description="Requests runs for athletes with a missed nightly run, and retries failed "
        "ones.",
        evaluation_fn=_request_missed_runs,
    )


def _request_missed_runs(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Request runs for athletes with a missed nightly run, and retry failed or partial runs.

    After downtime only the latest nightly run is caught up. Retries back off: ten minutes, then
    doubled each time, at most six hours.
    """
    now = datetime.now(UTC)
    # Missed runs count from the first tick of a home; a clock set back restarts the count.
    since = min(now, datetime.fromisoformat(context.cursor) if context.cursor else now)
    cursor = since.isoformat()
    try:
        settings = load_settings()
        zones = by_zone(configured_athletes(settings), settings.timezone)
    except (SettingsError, ProfileError) as error:
        return dg.SensorResult(skip_reason=str(error), cursor=cursor)
    owed = catch_up_runs(zones, read_past_runs(context.instance, now), since, now)
    if not owed:
        return dg.SensorResult(skip_reason=f"Nothing is owed. {_next(zones, now)}", cursor=cursor)
    requests = [each for one in owed for each in _nightly_requests(settings, one, "catch-up")]
    return dg.SensorResult(run_requests=requests, cursor=cursor)


@dg.sensor(
    job_name=NIGHTLY,
    minimum_interval_seconds=5,
    default_status=_RUNNING,
    description="Requests a run for each athlete with a new workout delivered by Hevy's webhook.",
)
def hevy_webhook(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Request a nightly run for each athlete with a new workout delivered by Hevy's webhook.

    The run key is the workout, so repeated deliveries request one run. A queued run will read the
    workout, too.
    """
    newest, cursor = new_deliveries(context.instance, context.cursor)
    if not newest:
        return dg.SensorResult(skip_reason="Hevy delivered no new workout.", cursor=cursor)
    runs = read_past_runs(context.instance, datetime.now(UTC))
    requests = [
        dg.RunRequest(
            run_key=f"{athlete_id}/{workout_id}",
            partition_key=_partition_of(athlete_id),
            tags={TRIGGER_TAG: "webhook", ATHLETE_TAG: athlete_id},
        )
        for athlete_id, workout_id in newest.items()
        if not any(run.state == "waiting" for run in runs_covering(runs, [athlete_id]))
    ]
    if not requests:
        return dg.SensorResult(skip_reason="The run that waits will read it.", cursor=cursor)
    return dg.SensorResult(run_requests=requests, cursor=cursor)


@dg.sensor(
    job_name=NIGHTLY,
    minimum_interval_seconds=ASK_EVERY_S,
    default_status=_RUNNING,
    description="Polls each account for new, edited or deleted workouts and requests runs.",
)
def hevy_changes(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Request a nightly run for each athlete with a new, edited or deleted workout.

    Polls one request per athlete without changes, several athletes concurrently. An athlete who was
    not polled in time comes first at the next tick. No run is requested while one is in progress,
    after a failure, which `missed_runs` retries, or for changes that a run has landed.
    """
    try:
        found = poll_events(load_settings(), (context.cursor or "").split())
    except (WarehouseMissingError, WarehouseBusyError, SettingsError, ProfileError) as error:
        return dg.SensorResult(skip_reason=str(error))
    for athlete_id, problem in found.problems.items():
        context.log.warning("%s could not be asked: %s", athlete_id, problem)
    told = [f"{one}: {why}" for one, why in found.problems.items()]
    told += [f"{one}: not polled in time, first at the next tick" for one in found.unasked]
    cursor = " ".join(found.unasked)
    requests = []
    now = datetime.now(UTC)
    runs = read_past_runs(context.instance, now) if found.keys else []
    for athlete_id, subject in found.keys.items():
        own = runs_for(runs, athlete_id)
        asked = runs_asked_for(context.instance, subject)
        if any(run.is_unfinished for run in own):
            told.append(f"{athlete_id}: a run is in progress")
        elif consecutive_failures(own):
            told.append(f"{athlete_id}: the last run failed and is retried")
        elif (lately := recent_runs_of_day(asked, now)) and retry_at(lately) > now:
            told.append(f"{athlete_id}: the last run did not read the change; the next try waits")
        else:
            requests.append(_request("change", athlete_id, subject, asked))
    if not requests:
        reason = "; ".join(told) or "Nothing changed in any account."
        return dg.SensorResult(skip_reason=reason, cursor=cursor)
    return dg.SensorResult(run_requests=requests, cursor=cursor)


@dg.sensor(
    job_name=NIGHTLY,
    minimum_interval_seconds=60,
    default_status=_RUNNING,
    description="Requests a run for each athlete with a changed profile.",
)
def edited_profiles(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Request a nightly run for each athlete with a changed profile.

    While any profile is unusable, no run is requested: the plans stay active, and the skip reason
    has the problem.
    """
    try:
        found = profile_changes(configured_athletes(load_settings()), context.cursor)
    except (SettingsError, ProfileError) as error:
        return dg.SensorResult(skip_reason=str(error))
    if not found.keys:
        return dg.SensorResult(skip_reason="No profile changed.", cursor=found.cursor)
    return dg.SensorResult(
        run_requests=[
            _request("profile", athlete, subject, runs_asked_for(context.instance, subject))
            for athlete, subject in found.keys.items()
        ],
        cursor=found.cursor,
    )


@dg.sensor(
    job_name=IMPORT_FILES,
    minimum_interval_seconds=30,
    default_status=_RUNNING,
    description="Requests a run for each complete file in the home's folder import.",
)
def new_files(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Request a run for each file of training in the home's folder `import`.

    Once per content, also if it is refused, according to the warehouse and the run history; one at
    a time, oldest first.
    """
    try:
        settings = load_settings()
        athletes = frozenset(each.id for each in configured_athletes(settings))
    except (SettingsError, ProfileError) as error:
        return dg.SensorResult(skip_reason=str(error))
    found = find_files(settings.import_folder, athletes, context.cursor)
    told = [f"{path.name}: no athlete has this id" for path in found.strangers]
    told += [
        f"{path.name} is looked at again when it has stayed the same" for path in found.unready
    ]
    now = datetime.now(UTC)
    settled: list[PendingFile] = []
    requests: list[dg.RunRequest] = []
    for file in (each for each in found.waiting if not each.is_settled):
        asked = runs_asked_for(context.instance, file.key)
        if any(run.is_unfinished for run in asked):
            told.append(f"{file.path.name} is being imported")
            break
        if failed := consecutive_failures(asked):
            if retry_at(failed) > now:
                continue
        else:
            try:
                is_settled = bool(asked) or _is_known(settings, file)
            except WarehouseBusyError as error:
                told.append(str(error))
                break
            if is_settled:
                settled.append(file)
                continue
        requests.append(_import(file, asked))
        break
    cursor = mark_imported(found.cursor, settled)
    if requests:
        return dg.SensorResult(run_requests=requests, cursor=cursor)
    return dg.SensorResult(skip_reason="; ".join(told) or "There is no new file.", cursor=cursor)


@dg.definitions
def defs() -> dg.Definitions:
    """Jobs, a nightly schedule per time zone, and the sensors that have something to watch."""
    settings = load_settings()
    jobs = [
        dg.define_asset_job(
            NIGHTLY,
            selection=dg.AssetSelection.all() - dg.AssetSelection.assets(IMPORTED_FILES),
            description="Read Hevy, build history and marts, decide and publish the next workout.",
        ),
        dg.define_asset_job(
            IMPORT_FILES,
            selection=dg.AssetSelection.all(),
            description="Import a file of training, then all that the nightly job does.",
        ),
        dg.define_asset_job(
            MARTS,
            selection=dg.AssetSelection.groups("seeds", "staging", "snapshots", "marts", "release")
            | dg.AssetSelection.assets(["raw", "athlete_profiles"]),
            description="Build history and marts from the raw tables, without requests.",
        ),
        dg.define_asset_job(
            SYNC,
            selection=dg.AssetSelection.groups("raw") - dg.AssetSelection.assets(IMPORTED_FILES),
            description="Update only the raw tables from Hevy.",
            hooks=part_hooks(),
        ),
    ]
    deliveries = dg.AssetSpec(
        WEBHOOK_EVENTS,
        group_name="raw",
        description="Deliveries of Hevy's webhook; one row per delivery, as an observation "
        "partitioned by workout. A delivery only triggers a run: the workout is read from the "
        "account.",
        owners=["team:data"],
        kinds={"python"},
    )
    return dg.Definitions(
        assets=[deliveries],
        jobs=jobs,
        schedules=[nightly_schedule(zone) for zone in _zones(settings)],
        sensors=_sensors(settings),
    )


def nightly_schedule(zone: str) -> dg.ScheduleDefinition:
    """Return the nightly schedule of a time zone; its athletes share a run.

    A late tick, after the machine was asleep, is left to `missed_runs`.
    """

    def begin(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
        now = datetime.now(UTC)
        try:
            settings = load_settings()
            athletes = by_zone(configured_athletes(settings), settings.timezone).get(zone, ())
        except (SettingsError, ProfileError) as error:
            yield dg.SkipReason(str(error))
            return
        due, runs = context.scheduled_execution_time, read_past_runs(context.instance, now)
        night = night_on_time(zone, athletes, runs, due, now)
        if night is None:
            yield dg.SkipReason(
                "The sensor missed_runs catches up on this run."
                if athletes
                else f"No athlete lives in {zone} any more."
            )
            return
        yield from _nightly_requests(settings, night, "weekly" if night.is_full else "nightly")

    return dg.ScheduleDefinition(
        name=f"nightly_{re.sub(r'[^A-Za-z0-9]+', '_', zone.replace('+', ' plus '))}",
        job_name=_first_job(load_settings()),
        cron_schedule=f"{NIGHTLY_AT.minute} {NIGHTLY_AT.hour} * * *",
        execution_timezone=zone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        execution_fn=begin,
        description=f"Nightly run of all athletes in {zone}; the first of a week reads accounts "
        "in full and reviews the previous week.",
    )


def _zones(settings: Settings) -> Iterable[str]:
    """Return the time zones of nightly runs; `missed_runs` covers unusable profiles later."""
    try:
        return by_zone(configured_athletes(settings), settings.timezone)
    except (SettingsError, ProfileError):
        return [settings.timezone]


def _sensors(settings: Settings) -> list[dg.SensorDefinition]:
    """Return the applicable sensors: a webhook needs a token, files need their folder."""
    sensors = [missed_runs(settings), hevy_changes, edited_profiles]
    if _has_webhook(settings):
        sensors.append(hevy_webhook)
    if settings.import_folder.is_dir():
        sensors.append(new_files)
    return sensors


def _has_webhook(settings: Settings) -> bool:
    try:
        athletes = configured_athletes(settings)
    except (SettingsError, ProfileError):
        return True
    return any(settings.keys.get(each.hevy.webhook_token_env) for each in athletes)


def _first_job(settings: Settings) -> str:
    """Return the job that a nightly run begins with: all of it, or the first part of partitions."""
    return NIGHTLY if settings.partitions == 1 else SYNC


def _nightly_requests(settings: Settings, night: NightRun, trigger: Trigger) -> list[dg.RunRequest]:
    tags = {TRIGGER_TAG: trigger, **({FULL_TAG: "true"} if night.is_full else {})}
    options = {"ops": {"raw__hevy_workouts": {"config": {"full": True}}}} if night.is_full else {}
    if settings.partitions == 1:
        tags = {**tags, ATHLETE_TAG: ",".join(night.athletes)}
        return [dg.RunRequest(run_key=night.key, tags=tags, run_config=options)]
    return [
        dg.RunRequest(
            run_key=each.key, partition_key=each.partition, tags=each.tags, run_config=options
        )
        for each in first_runs(night.key, night.athletes, settings.partitions, tags)
    ]


def _request(
    trigger: Trigger, athlete: str, subject: str, asked: Sequence[PastRun]
) -> dg.RunRequest:
    """Build a run request for a subject; its earlier runs are `asked`, newest first."""
    after = asked[0].run_id[:8] if asked else "first"
    return dg.RunRequest(
        run_key=f"{subject}/{after}",
        partition_key=_partition_of(athlete),
        tags={TRIGGER_TAG: trigger, ATHLETE_TAG: athlete, ASKED_TAG: subject},
    )


def _partition_of(athlete: str) -> str | None:
    return partition_key(athlete, load_settings().partitions)


def _is_known(settings: Settings, file: PendingFile) -> bool:
    """Return true if the file's content was imported or refused before, in any way."""
    try:
        with open_warehouse(settings.warehouse, read_only=True, wait_s=_TIMEOUT_S) as con:
            return is_known_file(con, file.athlete, file.digest)
    except WarehouseMissingError:
        return False


def _import(file: PendingFile, asked: Sequence[PastRun]) -> dg.RunRequest:
    request = _request("import", file.athlete, file.key, asked)
    name = f"{file.athlete}/{file.path.name}"
    return request.with_replaced_attrs(
        run_config={"ops": {"raw__imported_files": {"config": {"file": name}}}}
    )


def _next(zones: Iterable[str], now: datetime) -> str:
    first = min((next_night(now, zone), zone) for zone in zones)
    return f"The next nightly run starts at {first[0]:%Y-%m-%d %H:%M} UTC ({first[1]})."
