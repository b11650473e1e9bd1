"""A home of hookway's own for each test: a daemon, a workspace, hooks. Nothing is played."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

SDK = pathlib.Path(__file__).resolve().parent.parent
HOOKWAY = os.environ.get("HOOKWAY_BIN") or str(SDK.parent.parent / "bin" / "hookway")

PATIENCE = 60  # seconds: far more than anything needs, on a slow machine too


class World(unittest.TestCase):
    """A test with a home, a folder with hooks, and the environment for both."""

    def setUp(self):
        if not os.access(HOOKWAY, os.X_OK):
            self.fail(f"{HOOKWAY} is not there: run make build, or set HOOKWAY_BIN")
        folder = tempfile.mkdtemp(prefix="hwpy")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.home, self.work = os.path.join(folder, "home"), os.path.join(folder, "work")
        os.mkdir(self.work)
        before = dict(os.environ)
        self.addCleanup(self.restore, before, os.getcwd())
        for name in list(os.environ):
            if name.startswith(("HOOK", "CLAUDE")):
                del os.environ[name]
        os.environ.update(
            HOOKWAY_HOME=self.home, HOOKWAY_BIN=HOOKWAY, HOOKWAY_TRUST="1", PYTHONPATH=str(SDK), PYTHONDONTWRITEBYTECODE="1",
            PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""),
        )
        os.chdir(self.work)
        self.addCleanup(self.stop)

    @staticmethod
    def restore(environ, folder):
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environ)

    def stop(self):
        if os.path.exists(os.path.join(self.home, "run")):
            subprocess.run([HOOKWAY, "stop"], capture_output=True, timeout=PATIENCE)

    def hookway(self, *args, input=None, status=0):
        """Run the command, and give its stdout."""
        done = subprocess.run([HOOKWAY, *args], input=input, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def write(self, name, text):
        """A file of the workspace; a program if it ends in .py."""
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(textwrap.dedent(text).lstrip("\n"))
        if name.endswith(".py"):
            os.chmod(path, 0o755)
        return path

    def hooks(self, body, name="hooks.py"):
        """A file with hooks: the functions are given, the rest is what every such file has."""
        text = "#!/usr/bin/env python3\nfrom hookway import allow, answer, ask, block, change, hook, inject, modify, proceed, retry, run, skip\n"
        return self.write(name, text + textwrap.dedent(body) + '\nif __name__ == "__main__":\n    run()\n')

    def config(self, *hooks):
        """hookway.yaml with these hooks, each a dict."""
        self.write("hookway.yaml", json.dumps({"hooks": list(hooks)}))

    def run_hook(self, path, event, **env):
        """Start a file for one event, as hookway does."""
        text = event if isinstance(event, (str, bytes)) else json.dumps(event)
        return subprocess.run(
            [sys.executable, path], input=text.encode() if isinstance(text, str) else text, capture_output=True, timeout=PATIENCE,
            env={**os.environ, "HOOK_ACTION": "execute", **env},
        )


def tool(command="ls", name="Bash", **more):
    """A PreToolUse as a hook is given it."""
    return {"hook_event_name": "PreToolUse", "session_id": "s-1", "transcript_path": "", "cwd": "/", "event_id": "e-1", "time": "",
            "tool_name": name, "tool_input": {"command": command}, **more}
