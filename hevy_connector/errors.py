"""Errors of the Hevy connector.

HevyError
├── HevyConfigError         no key, or an invalid base URL
├── HevyInvalidBodyError    a body that the service would reject; nothing was sent
├── HevyAuthError           the key was refused (401)
├── HevyUnavailableError    no usable response after the retries: connection, timeout, 429, 5xx
│   └── HevyListMovedError  a list that changed during every attempt to read it
├── HevyRequestError        the service refused this request (other 4xx)
│   └── HevyNotFoundError   404 for one object
├── HevyResponseError       a response that does not match the endpoint's schema
└── CsvFormatError          a file that is no export of Hevy or Strong
    └── UnitMissingError    it names no unit for its weights or distances

Messages state the failure and the action to take. They never contain an API key.
"""


class HevyError(Exception):
    """Base of all errors of this package; its text is written for the operator."""


class HevyConfigError(HevyError):
    """The client cannot be built from the given settings."""


class HevyInvalidBodyError(HevyError):
    """The service would reject the body; `problems` name each field by its path."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(f"This would be refused, so nothing was sent: {'; '.join(problems)}")
        self.problems = problems


class HevyAuthError(HevyError):
    """The service refused the API key; retrying cannot help."""


class HevyUnavailableError(HevyError):
    """The service gave no usable response; nothing may be concluded about what exists there."""


class HevyListMovedError(HevyUnavailableError):
    """A list changed during the read, so the result may have gaps."""


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
    """A response does not match the schema of its endpoint."""


class CsvFormatError(HevyError):
    """A file cannot be parsed as an export of Hevy or Strong."""


class UnitMissingError(CsvFormatError):
    """A file names no unit of a `measure`, weight or distance; one of `choices` must be given.

    `likely` is the unit that the numbers suggest, None if they suggest none.
    """

    def __init__(
        self, message: str, *, measure: str, choices: tuple[str, str], likely: str | None
    ) -> None:
        super().__init__(message)
        self.measure = measure
        self.choices = choices
        self.likely = likely
