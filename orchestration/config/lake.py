"""Location and credentials of a lake."""

from dataclasses import dataclass, field


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
