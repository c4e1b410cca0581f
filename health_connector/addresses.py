"""Addresses of the services."""

INTERVALS_URL = "https://intervals.icu"
