"""What hooks answer. An answer is a plain dict, so that it can also be written by hand."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any
    from typing_extensions import Unpack  # of type checkers; nothing imports it

    from .types import Action, Decision, More

_MORE = frozenset(("reason", "user_message", "inject", "metadata", "modified"))


def _decision(action: Action | None, more: str | More | None, extras: Any, **fields: Any) -> Decision:
    """What comes after a reason is the text for the user, or a dict of several things; they may be named as well."""
    out: Decision = {"action": action} if action else {}
    given = {"user_message": more} if isinstance(more, str) else more or {}
    unknown = sorted({*given, *extras} - _MORE)
    if unknown:
        raise TypeError(f"an answer has no {unknown[0]!r}; it may have {', '.join(sorted(_MORE))}")
    for name, value in {**fields, **given, **extras}.items():
        if value is not None:
            out[name] = value  # type: ignore[literal-required]
    return out


def block(reason: str | None = None, more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """Do not run it; the agent is told the reason. block("no", "for the user") says more."""
    return _decision("block", more, extras, reason=reason)


def allow(reason: str | None = None, more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """Run it without asking the user."""
    return _decision("allow", more, extras, reason=reason)


def ask(reason: str | None = None, more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """Ask the user, with the reason."""
    return _decision("ask", more, extras, reason=reason)


def retry(delay: float | None = None, more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """Try again after so many seconds; hookway waits one if none are given."""
    return _decision("retry", more, extras, retry_delay_ms=None if delay is None else round(delay * 1000))


def skip(more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """Go on, and ask no further hooks of the same lane."""
    return _decision("skip", more, extras)


def answer(result: Any, more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """Do not run it; the result stands in for its own."""
    out = _decision("answer", more, extras)
    out["result"] = result
    return out


def inject(text: str, more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """Text for the agent. It may also come with any other answer: block("no", inject="…")."""
    return _decision(None, more, extras, inject=text)


def modify(patch: dict[str, Any] | None = None, more: str | More | None = None, /, **fields: Any) -> Decision:
    """Change the payload, by a merge patch (RFC 7386): None takes a value out.

    modify(tool_input={"command": "ls -l", "timeout": None})
    """
    return _decision("continue", more, {}, modified={**(patch or {}), **fields})


change = modify


def proceed(more: str | More | None = None, /, **extras: Unpack[More]) -> Decision:
    """No opinion."""
    return _decision("continue", more, extras)
