"""JSON that keeps every digit of a number."""

from __future__ import annotations

import json
import os
import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Number(float):
    """A float that a float cannot hold exactly; it is written as it was read."""

    __slots__ = ("text",)

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str

    def __reduce__(self) -> Any:
        return Number, (self.text,)


def _number(text: str) -> float:
    plain = float(text)
    return plain if repr(plain) == text else Number(text)


def loads(data: bytes | str) -> Any:
    """Read JSON. Integers of any size, and fractions, keep their digits."""
    return json.loads(data, parse_float=_number)


def dumps(value: Any) -> bytes:
    """Write JSON on one line, in ASCII. NaN and infinities are a ValueError."""
    exact: list[str] = []
    text = json.dumps(_marked(value, exact), separators=(",", ":"), allow_nan=False)
    if exact:
        text = re.sub(f'"{_token}:([0-9]+)"', lambda mark: exact[int(mark[1])], text)
    return text.encode("ascii")


_token = ""  # no text of anybody holds it


def _marked(value: Any, exact: list[str]) -> Any:
    """Put marks in the places of exact numbers: the standard encoder writes any float as a float.

    What holds none is given back as it is.
    """
    if isinstance(value, Number):
        global _token
        _token = _token or os.urandom(12).hex()
        exact.append(value.text)
        return f"{_token}:{len(exact) - 1}"
    if isinstance(value, dict):
        copy = None
        for key, old in value.items():
            new = old if isinstance(old, (str, int)) else _marked(old, exact)
            if new is not old:
                if copy is None:
                    copy = dict(value)
                copy[key] = new
        return value if copy is None else copy
    if isinstance(value, (list, tuple)):
        items = [old if isinstance(old, (str, int)) else _marked(old, exact) for old in value]
        return items if any(a is not b for a, b in zip(items, value)) else value
    return value
