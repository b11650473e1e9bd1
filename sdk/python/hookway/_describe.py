"""What a file in a folder of hooks says of itself."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from ._hooks import Hook


def describe(hooks: list[Hook], options: dict[str, Any], worker: bool) -> bytes:
    """The description in JSON. Hooks of one file that want different lanes and so on are a ValueError."""
    from ._json import dumps

    out: dict[str, Any] = {"events": list(dict.fromkeys(e for h in hooks for e in h.events))}
    for name in ("lane", "priority", "timeout", "max_retries", "on_failure", "description"):
        value = options[name] if options[name] is not None else _agreed(name, hooks)
        if value is None:
            continue
        if name == "timeout" and not isinstance(value, str):
            out["timeout_ms"] = round(value * 1000)
        else:
            out[name] = value
    if options["needs"] is not None:
        out["needs"] = list(options["needs"])
    if worker:
        out["mode"] = "worker"
    match = _match(hooks, options["match"])
    if match:
        out["match"] = match
    return dumps(out) + b"\n"


def _agreed(name: str, hooks: list[Hook]) -> Any:
    """What the hooks that say something say."""
    said = [(h.options.get(name), h) for h in hooks if name in h.options or name == "lane"]
    if name == "description":
        return "; ".join(str(value) for value, _ in said) or None
    for value, hook in said[1:]:
        if value != said[0][0]:
            raise ValueError(
                f"{hook.where()}: its {name} is {_said(value)}, but that of {said[0][1].where()} is {_said(said[0][0])}; "
                f"hookway runs a file as one hook, so give them files of their own, or say run({name}=…)"
            )
    return said[0][0] if said else None


def _said(value: Any) -> str:
    return "the default, transform" if value is None else repr(value)


def _match(hooks: list[Hook], whole: Any) -> dict[str, Any] | None:
    """A matcher that holds for every event that one of the hooks wants."""
    each = [_told(h.match) for h in hooks]
    own: Any = None if not all(each) else each[0] if len(each) == 1 else {"any": each}
    if own is None or whole is None:
        return dict(whole) if whole is not None else own
    return {"all": [own, dict(whole)]}


def _told(match: Any) -> Any:
    """A matcher without what only this file can ask: where, and so whatever is not where."""
    if not hasattr(match, "items"):
        return match
    out = {}
    for name, wanted in match.items():
        if name == "where":
            continue
        if name in ("any", "all"):
            each = [_told(m) for m in ([wanted] if hasattr(wanted, "items") else wanted)]
            if name == "any" and not all(each):
                continue
            wanted = [m for m in each if m]
            if not wanted:
                continue
        elif name == "not" and _has_where(wanted):
            continue
        out[name] = wanted
    return out


def _has_where(match: Any) -> bool:
    if hasattr(match, "items"):
        return any(name == "where" or name in ("any", "all", "not") and _has_where(wanted) for name, wanted in match.items())
    return isinstance(match, (list, tuple)) and any(map(_has_where, match))
