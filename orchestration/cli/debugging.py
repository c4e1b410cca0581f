"""Whether errors are printed with a traceback."""

from contextvars import ContextVar

is_debugging: ContextVar[bool] = ContextVar("is_debugging", default=False)
