"""What may come over a connection, from hookway or from something else."""

import asyncio
import socket
import threading
import unittest

from hookway import AsyncClient, Client, HookwayError, NoDaemon, Timeout, _ask, _http
from hookway._json import dumps, loads
from hookway._glob import names

OUTCOME = (
    b'{"event":"PreToolUse","action":"continue","reason":"","by":"","payload":{},"inject":"","result":null,"retry_delay_ms":0,"steps":[],"newer":1}'
)


class Server:
    """A server that says the same to everybody, part by part, and may close."""

    def __init__(self, *parts, close=True):
        self.parts, self.stays = parts, not close
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.calls = 0
        self.open = []
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.calls += 1
            connection.recv(1 << 20)
            try:
                for part in self.parts:
                    connection.sendall(part)
            except OSError:
                pass
            if self.stays:
                self.open.append(connection)
            else:
                connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for connection in self.open:
            connection.close()


class Odd(unittest.TestCase):
    def both(self, server, **options):
        """Fire with either client."""
        with Client(server.url, "token") as client:
            yield lambda: client.fire("PreToolUse", **options)

        async def body():
            async with AsyncClient(server.url, "token") as client:
                return await client.fire("PreToolUse", **options)

        yield lambda: asyncio.run(body())

    def test_bodies(self):
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x;x=y\r\n%b\r\n%x\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" % (10, OUTCOME[:10], len(OUTCOME) - 10, OUTCOME[10:])
        plain = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(OUTCOME), OUTCOME)
        for text in (chunked, plain):
            with Server(*(text[i : i + 1] for i in range(len(text)))) as server:
                for fire in self.both(server):
                    self.assertEqual(fire().action, "continue")

    def test_answers_that_are_none(self):
        for text, error, said in (
            (b"", NoDaemon, "closed without an answer"),
            (b"HTTP/1.1 200 OK\r\nContent-Len", NoDaemon, "in the middle"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", NoDaemon, "in the middle"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", NoDaemon, "in the middle"),
            (b"SSH-2.0-x\r\n", HookwayError, "is not hookway"),
            (b"HKWY\x00\x01\n", HookwayError, "too old"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", HookwayError, "too long"),
            (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 300 + b"\r\n", HookwayError, "too many headers"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", HookwayError, "not an outcome"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", HookwayError, "not an outcome"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{", HookwayError, "not JSON"),
            (b"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc", HookwayError, "answered 404"),
        ):
            with Server(text) as server:
                for fire in self.both(server):
                    with self.subTest(text[:60]), self.assertRaisesRegex(error, said):
                        fire()

    def test_a_server_that_says_nothing(self):
        self.addCleanup(setattr, _ask, "GRACE", _ask.GRACE)
        _ask.GRACE = 0.1
        with Server(b"HTTP/1.1 200 OK\r\n", close=False) as server:
            for fire in self.both(server, timeout=0.1):
                with self.assertRaisesRegex(Timeout, "did not answer in time"):
                    fire()

    def test_one_that_is_busy_is_asked_again(self):
        busy = b'HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: %d\r\n\r\n%b'
        problem = b'{"type":"urn:hookway:problem:busy","title":"t","status":503,"detail":"too much to do"}'
        with Server(busy % (len(problem), problem)) as server:
            with Client(server.url, "t") as client, self.assertRaisesRegex(HookwayError, "too much to do"):
                client.fire("PreToolUse")
            self.assertEqual(server.calls, 6)

    def test_server_sent_events(self):
        events = _http.Events()
        text = b": beat\n\nretry: 5\r\n\r\nevent: outcome\r\nid: 7\r\ndata: {\ndata:}\n\ndata: x\n\n"
        got = [e for i in range(len(text)) for e in events.feed(text[i : i + 1])]
        self.assertEqual(got, [("outcome", "7", "{\n}"), ("message", "7", "x")])


class Parts(unittest.TestCase):
    def test_numbers(self):
        text = b'[0.1,1e2,-0.0,1.10,123456789012345678901234567890,{"a":0.1000000000000000055}]'
        self.assertEqual(dumps(loads(text)), text)
        value = loads(text)
        self.assertEqual(value[1] + 1, 101.0)
        self.assertIs(type(value[0]), float)
        many = loads(b"[" + b",".join(b"%d.10" % n for n in range(20000)) + b"]")
        self.assertEqual(loads(dumps(many)), many)  # in no more time than it has digits

    def test_globs(self):
        for patterns, yes, no in (
            (["Bash"], ["Bash"], ["bash", "BashOutput", ""]), (["mcp__*"], ["mcp__a/b", "mcp__"], ["mcp_"]), (["?d*"], ["Ed", "ad\nb"], ["d"]),
            (["{Read,{Edit,Write}}X"], ["ReadX", "WriteX"], ["X", "Read"]), (["[a-c]x", "[^a]y"], ["bx", "by"], ["dx", "ay"]), (["\\*"], ["*"], ["a"]), (["a.b"], ["a.b"], ["axb"]),
        ):
            test = names(patterns)
            self.assertEqual(([n for n in yes if not test(n)], [n for n in no if test(n)]), ([], []), patterns)
        for bad in ("!x", "{a", "a}*", "[a", "a\\"):
            self.assertRaises(ValueError, names, [bad])
