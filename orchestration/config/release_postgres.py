"""Location and credentials of the released marts in PostgreSQL."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_SCHEMA = "spotter"

# PostgreSQL cuts longer names off.
_LONGEST_NAME_BYTES = 63
_SCHEMA = re.compile(r"(?!pg_)[a-z_][a-z0-9_]*")


class ReleasePostgresError(ValueError):
    """A name of the target is invalid; the message has the variable."""


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


def release_postgres_of(url: str, values: Mapping[str, str]) -> ReleasePostgres:
    """Return the target with this URL and the names and password of the variables.

    Raises:
        ReleasePostgresError: a name is invalid.
    """
    schema = values.get("SPOTTER_RELEASE_POSTGRES_SCHEMA") or DEFAULT_SCHEMA
    if not _SCHEMA.fullmatch(schema) or len(schema) > _LONGEST_NAME_BYTES:
        raise ReleasePostgresError(
            f"SPOTTER_RELEASE_POSTGRES_SCHEMA is '{schema}'; use lower-case letters, digits and "
            f"underscores, at most {_LONGEST_NAME_BYTES}, like {DEFAULT_SCHEMA}."
        )
    reader = values.get("SPOTTER_RELEASE_POSTGRES_READER") or ""
    if "\0" in reader or len(reader.encode()) > _LONGEST_NAME_BYTES:
        raise ReleasePostgresError(
            "SPOTTER_RELEASE_POSTGRES_READER is no name of a role; use one of at most "
            f"{_LONGEST_NAME_BYTES} bytes."
        )
    password = values.get("SPOTTER_RELEASE_POSTGRES_PASSWORD") or values.get("PGPASSWORD") or ""
    return ReleasePostgres(url=url, password=password, schema=schema, reader=reader)
