"""A client and the daemon."""

import asyncio
import concurrent.futures
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from hookway import AsyncClient, Client, HookwayError, NoDaemon, Refused, Timeout
from hookway._outcome import Outcome, Step
from hookway.types import OutcomeJSON, StepJSON
from tests.world import HOOKWAY, PATIENCE, World

DECIDE = """
@hook("PreToolUse")
def decide(event, ctx):
    return eval(event["tool_input"].get("answer", "None"))
"""


def call(answer="None", **more):
    return {"tool_name": "Bash", "tool_input": {"command": "ls", "answer": answer, **more}}


def until(what):
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > end:
            raise AssertionError("it never came")
        time.sleep(0.005)


class Fire(World):
    def setUp(self):
        super().setUp()
        self.hooks(DECIDE)
        self.config({"id": "decide", "on": "PreToolUse", "command": "./hooks.py", "mode": "worker", "needs": ["PYTHONPATH"], "timeout": "30s"})

    def client(self, **options):
        client = Client(**options)
        self.addCleanup(client.close)
        return client

    def test_every_decision_and_a_daemon_that_is_started(self):
        client = self.client()
        for answer, want in {
            'block("no", user_message="u")': {"action": "block", "reason": "no", "by": "decide", "user_message": "u", "blocked": True},
            "allow()": {"action": "allow"},
            'ask("sure?")': {"action": "ask", "reason": "sure?"},
            "retry(0.5)": {"action": "retry", "retry_delay_ms": 500},
            'answer({"a": [1, None]})': {"action": "answer", "result": {"a": [1, None]}},
            'inject("milk")': {"action": "continue", "inject": "milk"},
            'modify(tool_input={"answer": None, "n": 9007199254740993})': {
                "action": "continue", "payload": {"tool_name": "Bash", "tool_input": {"command": "ls", "n": 9007199254740993}}},
            'skip()': {"action": "continue"},
            "None": {"action": "continue", "blocked": False},
        }.items():
            with self.subTest(answer):
                outcome = client.fire("PreToolUse", call(answer))
                self.assertEqual({k: getattr(outcome, k) for k in want}, want)
                self.assertEqual([s.hook for s in outcome.steps], ["decide"])

    def test_what_an_event_says_of_itself(self):
        self.hooks('@hook("PreToolUse")\ndef h(event, ctx): return inject("|".join([event["session_id"], event["agent"], event["source"], event["cwd"], ctx.metadata["t"]]))')
        client = self.client(session_id="s", agent="a")
        self.assertEqual(client.fire("PreToolUse", call(), metadata={"t": "1"}).inject, f"s|a|python|{os.getcwd()}|1")
        self.assertEqual(client.fire("PreToolUse", call(), session_id="s2", agent="b", source="x", metadata={"t": "2"}).inject, f"s2|b|x|{os.getcwd()}|2")

    def test_hooks_have_the_environment_of_the_agent(self):
        self.hooks('import os\n@hook("PreToolUse")\ndef h(event): return inject(str(os.environ.get("TICKET")))', "once.py")
        self.config({"id": "env", "on": "PreToolUse", "command": "./once.py"})
        os.environ["TICKET"] = "T-1\nź"
        os.environb[b"ODD"] = b"\xff"
        client = self.client()
        self.assertEqual(client.fire("PreToolUse", call()).inject, "T-1\nź")
        self.assertEqual(client.fire("PreToolUse", call(), env={**os.environ, "TICKET": "T-2"}).inject, "T-2")
        os.environ["TICKET"] = "T-3"  # as it is when the event is fired
        self.assertEqual(client.fire("PreToolUse", call()).inject, "T-3")
        self.assertEqual(self.client(env={**os.environ, "TICKET": "T-4"}).fire("PreToolUse", call()).inject, "T-4")

    def test_a_failure_of_a_hook_is_told(self):
        outcome = self.client().fire("PreToolUse", call("1/0"))
        self.assertEqual(outcome.action, "continue")
        self.assertIn("ZeroDivisionError", outcome.steps[0].error)
        self.assertIn("hooks.py:6", outcome.steps[0].error)

    def test_a_dry_run_asks_nobody(self):
        outcome = self.client().fire("PreToolUse", call('block("no")'), dry_run=True)
        self.assertEqual((outcome.action, [s.hook for s in outcome.steps]), ("continue", ["decide"]))

    def test_wrong_requests(self):
        client = self.client()
        for fire, error, text in (
            (lambda: client.fire("PreToolUze"), Refused, "did you mean PreToolUse?"),
            (lambda: client.fire("PreToolUse", {"tool_name": 5}), Refused, "tool_name"),
            (lambda: client.fire("PreToolUse", cwd="nowhere"), Refused, "nowhere"),
            (lambda: client.fire(""), TypeError, "it must be a name"),
            (lambda: client.fire("PreToolUse", [1]), TypeError, "it must be a dict"),
            (lambda: client.fire("PreToolUse", {"tool_name": object()}), TypeError, "cannot be written in JSON"),
            (lambda: client.fire("PreToolUse", {"tool_input": {"x": float("nan")}}), TypeError, "cannot be written in JSON"),
            (lambda: client.fire("PreToolUse", timeout=-1), ValueError, "impossible"),
        ):
            with self.subTest(text), self.assertRaises(error) as raised:
                fire()
            self.assertIn(text, str(raised.exception))

    def test_a_timeout_reaches_the_hook(self):
        told = os.path.join(self.work, "told")
        self.hooks(f'@hook("PreToolUse")\ndef h(event, ctx):\n    if ctx.cancelled.wait(60):\n        open({told!r}, "w").close()')
        with self.assertRaises(Timeout) as raised:
            self.client().fire("PreToolUse", call(), timeout=3)
        self.assertIn("timeout", str(raised.exception))
        self.assertIsInstance(raised.exception, TimeoutError)
        until(lambda: os.path.exists(told))

    def test_1000_from_threads(self):
        client = self.client()

        def one(number):
            return client.fire("PreToolUse", call(f'inject("{number}")')).inject == str(number)

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            self.assertTrue(all(pool.map(one, range(1000))))
        self.assertLessEqual(len(client._idle), 64)

    def test_1000_from_tasks(self):
        async def all_of_them():
            async with AsyncClient() as client:
                outcomes = await asyncio.gather(*(client.fire("PreToolUse", call(f'inject("{n}")')) for n in range(1000)))
                self.assertLessEqual(len(client._idle), 64)
            return [o.inject for o in outcomes]

        self.assertEqual(asyncio.run(all_of_them()), [str(n) for n in range(1000)])

    def test_a_fork_has_connections_of_its_own(self):
        client = self.client()
        self.assertEqual(client.fire("PreToolUse", call('inject("0")')).inject, "0")
        children = []
        for number in range(3):
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    status = int(client.fire("PreToolUse", call(f'inject("{number}")')).inject != str(number))
                finally:
                    os._exit(status)
            children.append(pid)
        self.assertEqual(client.fire("PreToolUse", call('inject("p")')).inject, "p")
        self.assertEqual([os.waitpid(pid, 0)[1] for pid in children], [0, 0, 0])

    def test_a_daemon_that_was_killed_or_stopped_is_replaced(self):
        client = self.client()
        self.assertEqual(client.fire("PreToolUse", call('inject("1")')).inject, "1")
        with open(os.path.join(self.home, "run", "daemon.lock"), encoding="ascii") as f:
            os.kill(int(f.read().split()[0]), signal.SIGKILL)
        self.assertEqual(client.fire("PreToolUse", call('inject("2")')).inject, "2")
        self.stop()
        self.assertEqual(client.fire("PreToolUse", call('inject("3")')).inject, "3")

        async def again():
            async with AsyncClient() as other:
                before = await other.fire("PreToolUse", call('inject("4")'))
                await asyncio.to_thread(self.stop)
                return before.inject, (await other.fire("PreToolUse", call('inject("5")'))).inject

        self.assertEqual(asyncio.run(again()), ("4", "5"))

    def test_many_that_start_the_daemon_start_one(self):
        script = 'from hookway import Client; print(Client().fire("PreToolUse", {"tool_name": "Bash"}).action)'
        many = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) for _ in range(6)]
        self.assertEqual([p.communicate(timeout=PATIENCE)[0] for p in many], [b"continue\n"] * 6)

    def test_a_home_whose_name_is_too_long_for_a_socket(self):
        self.home = os.environ["HOOKWAY_HOME"] = os.path.join(self.work, "x" * 100)
        client = self.client()
        self.addCleanup(shutil.rmtree, os.path.dirname(client._settings.place.path), ignore_errors=True)
        self.addCleanup(subprocess.run, [HOOKWAY, "stop"], capture_output=True)  # before that
        self.assertEqual(client.fire("PreToolUse", call('inject("i")')).inject, "i")
        self.assertIn(client._settings.place.path, self.hookway("status"))

    def test_no_daemon(self):
        with self.assertRaisesRegex(NoDaemon, "set HOOKWAY_BIN"):
            os.environ["HOOKWAY_BIN"] = "/nonexistent/hookway"
            self.client().fire("PreToolUse")
        os.environ["PATH"] = "/nonexistent"
        del os.environ["HOOKWAY_BIN"]
        os.unlink(os.path.join(self.home, "run", "start.lock"))
        self.write("hookway", "#!/bin/sh\ntouch started\n")
        os.chmod("hookway", 0o755)
        os.environ["PATH"] = ":.:/nonexistent"  # what lies in the folder of the agent is not hookway
        with self.assertRaisesRegex(NoDaemon, "not on PATH"):
            self.client().fire("PreToolUse")
        os.chmod(os.path.join(self.home, "run"), 0o755)
        with self.assertRaisesRegex(NoDaemon, "chmod 700"):
            self.client().fire("PreToolUse")

    def test_a_program_that_is_no_daemon(self):
        os.environ["HOOKWAY_BIN"] = self.write("bad.py", "#!/bin/sh\nexit 1\n")
        client = self.client()
        with self.assertRaisesRegex(NoDaemon, "ended before it took calls"):
            client.fire("PreToolUse")
        with self.assertRaisesRegex(NoDaemon, "a moment ago"):
            client.fire("PreToolUse")

    def test_watch(self):
        client, seen = self.client(), []
        with client.watch(session="s-1").open() as watch:
            for number, session in enumerate(["s-0", "s-1", "s-1"]):
                client.fire("PreToolUse", call(f'block("{number}")'), session_id=session)
            seen = [next(watch)["reason"], next(watch)["reason"]]
            self.assertEqual(seen, ["1", "2"])
            self.stop()  # the next daemon goes on where it was
            client.fire("PreToolUse", call('block("3")'), session_id="s-1")
            self.assertEqual(next(watch)["reason"], "3")
            ender = threading.Timer(0.05, watch.close)
            ender.start()
            self.assertEqual(list(watch), [])
            ender.join()

    def test_watch_hooks(self):
        client = self.client()
        with client.watch(session="s-1", hooks=True).open() as watch:
            client.fire("PreToolUse", call('block("no")'), session_id="s-1")
            seen = [next(watch) for _ in range(3)]
        self.assertEqual(sorted(one.get("type", "") for one in seen), ["", "hook:completed", "hook:started"])

    def test_watch_from_asyncio(self):
        async def body():
            async with AsyncClient() as client:
                await client.fire("PreToolUse", call(), session_id="first")
                got = []

                async def look():
                    async with contextlib.aclosing(client.watch(event="PreToolUse")) as records:
                        async for record in records:
                            got.append(record["reason"])
                            if record["reason"] == "last":
                                return

                task = asyncio.create_task(look())
                while not task.done():  # until it is connected, and sees one
                    await client.fire("PreToolUse", call('block("last")'))
                await task
                return got

        self.assertEqual(asyncio.run(body()), ["last"])

    def test_watching_nothing(self):
        with self.assertRaisesRegex(Refused, "absolute"):
            next(self.client().watch(cwd="here"))


class Doors(World):
    """hookway serve --listen, with a token."""

    def test_over_tcp(self):
        server = subprocess.Popen([HOOKWAY, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait, PATIENCE)
        self.addCleanup(server.terminate)
        url = ""
        for line in server.stderr:
            words = [w.strip(",;") for w in line.split() if "127.0.0.1:" in w]
            if words:
                url = "http://" + words[0].removeprefix("http://")
                break
        self.assertTrue(url)
        with open(os.path.join(self.home, "state", "token"), encoding="ascii") as f:
            os.environ.update(HOOKWAY_URL=url, HOOKWAY_TOKEN=f.read().strip())
        with Client() as client:
            self.assertEqual(client.fire("PreToolUse", call()).action, "continue")

        async def body():
            async with AsyncClient() as other:
                return (await other.fire("PreToolUse", call())).action

        self.assertEqual(asyncio.run(body()), "continue")
        with self.assertRaisesRegex(Refused, "HOOKWAY_TOKEN"):
            with Client(token="wrong") as client:
                client.fire("PreToolUse")

    def test_addresses_that_cannot_be(self):
        for url, text in {
            "127.0.0.1:8787": "write it like", "ftp://x": "write it like", "http://h:99999": "HOOKWAY_URL", "http://h/path": "write it like",
            "http://127.0.0.1:1": "HOOKWAY_TOKEN", "unix://x": "write it like",
        }.items():
            with self.subTest(url), self.assertRaisesRegex(HookwayError, text):
                Client(url)
        with self.assertRaisesRegex(NoDaemon, "cannot be reached"):
            Client("http://127.0.0.1:1", "t").fire("PreToolUse")
        with self.assertRaisesRegex(NoDaemon, "nothing can be reached"):
            Client(f"unix://{self.work}/none.sock").fire("PreToolUse")
        with self.assertRaisesRegex(HookwayError, "characters"):
            Client("http://127.0.0.1:1", "a\r\nb").fire("PreToolUse")


    def test_a_system_without_unix_sockets(self):
        self.addCleanup(setattr, socket, "AF_UNIX", socket.AF_UNIX)
        del socket.AF_UNIX
        for url in (None, "unix:///run/x.sock"):
            with self.assertRaisesRegex(NoDaemon, "set HOOKWAY_URL=http://127.0.0.1:8787 and HOOKWAY_TOKEN"):
                Client(url)

    def test_a_unix_socket_by_its_path(self):
        with Client() as own:
            own.fire("Idle")
            with Client(f"unix://{own._settings.place.path}") as client:
                self.assertEqual(client.fire("Idle").action, "continue")


class Shape(World):
    def test_an_outcome_has_what_the_schema_has(self):
        self.assertEqual(set(Outcome.__dataclass_fields__), OutcomeJSON.__required_keys__ | OutcomeJSON.__optional_keys__)
        self.assertEqual(set(Step.__dataclass_fields__), StepJSON.__required_keys__ | StepJSON.__optional_keys__)
