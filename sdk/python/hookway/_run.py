"""run(): the file as a program, in whichever way hookway has started it."""

from __future__ import annotations

import os
import sys

from . import _streams
from ._hooks import registry

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Mapping
    from typing import Any, Literal, NoReturn

    from ._hooks import Context, Hook


def run(
    *,
    match: Mapping[str, Any] | None = None,
    lane: Literal["transform", "guard", "observe"] | None = None,
    priority: int | None = None,
    timeout: float | str | None = None,
    max_retries: int | None = None,
    on_failure: Literal["continue", "block"] | None = None,
    description: str | None = None,
    needs: Iterable[str] | None = None,
    worker: bool = True,
) -> None:
    """Run the hooks of this file, as hookway asks: for one event, as a worker, or to describe themselves.

    The arguments are what the file says of itself in a folder of hooks; there it
    is a worker, unless worker is False. hookway.yaml says its own.
    """
    _streams.ran()
    options = {
        "match": match, "lane": lane, "priority": priority, "timeout": timeout, "max_retries": max_retries,
        "on_failure": on_failure, "description": description, "needs": needs,
    }
    out = _streams.divert()
    try:
        if not registry:
            _fail(f'{sys.argv[0]}: it has no hooks; put @hook("PreToolUse") above a function')
        if os.environ.get("HOOK_ACTION") == "describe":
            from ._describe import describe

            try:
                text = describe(registry, options, worker)
            except (TypeError, ValueError) as wrong:
                _fail(str(wrong))
            _streams.write(out, text)
        elif os.environ.get("HOOKWAY_WORKER"):
            from ._worker import serve

            serve(registry, _streams.events(), out)
        else:
            _once(registry, out)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # nobody reads the answer
        sys.exit(1)


def _once(hooks: list[Hook], out: int) -> None:
    """One event on stdin, its answer on stdout."""
    if sys.stdin is None or sys.stdin.isatty():
        _fail(f"an event in JSON is read from stdin; try: hookway fire {hooks[0].events[0]}, or hookway test")
    data = sys.stdin.buffer.read()
    from ._chain import judge
    from ._json import loads

    try:
        event = loads(data)
    except (ValueError, RecursionError) as wrong:
        _fail(f"stdin is not JSON: {wrong}")
    if not isinstance(event, dict):
        _fail(f"stdin is not an event but a {type(event).__name__}; an event is a JSON object")
    name = os.environ.get("HOOKWAY_EVENT") or event.get("hook_event_name")
    if not isinstance(name, str) or not name:
        _fail("the event has no name; hook_event_name says what has happened")
    try:
        answer = judge(hooks, event, name, _sigterm, _wait, worker=False)
    except Exception as error:
        from ._failure import report

        _fail(report(error, hooks))
    if answer != b"{}":
        _streams.write(out, answer)


def _wait(awaitable: Awaitable[Any]) -> Any:
    import asyncio

    async def body() -> Any:
        return await awaitable

    return asyncio.run(body())


def _sigterm(ctx: Context) -> None:
    """At the timeout, the function's finally and except clauses run before the program ends."""
    import signal

    def gone(number: int, frame: object) -> NoReturn:
        ctx.cancel()
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, gone)


def _fail(message: str) -> NoReturn:
    """The last line of stderr is what hookway says of the failure."""
    print(message, file=sys.stderr, flush=True)
    sys.exit(1)
