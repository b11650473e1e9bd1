"""What became of a hook that raised: one line with the place, after the traceback."""

from __future__ import annotations

import os
import sys
import traceback

from ._chain import Mistake

TYPE_CHECKING = False

if TYPE_CHECKING:
    from ._hooks import Hook


def report(error: BaseException, hooks: list[Hook]) -> str:
    """Print the traceback to stderr, and give the line that says it all: guard.py:12: ValueError: no."""
    if isinstance(error, Mistake):
        return str(error)
    own = os.path.dirname(__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if os.path.dirname(f.filename) != own]
    if frames:
        print("Traceback (most recent call last):", file=sys.stderr)
        print("".join(traceback.format_list(frames)), end="", file=sys.stderr, flush=True)
    files = {getattr(getattr(h.function, "__code__", None), "co_filename", None) for h in hooks}
    inside = [f for f in frames if f.filename in files] or frames
    what = " ".join("".join(traceback.format_exception_only(type(error), error)).split())
    return f"{os.path.basename(inside[-1].filename)}:{inside[-1].lineno}: {what}" if inside else what
