"""Re-export of the request guard for the dashboard, which must not import the connector."""

from hevy_connector.request_guard import RequestGuard

__all__ = ["RequestGuard"]
