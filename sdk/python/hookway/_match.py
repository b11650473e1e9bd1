"""Which events a hook of a file wants: the same globs of names as in hookway.yaml."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_META = frozenset("*?[{\\!")


def names(patterns: Iterable[str], bars: bool = False) -> Callable[[str], bool]:
    """A test of one name: it is, or matches as a glob, one of the patterns.

    With bars, "Edit|Write" are two of them. A pattern that means nothing is a ValueError.
    """
    exact, globs = set(), []
    for written in patterns:
        for pattern in written.split("|") if bars else (written,):
            if _META.isdisjoint(pattern):
                exact.add(pattern)
            else:
                globs.append(_glob(pattern))
    if not globs:
        return exact.__contains__
    return lambda name: name in exact or any(matches(name) for matches in globs)


def _glob(pattern: str) -> Callable[[str], bool]:
    import re

    if pattern.startswith("!"):
        raise ValueError(f"glob {pattern!r}: a leading '!' does not negate")
    whole = re.compile("|".join(_translate(p, pattern) for p in _braces(pattern, pattern)), re.DOTALL)
    return lambda name: whole.fullmatch(name) is not None


def _braces(text: str, whole: str) -> list[str]:
    """Write {a,b} out, innermost too."""
    start = text.find("{")
    if start < 0:
        if "}" in text:
            raise ValueError(f"glob {whole!r}: a '}}' has no '{{'")
        return [text]
    depth, begin, choices = 0, start + 1, []
    for i in range(start, len(text)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "," and depth == 1:
            choices.append(text[begin:i])
            begin = i + 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                choices.append(text[begin:i])
                head, rest = text[:start], text[i + 1 :]
                return [out for choice in choices for out in _braces(head + choice + rest, whole)]
    raise ValueError(f"glob {whole!r}: a '{{' is not closed")


def _translate(text: str, whole: str) -> str:
    import re

    out, i = [], 0
    while i < len(text):
        c = text[i]
        i += 1
        if c == "*":
            out.append(".*")
        elif c == "?":
            out.append(".")
        elif c == "\\":
            if i == len(text):
                raise ValueError(f"glob {whole!r}: nothing follows the last backslash")
            out.append(re.escape(text[i]))
            i += 1
        elif c == "[":
            end = text.find("]", i + 1)
            if end < 0:
                raise ValueError(f"glob {whole!r}: a '[' is not closed")
            inner = text[i:end]
            negated = inner[0] in "!^"
            inner = (inner[1:] if negated else inner).replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            out.append(f"[{'^' if negated else ''}{inner}]")
            i = end + 1
        else:
            out.append(re.escape(c))
    return "".join(out)
