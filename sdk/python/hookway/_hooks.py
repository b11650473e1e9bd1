"""Hooks as functions: what a file says of them, and what they are given."""

from __future__ import annotations

import os

from . import _streams

TYPE_CHECKING = False

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from typing import Any

    from ._typed import hook as hook  # pyright: ignore[reportMissingModuleSource]


_streams.begin()


class Hook:
    """One function, and the events that it wants."""

    def __init__(self, function: Callable[..., Any], events: tuple[str, ...], options: dict[str, Any]) -> None:
        self.function = function
        self.events = events
        self.options = options  # for the description
        self.matchers: list[tuple[str, Callable[[str], bool]]] = []
        self.arguments = _arguments(function)

    def where(self) -> str:
        """Its place in the file: guard.py:12: guard."""
        name = getattr(self.function, "__name__", repr(self.function))
        code = getattr(self.function, "__code__", None)
        return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}: {name}" if code else name


registry: list[Hook] = []

_MATCHES = ("tool", "agent", "source", "session", "namespace", "target")
_OPTIONS = ("lane", "priority", "timeout", "max_retries", "on_failure", "description")

if not TYPE_CHECKING:

    def hook(*events, **options):
        """Make a function a hook of these events: @hook("PreToolUse", tool="Bash").

        The function is given the event, a dict, and a Context if it takes two
        arguments; it may be async. It returns an answer, or None for no opinion.
        Which events: by tool, agent, source, session, namespace and target, each a
        name, a glob or a list of them. lane, priority, timeout (seconds, or a text
        such as "500ms"), max_retries, on_failure and description are told to hookway
        when the file lies in a folder of hooks; hookway.yaml says its own.
        """
        if not events or not all(isinstance(e, str) and e for e in events):
            raise TypeError('a hook names its events: @hook("PreToolUse")')
        unknown = sorted(set(options) - {*_MATCHES, *_OPTIONS})
        if unknown:
            raise TypeError(f"a hook has no option {unknown[0]!r}; it may have {', '.join((*_MATCHES, *_OPTIONS))}")

        def add(function):
            if not callable(function):
                raise TypeError(f"{function!r} is no function; @hook stands above one")
            new = Hook(function, events, {k: v for k, v in options.items() if v is not None})
            _compile(new)
            registry.append(new)
            _streams.expect_run()
            return function

        return add


def _arguments(function: Callable[..., Any]) -> int:
    """How many arguments a function takes: the event, or the context too."""
    code = getattr(function, "__code__", None)
    if code is not None and not code.co_kwonlyargcount:
        most = 2 if code.co_flags & 0x04 else code.co_argcount  # *args
        least = code.co_argcount - len(getattr(function, "__defaults__", None) or ())
    else:
        import inspect

        kinds = inspect.Parameter
        taken = [p for p in inspect.signature(function).parameters.values() if p.kind is not kinds.VAR_KEYWORD]
        loose = any(p.kind is kinds.VAR_POSITIONAL for p in taken)
        plain = [p for p in taken if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        needed = [p for p in taken if p.default is kinds.empty and p.kind is not kinds.VAR_POSITIONAL]
        most, least = 2 if loose else len(plain), len(needed)
    if most < 1 or least > 2:
        raise TypeError(f"{getattr(function, '__name__', function)!s} takes {least} arguments; a hook takes the event, or the event and a context")
    return min(most, 2)


def _compile(new: Hook) -> None:
    for name in _MATCHES:
        wanted = new.options.get(name)
        if wanted is None:
            continue
        patterns = [wanted] if isinstance(wanted, str) else list(wanted) if hasattr(wanted, "__iter__") else []
        if not patterns or not all(isinstance(p, str) for p in patterns):
            raise TypeError(f"{new.where()}: {name} is {wanted!r}; it must be a name, or a list of names")
        if name == "session":
            test: Callable[[str], bool] = frozenset(patterns).__contains__
        else:
            from ._match import names

            test = names(patterns, bars=name == "tool")
        new.options[name] = patterns
        new.matchers.append(({"tool": "tool_name", "session": "session_id"}.get(name, name), test))


class Context:
    """What a hook may know besides the event."""

    def __init__(self, event: dict[str, Any], name: str, worker: bool) -> None:
        self.event_name = name  # canonical, whatever the hook was registered as
        self.session_id: str = event.get("session_id") or ""
        self.cwd: str = event.get("cwd") or ""  # the agent's; a worker's own is the workspace
        self.metadata: dict[str, Any] = event.get("metadata") or {}
        self.project_dir = os.environ.get("HOOKWAY_PROJECT_DIR", "")
        self.worker = worker
        self._gone = False
        self._cancelled: threading.Event | None = None

    @property
    def cancelled(self) -> threading.Event:
        """Set when nobody waits for the answer any more: wait on it in place of a sleep."""
        if self._cancelled is None:
            import threading

            self._cancelled = threading.Event()
        if self._gone:
            self._cancelled.set()
        return self._cancelled

    def cancel(self) -> None:
        """Say that nobody waits any more."""
        self._gone = True
        if self._cancelled is not None:
            self._cancelled.set()

    def log(self, *values: object) -> None:
        """Print to stderr, where hookway reads its log. print() does the same in a hook."""
        import sys

        print(*values, file=sys.stderr, flush=True)
