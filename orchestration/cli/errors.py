"""Errors of commands: one message and an exit code."""

import duckdb

from coach_agent.profile.model import ProfileError
from coach_agent.programmes.files import ProgrammeError
from coach_agent.publishing.rollback import RollbackError
from coach_agent.store.corrections import CorrectionError
from coach_agent.store.memories import UnknownMemoryError
from coach_agent.store.proposals import ProposalError
from coach_agent.verification.replay import DamagedDecisionError, UnknownDecisionError
from health_connector.errors import HealthError
from hevy_connector.errors import HevyError
from orchestration.config.athletes import UnknownAthleteError
from orchestration.config.settings import SettingsError, load_settings
from orchestration.runs.infrastructure_errors import remedy, sentence
from orchestration.runs.status import HistoryDamagedError, HistoryLostError
from orchestration.services.operations.backup_archive import BackupError
from orchestration.services.operations.compaction import CompactionError
from orchestration.services.operations.move_warehouse import MigrationError
from orchestration.services.planning.decision_lineage import UnknownSlotError
from orchestration.services.publishing.approve import ApprovalError
from orchestration.services.queries.sql_session import QueryError, ReleaseMissingError
from orchestration.services.releases.as_of import AsOfError
from orchestration.services.releases.release_manifest import ManifestError
from orchestration.services.requests.athlete_requests import RequestError
from orchestration.storage.disk import full_disk_text, is_full
from orchestration.storage.extensions import ExtensionMissingError
from orchestration.storage.file_lock import LockedError
from orchestration.storage.migrations import WarehouseNewerError
from orchestration.storage.warehouse import (
    CatalogLostError,
    WarehouseBusyError,
    WarehouseMissingError,
)
from orchestration.storage.warehouse_damage import WarehouseDamagedError


class UnknownStatusError(Exception):
    """The status cannot be determined, for an unexpected reason."""


USER_ERRORS = (
    HistoryDamagedError,
    SettingsError,
    ProfileError,
    ProgrammeError,
    HevyError,
    HealthError,
    UnknownAthleteError,
    CorrectionError,
    ProposalError,
    RequestError,
    ApprovalError,
    AsOfError,
    BackupError,
    CompactionError,
    RollbackError,
    LockedError,
    WarehouseBusyError,
    WarehouseDamagedError,
    WarehouseMissingError,
    WarehouseNewerError,
    ExtensionMissingError,
    MigrationError,
    ReleaseMissingError,
    QueryError,
    DamagedDecisionError,
    UnknownDecisionError,
    UnknownMemoryError,
    UnknownSlotError,
    ManifestError,
    UnknownStatusError,
)
"""Errors of the user, with a message that has the next step."""


_EXIT_RETRY = 75
"""Exit code of a command that may succeed if retried: sysexits' EX_TEMPFAIL."""


def error_message(error: Exception) -> tuple[str, int]:
    """Return the message and the exit code of an error."""
    if isinstance(error, CatalogLostError | HistoryLostError):
        return str(error), _EXIT_RETRY
    if isinstance(error, USER_ERRORS):
        return str(error), 2
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        # dbt migrates the marts in the next build; readers do not wait for that.
        return (
            f"The marts are of another version of Spotter ({str(error).splitlines()[0]}). "
            "Rebuild them: spotter run"
        ), 2
    home = load_settings().home
    if is_full(home):
        return full_disk_text(home), 1
    if (what_to_do := remedy(error)) is not None:
        return f"{sentence(error)} {what_to_do}. Nothing else was changed.", 2
    kind, words = type(error).__name__, str(error).strip()
    return (
        f"{kind}: {words or 'no details'}\nThis is an unexpected error. `spotter --debug` before "
        "the command shows the traceback; `spotter doctor` checks the installation."
    ), 1
