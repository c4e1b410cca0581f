"""Location and credentials of the released marts in PostgreSQL."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestration.config.values import SettingsError, database_url

DEFAULT_SCHEMA = "spotter"

# PostgreSQL cuts longer names off.
_LONGEST_NAME_BYTES = 63
_SCHEMA = re.compile(r"(?!pg_)[a-z_][a-z0-9_]*")


@dataclass(frozen=True)
class ReleasePostgres:
    """A schema of a database for BI tools.

    `url` has no password. `reader` is a role with read access, or "".
    """

    url: str
    password: str = field(default="", repr=False)
    schema: str = DEFAULT_SCHEMA
    reader: str = ""

    def __str__(self) -> str:
        return f"the schema {self.schema} of {self.url}"


def release_postgres_of(values: Mapping[str, str]) -> ReleasePostgres | None:
    """Return the target of the variables; None without a URL.

    Raises:
        SettingsError: the URL or a name is invalid.
    """
    variable = "SPOTTER_RELEASE_POSTGRES"
    url = database_url(values, variable, f"{variable}_PASSWORD")
    if not url:
        return None
    schema = values.get("SPOTTER_RELEASE_POSTGRES_SCHEMA") or DEFAULT_SCHEMA
    if not _SCHEMA.fullmatch(schema) or len(schema) > _LONGEST_NAME_BYTES:
        raise SettingsError(
            f"SPOTTER_RELEASE_POSTGRES_SCHEMA is '{schema}'; use lower-case letters, digits and "
            f"underscores, at most {_LONGEST_NAME_BYTES}, like {DEFAULT_SCHEMA}."
        )
    reader = values.get("SPOTTER_RELEASE_POSTGRES_READER") or ""
    if "\0" in reader or len(reader.encode()) > _LONGEST_NAME_BYTES:
        raise SettingsError(
            "SPOTTER_RELEASE_POSTGRES_READER is no name of a role; use one of at most "
            f"{_LONGEST_NAME_BYTES} bytes."
        )
    password = values.get("SPOTTER_RELEASE_POSTGRES_PASSWORD") or values.get("PGPASSWORD") or ""
    return ReleasePostgres(url=url, password=password, schema=schema, reader=reader)
