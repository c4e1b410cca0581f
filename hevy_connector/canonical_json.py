"""Lossless JSON parsing and canonical JSON text."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NoReturn

import orjson

# orjson returns floats for integers that do not fit 64 bits.
_LONG_NUMBER = b"0" * 19
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")


def read_json(text: bytes) -> Any:
    """Parse JSON: fractions as doubles, integers exactly.

    A number beyond the range of a double becomes a Decimal.

    Raises:
        ValueError: the text is not JSON.
    """
    if _LONG_NUMBER not in text.translate(_DIGITS_AS_ZERO):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            pass  # orjson rejects huge numbers and lone surrogates: parse again exactly
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _finite(text: str) -> float | Decimal:
    value = float(text)
    return value if math.isfinite(value) else Decimal(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def canonical_json(payload: Mapping[str, Any]) -> str:
    """Serialize a payload with sorted keys, so that equal content has equal text.

    All numbers must be finite, as are those of every JSON text that this package parses.

    Raises:
        ValueError: the payload holds a number beyond all floats, or half of a surrogate pair,
            which UTF-8 cannot encode.
    """
    try:
        return orjson.dumps(payload, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        # Handles integers of more than 64 bits. For all other payloads it raises the reason.
        return _exact_json(payload)


def _exact_json(payload: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except TypeError as error:
        raise ValueError(f"a number is too large to be stored ({error})") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply to be stored") from error
    text.encode()
    return text
