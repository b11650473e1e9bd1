"""Tools with hooks around them."""

import asyncio
import json
import warnings

from hookway import AsyncClient, Blocked, Client, TooManyRetries
from tests.world import World

HOOKS = """
import json, os
def plan(): return json.load(open("plan.json"))
def note(event): open("log", "a").write(json.dumps(event) + "\\n")
def count(name):
    with open("log") as f: return sum(json.loads(line)["hook_event_name"] == name for line in f)

@hook("PreToolUse")
def before(event, ctx):
    note(event)
    return eval(plan().get("before", "None"))

@hook("PostToolUse")
def after(event, ctx):
    note(event)
    return eval(plan().get("after", "None"))

@hook("Error")
def failed(event, ctx):
    note(event)
    return eval(plan().get("failed", "None"))
"""


class Guard(World):
    def setUp(self):
        super().setUp()
        self.hooks(HOOKS)
        self.write("log", "")
        self.config({"id": "h", "on": ["PreToolUse", "PostToolUse", "Error"], "command": "./hooks.py", "mode": "worker", "needs": ["PYTHONPATH"], "cwd": self.work})
        self.client = Client()
        self.addCleanup(self.client.close)

    def plan(self, **answers):
        self.write("log", "")
        self.write("plan.json", json.dumps(answers))

    def log(self):
        with open("log", encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def events(self):
        return [e["hook_event_name"] for e in self.log()]

    def each(self, function, **options):
        """The guarded function, for threads and for asyncio, each called with its arguments."""
        yield self.client.guard_tool(**options)(function) if options else self.client.guard_tool(function)

        async def twin(*args, **kwargs):
            return function(*args, **kwargs)

        twin.__signature__, twin.__name__ = __import__("inspect").signature(function), function.__name__

        def call(*args, **kwargs):
            async def body():
                async with AsyncClient() as client:
                    return await client.guard_tool(**options)(twin)(*args, **kwargs)

            return asyncio.run(body())

        yield call

    def test_what_hooks_are_told(self):
        def read(path, *more, limit=5, db=None, **rest):
            return {"lines": [path, limit]}

        for guarded in self.each(read, name="Read", without=("db",)):
            self.plan()
            self.assertEqual(guarded("a.txt", "b", db=object(), x=1), {"lines": ["a.txt", 5]})
            before, after = self.log()
            self.assertEqual((before["tool_name"], before["tool_input"]), ("Read", {"path": "a.txt", "more": ["b"], "limit": 5, "x": 1}))
            self.assertEqual(after["tool_response"]["output"], '{"lines":["a.txt",5]}')
            self.assertTrue(after["tool_response"]["success"])
            self.assertEqual(before["tool_use_id"], after["tool_use_id"])

    def test_answers_before(self):
        ran = []

        def bash(command, timeout=5):
            ran.append((command, timeout))
            return "out"

        for before, want, arguments in (
            ('allow()', "out", [("ls", 7)]),
            ('modify(tool_input={"command": "ls -l", "timeout": None})', "out", [("ls -l", 5)]),
            ('answer("cached")', "cached", []),
            ('answer({"success": True, "output": "o", "n": 1})', {"success": True, "output": "o", "n": 1}, []),
            ('inject("milk")', "out\n\nmilk", [("ls", 7)]),
            ('retry(0.001) if count("PreToolUse") < 3 else None', "out", [("ls", 7)]),
        ):
            for guarded in self.each(bash):
                with self.subTest(before):
                    self.plan(before=before)
                    ran.clear()
                    self.assertEqual((guarded("ls", timeout=7), ran), (want, arguments))

    def test_a_block(self):
        for guarded in self.each(lambda command: self.fail("it ran"), name="Bash"):
            self.plan(before='block("not here", inject="try there")')
            with self.assertRaises(Blocked) as raised:
                guarded("ls")
            self.assertEqual((str(raised.exception), raised.exception.reason, raised.exception.ran), ("not here\n\ntry there", "not here", False))
            self.assertEqual(self.events(), ["PreToolUse", "PostToolUse"])

    def test_an_ask(self):
        self.plan(before='ask("sure?")')
        for answer in (True, False):
            for guarded in self.each(lambda command: "out", name="Bash", ask=lambda outcome: answer and outcome.reason == "sure?"):
                if answer:
                    self.assertEqual(guarded("ls"), "out")
                else:
                    self.assertRaisesRegex(Blocked, "sure", guarded, "ls")
        for guarded in self.each(lambda command: "out", name="Bash"):
            self.assertRaisesRegex(Blocked, "sure", guarded, "ls")

    def test_retries_are_bounded(self):
        for guarded in self.each(lambda command: "out", name="Bash"):
            self.plan(before='retry(0.001, {"reason": "not yet"})')
            self.assertRaisesRegex(TooManyRetries, "hook h asked for more than 10 retries: not yet", guarded, "ls")
            self.assertEqual(self.events().count("PreToolUse"), 11)

    def test_answers_after(self):
        for guarded in self.each(lambda command: "secret", name="Bash"):
            self.plan(after='modify(tool_response={"output": "***"})')
            self.assertEqual(guarded("ls"), "***")
            self.plan(after='block("it must not be seen")')
            with self.assertRaises(Blocked) as raised:
                guarded("ls")
            self.assertEqual((raised.exception.ran, str(raised.exception)), (True, "it must not be seen"))
        for guarded in self.each(lambda command: {"key": "secret"}, name="Bash"):
            self.plan(after='modify(tool_response={"output": "{\\"key\\": null}"})')
            self.assertEqual(guarded("ls"), {"key": None})

    def test_a_tool_that_fails(self):
        def bash(command):
            if count():
                return "well"
            raise OSError("disk full")

        def count():
            return self.events().count("Error") if recovers else 0

        for recovers, failed, want in (
            (False, "None", OSError("disk full")), (False, 'answer("recovered")', "recovered"), (True, "retry(0.001)", "well"),
            (False, 'modify(error="another text")', OSError("another text")),
        ):
            for guarded in self.each(bash):
                with self.subTest(failed):
                    self.plan(failed=failed)
                    if isinstance(want, str):
                        self.assertEqual(guarded("ls"), want)
                    else:
                        with self.assertRaises(OSError) as raised:
                            guarded("ls")
                        self.assertEqual(str(raised.exception), str(want))
                    self.assertEqual(self.events()[:3], ["PreToolUse", "PostToolUse", "Error"])
                    self.assertEqual(self.log()[1]["tool_response"]["output"], "disk full")

    def test_changes_that_do_not_fit(self):
        for before, text in {
            'modify(tool_input={"cmd": "x"})': "a hook gave Bash the argument 'cmd'", 'modify(tool_input={"command": None})': "a hook took the argument 'command'",
        }.items():
            for guarded in self.each(lambda command: "out", name="Bash"):
                self.plan(before=before)
                self.assertRaisesRegex(TypeError, text, guarded, "ls")

    def test_text_for_the_agent(self):
        self.plan(before='inject("one")', after='inject("two")')
        texts = []
        for guarded in self.each(lambda command: 5, name="Bash", inject=texts.append):
            self.assertEqual(guarded("ls"), 5)
        self.assertEqual(texts, ["one\n\ntwo"] * 2)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            self.assertEqual(self.client.guard_tool(name="Bash")(lambda command: 5)("ls"), 5)
        self.assertIn("one\\n\\ntwo", str(warned[0].message))

    def test_methods(self):
        client = self.client

        class Tools:
            @client.guard_tool
            def bash(self, command):
                """Runs it."""
                return f"{type(self).__name__} {command}"

        self.plan()
        self.assertEqual(Tools().bash("ls"), "Tools ls")
        self.assertEqual((Tools.bash.__name__, Tools.bash.__doc__), ("bash", "Runs it."))
        self.assertEqual(self.log()[0]["tool_input"], {"command": "ls"})

    def test_what_cannot_be_guarded(self):
        async def late():
            pass

        for function, options, text in (
            (late, {}, "guard it with AsyncClient"), (lambda: 1, {"nam": "x"}, "no option 'nam'"), (lambda: 1, {"without": ("x",)}, "has no argument 'x'"), (5, {}, "is not a function"),
        ):
            with self.assertRaisesRegex(TypeError, text):
                self.client.guard_tool(**options)(function)
