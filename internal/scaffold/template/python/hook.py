#!/usr/bin/env python3
"""HOOKNAME: a push that names a protected branch is refused.

It reads the command as text, which is no wall: a push of the current branch, from
a script or by an alias names none. Protect the branch where it is pushed to.

hookway keeps this program (mode: worker in hookway.yaml) and gives it one event
a line. By hand, it reads one event and ends:

    echo '{"tool_input": {"command": "git push origin main"}}' | python3 FILE

It needs no package. With the one called hookway (sdk/python in its repository)
the lower half of this file is one line.
"""
import json
import os
import sys

PROTECTED = {"main", "release"}


def branch(word):
    """The branch that a word of a push names: main of HEAD:main, +main, refs/heads/main."""
    return word.strip("\"'").split(":")[-1].removeprefix("+").removeprefix("refs/heads/")


def decide(event):
    """The decision about one event; {} is no opinion."""
    command = event.get("tool_input", {}).get("command", "")
    if isinstance(command, list):
        command = " ".join(map(str, command))
    words = str(command).split()
    if "push" in words and PROTECTED & {branch(word) for word in words}:
        return {"action": "block", "reason": "Open a pull request: this branch is protected."}
    return {}


def answer(call):
    """The answer to one call: a result, or an error, which is a failure of the hook."""
    try:
        return {"jsonrpc": "2.0", "id": call["id"], "result": decide(call["params"])}
    except Exception as e:
        return {"jsonrpc": "2.0", "id": call["id"], "error": {"code": 1, "message": repr(e)}}


def main():
    # JSON is UTF-8 on every system; logs belong on stderr.
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    if not os.environ.get("HOOKWAY_WORKER"):
        print(json.dumps(decide(json.load(sys.stdin))))
        return
    for line in sys.stdin:  # ends when hookway closes it
        call = json.loads(line)
        if call.get("method") == "hook":  # else a "cancel": it is answered all the same
            print(json.dumps(answer(call)), flush=True)


if __name__ == "__main__":
    main()
