"""Location and credentials of a lake."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ObjectStore:
    """How to reach an S3-compatible store; without an endpoint it is that of AWS."""

    endpoint: str = ""
    region: str = "us-east-1"
    key_id: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)


@dataclass(frozen=True)
class Lake:
    """Where a lake is: the URL of its catalog, without a password, and the place of its files.

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
        """Whether its files are objects of a store."""
        return self.data.startswith("s3://")
