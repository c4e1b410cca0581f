"""Errors of the Hevy connector.

HevyError
├── HevyConfigError         no key, or a base URL that is none
├── HevyInvalidBodyError    a body that the service would reject; nothing was sent
├── HevyAuthError           the key was refused (401)
├── HevyUnavailableError    no usable answer after the retries: connection, timeout, 429, 5xx
│   └── HevyListMovedError  a list that never stood still while it was read
├── HevyRequestError        the service refused this request (other 4xx)
│   └── HevyNotFoundError   404 for one object
├── HevyResponseError       an answer that cannot be read as what was asked for
└── CsvFormatError          a file that is no export of Hevy or Strong

Messages say what failed and what to do. None of them ever holds an API key.
"""


class HevyError(Exception):
    """Base of all errors of this package; its text is written for the user."""


class HevyConfigError(HevyError):
    """The client cannot be built from the given settings."""


class HevyInvalidBodyError(HevyError):
    """A body that the service would reject; `problems` name each field by its path."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(f"This would be refused, so nothing was sent: {'; '.join(problems)}")
        self.problems = problems


class HevyAuthError(HevyError):
    """The service refused the API key; retrying cannot help."""


class HevyUnavailableError(HevyError):
    """The service gave no usable answer; nothing may be concluded about what exists there."""


class HevyListMovedError(HevyUnavailableError):
    """A list changed while it was read, so what was read may have gaps."""


class HevyRequestError(HevyError):
    """The service refused a request.

    `status` is the HTTP status, `detail` the service's own message (may be empty).
    """

    def __init__(self, message: str, *, status: int, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


class HevyNotFoundError(HevyRequestError):
    """The object does not exist (any more) or is not the account's own."""


class HevyResponseError(HevyError):
    """An answer that is not what its endpoint promises."""


class CsvFormatError(HevyError):
    """A file that cannot be read as an export of Hevy or Strong."""
