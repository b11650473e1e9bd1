"""Hooks for AI agents: write them as functions, and fire events from a loop of your own.

A hook is a function, and its file a program that hookway runs::

    from hookway import block, hook, run

    @hook("PreToolUse", tool="Bash")
    def guard(event, ctx):
        if "rm -rf" in event["tool_input"]["command"]:
            return block("Delete the files by name.")

    if __name__ == "__main__":
        run()

An agent asks its hooks with a client::

    from hookway import Client

    client = Client()
    outcome = client.fire("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}})
"""

from __future__ import annotations

import sys

# typing is not imported, here and in whatever a hook needs: a hook that is
# started for one event pays for each import. Type checkers know the name.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from ._aio import AsyncClient as AsyncClient
    from ._answers import allow as allow, answer as answer, ask as ask, block as block, change as change, inject as inject
    from ._answers import modify as modify, proceed as proceed, retry as retry, skip as skip
    from ._client import Client as Client
    from ._errors import Blocked as Blocked, HookwayError as HookwayError, NoDaemon as NoDaemon
    from ._errors import Refused as Refused, Timeout as Timeout, TooManyRetries as TooManyRetries
    from ._hooks import Context as Context, hook as hook
    from ._outcome import Outcome as Outcome, Step as Step
    from ._run import run as run

_PLACES = {
    "hook": "_hooks", "Context": "_hooks", "run": "_run",
    "allow": "_answers", "answer": "_answers", "ask": "_answers", "block": "_answers", "change": "_answers", "inject": "_answers",
    "modify": "_answers", "proceed": "_answers", "retry": "_answers", "skip": "_answers",
    "Client": "_client", "AsyncClient": "_aio", "Outcome": "_outcome", "Step": "_outcome",
    "HookwayError": "_errors", "NoDaemon": "_errors", "Refused": "_errors", "Timeout": "_errors",
    "Blocked": "_errors", "TooManyRetries": "_errors",
}

__all__ = sorted(_PLACES)  # pyright: ignore[reportUnsupportedDunderAll]
__version__ = "0.1.0"

# What protoc makes of hookway's proto is hookway.v1, and lies in a folder of the
# program's own. This package must not hide it.
__path__.extend(folder for folder in [(entry or ".") + "/hookway" for entry in sys.path] if folder not in __path__)


def __getattr__(name: str) -> object:
    """Import what is asked for, and no more: a hook needs no client."""
    try:
        place = _PLACES[name]
    except KeyError:
        raise AttributeError(f"module 'hookway' has no attribute {name!r}") from None
    from importlib import import_module

    value = getattr(import_module("." + place, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
