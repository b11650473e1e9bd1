"""One event through the hooks of a file, as hookway takes it through those of a workspace."""

from __future__ import annotations

from ._events import NAMES
from ._hooks import Context
from ._json import dumps

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from ._hooks import Hook


class Mistake(Exception):
    """What is wrong with a file of hooks, with its place: no traceback says it better."""


def canonical(name: str) -> str:
    """The name of an event by any of its names, without regard to case, _, - and a leading on."""
    plain = _normal(name)
    return NAMES.get(plain) or (plain[:2] == "on" and NAMES.get(plain[2:])) or name


def _normal(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def choose(hooks: list[Hook], name: str, event: dict[str, Any]) -> list[Hook]:
    """The hooks that want an event. That none is for its name is a mistake in the configuration: a Mistake."""
    wanted = _normal(name)
    named = [h for h in hooks if any(e == "*" or _normal(canonical(e)) == wanted for e in h.events)]
    if not named:
        known = sorted({canonical(e) for h in hooks for e in h.events})
        raise Mistake(f"no hook of this file is for {name}; it has hooks for {', '.join(known) or 'nothing'}")
    return [h for h in named if all(_has(event, field, test) for field, test in h.matchers)]


def _has(event: dict[str, Any], field: str, test: Callable[[str], bool]) -> bool:
    value = event.get(field)
    if field == "source" and "hookway_envelope" in event:  # the payload's own source is another thing
        value = event["hookway_envelope"].get(field, value)
    return isinstance(value, str) and value != "" and test(value)


def judge(
    hooks: list[Hook], event: dict[str, Any], name: str, begin: Callable[[Context], None], wait: Callable[[Awaitable[Any]], Any], worker: bool
) -> bytes:
    """The answer of a file's hooks to an event, in JSON. begin is told of the context before they are asked."""
    name = canonical(name)
    chosen = choose(hooks, name, event)
    if not chosen:
        return b"{}"
    ctx = Context(event, name, worker)
    begin(ctx)
    answer = decide(chosen, event, ctx, wait)
    try:
        return dumps(answer)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise Mistake(f"{chosen[-1].where()}: its answer cannot be written in JSON: {wrong}") from None


def decide(hooks: list[Hook], event: dict[str, Any], ctx: Context, wait: Callable[[Awaitable[Any]], Any]) -> dict[str, Any]:
    """Ask the hooks one after the other; each sees what those before it changed. wait awaits an async one."""
    if len(hooks) == 1:
        return _ask(hooks[0], event, ctx, wait)
    merged: dict[str, Any] = {}
    seen = event
    for hook in hooks:
        given = _ask(hook, seen, ctx, wait)
        foreign = sorted(set(given) - _FIELDS)
        if foreign:
            raise Mistake(
                f"{hook.where()}: {foreign[0]!r} cannot be joined with the answers of other hooks of the file; "
                "use block(), allow(), modify() and so on, or a file of its own"
            )
        seen = _take(merged, given, seen)
        if given.get("action") in _FINAL:
            break
    if seen is not event:
        merged["modified"] = _difference(event, seen)
    return merged


_FIELDS = frozenset(("action", "reason", "user_message", "modified", "result", "retry_delay_ms", "inject", "metadata"))
_FINAL = frozenset(("block", "deny", "retry", "answer", "skip"))
_STRENGTH = {"continue": 0, "modify": 0, "skip": 0, "allow": 1, "ask": 2, "answer": 3, "retry": 4, "block": 5, "deny": 5}


def _ask(hook: Hook, event: dict[str, Any], ctx: Context, wait: Callable[[Awaitable[Any]], Any]) -> dict[str, Any]:
    given = hook.function(event) if hook.arguments == 1 else hook.function(event, ctx)
    if hasattr(type(given), "__await__"):
        given = wait(given)
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise Mistake(f"{hook.where()}: it returned {_short(given)}; return block(), allow(), another answer, or None")
    return given


def _short(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 80 else text[:80] + '…'} ({type(value).__name__})"


def _take(merged: dict[str, Any], given: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """Merge one answer into the others. The event as it is now is given back."""
    for field, between in (("inject", "\n\n"), ("user_message", "\n")):
        if given.get(field):
            merged[field] = merged[field] + between + given[field] if field in merged else given[field]
    if given.get("metadata"):
        merged["metadata"] = {**merged.get("metadata", {}), **given["metadata"]}
    action = given.get("action", "continue")
    if _STRENGTH.get(action, 9) > _STRENGTH.get(merged.get("action", "continue"), 9) or "action" not in merged:
        for field in ("action", "reason", "result", "retry_delay_ms"):
            merged.pop(field, None)
            if field in given:
                merged[field] = given[field]
    return _patched(seen, given["modified"]) if isinstance(given.get("modified"), dict) else seen


def _patched(target: Any, patch: Any) -> Any:
    """A merge patch applied, as RFC 7386 has it. The target stays as it is."""
    if not isinstance(patch, dict):
        return patch
    out = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = _patched(out.get(name), value)
    return out


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The merge patch that leads from one to the other."""
    patch: dict[str, Any] = {name: None for name in before if name not in after}
    for name, value in after.items():
        old = before.get(name)
        if isinstance(value, dict) and isinstance(old, dict):
            inner = _difference(old, value)
            if inner:
                patch[name] = inner
        elif name not in before or value is not old and value != old:
            patch[name] = value
    return patch
