"""The file as a worker: one process for many events, several at a time."""

from __future__ import annotations

import io
import os
import sys
import threading
from queue import SimpleQueue

from . import _streams
from ._chain import judge
from ._failure import report
from ._hooks import Context, Hook
from ._json import dumps, loads

TYPE_CHECKING = False

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable
    from typing import Any

# hookway has at most 256 events open; as many more may be given up by it while
# their functions still run.
_MOST = 512

# hookway ends a worker two seconds after it has closed its stdin.
_PATIENCE = 0.8


def serve(hooks: list[Hook], events: int, out: int) -> None:
    """Answer until stdin ends."""
    worker = _Worker(hooks, out)
    with io.FileIO(events) as raw, io.BufferedReader(raw, 1 << 16) as lines:
        for line in lines:
            worker.take(line)
    worker.end()


class _Call:
    """One event under way."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ctx: Context | None = None
        self.task: Any = None  # of an async hook
        self.gone = False

    def begin(self, ctx: Context) -> None:
        with self.lock:
            self.ctx = ctx
            if self.gone:
                ctx.cancel()

    def cancel(self) -> None:
        with self.lock:
            self.gone = True
            if self.ctx is not None:
                self.ctx.cancel()
            if self.task is not None:
                self.task.cancel()


class _Worker:
    def __init__(self, hooks: list[Hook], out: int) -> None:
        self.hooks = hooks
        self.out = out
        self.writing = threading.Lock()
        self.lock = threading.RLock()  # guards what follows
        self.ended = threading.Condition(self.lock)
        self.calls: dict[Any, _Call] = {}
        self.idle = 0
        self.threads = 0
        self.loop: asyncio.AbstractEventLoop | None = None
        self.jobs: SimpleQueue[tuple[Any, dict[str, Any], _Call]] = SimpleQueue()

    def take(self, line: bytes) -> None:
        """Read one message."""
        try:
            message = loads(line)
            method, params = message.get("method"), message.get("params")
        except (ValueError, RecursionError, AttributeError) as wrong:
            if line.strip():
                self.fail(None, -32700, f"the worker was sent a line that is not JSON-RPC: {wrong}")
            return
        number = message.get("id")
        if method == "hook" and isinstance(params, dict):
            self.start(number, params)
        elif method == "cancel" and isinstance(params, dict):
            with self.lock:
                call = self.calls.get(params.get("id"))
            if call is not None:
                call.cancel()
        elif number is not None:
            self.fail(number, -32601, f"the worker was sent {method!r}; it knows hook and cancel")

    def start(self, number: Any, event: dict[str, Any]) -> None:
        """Give an event to a thread that is free, or to a new one."""
        call = _Call()
        with self.lock:
            self.calls[number] = call
            fresh = self.idle == 0
            if fresh:
                self.threads += 1
            else:
                self.idle -= 1
        if self.threads > _MOST:
            print(
                f"{_MOST} hooks run, most of them for nobody: wait on ctx.cancelled in place of a sleep, and give what you call a timeout",
                file=sys.stderr, flush=True,
            )
            os._exit(1)
        self.jobs.put((number, event, call))
        if fresh:
            threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        """A thread: one event after the other."""
        while True:
            number, event, call = self.jobs.get()
            try:
                self.answer(number, event, call)
            except OSError:  # nobody reads answers any more
                os._exit(1)
            with self.lock:
                self.calls.pop(number, None)
                self.idle += 1
                if not self.calls:
                    self.ended.notify_all()
            del event, call

    def answer(self, number: Any, event: dict[str, Any], call: _Call) -> None:
        try:
            name = event.get("hook_event_name")
            answer = judge(self.hooks, event, name if isinstance(name, str) else "", call.begin, lambda a: self.wait(a, call), worker=True)
        except SystemExit as end:
            if end.code == 2:  # as a program for one event says block
                answer = b'{"action":"block"}'
            elif end.code in (None, 0):
                answer = b"{}"
            else:
                return self.fail(number, 1, f"the hook ended with exit status {end.code}")
        except BaseException as error:
            return self.fail(number, 1, "cancelled" if call.gone else report(error, self.hooks))
        self.send(b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (dumps(number), answer))

    def fail(self, number: Any, code: int, message: str) -> None:
        self.send(dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}) + b"\n")

    def send(self, line: bytes) -> None:
        with self.writing:
            _streams.write(self.out, line)

    def wait(self, awaitable: Awaitable[Any], call: _Call) -> Any:
        """Run an async hook in the loop that all of them share."""
        import asyncio

        async def body() -> Any:
            return await awaitable

        task = asyncio.run_coroutine_threadsafe(body(), self.running())
        with call.lock:
            call.task = task
            if call.gone:
                task.cancel()
        try:
            return task.result()
        finally:
            with call.lock:
                call.task = None

    def running(self) -> asyncio.AbstractEventLoop:
        import asyncio

        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                threading.Thread(target=_spin, args=(self.loop,), daemon=True).start()
            return self.loop

    def end(self) -> None:
        """Nobody asks any more: let what runs end, cancel it, and leave the rest to the end of the process."""
        with self.ended:
            if not self.ended.wait_for(lambda: not self.calls, _PATIENCE):
                for call in self.calls.values():
                    call.cancel()
                self.ended.wait_for(lambda: not self.calls, _PATIENCE)


def _spin(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop for ever. A SystemExit of a hook ends its event, and comes out here, too: the others need the loop."""
    while True:
        try:
            loop.run_forever()
        except BaseException:
            pass
