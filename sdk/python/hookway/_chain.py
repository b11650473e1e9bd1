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


def choose(hooks: list[Hook], name: str) -> list[Hook]:
    """The hooks of an event, by lane and priority. That none is for its name is a mistake in the configuration: a Mistake."""
    wanted = _normal(name)
    named = [h for h in hooks if any(e == "*" or _normal(canonical(e)) == wanted for e in h.events)]
    if not named:
        known = sorted({canonical(e) for h in hooks for e in h.events})
        raise Mistake(f"no hook of this file is for {name}; it has hooks for {', '.join(known) or 'nothing'}")
    return sorted(named, key=lambda h: (h.order, h.options.get("priority", 100)))


def judge(
    hooks: list[Hook], event: dict[str, Any], name: str, begin: Callable[[Context], None], wait: Callable[[Awaitable[Any]], Any], worker: bool
) -> bytes:
    """The answer of a file's hooks to an event, in JSON. begin is told of the context before they are asked."""
    name = canonical(name)
    chosen = choose(hooks, name)
    if len(chosen) == 1 and not chosen[0].wants(event):
        return b"{}"
    ctx = Context(event, name, worker)
    begin(ctx)
    deciders = [h for h in chosen if h.order < _OBSERVE]
    answer, seen = _decide(deciders, event, ctx, wait, alone=len(chosen) == 1)
    try:
        said = dumps(ctx.complete(answer))
    except (TypeError, ValueError, RecursionError) as wrong:
        raise Mistake(f"{deciders[-1].where()}: its answer cannot be written in JSON: {wrong}") from None
    for hook in chosen[len(deciders) :]:
        _observe(hook, seen, ctx, wait, hooks, beside=bool(deciders))
    return said


_GUARD, _OBSERVE = 1, 2


def _decide(
    hooks: list[Hook], event: dict[str, Any], ctx: Context, wait: Callable[[Awaitable[Any]], Any], alone: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ask the hooks one after the other; each sees what those before it changed. wait awaits an async one."""
    if alone and hooks:
        return _allowed(hooks[0], _ask(hooks[0], event, ctx, wait)), event
    merged: dict[str, Any] = {}
    seen, ended = event, -1
    for hook in hooks:
        if hook.order <= ended or not hook.wants(seen):
            continue
        given = _ask(hook, seen, ctx, wait)
        seen = _take(merged, hook, given, seen)
        if given.get("action") in _FINAL:
            break
        if given.get("action") == "skip":
            ended = hook.order
    if seen is not event:
        merged["modified"] = _difference(event, seen)
    return merged, seen


def _observe(
    hook: Hook, event: dict[str, Any], ctx: Context, wait: Callable[[Awaitable[Any]], Any], hooks: list[Hook], beside: bool
) -> None:
    """Tell a hook what has been decided on; it has no say. Beside hooks that decide, its failure is for the log."""
    try:
        if hook.wants(event):
            _ask(hook, event, ctx, wait)
    except (Exception, SystemExit) as error:
        if not beside or ctx.gone:
            raise
        from ._failure import report

        ctx.log(report(error, hooks))


def _allowed(hook: Hook, given: dict[str, Any]) -> dict[str, Any]:
    """Refuse what the lane of a hook does not allow."""
    if hook.order == _GUARD and given.get("modified") is not None:
        raise Mistake(f"{hook.where()}: a guard may not change the event; give it the lane transform")
    if hook.order == _GUARD and given.get("action") == "skip":
        raise Mistake(f"{hook.where()}: a guard cannot skip other guards")
    return given


_FIELDS = frozenset(("action", "reason", "user_message", "modified", "result", "retry_delay_ms", "inject", "metadata"))
_FINAL = frozenset(("block", "deny", "retry", "answer"))
_STRENGTH = {"continue": 0, "modify": 0, "skip": 0.5, "allow": 1, "ask": 2, "answer": 3, "retry": 4, "block": 5, "deny": 5}


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


def _take(merged: dict[str, Any], hook: Hook, given: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """Merge one answer into the others. The event as it is now is given back."""
    foreign = sorted(set(given) - _FIELDS)
    if foreign:
        raise Mistake(
            f"{hook.where()}: {foreign[0]!r} cannot be joined with the answers of other hooks of the file; "
            "use block(), allow(), modify() and so on, or a file of its own"
        )
    _allowed(hook, given)
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
    modified = given.get("modified")
    if modified is None:
        return seen
    if not isinstance(modified, dict):
        raise Mistake(f"{hook.where()}: modified is {_short(modified)}; it must be a dict, the changes to the event")
    patched: dict[str, Any] = _patched(seen, modified)
    return patched


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
