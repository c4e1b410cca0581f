"""The option --debug, which prints errors with a traceback."""

from contextvars import ContextVar

is_debugging: ContextVar[bool] = ContextVar("is_debugging", default=False)
