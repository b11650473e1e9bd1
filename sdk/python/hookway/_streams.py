"""The standard streams of a hook: answers leave by a way of their own, so that print() spoils nothing."""

from __future__ import annotations

import os
import sys

_answers: int | None = None  # where answers go, once stdout is stderr
_expected = _ran = False


def begin() -> None:
    """Called when a program takes hooks from this package. If hookway runs it, what it prints goes to stderr from now on."""
    if os.environ.get("HOOK_ACTION"):
        divert()


def expect_run() -> None:
    """Called with each hook: whoever writes one has to call run()."""
    global _expected
    if not _expected and os.environ.get("HOOK_ACTION"):
        import atexit

        atexit.register(_forgotten)
    _expected = True


def divert() -> int:
    """Give the real stdout away, and make stderr stand in for it, for child processes too."""
    global _answers
    if _answers is None:
        sys.stdout.flush()
        _answers = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
    return _answers


def ran() -> None:
    """Note that run() was called."""
    global _ran
    _ran = True


def events() -> int:
    """Give the real stdin away: children of hooks must not read events."""
    mine = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return mine


def write(fd: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _forgotten() -> None:
    """A file with hooks that ends without run() has judged nothing: that must not pass for consent."""
    if _ran or getattr(sys, "last_value", None) is not None:
        return
    print(f'{sys.argv[0]}: it has hooks, but never called run(); end the file with: if __name__ == "__main__": run()', file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)
