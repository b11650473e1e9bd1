"""Hooks as functions: what a file says of them, and what they are given."""

from __future__ import annotations

import os

from . import _streams
from ._match import MATCHES, compile

TYPE_CHECKING = False

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from typing import Any

    from .types import Fact
    from ._typed import hook as hook  # pyright: ignore[reportMissingModuleSource]


_streams.begin()


class Hook:
    """One function, and the events that it wants."""

    def __init__(self, function: Callable[..., Any], events: tuple[str, ...], options: dict[str, Any]) -> None:
        self.function = function
        self.events = events
        self.options = options  # for the description
        self.match: dict[str, Any] = {}  # as hookway.yaml has it
        self.tests: list[Callable[[dict[str, Any]], bool]] = []
        self.order = 0  # of its lane
        self.arguments = _arguments(function)

    def wants(self, event: dict[str, Any]) -> bool:
        """Whether its matchers hold."""
        return all(test(event) for test in self.tests)

    def where(self) -> str:
        """Its place in the file: guard.py:12: guard."""
        name = getattr(self.function, "__name__", repr(self.function))
        code = getattr(self.function, "__code__", None)
        return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}: {name}" if code else name


registry: list[Hook] = []

_OPTIONS = ("match", "lane", "priority", "timeout", "max_retries", "on_failure", "description")
_LANES = ("transform", "guard", "observe")

if not TYPE_CHECKING:

    def hook(*events, **options):
        """Make a function a hook of these events: @hook("PreToolUse", tool="Bash").

        The function is given the event, a dict, and a Context if it takes two
        arguments; it may be async. It returns an answer, or None for no opinion.
        Which events: by the fields of a matcher, as in hookway.yaml: tool, path,
        command, session, agent, source, namespace and target, each a text or a list
        of them; deletes, writes, reads, moves, runs, connects, sends, git, sql, infra,
        secret and unknown, which ask what the call would do, and where, a function of
        the event; fields, any and all; not_, for which Python has no other name; or
        match, a dict of all that. lane and priority say when it is asked. They,
        timeout (seconds, or a text such as "500ms"), max_retries, on_failure and
        description are told to hookway when the file lies in a folder of hooks;
        hookway.yaml says its own.
        """
        if not events or not all(isinstance(e, str) and e for e in events):
            raise TypeError('a hook names its events: @hook("PreToolUse")')
        if "not_" in options:
            options["not"] = options.pop("not_")
        unknown = sorted(set(options) - {*MATCHES, *_OPTIONS})
        if unknown:
            raise TypeError(f"a hook has no option {unknown[0]!r}; it may have {', '.join((*MATCHES[:-1], 'not_', *_OPTIONS))}")

        def add(function):
            if not callable(function):
                raise TypeError(f"{function!r} is not a function; @hook stands above one")
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
    for name in MATCHES:
        if name in new.options:
            wanted = new.options.pop(name)
            listed = isinstance(wanted, str) or name in ("fields", "not", "where") or not hasattr(wanted, "__iter__")
            new.match[name] = wanted if listed else [wanted] if hasattr(wanted, "items") else list(wanted)
    whole = new.options.pop("match", None)
    if whole is not None:
        new.match = {"all": [new.match, whole]} if new.match else whole
    lane = new.options.get("lane", _LANES[0])
    try:
        new.tests = compile(new.match, guard=lane == "guard")
    except (TypeError, ValueError) as wrong:
        raise type(wrong)(f"{new.where()}: {wrong}") from None
    if lane not in _LANES:
        raise ValueError(f"{new.where()}: there is no lane {lane!r}; use transform, guard or observe")
    new.order = _LANES.index(lane)


class Context:
    """What a hook may know besides the event, and say besides its answer."""

    def __init__(self, event: dict[str, Any], name: str, worker: bool) -> None:
        self.event_name = name  # canonical, whatever the hook was registered as
        self.session_id: str = event.get("session_id") or ""
        self.agent_name: str = event.get("agent") or ""
        self.working_dir: str = event.get("cwd") or ""  # the agent's; a worker's own is the workspace
        self.facts: list[Fact] = event.get("facts") or []  # what the tool call would do
        self.project_dir = os.environ.get("HOOKWAY_PROJECT_DIR", "")
        self.env = os.environ
        self.worker = worker
        self._given: dict[str, Any] = event.get("metadata") or {}
        self._metadata: dict[str, Any] | None = None
        self._injected: list[str] = []
        self.gone = False  # nobody waits any more
        self._cancelled: threading.Event | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """What earlier hooks said; a change to it is told to those that follow."""
        if self._metadata is None:
            from copy import deepcopy

            self._metadata = deepcopy(self._given)
        return self._metadata

    @property
    def cancelled(self) -> threading.Event:
        """Set when nobody waits for the answer any more: wait on it in place of a sleep."""
        if self._cancelled is None:
            import threading

            self._cancelled = threading.Event()
        if self.gone:
            self._cancelled.set()
        return self._cancelled

    def cancel(self) -> None:
        """Say that nobody waits any more."""
        self.gone = True
        if self._cancelled is not None:
            self._cancelled.set()

    def inject(self, text: str) -> None:
        """Text for the agent, beside the answer."""
        self._injected.append(str(text))

    def notify(self, channel: str, text: str) -> None:
        """Print for whoever reads the channel: to the log."""
        self.log(f"[{channel}] {text}")

    def log(self, *values: object) -> None:
        """Print to stderr, where hookway reads its log. print() does the same in a hook."""
        import sys

        print(*values, file=sys.stderr, flush=True)

    def complete(self, answer: dict[str, Any]) -> dict[str, Any]:
        """An answer with what was said through the context."""
        changed = self._metadata is not None and self._metadata != self._given
        if not changed and not self._injected:
            return answer
        out = dict(answer)
        if self._injected:
            out["inject"] = "\n\n".join([*self._injected, *([out["inject"]] if out.get("inject") else [])])
        if changed:
            out["metadata"] = {**(self._metadata or {}), **(out.get("metadata") or {})}
        return out
