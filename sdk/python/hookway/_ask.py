"""What a client asks hookway: the same for threads and for asyncio."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Generator, Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from . import _http
from ._daemon import Place
from ._errors import HookwayError, NoDaemon
from ._json import dumps, loads

# How long one event may take, if nobody says otherwise: longer than any hook.
DEFAULT_TIMEOUT = 600.0
# How long a daemon may take to start, and hookway to answer beyond the time that it was given.
START_TIME = 15.0
GRACE = 5.0
# How long hookway waits for messages at most; a longer wait is asked for again.
MOST_WAIT = 60.0
# Connections at a time; further calls wait for one.
MOST = 64
# How often one request is sent: connections break, and daemons end.
TRIES = 5


def patience(timeout: float | None) -> float:
    """How long to wait for an answer for which hooks are asked."""
    return (DEFAULT_TIMEOUT if timeout is None else timeout) + GRACE


class Settings:
    """What all events of a client have in common."""

    def __init__(self, place: Place, defaults: dict[str, Any], env: Mapping[str, str] | None) -> None:
        self.place = place
        self.defaults = {k: v for k, v in defaults.items() if v is not None}
        self.env = None if env is None else dict(env)
        self.prefix = f"{os.getpid():x}.{os.urandom(9).hex()}"
        self.count = 0

    def fire(self, event: str, payload: Mapping[str, Any] | None, timeout: float | None, options: dict[str, Any]) -> tuple[bytes, float]:
        """The request for one event, and how long to wait for the answer."""
        if not isinstance(event, str) or not event:
            raise TypeError(f'the event is {event!r}; it must be a name, as in fire("PreToolUse", {{…}})')
        message = {**self.defaults, **{k: v for k, v in options.items() if v is not None}}
        env = message.pop("env", self.env)
        message.setdefault("cwd", os.getcwd())
        message["event"] = event
        if payload is not None:
            if not isinstance(payload, Mapping):
                raise TypeError(f"the payload is a {type(payload).__name__}; it must be a dict")
            message["payload"] = dict(payload)
        wait = DEFAULT_TIMEOUT if timeout is None else timeout
        if not 0 < wait < 1e8:
            raise ValueError(f"a timeout of {timeout!r} s is impossible")
        message["timeout_ms"] = round(wait * 1000, 3)
        message["env"] = _environment(self.place) if env is None else dict(env)
        try:
            body = dumps(message)
        except (TypeError, ValueError, RecursionError) as wrong:
            raise TypeError(f"the payload of {event} cannot be written in JSON: {wrong}") from None
        self.count += 1  # two threads may take one number: the random part of the key is not all there is
        key = f"{self.prefix}.{self.count}.{os.urandom(4).hex()}"
        return self.request("POST", "/v1/events", {"Idempotency-Key": key}, body), wait

    def watch(self, filters: dict[str, str | None], last: str) -> bytes:
        """The request for a stream of records, after the last that was seen."""
        query = urlencode({k: v for k, v in filters.items() if v})
        headers = {"Accept": "text/event-stream"}
        if last:
            headers["Last-Event-ID"] = last
        return self.request("GET", "/v1/watch" + ("?" + query if query else ""), headers, None)

    def take(self, name: str, wait: float, cwd: str | None, options: dict[str, Any]) -> bytes:
        """The request for what waits for an agent."""
        body = {**options, "wait_ms": round(wait * 1000, 3), "cwd": self.folder(cwd)}
        return self.post(_inbox(name, "take"), body)

    def done(self, name: str, messages: Iterable[Mapping[str, Any] | str]) -> bytes | None:
        """The request that confirms messages; None if there are none."""
        ids = [m if isinstance(m, str) else m["id"] for m in messages]
        return self.post(_inbox(name, "done"), {"ids": ids}) if ids else None

    def message(self, to: str | None, content: str, sender: str | None, cwd: str | None, options: dict[str, Any]) -> bytes:
        """The request to send a message. Its id makes it one, however often it is sent."""
        body = {"id": os.urandom(16).hex(), **{k: v for k, v in options.items() if v is not None}, "content": content}
        return self.post("/v1/messages", {**body, "to": to, "from": sender or self.defaults.get("agent"), "cwd": self.folder(cwd)})

    def folder(self, cwd: str | None) -> str | None:
        """The folder whose hooks see messages; another machine has none of ours."""
        return cwd or self.defaults.get("cwd") or (os.getcwd() if self.place.own else None)

    def post(self, path: str, message: dict[str, Any]) -> bytes:
        try:
            body = dumps({k: v for k, v in message.items() if v is not None})
        except (TypeError, ValueError, RecursionError) as wrong:
            raise TypeError(f"it cannot be written in JSON: {wrong}") from None
        return self.request("POST", path, {}, body)

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
        host = self.place.host
        if self.place.port:
            host = f"[{host}]:{self.place.port}" if ":" in host else f"{host}:{self.place.port}"
        return _http.request(method, path, host, self.place.token, headers, body)


def _inbox(name: str, what: str) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"the agent is {name!r}; it must be a name")
    return f"/v1/inbox/{quote(name, safe='')}/{what}"


def waits(wait: float) -> Generator[float, Any, Any]:
    """The spans in which messages are waited for, until there are some. It is sent what was answered."""
    if not 0 <= wait < 1e8:
        raise ValueError(f"to wait for {wait!r} s is impossible")
    end = time.monotonic() + wait
    while True:
        span = min(end - time.monotonic(), MOST_WAIT)
        answer = yield span if span > 0 else 0.0
        if answer["messages"] or span <= 0 or time.monotonic() >= end:
            return answer["messages"]


def _environment(place: Place) -> dict[str, str]:
    """What hooks find in their environment: on this machine, all that the agent has."""
    names = ("HOOKWAY_SESSION", "HOOKWAY_AGENT", "HOOKWAY_DEPTH")
    if not place.own:
        return {k: os.environ[k] for k in names if k in os.environ}
    out = {}
    for name, value in os.environ.items():
        try:
            (name + value).encode()
        except UnicodeEncodeError:
            continue  # bytes that are not text, which JSON cannot carry
        if name not in ("HOOKWAY_TOKEN", "HOOKWAY_READY_FD"):
            out[name] = value
    return out


def answer(top: _http.Head, text: bytes) -> Any:
    """What a response says; a problem is raised."""
    if top.status != 200:
        raise _http.problem(top.status, text)
    try:
        return loads(text)
    except (ValueError, RecursionError) as wrong:
        raise HookwayError(f"hookway's answer is not JSON: {wrong}") from None


def again(top: _http.Head, tries: int) -> float | None:
    """How long to wait before a request is sent again that was not taken; None is not at all."""
    if top.status != 503 or "retry-after" not in top.headers or tries >= TRIES:
        return None
    return pause(tries)


def pause(failures: int) -> float:
    """How long to wait before a stream is opened again."""
    return min(0.05 * float(2**failures), 1.0)


def unreachable(place: Place, why: BaseException) -> NoDaemon:
    if place.own:
        text = f"hookway's daemon at {place} cannot be reached: {why}; hookway status and hookway doctor find out why"
    elif place.path:
        text = f"nothing can be reached at {place}: {why}; is hookway serve running, and HOOKWAY_URL right?"
    else:
        text = f"{place} cannot be reached: {why}; run hookway serve --listen {place.host}:{place.port}, or set HOOKWAY_URL to where it listens"
    error = NoDaemon(text)
    error.__cause__ = why
    return error


def absent(error: BaseException) -> bool:
    """Whether no daemon is there."""
    return isinstance(error, (FileNotFoundError, ConnectionRefusedError))


def left(deadline: float) -> float:
    """The seconds until a moment; none are a TimeoutError."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("there was no answer in time")
    return seconds


def tls() -> Any:
    import ssl

    return ssl.create_default_context()


def is_dead(connection: socket.socket) -> bool:
    """Whether the other side has closed a connection that nothing is awaited from."""
    import select

    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([connection], [], [], 0)[0])
