"""What hooks answer. An answer is a plain dict, so that it can also be written by hand."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any
    from typing_extensions import Unpack  # of type checkers; nothing imports it

    from .types import Action, Decision, Extras


def _decision(action: Action | None, extras: Extras, **fields: Any) -> Decision:
    out: Decision = {}
    if action:
        out["action"] = action
    for name, value in fields.items():
        if value is not None:
            out[name] = value  # type: ignore[literal-required]
    unknown = sorted(set(extras) - {"user_message", "inject", "metadata", "modified"})
    if unknown:
        raise TypeError(f"an answer has no {unknown[0]!r}; it may have user_message, inject, metadata and modified")
    return {**out, **extras}


def block(reason: str = "", **extras: Unpack[Extras]) -> Decision:
    """Do not run it; the agent is told the reason."""
    return _decision("block", extras, reason=reason)


def allow(reason: str = "", **extras: Unpack[Extras]) -> Decision:
    """Run it without asking the user."""
    return _decision("allow", extras, reason=reason)


def ask(reason: str = "", **extras: Unpack[Extras]) -> Decision:
    """Ask the user, with the reason."""
    return _decision("ask", extras, reason=reason)


def retry(delay: float | None = None, reason: str = "", **extras: Unpack[Extras]) -> Decision:
    """Try again after so many seconds; hookway waits one if none are given."""
    return _decision("retry", extras, reason=reason, retry_delay_ms=None if delay is None else round(delay * 1000))


def skip(reason: str = "", **extras: Unpack[Extras]) -> Decision:
    """Go on, and ask no further hooks of the same lane."""
    return _decision("skip", extras, reason=reason)


def answer(result: Any, reason: str = "", **extras: Unpack[Extras]) -> Decision:
    """Do not run it; the result stands in for its own."""
    out = _decision("answer", extras, reason=reason)
    out["result"] = result
    return out


def inject(text: str, **extras: Unpack[Extras]) -> Decision:
    """Text for the agent. It may also come with any other answer: block("no", inject="…")."""
    return _decision(None, {**extras, "inject": text})


def modify(patch: dict[str, Any] | None = None, /, **fields: Any) -> Decision:
    """Change the payload, by a merge patch (RFC 7386): None takes a value out.

    modify(tool_input={"command": "ls -l", "timeout": None})
    """
    return {"modified": {**(patch or {}), **fields}}
