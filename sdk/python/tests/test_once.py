"""A file of hooks that is started for one event."""

import json
import os
import signal
import subprocess
import sys

from tests.world import PATIENCE, SDK, World, tool


def wrote(path):
    """A file that is written, as a hook is told of it."""
    return tool(name="Write", tool_input={"file_path": path}, cwd="/tmp")


class Once(World):
    def answer(self, body, event=None, **env):
        done = self.run_hook(self.hooks(body), event or tool(), **env)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout or b"{}")

    def failure(self, body, event=None, **env):
        done = self.run_hook(self.hooks(body), tool() if event is None else event, **env)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        return done.stderr.decode().strip().splitlines()[-1]

    def test_every_answer(self):
        for answer, want in {
            'block("no")': {"action": "block", "reason": "no"},
            'block("no", user_message="ask Ops", inject="i")': {"action": "block", "reason": "no", "user_message": "ask Ops", "inject": "i"},
            'block("no", "ask Ops")': {"action": "block", "reason": "no", "user_message": "ask Ops"},
            'block("no", {"inject": "try ls"})': {"action": "block", "reason": "no", "inject": "try ls"},
            'allow()': {"action": "allow"},
            'ask("sure?")': {"action": "ask", "reason": "sure?"},
            'retry(0.25)': {"action": "retry", "retry_delay_ms": 250},
            'retry()': {"action": "retry"},
            'skip()': {"action": "skip"},
            'skip("for the user", reason="known")': {"action": "skip", "user_message": "for the user", "reason": "known"},
            'proceed()': {"action": "continue"},
            'answer(None)': {"action": "answer", "result": None},
            'inject("milk", metadata={"a": 1})': {"inject": "milk", "metadata": {"a": 1}},
            'modify(tool_input={"x": None})': {"action": "continue", "modified": {"tool_input": {"x": None}}},
            'change({"tool_input": {"x": 1}}, {"inject": "i"})': {"action": "continue", "modified": {"tool_input": {"x": 1}}, "inject": "i"},
            'None': {},
            '{"decision": "block"}': {"decision": "block"},
        }.items():
            with self.subTest(answer):
                self.assertEqual(self.answer(f'@hook("PreToolUse")\ndef h(event, ctx):\n    return {answer}'), want)

    def test_an_answer_has_no_other_fields(self):
        self.assertIn("hooks.py:5: TypeError: an answer has no 'reson'", self.failure('@hook("PreToolUse")\ndef h(event):\n    return block(reson="no")'))

    def test_functions_of_all_kinds(self):
        for body in (
            '@hook("PreToolUse")\nasync def h(event, ctx):\n    return block("no")',
            '@hook("PreToolUse")\ndef h(event):\n    return block("no")',
            'class H:\n    def __call__(self, event):\n        return block("no")\nhook("PreToolUse")(H())',
            'hook("pre_tool_use")(lambda *args: block("no"))',
            'hook("beforeTool", "SessionStart")(lambda event, ctx=None: block("no"))',
        ):
            with self.subTest(body):
                self.assertEqual(self.answer(body)["reason"], "no")

    def test_what_is_printed_is_no_answer(self):
        done = self.run_hook(self.hooks('''
            import subprocess, sys
            print("loading")
            @hook("PreToolUse")
            def h(event, ctx):
                print("asked")
                ctx.log("logged")
                subprocess.run(["echo", "from a child"])
                return block("no")
        '''.replace("\n            ", "\n")), tool())
        self.assertEqual(json.loads(done.stdout), {"action": "block", "reason": "no"})
        for line in (b"loading", b"asked", b"logged", b"from a child"):
            self.assertIn(line, done.stderr)

    def test_an_exception_names_its_place(self):
        line = self.failure('def deep():\n    raise KeyError("x")\n@hook("PreToolUse")\ndef h(event, ctx):\n    deep()')
        self.assertEqual(line, "hooks.py:4: KeyError: 'x'")

    def test_an_exception_in_a_library_names_the_line_that_led_there(self):
        line = self.failure('import json\n@hook("PreToolUse")\ndef h(event, ctx):\n    json.loads("{")')
        self.assertTrue(line.startswith("hooks.py:6: json.decoder.JSONDecodeError:"), line)

    def test_what_is_no_answer_is_a_failure(self):
        for answer, want in {
            '"allow"': "hooks.py:3: h: it returned 'allow' (str); return block(), allow(), another answer, or None",
            "True": "it returned True (bool)",
            '{"result": object()}': "its answer cannot be written in JSON",
            '{"result": float("nan")}': "its answer cannot be written in JSON",
        }.items():
            with self.subTest(answer):
                self.assertIn(want, self.failure(f'@hook("PreToolUse")\ndef h(event, ctx):\n    return {answer}'))

    def test_wrong_input(self):
        body = '@hook("PreToolUse")\ndef h(event, ctx): pass'
        for given, want in {
            "": "stdin is not JSON", "{": "stdin is not JSON", "[]": "stdin is not an event but a list", "{}": "the event has no name",
            b"\xff\xfe{": "stdin is not JSON", '{"hook_event_name": 5}': "the event has no name", "[" * 100000: "stdin is not",
        }.items():
            with self.subTest(given[:20]):
                self.assertIn(want, self.failure(body, given))

    def test_an_event_that_the_file_has_no_hook_for_is_a_mistake(self):
        line = self.failure('@hook("PostToolUse", "Stop")\ndef h(event, ctx): pass')
        self.assertEqual(line, "no hook of this file is for PreToolUse; it has hooks for AgentStop, PostToolUse")

    def test_exit_statuses_are_those_of_any_program(self):
        path = self.hooks('import sys\n@hook("PreToolUse")\ndef h(event, ctx):\n    sys.exit("not today" if event["tool_name"] == "Bash" else 2)')
        for name, want in {"Bash": 1, "Read": 2}.items():
            self.assertEqual(self.run_hook(path, tool(name=name)).returncode, want)

    def test_matchers(self):
        for options, yes, no in (
            ('tool="Bash"', tool(), tool(name="Read")),
            ('tool=["Read", "B*"]', tool(), tool(name="Edit")),
            ('tool="Edit|Write"', tool(name="Write"), tool(name="Edit|Write")),
            ('tool="mcp__{fs,db}__*"', tool(name="mcp__db__a/b"), tool(name="mcp__web__x")),
            ('tool="[!AB]ash"', tool(name="Cash"), tool(name="Bash")),
            ('agent="a?ice"', tool(agent="alice"), tool(agent="bob")),
            ('agent="*"', tool(agent="alice"), tool()),
            ('source="run"', tool(source="run"), tool(source="claude")),
            ('session="s-1"', tool(), tool(session_id="s-2")),
            (r'tool="Bash|Edit", command=r"(?i)\bRM\b"', tool("rm -rf x"), tool("ls")),
            (r'command=[r"^a$", r"[\d.]+\z"]', tool("cp 1.5"), tool("a\n")),
            ('path="src/**", not_={"path": "*.md"}', wrote("src/a/b.ts"), wrote("src/a/b.md")),
            ('path="src/**"', wrote("/tmp/src/b.ts"), wrote("../src/b.ts")),
            ('path=["*.lock", "~/.ssh/"]', wrote("~/.ssh/id"), wrote("src/a.lock/x")),
            ('fields={"tool_input.url": "https://*", "tool_input.n": "5"}', tool(tool_input={"url": "https://example.com/a", "n": 5}), tool(tool_input={"url": "http://a", "n": 5})),
            ('any=[{"session": "s-9"}, {"agent": "a*"}], all={"tool": "Bash"}', tool(agent="a"), tool(agent="b")),
            ('tool="Bash", match={"not": {"command": "x"}}', tool("y"), tool("x")),
        ):
            with self.subTest(options):
                path = self.hooks(f'@hook("PreToolUse", {options})\ndef h(event): return block("no")')
                self.assertIn(b"block", self.run_hook(path, yes).stdout)
                self.assertEqual(self.run_hook(path, no).stdout, b"")

    def test_hooks_that_cannot_be(self):
        for body, want in {
            "@hook()\ndef h(event): pass": "a hook names its events",
            "@hook\ndef h(event): pass": "a hook names its events",
            '@hook("PreToolUse", tol="Bash")\ndef h(event): pass': "a hook has no option 'tol'",
            '@hook("PreToolUse")\ndef h(): pass': "h takes 0 arguments",
            '@hook("PreToolUse")\ndef h(a, b, c): pass': "h takes 3 arguments",
            '@hook("PreToolUse", tool="{a")\ndef h(event): pass': "a '{' is not closed",
            '@hook("PreToolUse", tool=5)\ndef h(event): pass': "h: tool is 5; it must be a text, or a list of texts",
            '@hook("PreToolUse", command="\\brm")\ndef h(event): pass': "h: command: '\\x08rm' holds a control character; put an r before the text",
            '@hook("PreToolUse", command="(")\ndef h(event): pass': "h: command: expression '(': missing )",
            '@hook("PreToolUse", any=[{"too": "x"}])\ndef h(event): pass': "h: a match has no any[0].too; it may have tool, path",
            '@hook("PreToolUse", path="{a,b")\ndef h(event): pass': "h: path: glob '{a,b': a '{' is not closed",
            '@hook("PreToolUse", lane="first")\ndef h(event): pass': "h: there is no lane 'first'; use transform, guard or observe",
        }.items():
            with self.subTest(body):
                self.assertIn(want, self.failure(body))

    def test_several_hooks_see_what_those_before_changed(self):
        got = self.answer("""
@hook("PreToolUse")
def first(event): return modify(tool_input={"command": event["tool_input"]["command"] + " -l", "timeout": 5}) | {"inject": "one"}
@hook("PreToolUse", tool="Read")
def other(event): return block("not asked")
@hook("*")
def second(event): return ask(event["tool_input"]["command"] + "?", inject="two", metadata={"a": 1})
@hook("PreToolUse")
def third(event): return allow("weaker", modified={"tool_input": {"timeout": None}}, metadata={"b": 2})
""")
        self.assertEqual(got, {
            "action": "ask", "reason": "ls -l?", "inject": "one\n\ntwo", "metadata": {"a": 1, "b": 2}, "modified": {"tool_input": {"command": "ls -l"}},
        })

    def test_lanes(self):
        done = self.run_hook(self.hooks('''
@hook("PreToolUse", lane="observe")
def hears(event, ctx):
    ctx.inject("unheard")
    print("observed", event["tool_input"]["command"])
    return block("unheard")
@hook("PreToolUse", lane="observe")
def fails(event): raise ValueError("of an observer")
@hook("PreToolUse", lane="guard")
def asks(event): return ask(event["tool_input"]["command"])
@hook("PreToolUse")
def changes(event): return modify(tool_input={"command": "b"})
'''), tool("a"))
        self.assertEqual(json.loads(done.stdout), {"action": "ask", "reason": "b", "modified": {"tool_input": {"command": "b"}}})
        self.assertRegex(done.stderr.decode(), r"observed b\n[^\0]*hooks\.py:10: ValueError: of an observer")
        for body, want in {
            'hook("PreToolUse")(lambda e: skip())\nhook("PreToolUse")(lambda e: block("skipped"))\nhook("PreToolUse", lane="guard")(lambda e: inject("guarded"))':
                {"action": "skip", "inject": "guarded"},
            'hook("PreToolUse", lane="guard")(lambda e: block("no"))\nhook("PreToolUse", lane="guard")(lambda e: 1 / 0)\nhook("PreToolUse", lane="observe")(lambda e: allow())':
                {"action": "block", "reason": "no"},
            'hook("PreToolUse", lane="observe")(lambda e: block("alone"))': {},
            'hook("PreToolUse", tool="Other")(lambda e: block("no"))\nhook("PreToolUse", priority=1)(lambda e: modify(tool_name="Other"))':
                {"action": "block", "reason": "no", "modified": {"tool_name": "Other"}},
        }.items():
            with self.subTest(body):
                self.assertEqual(self.answer(body), want)
        for body, want in {
            'hook("PreToolUse", lane="guard")(lambda e: modify(tool_input={}))': "hooks.py:3: <lambda>: a guard may not change the event; give it the lane transform",
            'hook("PreToolUse", lane="guard")(lambda e: skip())\nhook("PreToolUse")(lambda e: None)': "hooks.py:3: <lambda>: a guard cannot skip other guards",
            'hook("PreToolUse", lane="observe")(lambda e: 1 / 0)': "hooks.py:3: ZeroDivisionError: division by zero",
        }.items():
            with self.subTest(body):
                self.assertEqual(self.failure(body), want)

    def test_what_is_said_through_the_context(self):
        got = self.answer('''
@hook("PreToolUse")
def first(event, ctx):
    ctx.inject("first")
    ctx.notify("ops", "look")
    ctx.metadata["n"] = ctx.metadata["n"] + 1
@hook("PreToolUse")
def second(event, ctx): return inject(f"{ctx.metadata['n']} {ctx.agent_name} {ctx.working_dir} {ctx.env['HOOK_ACTION']}", metadata={"m": 1})
''', tool(agent="a", metadata={"n": 1}))
        self.assertEqual(got, {"inject": "first\n\n2 a / execute", "metadata": {"n": 2, "m": 1}})

    def test_numbers_keep_every_digit(self):
        event = '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"a":0.1000000000000000055,"b":[1e2,9007199254740993],"c":1.5}}'
        done = self.run_hook(self.hooks('@hook("PreToolUse")\ndef h(event):\n    assert event["tool_input"]["a"] + 1 > 1\n    return modify(tool_input=event["tool_input"])'), event)
        self.assertEqual(done.stdout, b'{"action":"continue","modified":{"tool_input":{"a":0.1000000000000000055,"b":[1e2,9007199254740993],"c":1.5}}}')

    def test_the_event_name_is_also_in_the_environment(self):
        got = self.answer('@hook("Stop")\ndef h(event, ctx): return block(ctx.event_name)', {"session_id": "s"}, HOOKWAY_EVENT="AgentStop")
        self.assertEqual(got["reason"], "AgentStop")

    def test_a_file_that_forgets_to_run_does_not_consent(self):
        path = self.write("hooks.py", 'from hookway import hook\n@hook("PreToolUse")\ndef h(event): pass\n')
        done = self.run_hook(path, tool())
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"never called run()", done.stderr)

    def test_a_file_without_hooks(self):
        self.assertIn("it has no hooks", self.failure(""))

    def test_the_end_lets_the_function_clean_up(self):
        for kind in ("def", "async def"):
            with self.subTest(kind):
                wait = "await asyncio.sleep(60)" if kind != "def" else "ctx.cancelled.wait(60)"
                path = self.hooks(f'''
import asyncio, sys
@hook("PreToolUse")
{kind} h(event, ctx):
    try:
        print("at work", flush=True)
        {wait}
    finally:
        print("cleaned up", ctx.cancelled.is_set())
''')
                with subprocess.Popen(
                    [sys.executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "HOOK_ACTION": "execute"}
                ) as process:
                    process.stdin.write(json.dumps(tool()).encode())
                    process.stdin.close()
                    self.assertIn(b"at work", process.stderr.readline())
                    process.send_signal(signal.SIGTERM)
                    rest = process.stderr.read()
                    self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)
                    self.assertIn(b"cleaned up True", rest)


class Documentation(World):
    def test_the_first_example_does_what_it_says(self):
        for page in (SDK / "README.md", SDK.parent.parent / "docs" / "sdk-python.md"):
            with self.subTest(page.name):
                path = self.write("guard.py", page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0])
                self.assertEqual(json.loads(self.run_hook(path, tool("rm -rf x")).stdout), {"action": "block", "reason": "Delete the files by name."})
                self.assertEqual(self.run_hook(path, tool("ls")).stdout, b"")


class Describe(World):
    def describe(self, body, run="run()"):
        path = self.write("hooks.py", "from hookway import hook, run\n" + body + f'\nif __name__ == "__main__":\n    {run}\n')
        done = self.run_hook(path, "", HOOK_ACTION="describe")
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr.decode().strip().splitlines()[-1]

    def test_one_hook(self):
        self.assertEqual(
            self.describe('@hook("PreToolUse", tool="Bash", lane="guard", timeout=0.5, priority=5, on_failure="continue", max_retries=1, description="d")\ndef h(e): pass'),
            {"events": ["PreToolUse"], "lane": "guard", "priority": 5, "timeout_ms": 500, "max_retries": 1, "on_failure": "continue",
             "description": "d", "mode": "worker", "match": {"tool": "Bash"}},
        )

    def test_several(self):
        body = '@hook("PreToolUse", tool="Bash")\ndef a(e): pass\n@hook("PostToolUse", "PreToolUse", agent="x")\ndef b(e): pass'
        self.assertEqual(
            self.describe(body, 'run(worker=False, needs=["TOKEN"], timeout="2s", match={"path": "*.go"})'),
            {"events": ["PreToolUse", "PostToolUse"], "timeout": "2s", "needs": ["TOKEN"],
             "match": {"all": [{"any": [{"tool": "Bash"}, {"agent": "x"}]}, {"path": "*.go"}]}},
        )
        self.assertNotIn("match", self.describe(body + '\n@hook("Idle")\ndef c(e): pass'))

    def test_hooks_that_do_not_agree(self):
        got = self.describe('@hook("PreToolUse", lane="guard")\ndef a(e): pass\n@hook("Idle", lane="observe")\ndef b(e): pass')
        self.assertIn("its lane is 'observe', but that of hooks.py:2: a is 'guard'; hookway runs a file as one hook", got)
        got = self.describe('@hook("PreToolUse", lane="guard")\ndef a(e): pass\n@hook("Idle")\ndef b(e): pass')
        self.assertIn("its lane is the default, transform, but that of hooks.py:2: a is 'guard'", got)

    def test_matchers_are_told(self):
        got = self.describe('@hook("PreToolUse", path="*.go", not_={"agent": "a"}, match={"tool": "Edit"})\ndef a(e): pass')
        self.assertEqual(got["match"], {"all": [{"path": "*.go", "not": {"agent": "a"}}, {"tool": "Edit"}]})

    def test_where_is_asked_by_the_file_alone(self):
        got = self.describe('@hook("PreToolUse", deletes="~/x/**", where=lambda e: True, not_={"runs": True})\ndef a(e): pass')
        self.assertEqual(got["match"], {"deletes": "~/x/**", "not": {"runs": True}})
        got = self.describe('@hook("PreToolUse", any=[{"unknown": True}, {"where": lambda e: True}], not_={"where": lambda e: True}, tool="Bash")\ndef a(e): pass')
        self.assertEqual(got["match"], {"tool": "Bash"})

    def test_guards_by_facts(self):
        self.hooks("""
@hook("PreToolUse", lane="guard", deletes="keep/**")
def by_match(event): return block("nothing below keep is deleted")
@hook("PreToolUse", lane="guard", where=lambda e: any(f["does"] == "connect" and f.get("class") == "public" for f in e.get("facts", ())))
def by_where(event): return block("no network")
@hook("PreToolUse", lane="guard", runs=True)
def by_facts(event, ctx):
    if any(f["does"] == "git" and f.get("force") for f in event["facts"]) and ctx.facts == event["facts"]:
        return block("no force")
""", ".hookway/hooks/facts.py")
        for command, want in {
            "rm -rf ke''ep/x": "nothing below keep is deleted", "cd keep; for f in a b; do rm $f; done": "nothing below keep is deleted", "grep 'rm -rf keep' a": "",
            "curl https://example.com": "no network", "curl http://localhost:1": "", "git -C x push -f origin main": "no force", "git push origin x": "",
        }.items():
            with self.subTest(command):
                out = self.hookway("fire", "PreToolUse", "-", input=json.dumps({"tool_name": "Bash", "tool_input": {"command": command}}), status=2 if want else 0)
                self.assertIn(want, out)

    def test_a_folder_of_hooks(self):
        self.hooks('@hook("PreToolUse", tool="Bash", lane="guard")\ndef h(event):\n    return block("by the folder")', ".hookway/hooks/guard.py")
        self.assertIn("guard", self.hookway("list"))
        for name, want in {"Bash": 2, "Read": 0}.items():
            out = self.hookway("fire", "PreToolUse", "-", input=json.dumps({"tool_name": name, "tool_input": {"command": "ls"}}), status=want)
            self.assertEqual("by the folder" in out, want == 2)
