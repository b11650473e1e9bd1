"""A file of hooks as a worker."""

import json
import os
import subprocess
import sys
import threading

from tests.world import PATIENCE, World, tool


class Worker(World):
    def start(self, body):
        process = subprocess.Popen(
            [sys.executable, self.hooks(body)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "HOOK_ACTION": "execute", "HOOKWAY_WORKER": "1"},
        )
        watch = threading.Timer(PATIENCE, process.kill)  # so that an answer which never comes is a failure
        watch.start()
        self.addCleanup(watch.cancel)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise

    @staticmethod
    def send(process, *messages):
        for message in messages:
            process.stdin.write(message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()

    def ask(self, process, number, event):
        self.send(process, {"id": number, "method": "hook", "params": event})

    @staticmethod
    def read(process):
        return json.loads(process.stdout.readline())

    def test_many_events_and_mistakes_between_them(self):
        process = self.start('''
import sys
print("loading")
@hook("PreToolUse")
def h(event, ctx):
    print("asked")
    command = event["tool_input"]["command"]
    if command == "raise":
        raise ValueError("bad")
    if command == "exit":
        sys.exit(int(event["tool_input"]["status"]))
    return eval(command)
''')
        for number, (command, want) in enumerate({
            'block("no")': {"action": "block", "reason": "no"}, "None": {}, "raise": "hooks.py:11: ValueError: bad", "True": "it returned True (bool)",
            'answer(float("inf"))': "cannot be written in JSON", "ctx.worker and inject(ctx.session_id)": {"inject": "s-1"},
        }.items(), start=7):
            with self.subTest(command):
                self.ask(process, number, tool(command))
                got = self.read(process)
                self.assertEqual((got["id"], got["jsonrpc"]), (number, "2.0"))
                self.assertIn(want, got["error"]["message"]) if isinstance(want, str) else self.assertEqual(got["result"], want)
        for status, want in {0: {}, 2: {"action": "block"}, 3: None}.items():
            event = tool("exit")
            event["tool_input"]["status"] = status
            self.ask(process, 20 + status, event)
            self.assertEqual(self.read(process).get("result"), want)
        self.ask(process, 30, {**tool(), "hook_event_name": "Idle"})
        self.assertIn("no hook of this file is for Idle", self.read(process)["error"]["message"])

    def test_lines_that_are_no_requests(self):
        process = self.start('@hook("PreToolUse")\ndef h(event): return allow()')
        self.send(process, b"no JSON\n", b"[]\n", b"\n", {"method": "cancel", "params": {"id": 99}}, {"method": "unknown"}, {"method": "cancel"})
        self.assertEqual([self.read(process)["error"]["code"] for _ in range(2)], [-32700, -32700])
        self.send(process, {"id": 1, "method": "unknown"})
        self.assertEqual(self.read(process)["error"]["code"], -32601)
        self.ask(process, 2, tool())
        self.assertEqual(self.read(process)["result"]["action"], "allow")

    def test_several_at_once(self):
        for kind in ("def", "async def"):
            with self.subTest(kind):
                process = self.start(f'''
import asyncio, threading
both = threading.Barrier(2)
@hook("PreToolUse")
{kind} h(event, ctx):
    {"both.wait(60)" if kind == "def" else "await asyncio.get_running_loop().run_in_executor(None, both.wait, 60)"}
    return inject(event["tool_input"]["command"])
''')
                self.ask(process, 1, tool("a"))
                self.ask(process, 2, tool("b"))
                got = {a["id"]: a["result"]["inject"] for a in (self.read(process), self.read(process))}
                self.assertEqual(got, {1: "a", 2: "b"})

    def test_a_cancel_reaches_the_function(self):
        for kind, wait in {"def": "assert ctx.cancelled.wait(60)", "async def": "await asyncio.sleep(60)"}.items():
            with self.subTest(kind):
                process = self.start(f'''
import asyncio
@hook("PreToolUse")
{kind} h(event, ctx):
    if event["tool_input"]["command"] == "quick":
        return allow()
    try:
        print("at work")
        {wait}
    finally:
        print("cleaned up", ctx.cancelled.is_set())
''')
                self.ask(process, 1, tool("hang"))
                self.assertEqual(process.stderr.readline(), b"at work\n")
                self.ask(process, 2, tool("quick"))
                self.assertEqual(self.read(process)["id"], 2)
                self.send(process, {"method": "cancel", "params": {"id": 1}})
                self.assertEqual(process.stderr.readline(), b"cleaned up True\n")
                self.assertEqual(self.read(process)["id"], 1)

    def test_an_async_function_that_exits_ends_its_event_only(self):
        process = self.start('''
import asyncio, sys
@hook("PreToolUse")
async def h(event):
    command = event["tool_input"]["command"]
    if command == "inside":
        await asyncio.gather(later(), asyncio.sleep(0))
    if command == "exit":
        sys.exit(2)
    return inject(command)
async def later():
    sys.exit(2)
''')
        for number, (command, want) in enumerate({"a": {"inject": "a"}, "exit": {"action": "block"}, "b": {"inject": "b"}, "inside": {"action": "block"}, "c": {"inject": "c"}}.items()):
            self.ask(process, number, tool(command))
            self.assertEqual(self.read(process).get("result"), want, command)

    def test_children_do_not_read_events(self):
        process = self.start('import subprocess\n@hook("PreToolUse")\ndef h(event): return inject(subprocess.run(["cat"], capture_output=True, text=True).stdout + "!")')
        self.ask(process, 1, tool())
        self.ask(process, 2, tool())
        self.assertEqual([self.read(process)["result"]["inject"] for _ in range(2)], ["!", "!"])

    def test_it_ends_with_its_stdin(self):
        process = self.start('@hook("PreToolUse")\ndef h(event, ctx):\n    ctx.cancelled.wait(60)\n    return allow("late")')
        self.ask(process, 1, tool())
        process.stdin.close()
        self.assertEqual(self.read(process)["result"]["reason"], "late")
        self.assertEqual((process.wait(PATIENCE), process.stdout.read()), (0, b""))

    def test_functions_that_never_end_are_bounded(self):
        process = self.start('import time\n@hook("PreToolUse")\ndef h(event):\n    time.sleep(60)')
        for number in range(600):
            try:
                self.ask(process, number, tool())
            except BrokenPipeError:
                break
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertIn(b"wait on ctx.cancelled", process.stderr.read())
