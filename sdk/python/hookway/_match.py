"""Which events a hook wants, by the matchers of hookway.yaml.

hookway itself looks at more forms of a path, for guards: a file that lies in a
folder of hooks has it look first.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Test = Callable[[dict[str, Any]], bool]

FACTS = ("deletes", "writes", "reads", "moves", "runs", "connects", "sends", "git", "sql", "infra", "secret", "unknown", "where")
MATCHES = ("tool", "path", "command", "session", "agent", "source", "namespace", "target", "fields", *FACTS, "any", "all", "not")


def compile(match: Mapping[str, Any], at: str = "", guard: bool = False, negated: bool = False) -> list[Test]:
    """The tests of an event that must all hold. What is wrong with a pattern is a TypeError or a ValueError with its place.

    A guard lets nothing pass of which it is not sure.
    """
    if not hasattr(match, "items"):
        raise TypeError(f"{at.rstrip('.')} is {match!r}; it must be a dict, a matcher")
    tests = []
    for name, wanted in match.items():
        if name not in MATCHES:
            raise TypeError(f"a match has no {at}{name}; it may have {', '.join(MATCHES)}")
        tests.append(_test(name, wanted, at + name, guard, negated))
    return tests


def _test(name: str, wanted: Any, at: str, guard: bool, negated: bool) -> Test:
    if name in FACTS:
        return _fact(name, wanted, at, guard and negated)
    if name in ("any", "all"):
        each = [compile(m, f"{at}[{i}].", guard, negated) for i, m in enumerate([wanted] if hasattr(wanted, "items") else list(wanted))]
        join = any if name == "any" else all
        return lambda event: join(all(test(event) for test in tests) for tests in each)
    if name == "not":
        tests = compile(wanted, at + ".", guard, not negated)
        return lambda event: not all(test(event) for test in tests)
    if name == "fields":
        return _fields(wanted, at)
    patterns = _list(wanted, at)
    try:
        if name == "path":
            return _paths(patterns)
        if name == "command":
            return _commands(patterns)
        if name == "session":
            test: Callable[[str], bool] = frozenset(patterns).__contains__
        else:
            from ._glob import names

            test = names(patterns, bars=name == "tool")
    except ValueError as wrong:
        raise ValueError(f"{at}: {wrong}") from None
    field = {"tool": "tool_name", "session": "session_id"}.get(name, name)
    return lambda event: _has(event, field, test)


def _fact(name: str, wanted: Any, at: str, careful: bool) -> Test:
    if name == "where":
        if not callable(wanted):
            raise TypeError(f"{at} is {wanted!r}; in Python it is a function of the event, such as lambda event: any(f['does'] == 'sql' for f in event.get('facts', ()))")
        return lambda event: bool(wanted(event))
    if name == "unknown" and wanted is not True:
        raise TypeError(f"{at} is {wanted!r}; it can only be True")
    from . import _facts

    try:
        return _facts.test(name, None if wanted is True else _list(wanted, at), careful)
    except ValueError as wrong:
        raise ValueError(f"{at}: {wrong}") from None


def _list(wanted: Any, at: str) -> list[str]:
    patterns = [wanted] if isinstance(wanted, str) else list(wanted) if hasattr(wanted, "__iter__") else []
    if not patterns or not all(isinstance(p, str) for p in patterns):
        raise TypeError(f"{at} is {wanted!r}; it must be a text, or a list of texts")
    for pattern in patterns:
        if any(c < " " or "\x7f" <= c < "\xa0" for c in pattern):
            raise ValueError(f"{at}: {pattern!r} holds a control character; put an r before the text, or double its backslashes")
    return patterns


def _has(event: dict[str, Any], field: str, test: Callable[[str], bool]) -> bool:
    value = event.get(field)
    if field == "source" and isinstance(event.get("hookway_envelope"), dict):  # the payload's own source is another thing
        value = event["hookway_envelope"].get(field, value)
    return isinstance(value, str) and value != "" and test(value)


def _fields(wanted: Any, at: str) -> Test:
    from ._glob import names

    if not hasattr(wanted, "items"):
        raise TypeError(f"{at} is {wanted!r}; it must be a dict of fields, such as {{'tool_input.url': 'https://*'}}")
    each = []
    for field, values in wanted.items():
        try:
            each.append((field.split("."), names(_list(values, f"{at}.{field}"))))
        except ValueError as wrong:
            raise ValueError(f"{at}.{field}: {wrong}") from None
    return lambda event: all(any(test(text) for text in _texts(event, parts)) for parts, test in each)


def _texts(event: Any, parts: list[str]) -> list[str]:
    from ._json import dumps

    value = event
    for part in parts:
        if not isinstance(value, dict) or part not in value:
            return []
        value = value[part]
    values = value if isinstance(value, list) else [value]
    return [v if isinstance(v, str) else dumps(v).decode() for v in values if v is not None and not isinstance(v, (dict, list))]


_SHELLS = frozenset((
    "bash", "shell", "sh", "zsh", "powershell", "pwsh", "cmd", "run_shell_command", "exec_command", "execute_command",
    "execute", "exec", "local_shell", "run_command", "run_terminal_cmd", "terminal", "unified_exec", "shell_command",
    "run_in_terminal",
))


def _commands(patterns: list[str]) -> Test:
    from ._expression import expression

    expressions = [expression(p) for p in patterns]
    return lambda event: any(e.search(line) for line in _lines(event) for e in expressions)


def _lines(event: dict[str, Any]) -> list[str]:
    """The command lines of a shell tool, mostly one."""
    name, given = event.get("tool_name"), event.get("tool_input")
    if not isinstance(name, str) or name.lower() not in _SHELLS or not isinstance(given, dict):
        return []
    lines = []
    for key in ("command", "cmd", "script"):
        value = given.get(key)
        line = " ".join(str(v) for v in value) if isinstance(value, list) else value
        if isinstance(line, str) and line:
            lines.append(line)
    return lines


def _paths(patterns: list[str]) -> Test:
    from ._glob import paths

    tests = [paths(p, _slashed(os.path.expanduser("~"))) for p in patterns]
    return lambda event: any(test(*file) for file in _files(event) for test in tests)


def _files(event: dict[str, Any]) -> list[tuple[str, str]]:
    """The files that a tool is called with, below the root and absolute."""
    given = event.get("tool_input")
    given = given if isinstance(given, dict) else {}
    named = [given.get(key) or event.get(key) for key in ("file_path", "path", "notebook_path")]
    if isinstance(given.get("file_paths"), list):
        named += given["file_paths"]
    forms: dict[str, None] = {}
    for name in named:
        if not isinstance(name, str):
            continue
        trimmed = name.strip()
        home = os.path.expanduser("~") + trimmed[1:] if trimmed[:2] in ("~/", "~\\") else ""
        forms.update((form, None) for form in (name, trimmed, home) if form)
    cwd = event.get("cwd")
    return [_resolved(form, cwd if isinstance(cwd, str) else "") for form in forms]


def _resolved(name: str, cwd: str) -> tuple[str, str]:
    root = os.environ.get("HOOKWAY_PROJECT_DIR") or cwd
    path = os.path.normpath(os.path.join(cwd, name))
    full = _slashed(path)
    if full.startswith("//"):
        full = full[1:]
    if not os.path.isabs(path):
        return full, full
    try:
        rel = _slashed(os.path.relpath(path, root)) if root else ""
    except ValueError:  # another drive
        rel = ""
    return "" if rel == ".." or rel.startswith("../") else rel, full


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if os.sep == "\\" else path
