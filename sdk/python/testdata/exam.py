"""What the exam has a hook do: see hooktest.Behaviour."""

import json
import os
import signal
import socket
import sys

from hookway import hook, inject, run

PLAY = json.loads(os.environ["HOOKWAY_EXAM"])


def said():
    """The fixed answer, as the dict that a hook returns."""
    if PLAY.get("size"):
        return inject("x" * (PLAY["size"] - 40))
    text = PLAY["text"].lstrip("\ufeff") if PLAY["case"] == "answers byte order mark" else PLAY["text"]
    return json.loads(text)


def obey(event, ctx):
    wanted = event["tool_input"]
    if wanted.get("do") == "hang":
        host, port = PLAY["probe"].rsplit(":", 1)
        with socket.create_connection((host, int(port))):
            ctx.cancelled.wait()
        return None
    if wanted.get("do") == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"action": "continue", "inject": wanted.get("text", ""), "modified": {"tool_input": wanted}}


async def obey_async(event, ctx):
    if event["tool_input"].get("do") != "hang":
        return obey(event, ctx)
    import asyncio

    host, port = PLAY["probe"].rsplit(":", 1)
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        await asyncio.Event().wait()
    finally:
        writer.close()


if PLAY["kind"] == "obeys":
    hook("PreToolUse")(obey_async if os.environ.get("HOOKWAY_EXAM_ASYNC") else obey)
else:

    @hook("*")
    def say(event):
        print("a banner, which must not be taken for an answer")
        return said()


if __name__ == "__main__":
    if PLAY["kind"] == "says":
        sys.stdout.write("another one\n")
    run()
