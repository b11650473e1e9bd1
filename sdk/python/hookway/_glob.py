"""Globs as hookway.yaml has them: of names, in which "/" is a character like any other, and of paths, in which it is not."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

_META = frozenset("*?[{\\!")
_MOST = 64  # patterns that the braces of one may expand to


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

    whole = re.compile("|".join(_translate(p, pattern, ".") for p in alternatives(pattern, pattern)), re.DOTALL)
    return lambda name: whole.fullmatch(name) is not None


def paths(pattern: str, home: str) -> Callable[[str, str], bool]:
    """A test of one file, by its path below the root ("" if it is outside) and its absolute one, with slashes."""
    if not pattern:
        raise ValueError("an empty pattern matches nothing; leave it out to match all")
    tests = [_path(p, pattern) for p in alternatives(_full(pattern, home), pattern)]
    return lambda rel, full: any(test(rel, full) for test in tests)


def _full(pattern: str, home: str) -> str:
    """A pattern with its home and its folders written out."""
    text = home + pattern[1:] if pattern == "~" or pattern.startswith("~/") else pattern
    text = text.removeprefix("./")
    return text + "**" if text.endswith("/") else text  # a folder means what is in it


def places(pattern: str, home: str) -> list[tuple[list[re.Pattern[str] | None], list[str | int], bool, bool]]:
    """A pattern for absolute paths: its parts, the same as signs, whether it starts at the root, and whether it names no folder."""
    import re

    from ._facts import segment_signs

    if not pattern:
        raise ValueError("an empty pattern matches nothing; leave it out to match all")
    out = []
    for text in alternatives(_full(pattern, home), pattern):
        absolute = _is_absolute(text)
        segments = text.removeprefix("/").split("/")
        if len(segments) == 1 and not absolute and segments[0] != "**":
            segments.insert(0, "**")
        free = segments[0] == "**"
        parts = [None if s == "**" else re.compile(_translate(s, pattern, "[^/]"), re.DOTALL) for s in segments]
        out.append((parts, segment_signs(segments), not absolute and not free, free))
    return out


def _path(text: str, whole: str) -> Callable[[str, str], bool]:
    import re

    absolute = _is_absolute(text)
    segments = text.removeprefix("/").split("/")
    parts = [None if s == "**" else re.compile(_translate(s, whole, "[^/]"), re.DOTALL) for s in segments]
    base = parts[0] if len(parts) == 1 and not absolute else None

    def test(rel: str, full: str) -> bool:
        path = full if absolute or not rel else rel
        if base is not None:
            return base.fullmatch(path.rpartition("/")[2]) is not None
        if absolute != _is_absolute(path) and parts[0] is not None:
            return False
        return walk(parts, path.removeprefix("/").split("/"))

    return test


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] == ":/"


def walk(pattern: list[re.Pattern[str] | None], path: list[str]) -> bool:
    """Go through pattern and path together; only the last "**" is tried again."""
    p, s, again, start = 0, 0, -1, 0
    while s < len(path):
        part = pattern[p] if p < len(pattern) else None
        if p < len(pattern) and part is None:
            again, start = p, s
            p += 1
        elif part is not None and part.fullmatch(path[s]):
            p, s = p + 1, s + 1
        elif again < 0:
            return False
        else:
            start += 1
            p, s = again + 1, start
    return all(part is None for part in pattern[p:])


def alternatives(text: str, whole: str) -> list[str]:
    """The patterns without braces that one stands for."""
    if whole.startswith("!"):
        raise ValueError(f"glob {whole!r}: a leading '!' does not negate; put the pattern under not")
    out = _braces(text, whole)
    if len(out) > _MOST:
        raise ValueError(f"glob {whole!r}: its braces expand to more than {_MOST} patterns")
    return out


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
                return [out for choice in choices for out in _braces(head + choice + rest, whole)][: _MOST + 1]
    raise ValueError(f"glob {whole!r}: a '{{' is not closed")


def _translate(text: str, whole: str, any_one: str) -> str:
    """A glob without braces as an expression; any_one is what "*" and "?" take."""
    import re

    out, i = [], 0
    while i < len(text):
        c = text[i]
        i += 1
        if c == "*":
            out.append(any_one + "*")
        elif c == "?":
            out.append(any_one)
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
