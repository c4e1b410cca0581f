"""Reports as JSON, the same to the byte wherever they are computed."""

import json
from datetime import date

_DIGITS = 6


def printed_json(report: object) -> str:
    """A report of plain values as JSON, dates and times in ISO 8601.

    Numbers have six digits: what differs beyond them is the processor's business.
    """
    return json.dumps(_plain(report), indent=2)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, date):
        return value.isoformat()
    return round(value, _DIGITS) if isinstance(value, float) else value
