"""The little of HTTP/1.1 that is needed, without a socket: for threads and for asyncio alike.

A reader is a generator. It yields what it needs, a number of bytes or 0 for a
line, and is sent them; what it has for its caller, it yields as bytes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple, Union

from ._errors import HookwayError, Refused, Timeout

Reader = Generator[Union[int, bytes], bytes, Any]

MAX_LINE = 64 << 10
MAX_BODY = 80 << 20  # hookway's own limit is 64 MiB, and an answer says more than the payload


class Closed(ConnectionError):
    """The other side closed the connection."""


class Head(NamedTuple):
    status: int
    headers: dict[str, str]

    @property
    def stays(self) -> bool:
        """Whether the connection may be used again."""
        return self.headers.get("connection", "").lower() != "close"


def request(method: str, path: str, host: str, token: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """A request as it goes over a connection."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in headers.items())]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    text = "\r\n".join(lines)
    if any(ord(c) < 32 and c not in "\r\n" or ord(c) > 126 for c in text) or text.count("\n") != len(lines) - 1:
        raise HookwayError("the address or the token has characters that no header may have; look at HOOKWAY_URL and HOOKWAY_TOKEN")
    return (text + "\r\n\r\n").encode("ascii") + (body or b"")


def head() -> Generator[int, bytes, Head]:
    """Read a response up to its body."""
    while True:
        line = yield 0
        if not line:
            raise Closed("the connection was closed without an answer")
        version, _, rest = line.decode("latin-1").strip().partition(" ")
        if line.startswith(b"HKWY"):
            raise HookwayError("the hookway that runs is too old for this package: install a newer one, then run hookway stop")
        if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
            raise HookwayError(f"what answers is not hookway, but says {line[:60]!r}; look at HOOKWAY_URL")
        headers = {}
        for _ in range(200):
            line = yield 0
            if not line.strip():
                break
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        else:
            raise HookwayError("what answers is not hookway: it has too many headers; look at HOOKWAY_URL")
        if not line:
            raise Closed("the connection was closed in the middle of an answer")
        if int(rest[:3]) >= 200:
            return Head(int(rest[:3]), headers)


def body(of: Head) -> Reader:
    """Read a body, part by part."""
    left = MAX_BODY
    if of.headers.get("transfer-encoding", "").lower() == "chunked":
        while True:
            size = _size((yield 0).partition(b";")[0].strip(), 16)
            left -= size
            if left < 0:
                raise HookwayError("hookway's answer is too long")
            if size == 0:
                while (yield 0).strip():
                    pass
                return
            yield (yield size)
            yield 0  # the end of the line
    size = _size(of.headers.get("content-length", "0").encode(), 10)
    if size > left:
        raise HookwayError("hookway's answer is too long")
    if size:
        yield (yield size)


def stream(of: Head) -> Reader:
    """Read a body that does not end."""
    while True:
        size = _size((yield 0).partition(b";")[0].strip(), 16)
        if not 0 < size <= MAX_BODY:
            raise Closed("the stream ended")
        yield (yield size)
        yield 0


def _size(text: bytes, base: int) -> int:
    try:
        size = int(text, base)
    except ValueError:
        size = -1
    if size < 0:
        raise Closed("the connection was closed in the middle of an answer")
    return size


def whole() -> Generator[int, bytes, tuple[Head, bytes]]:
    """Read a whole response."""
    top = yield from head()
    return top, (yield from rest(top))


def rest(of: Head) -> Generator[int, bytes, bytes]:
    """Read a whole body."""
    parts: list[bytes] = []
    reader = body(of)
    try:
        wanted = next(reader)
        while True:
            if isinstance(wanted, int):
                wanted = reader.send((yield wanted))
            else:
                parts.append(wanted)
                wanted = next(reader)
    except StopIteration:
        return b"".join(parts)


def problem(status: int, text: bytes) -> HookwayError:
    """The error that a response is."""
    from ._json import loads

    try:
        said = loads(text)
        kind, detail = str(said["type"]).rpartition(":")[2], str(said["detail"])
    except (ValueError, KeyError, TypeError):
        return Refused(status, "", f"hookway answered {status}: {text[:200].decode('utf-8', 'replace')!r}; look at HOOKWAY_URL")
    if kind == "hooks-took-long":
        return Timeout(detail)
    if kind == "no-token":
        detail += "; this package takes the token from HOOKWAY_TOKEN"
    return Refused(status, kind, detail, str(said.get("field") or ""))


class Events:
    """Server-sent events, from the parts of a stream."""

    def __init__(self) -> None:
        self.rest = b""
        self.kind, self.id, self.data = "", "", [""][:0]

    def feed(self, part: bytes) -> list[tuple[str, str, str]]:
        """Take a part, and give the events that it completes: kind, id, data."""
        out = []
        lines = (self.rest + part).split(b"\n")
        self.rest = lines.pop()
        for raw in lines:
            line = raw.rstrip(b"\r").decode("utf-8", "replace")
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if not line:
                if self.data:
                    out.append((self.kind or "message", self.id, "\n".join(self.data)))
                self.kind, self.data = "", []
            elif name == "event":
                self.kind = value
            elif name == "id":
                self.id = value
            elif name == "data":
                self.data.append(value)
        return out
