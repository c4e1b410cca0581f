"""Settings: the only module that reads the environment and `.env`.

| variable               | meaning                                           |
| ---------------------- | ------------------------------------------------- |
| `HEVY_API_KEY`         | API key of the account (a profile may name another variable); none |
| `HEVY_WEBHOOK_TOKEN`   | token of Hevy's webhook (a profile may name another variable); none |
| `HEVY_API_URL`         | URL of the service; https://api.hevyapp.com       |
| `HEVY_IN_FLIGHT`       | concurrent requests per account; 4                |
| `HEVY_ACCOUNTS`        | accounts read or published concurrently; 4        |
| `HEVY_PER_SECOND`      | requests per second and account; 5, 0: no limit   |
| `INTERVALS_KEY_<ID>`   | key of an athlete's account at Intervals.icu; none |
| `INTERVALS_API_URL`    | URL of the service; https://intervals.icu         |
| `OURA_CLIENT_ID`       | id of your application at Oura; none              |
| `OURA_CLIENT_SECRET`   | its secret; none                                  |
| `OURA_TOKENS_<ID>`     | login of an athlete, written by `spotter connect oura`; none |
| `OURA_API_URL`         | URL of the service; https://api.ouraring.com      |
| `OURA_AUTHORIZE_URL`   | page of the login; https://cloud.ouraring.com/oauth/authorize |
| `OURA_TOKEN_URL`       | issues tokens; https://moi.ouraring.com/oauth/v2/ext/oauth-token |
| `SPOTTER_HOME`         | folder of all data, with profiles and `.env`; `.spotter/home` |
| `SPOTTER_ATHLETES_DIR` | folder of profiles, one TOML file each; `athletes` |
| `SPOTTER_ATHLETES_DATABASE` | postgresql://... with a table `athletes`; none |
| `SPOTTER_TIMEZONE`     | default time zone of nightly runs; UTC            |
| `SPOTTER_KEEP_PROMPTS_DAYS` | retention of prompts and answers of models in days; 90, 0: none |
| `SPOTTER_TRACES`       | traces of questions to models: `file`, or `otel`; none |
| `SPOTTER_NOTIFY`       | the operator's Apprise URLs, separated by spaces  |
| `SPOTTER_DAGSTER_URL`  | Dagster for the dashboard; http://127.0.0.1:3000  |
| `SPOTTER_DASHBOARD_PASSWORD` | password of the dashboard; none             |
| `SPOTTER_DASHBOARD_LOGINS` | athlete:password pairs, separated by spaces; none |
| `SPOTTER_ALLOWED_HOSTS` | host names of the servers, besides loopback; none |
| `SPOTTER_MCP_PROPOSALS` | actions that assistants may propose over MCP; none |
| `SPOTTER_SECRETS_FILE` | another file in `.env` format, for keys; none     |
| `SPOTTER_SECRETS_COMMAND` | command that prints lines in `.env` format; none |
| `SPOTTER_TARGET`       | location of the warehouse: `embedded` or `lake`   |
| `SPOTTER_PARTITIONS`   | partitions of the athletes in Dagster, on a lake; 1 |
| `SPOTTER_LAKE_CATALOG` | postgresql://user@host:port/database of the lake  |
| `SPOTTER_LAKE_DATA`    | its files: absolute folder or s3://bucket/prefix  |
| `SPOTTER_DAGSTER_DATABASE` | postgresql://... for Dagster's history; files in the home |
| `SPOTTER_DAGSTER_CONFIG` | YAML file with more of Dagster's configuration; none |
| `SPOTTER_RELEASE_POSTGRES` | postgresql://... for a copy of the released marts; none |
| `SPOTTER_RELEASE_POSTGRES_PASSWORD` | password of its user; `PGPASSWORD`   |
| `SPOTTER_RELEASE_POSTGRES_SCHEMA` | schema of the copy; `spotter`          |
| `SPOTTER_RELEASE_POSTGRES_READER` | role that may read the copy; none      |
| `PGPASSWORD`           | password of the user of these databases           |
| `AWS_ENDPOINT_URL_S3`  | endpoint of an S3-compatible store; AWS           |
| `AWS_REGION`           | its region; us-east-1                             |
| `AWS_ACCESS_KEY_ID`    | its access key                                    |
| `AWS_SECRET_ACCESS_KEY` | its secret key                                   |
| `AWS_SESSION_TOKEN`    | its temporary session token                       |

Relative paths start at the project folder, or for an installed package at the user's data folder,
where the home is `home`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from health_connector.addresses import (
    INTERVALS_URL,
    OURA_AUTHORIZE_URL,
    OURA_TOKEN_URL,
    OURA_URL,
    OuraApp,
)
from hevy_connector.connection.hevy_url import HEVY_URL
from hevy_connector.http.addresses import is_confidential, is_loopback
from hevy_connector.http.limits import RateLimit
from orchestration.config.env_file import EnvFileError, read_env_file, set_in_env_file
from orchestration.config.lake import Lake, target_lake
from orchestration.config.locations import IS_CHECKOUT, user_folder
from orchestration.config.release_postgres import ReleasePostgres, release_postgres_of
from orchestration.config.secret_sources import SecretsError, secrets_of
from orchestration.config.values import (
    SettingsError as SettingsError,  # re-exported
)
from orchestration.config.values import (
    allowed_hosts,
    dashboard_logins,
    database_url,
    is_http_url,
    mcp_proposals,
    traces,
    whole_number,
)

DAGSTER_URL = "http://127.0.0.1:3000"
_HOME = ".spotter/home" if IS_CHECKOUT else "home"
INTERVALS_KEY = "INTERVALS_KEY"
OURA_TOKENS = "OURA_TOKENS"


@dataclass(frozen=True)
class Settings:
    """The settings of a process. `keys` are all variables, including secrets.

    `env_file` is the file for keys. The databases are PostgreSQL URLs without a password, or "":
    `dagster_database` replaces the history files of the home, `athletes_database` adds athletes to
    those of the files. `dagster_config` is a file with more of Dagster's configuration.
    `release_postgres` receives a copy of each release. `partitions` is the number of partitions of
    the athletes in Dagster; 1 means none.
    """

    home: Path
    athletes_dir: Path
    env_file: Path
    hevy_url: str
    rate_limit: RateLimit
    accounts_at_once: int
    timezone: str
    keys: Mapping[str, str] = field(repr=False)
    dagster_url: str = DAGSTER_URL
    keep_prompts_days: int = 90
    dashboard_password: str = field(default="", repr=False)
    dashboard_logins: Mapping[str, str] = field(default_factory=dict, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    mcp_proposals: tuple[str, ...] = ()
    traces: str = ""
    lake: Lake | None = None
    partitions: int = 1
    dagster_database: str = ""
    dagster_config: Path | None = None
    athletes_database: str = ""
    release_postgres: ReleasePostgres | None = None

    @property
    def warehouse_path(self) -> Path:
        """Path of the pipeline's database file; no other program should hold it open."""
        return self.home / "warehouse.duckdb"

    @property
    def warehouse(self) -> Path | Lake:
        """The warehouse of the target: the lake, or the file in the home."""
        return self.lake or self.warehouse_path

    @property
    def release_folder(self) -> Path:
        """Folder of the released marts, as a database and as Parquet."""
        return self.home / "release"

    @property
    def release_path(self) -> Path:
        """Path of the released database, for people and dashboards."""
        return self.release_folder / "marts.duckdb"

    @property
    def import_folder(self) -> Path:
        """Folder of files to import, with a subfolder per athlete."""
        return self.home / "import"

    @property
    def session_files(self) -> tuple[Path, ...]:
        """Paths of the operator's classes and videos; each may be missing."""
        return (self.home / "sessions.csv", self.home / "sessions.json")

    @property
    def dagster_home(self) -> Path:
        """Folder of Dagster's run history and configuration."""
        return self.home / "dagster"

    @property
    def dbt_target(self) -> Path:
        """Folder of dbt's build artifacts."""
        return self.home / "dbt"

    @property
    def postgres_password(self) -> str:
        """Password of the user of all databases, or "" if there is none."""
        return self.keys.get("PGPASSWORD") or ""

    @property
    def postgres_variables(self) -> dict[str, str]:
        """Environment of PostgreSQL's client library: Dagster expects times in UTC."""
        password = self.postgres_password
        found = {"PGTZ": "UTC", "PGCONNECT_TIMEOUT": "10"}
        return {**found, "PGPASSWORD": password} if password else found

    @property
    def is_loopback(self) -> bool:
        """Return true if the API is on this machine, like the simulator."""
        return is_loopback(self.hevy_url)

    def api_key(self, variable: str) -> str:
        """Return the key in `variable`.

        Raises:
            SettingsError: it is not set.
        """
        return self._secret(
            variable,
            f"Put the key from hevy.com/settings?developer into {self.env_file}: "
            f"{variable}=<your key>",
        )

    @property
    def intervals_url(self) -> str:
        """URL of Intervals.icu."""
        return self.keys.get("INTERVALS_API_URL") or INTERVALS_URL

    def intervals_key(self, athlete_id: str) -> str | None:
        """Return the athlete's key of Intervals.icu; None for an athlete without one.

        Raises:
            SettingsError: the variable may be another athlete's.
        """
        return self._athlete_secret(INTERVALS_KEY, athlete_id)

    @property
    def oura_url(self) -> str:
        """URL of the Oura API."""
        return self.keys.get("OURA_API_URL") or OURA_URL

    @property
    def oura_app(self) -> OuraApp:
        """The operator's application at Oura.

        Raises:
            SettingsError: its id or its secret is not set.
        """
        how = f"Register an application as docs/health.md describes, and put into {self.env_file}: "
        return OuraApp(
            self._secret("OURA_CLIENT_ID", f"{how}OURA_CLIENT_ID=<its id>"),
            self._secret("OURA_CLIENT_SECRET", f"{how}OURA_CLIENT_SECRET=<its secret>"),
            self.keys.get("OURA_AUTHORIZE_URL") or OURA_AUTHORIZE_URL,
            self.keys.get("OURA_TOKEN_URL") or OURA_TOKEN_URL,
        )

    def has_oura_login(self, athlete_id: str) -> bool:
        """Return true if the athlete has logged in at Oura.

        Raises:
            SettingsError: the variable may be another athlete's.
        """
        return self._athlete_secret(OURA_TOKENS, athlete_id) is not None

    def oura_tokens(self, athlete_id: str) -> str | None:
        """Read the athlete's tokens again: another process may have refreshed them in `.env`.

        Raises:
            SettingsError: the variable may be another athlete's, or `.env` cannot be read.
        """
        current = replace(self, keys={**self.keys, **_from_file(self.env_file)})
        return current._athlete_secret(OURA_TOKENS, athlete_id)

    def _athlete_secret(self, prefix: str, athlete_id: str) -> str | None:
        secret = self.keys.get(_variable(prefix, athlete_id), "").strip()
        return self.keys[athlete_variable(prefix, athlete_id)].strip() if secret else None

    @property
    def is_dagster_local(self) -> bool:
        """True if Dagster's URL is of this machine, and no name that only containers know."""
        return is_loopback(self.dagster_url)

    def webhook_token(self, variable: str) -> str:
        """Return the token in `variable` that authenticates Hevy's webhook.

        Raises:
            SettingsError: it is not set.
        """
        return self._secret(
            variable,
            f"Choose a long random value, put it into {self.env_file}, {variable}=<the value>, and "
            "enter the same at hevy.com/settings?developer as the webhook's authorization header.",
        )

    def _secret(self, variable: str, how_to_set: str) -> str:
        secret = self.keys.get(variable, "").strip()
        if not secret:
            raise SettingsError(f"{variable} is not set. {how_to_set}")
        return secret


def athlete_variable(prefix: str, athlete_id: str) -> str:
    """Return the variable of an athlete's secret of a service.

    The name has the athlete, so no profile can send the secret of another one. A hyphen becomes two
    underscores.

    Raises:
        SettingsError: the variable is that of another id, with a hyphen for two underscores.
    """
    other = athlete_id.replace("-", "__").replace("__", "-")
    if other != athlete_id:
        raise SettingsError(
            f"{_variable(prefix, athlete_id)} is of an athlete {other!r}, not of {athlete_id!r}. "
            "Give the athlete an id with single underscores."
        )
    return _variable(prefix, athlete_id)


def _variable(prefix: str, athlete_id: str) -> str:
    return f"{prefix}_{athlete_id.replace('-', '__').upper()}"


def load_settings(environ: Mapping[str, str] | None = None, root: Path | None = None) -> Settings:
    """Load the settings of this machine from the environment, then from files `.env`.

    `root` is the project folder, by default of this checkout or the user's data folder. A home that
    `SPOTTER_HOME` moves has its own `.env` and profiles; values that are missing there come from
    `.env` in `root`, then from the secrets command, then from the secrets file, if configured.

    Raises:
        SettingsError: a value is invalid.
    """
    root = user_folder() if root is None else root
    environ = os.environ if environ is None else environ
    values = {**_from_file(root / ".env"), **environ}
    home = root / (values.get("SPOTTER_HOME") or _HOME)
    existing = next(each for each in (home, *home.parents) if os.path.exists(each))  # noqa: PTH110
    if not os.path.isdir(existing):  # noqa: PTH112 - unlike Path's, both are false without access
        raise SettingsError(f"SPOTTER_HOME is '{home}', but {existing} is no folder.")
    env_file = _env_file(root, environ)
    values = {**values, **_from_file(env_file), **environ}
    try:
        values = {**secrets_of(values, root), **values}
    except SecretsError as error:
        raise SettingsError(str(error)) from None
    timezone = values.get("SPOTTER_TIMEZONE") or "UTC"
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(
            f"SPOTTER_TIMEZONE is '{timezone}', which is no time zone; use a name like "
            "'Europe/Berlin'."
        ) from None
    hevy_url = (values.get("HEVY_API_URL") or HEVY_URL).rstrip("/")
    if not is_http_url(hevy_url):
        raise SettingsError(f"HEVY_API_URL is '{hevy_url}', which is no URL; use {HEVY_URL}.")
    if not is_confidential(hevy_url):
        raise SettingsError(
            f"HEVY_API_URL is '{hevy_url}': the key would be sent for all to read. Use https, "
            "or an address of this machine."
        )
    dagster_url = (values.get("SPOTTER_DAGSTER_URL") or DAGSTER_URL).rstrip("/")
    if not is_http_url(dagster_url):
        raise SettingsError(f"SPOTTER_DAGSTER_URL is '{dagster_url}', no URL; use {DAGSTER_URL}.")
    lake = target_lake(values)
    partitions = whole_number(values, "SPOTTER_PARTITIONS", 1, least=1)
    if partitions > 1 and lake is None:
        raise SettingsError(
            f"SPOTTER_PARTITIONS is {partitions}, and the warehouse is a file, which has one "
            "writer. Set SPOTTER_TARGET=lake, see docs/scaling.md; or SPOTTER_PARTITIONS=1."
        )
    given = values.get("SPOTTER_DAGSTER_CONFIG")
    return Settings(
        home=home.resolve(),
        athletes_dir=(
            root / (values.get("SPOTTER_ATHLETES_DIR") or _athletes_dir(root, home, environ))
        ).resolve(),
        env_file=env_file,
        hevy_url=hevy_url,
        rate_limit=RateLimit(
            in_flight=whole_number(values, "HEVY_IN_FLIGHT", RateLimit.in_flight, least=1),
            per_second=whole_number(values, "HEVY_PER_SECOND", RateLimit.per_second or 0) or None,
        ),
        accounts_at_once=whole_number(values, "HEVY_ACCOUNTS", 4, least=1),
        timezone=timezone,
        keys=values,
        dagster_url=dagster_url,
        keep_prompts_days=whole_number(values, "SPOTTER_KEEP_PROMPTS_DAYS", 90),
        dashboard_password=values.get("SPOTTER_DASHBOARD_PASSWORD") or "",
        dashboard_logins=dashboard_logins(values),
        allowed_hosts=allowed_hosts(values),
        mcp_proposals=mcp_proposals(values),
        traces=traces(values),
        lake=lake,
        partitions=partitions,
        dagster_database=database_url(values, "SPOTTER_DAGSTER_DATABASE"),
        dagster_config=(root / given).resolve() if given else None,
        athletes_database=database_url(values, "SPOTTER_ATHLETES_DATABASE"),
        release_postgres=release_postgres_of(values),
    )


def _env_file(root: Path, environ: Mapping[str, str]) -> Path:
    """Return the `.env` of a home moved by the environment, else of `root`."""
    moved = environ.get("SPOTTER_HOME")
    return (root / moved if moved else root) / ".env"


def _athletes_dir(root: Path, home: Path, environ: Mapping[str, str]) -> Path:
    """Return the default folder of profiles: in a home moved by the environment, else in `root`.

    A home of an earlier version has a history and no profiles; its profiles are in `root`.
    """
    own = home / "athletes"
    is_former = (home / "dagster").exists() and not own.exists()
    return own if environ.get("SPOTTER_HOME") and not is_former else root / "athletes"


def choose_target(
    target: str, environ: Mapping[str, str] | None = None, root: Path | None = None
) -> bool:
    """Set the target in `.env`; returns False if the environment sets another one.

    Raises:
        SettingsError: `.env` cannot be written.
    """
    environ = os.environ if environ is None else environ
    named = environ.get("SPOTTER_TARGET")
    if named:
        return named == target
    env_file = _env_file(user_folder() if root is None else root, environ)
    try:
        set_in_env_file(env_file, "SPOTTER_TARGET", target)
    except EnvFileError as error:
        raise SettingsError(str(error)) from None
    return True


def store_key(settings: Settings, variable: str, key: str) -> None:
    """Set a key in `.env`, which only its owner may read.

    Raises:
        SettingsError: `.env` cannot be written.
    """
    settings.env_file.parent.mkdir(parents=True, exist_ok=True)
    try:
        set_in_env_file(settings.env_file, variable, key)
    except EnvFileError as error:
        raise SettingsError(str(error)) from None


def _from_file(path: Path) -> dict[str, str]:
    try:
        return read_env_file(path)
    except EnvFileError as error:
        raise SettingsError(str(error)) from None
