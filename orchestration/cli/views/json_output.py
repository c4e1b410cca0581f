"""Deterministic JSON of reports."""

import json
from datetime import date
from decimal import Decimal

_DIGITS = 6


def format_json(report: object) -> str:
    """Format a report of plain values as JSON, dates and times in ISO 8601.

    Fractions are rounded to six digits, beyond which CPUs may differ.
    """
    return json.dumps(_plain(report), indent=2)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, date):
        return value.isoformat()
    return round(float(value), _DIGITS) if isinstance(value, float | Decimal) else value
