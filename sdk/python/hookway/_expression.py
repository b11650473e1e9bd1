"""Regular expressions of hookway.yaml, which are Go's, as Python's."""

from __future__ import annotations

import re

# What Python means with these by default is more than ASCII.
_KINDS = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\\t\\n\\f\\r "}


def expression(pattern: str) -> re.Pattern[str]:
    """Compile one. What Python has no words for is a ValueError."""
    flags = re.match(r"\(\?([a-zA-Z]+)\)", pattern)
    lines = flags is not None and "m" in flags[1]  # "$" is the end of a line, too
    out, i, inside = [], 0, False
    while i < len(pattern):
        c, two = pattern[i], pattern[i : i + 2]
        if c == "\\" and len(two) == 2:
            out.append(_escaped(two[1], inside))
            i += 2
            continue
        if inside and two == "[:":
            raise ValueError(f"expression {pattern!r}: write a set such as [:alpha:] out, a-zA-Z")
        if c == "[" and not inside:
            inside = True
            first = 3 if pattern[i + 1 : i + 2] == "^" else 2
            if pattern[i + first - 1 : i + first] == "]":  # as the first, it is one of the set
                out.append(pattern[i : i + first - 1] + "\\]")
                i += first
                continue
        elif c == "[":
            c = "\\["
        elif c == "]":
            inside = False
        elif c == "$" and not inside and not lines:
            c = "\\Z"
        elif not inside and re.match(r"\(\?<\w", pattern[i : i + 4]):  # a group with a name
            c, i = "(?P", i + 1
        out.append(c)
        i += 1
    try:
        return re.compile("".join(out))
    except re.error as wrong:
        raise ValueError(f"expression {pattern!r}: {wrong}") from None


def _escaped(c: str, inside: bool) -> str:
    kind = _KINDS.get(c.lower())
    if kind is not None:
        if inside:
            return kind if c.islower() else "\\" + c
        return f"[{'' if c.islower() else '^'}{kind}]"
    if c in "bB" and not inside:
        return f"(?a:\\{c})"
    return "\\Z" if c == "z" else "\\" + c
