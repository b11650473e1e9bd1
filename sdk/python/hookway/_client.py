"""A client for agents: it fires events, and keeps connections open between them."""

from __future__ import annotations

import os
import socket
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _ask, _daemon, _http
from ._errors import HookwayError, NoDaemon, Timeout
from ._outcome import Outcome, read

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")
R = TypeVar("R")


_clients: weakref.WeakSet[Client] = weakref.WeakSet()


def _forked() -> None:
    """The connections are those of the parent, who may be using them."""
    for client in list(_clients):
        for connection in client._idle:
            connection.close()  # the parent's stay open
        client._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Client:
    """Fires events at the hooks of this user, from any number of threads.

    It starts hookway's daemon when none runs. HOOKWAY_URL and HOOKWAY_TOKEN, or
    url and token, name another place. session_id, agent, source and cwd are what
    each event has that does not say otherwise; cwd is else the current folder. env
    is what hooks find in their environment; it is else that of this process at each event.
    """

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
        self._begin()
        _clients.add(self)
        self._tls = _ask.tls() if place.tls else None

    def _begin(self) -> None:
        """No connections, and all slots free: a new client, or its copy in a process that was forked."""
        self._slots = threading.BoundedSemaphore(_ask.MOST)
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []

    def fire(
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
        return read(self._send(request, time.monotonic() + wait + _ask.GRACE))

    def watch(
        self, *, session: str | None = None, event: str | None = None, cwd: str | None = None, hooks: bool = False, on_missed: Callable[[int], None] | None = None,
    ) -> Watch:
        """What hooks decide, as it happens: an iterator of records, as hookway log --json prints them. It ends when it is closed.

        With hooks=True, or an event such as "hook:error", what happens to hooks comes too: it has a "type", as "hook:completed".
        """
        return Watch(self, {"session": session, "event": event, "cwd": cwd, "hooks": "true" if hooks else None}, on_missed)

    def take_inbox(
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
            answer = self._send(self._settings.take(name, span, cwd, options), time.monotonic() + span + _ask.patience(self._timeout))
            try:
                span = spans.send(answer)
            except StopIteration as end:
                messages: list[dict[str, Any]] = end.value
                return messages

    def done_inbox(self, name: str, messages: Iterable[Mapping[str, Any] | str]) -> list[dict[str, Any]]:
        """Confirm messages that were taken, or their ids. What is given back are those that could not be, each with a reason."""
        request = self._settings.done(name, messages)
        if request is None:
            return []
        answer = self._send(request, time.monotonic() + _ask.patience(self._timeout))
        left: list[dict[str, Any]] = answer.get("left", [])
        return left

    def send_message(
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
        sent: dict[str, Any] = self._send(request, time.monotonic() + _ask.patience(self._timeout))
        return sent

    if TYPE_CHECKING:

        @overload
        def guard_tool(self, function: Callable[P, R], /) -> Callable[P, R]: ...
        @overload
        def guard_tool(
            self,
            *,
            name: str | None = None,
            without: tuple[str, ...] = (),
            ask: Callable[[Outcome], bool] | None = None,
            inject: Callable[[str], object] | None = None,
            session_id: str | None = None,
            cwd: str | None = None,
            timeout: float | None = None,
        ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
        def guard_tool(self, *_: Any, **__: Any) -> Any: ...
    else:

        def guard_tool(self, function=None, /, **options):
            """Put hooks around a tool: PreToolUse before it runs, PostToolUse after it.

            Hooks may change its arguments and its result, answer in its place, have it
            tried again, and refuse it: that is a Blocked, whose text is for the agent.
            name is the tool's name, else the function's. without names arguments that
            hooks are not told of. ask asks the user, given the outcome; without it, an
            ask is a block. inject is given text for the agent; without it, the text is
            added to a result that is text.
            """
            from ._guard import decorate

            if function is None:
                return lambda f: decorate(self, f, options)
            return decorate(self, function, options)

    def close(self) -> None:
        """Close the connections. The client can still be used."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _send(self, request: bytes, deadline: float) -> Any:
        """Send a request, again if need be, and give what was answered."""
        try:
            if not self._slots.acquire(timeout=_ask.left(deadline)):
                _ask.left(0)
            try:
                return self._answer(request, deadline)
            finally:
                self._slots.release()
        except TimeoutError as late:
            if isinstance(late, Timeout):
                raise
            raise Timeout("hookway did not answer in time; hookway status says whether its daemon hangs") from None

    def _answer(self, request: bytes, deadline: float) -> Any:
        for tries in range(_ask.TRIES + 1):
            connection = self._connect(deadline)
            try:
                top, text = connection.exchange(request, _http.whole(), deadline)
            except TimeoutError:
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
                self._keep(connection)
            else:
                connection.close()
            pause = _ask.again(top, tries)
            if pause is None:
                return _ask.answer(top, text)
            time.sleep(min(pause, _ask.left(deadline)))
        raise HookwayError("unreachable")

    def _connect(self, deadline: float, fresh: bool = False, start: bool = True) -> _Connection:
        """A connection that was kept, or a new one, to a daemon that is started if there is none."""
        while not fresh:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                break
            if not _ask.is_dead(kept.socket):
                return kept
            kept.close()
        place = self._settings.place
        try:
            return _Connection(place, self._tls, _ask.left(deadline))
        except TimeoutError:
            raise
        except OSError as missing:
            if not start or not place.own or not _ask.absent(missing):
                raise _ask.unreachable(place, missing) from None
        _daemon.start(place.path, min(deadline, time.monotonic() + _ask.START_TIME))
        try:
            return _Connection(place, self._tls, _ask.left(deadline))
        except TimeoutError:
            raise
        except OSError as missing:
            raise _ask.unreachable(place, missing) from None

    def _keep(self, connection: _Connection) -> None:
        with self._lock:
            self._idle.append(connection)


class _Connection:
    """One connection. It may be used by one thread at a time."""

    def __init__(self, place: _daemon.Place, tls: Any, timeout: float) -> None:
        if place.path:
            if place.own:
                _daemon.check(place.path)
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.settimeout(timeout)
                self.socket.connect(place.path)
                if place.own:
                    _daemon.check_peer(self.socket)
            except BaseException:
                self.socket.close()
                raise
        else:
            self.socket = socket.create_connection((place.host, place.port), timeout)
            try:
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if tls is not None:
                    self.socket = tls.wrap_socket(self.socket, server_hostname=place.host)
            except BaseException:
                self.socket.close()
                raise
        self.file = self.socket.makefile("rb", 1 << 16)

    def exchange(self, request: bytes, reader: Generator[int, bytes, Any], deadline: float) -> Any:
        """Send a request and read what a reader wants."""
        self.socket.settimeout(_ask.left(deadline))
        self.socket.sendall(request)
        return self.read(reader, deadline)

    def read(self, reader: Generator[int, bytes, Any], deadline: float | None) -> Any:
        try:
            wanted = next(reader)
            while True:
                if deadline is not None:
                    self.socket.settimeout(_ask.left(deadline))
                wanted = reader.send(self.take(wanted))
        except StopIteration as end:
            return end.value

    def take(self, wanted: int) -> bytes:
        """A line, or so many bytes."""
        data = self.file.read(wanted) if wanted else self.file.readline(_http.MAX_LINE)
        if wanted and len(data) < wanted:
            raise _http.Closed("the connection was closed in the middle of an answer")
        return data

    def close(self) -> None:
        try:
            self.file.close()
        finally:
            self.socket.close()


# After how much silence a stream counts as broken; hookway says something each 15 s.
_SILENCE = 45.0


class Watch(Iterator["dict[str, Any]"]):
    """What hooks decide, as it happens. close() may be called from another thread, and ends it."""

    def __init__(self, client: Client, filters: dict[str, str | None], on_missed: Callable[[int], None] | None) -> None:
        self._client = client
        self._filters = filters
        self._on_missed = on_missed or missed
        self._last = ""
        self._closed = threading.Event()
        self._connection: _Connection | None = None
        self._opened = False
        self._records = self._all()

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> dict[str, Any]:
        return next(self._records)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def open(self) -> Watch:
        """Connect now, so that nothing that happens from here on is missed. Iterating does so too."""
        if self._connection is None and not self._closed.is_set():
            self._stream = self._open()
        return self

    def close(self) -> None:
        """End it."""
        self._closed.set()
        connection = self._connection
        if connection is not None:
            try:
                connection.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def _open(self) -> Generator[int | bytes, bytes, Any]:
        deadline = time.monotonic() + _ask.START_TIME + _ask.GRACE
        connection = self._client._connect(deadline, fresh=True, start=not self._opened)
        try:
            top = connection.exchange(self._client._settings.watch(self._filters, self._last), _http.head(), deadline)
            if top.status != 200:
                raise _http.problem(top.status, connection.read(_http.rest(top), deadline))
            connection.socket.settimeout(_SILENCE)
        except BaseException:
            connection.close()
            raise
        self._connection, self._opened = connection, True
        if self._closed.is_set():  # in this very moment
            raise _http.Closed("the stream was closed")
        return _http.stream(top)

    def _all(self) -> Iterator[dict[str, Any]]:
        failures = 0
        while not self._closed.is_set():
            try:
                self.open()
                failures = 0
                yield from self._records_of(self._stream)
            except (OSError, NoDaemon) as broken:  # whoever ended the daemon may not want another one: it is waited for
                failures += 1
                own = self._client._settings.place.own and self._opened
                if not own and not self._closed.is_set() and failures > _ask.TRIES:
                    raise broken if isinstance(broken, HookwayError) else _ask.unreachable(self._client._settings.place, broken)
            finally:
                connection, self._connection = self._connection, None
                if connection is not None:
                    connection.close()
            self._closed.wait(_ask.pause(failures))

    def _records_of(self, stream: Generator[int | bytes, bytes, Any]) -> Iterator[dict[str, Any]]:
        events, connection = _http.Events(), self._connection
        assert connection is not None
        wanted = next(stream)
        while True:
            if isinstance(wanted, int):
                wanted = stream.send(connection.take(wanted))
                continue
            for kind, number, data in events.feed(wanted):
                self._last = number or self._last
                record = record_of(kind, data, self._on_missed)
                if record is not None:
                    yield record
            wanted = next(stream)


def record_of(kind: str, data: str, on_missed: Callable[[int], None]) -> dict[str, Any] | None:
    """The record that a server-sent event has, if it has one."""
    from ._json import loads

    try:
        value = loads(data)
        if (kind == "outcome" or kind.startswith("hook:")) and isinstance(value, dict):
            return value
        if kind == "missed":
            on_missed(int(value["count"]))
    except (ValueError, KeyError, TypeError) as wrong:
        raise HookwayError(f"hookway's stream has a record that cannot be read ({wrong}); is the hookway that runs newer than this package?") from None
    return None


def missed(count: int) -> None:
    """What is done about records that came faster than they were taken, if nobody says otherwise."""
    warnings.warn(f"{count} records came faster than watch() was read, and were left out; hookway log has them", stacklevel=2)
