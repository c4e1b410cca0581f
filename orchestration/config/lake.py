"""Location and credentials of a lake."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hevy_connector.http.addresses import is_confidential
from orchestration.config.values import SettingsError, database_url, is_http_url

TARGETS = ("embedded", "lake")


@dataclass(frozen=True)
class ObjectStore:
    """Connection to an S3-compatible store; the default endpoint is AWS."""

    endpoint: str = ""
    region: str = "us-east-1"
    key_id: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)


@dataclass(frozen=True)
class Lake:
    """Location of a lake: the URL of its catalog, without a password, and of its files.

    `data` is an absolute folder or `s3://bucket/prefix`.
    """

    catalog: str
    data: str
    password: str = field(default="", repr=False)
    store: ObjectStore = ObjectStore()

    def __str__(self) -> str:
        return f"{self.catalog} with files in {self.data}"

    @property
    def is_on_s3(self) -> bool:
        """Return true if its files are in an object store."""
        return self.data.startswith("s3://")


def target_lake(values: Mapping[str, str]) -> Lake | None:
    """Return the lake if it is the target.

    Raises:
        SettingsError: the target is unknown, or a variable of the lake is missing or invalid.
    """
    target = values.get("SPOTTER_TARGET") or "embedded"
    if target not in TARGETS:
        raise SettingsError(f"SPOTTER_TARGET is '{target}'; use {' or '.join(TARGETS)}.")
    return lake_of(values) if target == "lake" else None


def lake_of(values: Mapping[str, str]) -> Lake:
    """Return the lake of the variables, for any target.

    Raises:
        SettingsError: a variable is missing or invalid.
    """
    catalog = database_url(values, "SPOTTER_LAKE_CATALOG")
    if not catalog:
        raise SettingsError(
            "The lake needs SPOTTER_LAKE_CATALOG; use a URL of PostgreSQL like "
            "postgresql://spotter@127.0.0.1:5432/lake."
        )
    data = (values.get("SPOTTER_LAKE_DATA") or "").rstrip("/")
    if not (Path(data).is_absolute() or data.removeprefix("s3://") not in {data, ""}):
        raise SettingsError(
            f"The lake needs SPOTTER_LAKE_DATA, which is '{data}'; use an absolute folder that all "
            "workers see, or s3://bucket/prefix."
        )
    endpoint = values.get("AWS_ENDPOINT_URL_S3") or ""
    if endpoint and not is_http_url(endpoint):
        raise SettingsError(f"AWS_ENDPOINT_URL_S3 is '{endpoint}', which is no URL.")
    if endpoint and values.get("AWS_SESSION_TOKEN") and not is_confidential(endpoint):
        raise SettingsError(
            f"AWS_ENDPOINT_URL_S3 is '{endpoint}': AWS_SESSION_TOKEN would be sent for all to "
            "read. Use https, or an address of this machine."
        )
    return Lake(
        catalog=catalog,
        data=data,
        password=values.get("PGPASSWORD") or "",
        store=ObjectStore(
            endpoint=endpoint,
            region=values.get("AWS_REGION") or ObjectStore.region,
            key_id=values.get("AWS_ACCESS_KEY_ID") or "",
            secret=values.get("AWS_SECRET_ACCESS_KEY") or "",
            session_token=values.get("AWS_SESSION_TOKEN") or "",
        ),
    )
