"""The client for asyncio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _ask, _daemon, _http
from ._client import _SILENCE, missed, record_of
from ._errors import HookwayError, NoDaemon, Timeout
from ._outcome import Outcome, read

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")
R = TypeVar("R")


class AsyncClient:
    """What Client does, for asyncio. One client belongs to one event loop."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        session_id: str | None = None,
        agent: str | None = None,
        source: str | None = "python",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> None:
        place = _daemon.find(url, token)
        self._settings = _ask.Settings(place, {"session_id": session_id, "agent": agent, "source": source, "cwd": cwd}, env)
        self._timeout = timeout
        self._slots = asyncio.Semaphore(_ask.MOST)
        self._idle: list[_Connection] = []
        self._tls = _ask.tls() if place.tls else None

    async def fire(
        self,
        event: str,
        payload: Mapping[str, Any] | None = None,
        *,
        session_id: str | None = None,
        agent: str | None = None,
        source: str | None = None,
        cwd: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        dry_run: bool = False,
    ) -> Outcome:
        """Ask the hooks of an event. That they refuse is an outcome; an error means that there is none."""
        request, wait = self._settings.fire(event, payload, self._timeout if timeout is None else timeout, {
            "session_id": session_id, "agent": agent, "source": source, "cwd": cwd, "metadata": metadata, "env": env, "dry_run": dry_run or None,
        })
        return read(await self._within(request, wait + _ask.GRACE))

    async def watch(
        self, *, session: str | None = None, event: str | None = None, cwd: str | None = None, hooks: bool = False, on_missed: Callable[[int], None] | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """What hooks decide, as it happens: records, as hookway log --json prints them. Leave the loop, or cancel the task, to end it. For hooks see Client.watch."""
        filters, last, failures, opened = {"session": session, "event": event, "cwd": cwd, "hooks": "true" if hooks else None}, "", 0, False
        while True:
            connection = None
            try:
                connection = await asyncio.wait_for(self._connect(fresh=True, start=not opened), _ask.START_TIME + _ask.GRACE)
                top = await asyncio.wait_for(connection.exchange(self._settings.watch(filters, last), _http.head()), _ask.GRACE)
                if top.status != 200:
                    raise _http.problem(top.status, await connection.read(_http.rest(top)))
                failures, opened = 0, True
                events, stream = _http.Events(), _http.stream(top)
                wanted = next(stream)
                while True:
                    if isinstance(wanted, int):
                        wanted = stream.send(await asyncio.wait_for(connection.take(wanted), _SILENCE))
                        continue
                    for kind, number, data in events.feed(wanted):
                        last = number or last
                        record = record_of(kind, data, on_missed or missed)
                        if record is not None:
                            yield record
                    wanted = next(stream)
            except (OSError, asyncio.TimeoutError, NoDaemon) as broken:  # whoever ended the daemon may not want another one: it is waited for
                failures += 1
                if failures > _ask.TRIES and not (self._settings.place.own and opened):
                    raise broken if isinstance(broken, HookwayError) else _ask.unreachable(self._settings.place, broken) from None
            finally:
                if connection is not None:
                    connection.close()
            await asyncio.sleep(_ask.pause(failures))

    async def take_inbox(
        self, name: str, *, max: int = 20, wait: float = 0.0, confirm: bool = True, lease: float = 60.0, join: bool = False, cwd: str | None = None,
    ) -> list[dict[str, Any]]:
        """The messages that wait for an agent, the most urgent first; wait is how many seconds for the first one.

        Who takes them is that agent. Confirm what you have got with done_inbox: what is
        not confirmed within the lease (seconds) is given out again, with "repeat". Until
        then, later messages of the same sender wait. With confirm=False they count as
        got at once. join makes a name known that nobody has.
        """
        options = {"max": max, "confirm": confirm, "lease_ms": round(lease * 1000, 3), "join": join}
        spans = _ask.waits(wait)
        span = next(spans)
        while True:
            answer = await self._within(self._settings.take(name, span, cwd, options), span + _ask.patience(self._timeout))
            try:
                span = spans.send(answer)
            except StopIteration as end:
                messages: list[dict[str, Any]] = end.value
                return messages

    async def done_inbox(self, name: str, messages: Iterable[Mapping[str, Any] | str]) -> list[dict[str, Any]]:
        """Confirm messages that were taken, or their ids. What is given back are those that could not be, each with a reason."""
        request = self._settings.done(name, messages)
        if request is None:
            return []
        answer = await self._within(request, _ask.patience(self._timeout))
        left: list[dict[str, Any]] = answer.get("left", [])
        return left

    async def send_message(
        self,
        to: str | None,
        content: str,
        *,
        sender: str | None = None,
        reply_to: str | None = None,
        thread: str | None = None,
        priority: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        cwd: str | None = None,
    ) -> dict[str, Any]:
        """Send a message to an agent, "#channel" or "*"; to may be None with reply_to. It is on disk when this returns."""
        options = {"reply_to": reply_to, "thread": thread, "priority": priority, "metadata": metadata}
        request = self._settings.message(to, content, sender, cwd, options)
        sent: dict[str, Any] = await self._within(request, _ask.patience(self._timeout))
        return sent

    async def _within(self, request: bytes, seconds: float) -> Any:
        try:
            return await asyncio.wait_for(self._send(request), seconds)
        except (asyncio.TimeoutError, TimeoutError) as late:
            if isinstance(late, Timeout):
                raise
            raise Timeout("hookway did not answer in time; hookway status says whether its daemon hangs") from None

    if TYPE_CHECKING:

        @overload
        def guard_tool(self, function: Callable[P, Awaitable[R]], /) -> Callable[P, Coroutine[Any, Any, R]]: ...
        @overload
        def guard_tool(
            self,
            *,
            name: str | None = None,
            without: tuple[str, ...] = (),
            ask: Callable[[Outcome], bool | Awaitable[bool]] | None = None,
            inject: Callable[[str], object] | None = None,
            session_id: str | None = None,
            cwd: str | None = None,
            timeout: float | None = None,
        ) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Coroutine[Any, Any, R]]]: ...
        def guard_tool(self, *_: Any, **__: Any) -> Any: ...
    else:

        def guard_tool(self, function=None, /, **options):
            """Put hooks around an async tool; see Client.guard_tool. ask and inject may be async, too."""
            if function is None:
                return lambda f: _decorate(self, f, options)
            return _decorate(self, function, options)

    async def close(self) -> None:
        """Close the connections. The client can still be used."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def _send(self, request: bytes) -> Any:
        async with self._slots:
            for tries in range(_ask.TRIES + 1):
                connection = await self._connect()
                try:
                    top, text = await connection.exchange(request, _http.whole())
                except asyncio.TimeoutError:
                    connection.close()
                    raise
                except OSError as broken:  # it ended, or was ended; the next one answers
                    connection.close()
                    if tries < _ask.TRIES:
                        continue
                    raise _ask.unreachable(self._settings.place, broken) from None
                except BaseException:
                    connection.close()
                    raise
                if top.stays:
                    self._idle.append(connection)
                else:
                    connection.close()
                pause = _ask.again(top, tries)
                if pause is None:
                    return _ask.answer(top, text)
                await asyncio.sleep(pause)
        raise HookwayError("unreachable")

    async def _connect(self, fresh: bool = False, start: bool = True) -> _Connection:
        """A connection that was kept, or a new one, to a daemon that is started if there is none."""
        while self._idle and not fresh:
            kept = self._idle.pop()
            if not kept.reader.at_eof() and kept.reader.exception() is None:
                return kept
            kept.close()
        place = self._settings.place
        try:
            return await _open(place, self._tls)
        except OSError as missing:
            if not start or not place.own or not _ask.absent(missing):
                raise _ask.unreachable(place, missing) from None
        await asyncio.get_running_loop().run_in_executor(None, _daemon.start, place.path, time.monotonic() + _ask.START_TIME)
        try:
            return await _open(place, self._tls)
        except OSError as missing:
            raise _ask.unreachable(place, missing) from None


async def _open(place: _daemon.Place, tls: Any) -> _Connection:
    if not place.path:
        return _Connection(*await asyncio.open_connection(place.host, place.port, ssl=tls, limit=_http.MAX_LINE))
    if place.own:
        _daemon.check(place.path)
    connection = _Connection(*await asyncio.open_unix_connection(place.path, limit=_http.MAX_LINE))
    try:
        if place.own:
            _daemon.check_peer(connection.writer.get_extra_info("socket"))
    except BaseException:
        connection.close()
        raise
    return connection


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def exchange(self, request: bytes, reader: Generator[int, bytes, Any]) -> Any:
        """Send a request and read what a reader wants."""
        self.writer.write(request)
        await self.writer.drain()
        return await self.read(reader)

    async def read(self, reader: Generator[int, bytes, Any]) -> Any:
        try:
            wanted = next(reader)
            while True:
                wanted = reader.send(await self.take(wanted))
        except StopIteration as end:
            return end.value

    async def take(self, wanted: int) -> bytes:
        """A line, or so many bytes."""
        try:
            return await (self.reader.readexactly(wanted) if wanted else self.reader.readline())
        except asyncio.IncompleteReadError:
            raise _http.Closed("the connection was closed in the middle of an answer") from None
        except ValueError:
            raise HookwayError("what answers is not hookway: its lines are too long; look at HOOKWAY_URL") from None

    def close(self) -> None:
        self.writer.close()


def _decorate(client: AsyncClient, function: Callable[..., Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    import functools
    import inspect

    from ._guard import Tool, guarded

    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"{getattr(function, '__name__', function)} is not async; guard it with Client")
    tool = Tool(function, options)

    async def do(kind: str, what: Any) -> Any:
        if kind == "sleep":
            return await asyncio.sleep(what)
        if kind == "fire":
            return await client.fire(*what, **tool.fire)
        if kind == "call":
            return await tool.function(*what.args, **what.kwargs)
        done: Any = (tool.ask if kind == "ask" else tool.inject)(what)  # type: ignore[misc]
        return await done if inspect.isawaitable(done) else done

    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        steps = guarded(tool, args, kwargs)
        done: Any = None
        error: Exception | None = None
        while True:
            try:
                kind, what = steps.throw(error) if error is not None else steps.send(done)
            except StopIteration as end:
                return end.value
            done, error = None, None
            try:
                done = await do(kind, what)
            except Exception as raised:
                error = raised

    return wrapper
