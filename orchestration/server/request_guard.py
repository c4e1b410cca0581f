"""The request guard for the dashboard, which imports nothing of the connector."""

from hevy_connector.request_guard import RequestGuard

__all__ = ["RequestGuard"]
