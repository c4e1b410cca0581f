"""Errors of the health connector.

HealthError
├── HealthFileError         a file that cannot be imported; nothing was written
├── HealthConfigError       no key, or an invalid address
├── HealthAuthError         the service refused the key or the login
│   ├── HealthLoginExpiredError  an access token that is no longer valid
│   └── HealthPermissionError    a login that does not allow these data
├── HealthUnavailableError  no usable response after the retries
└── HealthResponseError     a response that does not match the endpoint

Messages state the failure and the action to take. They never contain a key. A failed read raises:
it is never taken for an empty one.
"""


class HealthError(Exception):
    """Base of all errors of this package; its text is written for the athlete."""


class HealthFileError(HealthError):
    """A file has no usable form; `problems` name each fault with its line."""

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class HealthConfigError(HealthError):
    """The client cannot be built from the given settings."""


class HealthAuthError(HealthError):
    """The service refused the key or the login; retrying cannot help."""


class HealthLoginExpiredError(HealthAuthError):
    """The access token is no longer valid; a refreshed one may be."""


class HealthPermissionError(HealthAuthError):
    """The login does not allow these data; it may allow others."""


class HealthUnavailableError(HealthError):
    """The service gave no usable response; nothing may be concluded about its data."""


class HealthResponseError(HealthError):
    """A response does not match the schema of its endpoint."""
