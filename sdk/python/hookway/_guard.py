"""A tool with hooks around it."""

from __future__ import annotations

import functools
import inspect
import os
import time
import warnings
from collections.abc import Callable, Generator, Mapping
from typing import Any

from ._errors import Blocked, TooManyRetries
from ._json import dumps, loads
from ._outcome import Outcome

MAX_RETRIES = 10

_OPTIONS = ("name", "without", "ask", "inject", "session_id", "cwd", "timeout")


class Tool:
    """A function, and how its arguments are told to hooks."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        unknown = sorted(set(options) - set(_OPTIONS))
        if unknown:
            raise TypeError(f"guard_tool has no option {unknown[0]!r}; it has {', '.join(_OPTIONS)}")
        if not callable(function):
            raise TypeError(f"{function!r} is not a function; @client.guard_tool stands above one")
        self.function = function
        self.name: str = options.get("name") or function.__name__
        self.ask: Callable[[Outcome], Any] | None = options.get("ask")
        self.inject: Callable[[str], Any] | None = options.get("inject")
        self.fire = {k: options[k] for k in ("session_id", "cwd", "timeout") if options.get(k) is not None}
        self.signature = inspect.signature(function)
        without = options.get("without") or ()
        self.hidden: set[str] = {without} if isinstance(without, str) else set(without)
        missing = self.hidden - set(self.signature.parameters)
        if missing:
            raise TypeError(f"{self.name} has no argument {sorted(missing)[0]!r}")
        first = next(iter(self.signature.parameters), "")
        if first in ("self", "cls"):
            self.hidden.add(first)

    def told(self, bound: inspect.BoundArguments) -> dict[str, Any]:
        """The arguments as hooks see them."""
        out: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if name in self.hidden:
                continue
            if self.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                out.update(value)
            else:
                out[name] = list(value) if isinstance(value, tuple) else value
        return out

    def rebound(self, bound: inspect.BoundArguments, given: Mapping[str, Any]) -> inspect.BoundArguments:
        """The arguments as hooks left them. What they took out has its default again."""
        parameters = self.signature.parameters
        loose = next((n for n, p in parameters.items() if p.kind is inspect.Parameter.VAR_KEYWORD), None)
        new: dict[str, Any] = {n: v for n, v in bound.arguments.items() if n in self.hidden}
        extra = {}
        for name, value in given.items():
            if name in parameters and name != loose and name not in self.hidden:
                new[name] = tuple(value) if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL else value
            elif loose is not None:
                extra[name] = value
            else:
                raise TypeError(f"a hook gave {self.name} the argument {name!r}, which it does not have")
        if loose is not None:
            new[loose] = extra
        for name, p in parameters.items():
            if name not in new and p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                raise TypeError(f"a hook took the argument {name!r} from {self.name}, which needs it")
        ordered = {name: new[name] for name in parameters if name in new}
        return inspect.BoundArguments(self.signature, ordered)


# What a call of a tool asks of whoever runs it, in a thread or in asyncio.
Step = tuple[str, Any]


def guarded(tool: Tool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Generator[Step, Any, Any]:
    """One call of a tool, with its hooks. It yields what is to be done, and is sent what came of it."""
    bound = tool.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    use = {"tool_name": tool.name, "tool_input": tool.told(bound), "tool_use_id": "call_" + os.urandom(12).hex()}
    for retries in range(MAX_RETRIES + 1):
        asking, result = yield from _try(tool, bound, use)
        if asking is None:
            return result
        if retries == MAX_RETRIES:
            raise TooManyRetries(asking)
        yield "sleep", asking.retry_delay_ms / 1000


def _try(tool: Tool, bound: inspect.BoundArguments, use: dict[str, Any]) -> Generator[Step, Any, tuple[Outcome | None, Any]]:
    """One try: its result, or the outcome that asks for another."""
    before: Outcome = yield "fire", ("PreToolUse", use)
    left = {**use, **before.payload}
    action, began = before.action, time.monotonic()
    if action == "ask":
        allowed = (yield "ask", before) if tool.ask is not None else False
        action = "allow" if allowed else "block"
    if action in ("block", "retry"):
        yield from _after(left, {"success": False, "output": before.reason, "blocked" if action == "block" else "retry": True})
        if action == "block":
            raise Blocked(before)
        return before, None
    failure: Exception | None = None
    if action == "answer":
        result = before.result
        response = result if _is_response(result) else _response(result, began)
    else:
        try:
            new = bound if left["tool_input"] == use["tool_input"] else tool.rebound(bound, left["tool_input"])
            result = yield "call", new
            response = _response(result, began)
        except Exception as error:
            failure, result = error, None
            response = {**_response(str(error) or type(error).__name__, began), "success": False}
    after: Outcome = yield from _after(left, response)
    inject = "\n\n".join(text for text in (before.inject, after.inject) if text)
    if after.action == "block":
        raise Blocked(after, ran=action != "answer")
    if failure is not None:
        return (yield from _failed(tool, left, failure, inject))
    told = after.payload.get("tool_response", response)
    if told.get("output") != response.get("output"):
        result = _like(result, told.get("output"))
    return None, (yield from _injected(tool, result, inject))


def _after(use: dict[str, Any], response: dict[str, Any]) -> Generator[Step, Any, Any]:
    return (yield "fire", ("PostToolUse", {**use, "tool_response": response}))


def _failed(tool: Tool, use: dict[str, Any], failure: Exception, inject: str) -> Generator[Step, Any, tuple[Outcome | None, Any]]:
    """Hooks of Error may recover, have it tried again, or put the error into other words."""
    text = str(failure) or type(failure).__name__
    outcome: Outcome = yield "fire", ("Error", {"phase": "tool", "tool_name": tool.name, "error": text})
    if outcome.action == "retry":
        return outcome, None
    if outcome.action == "answer":
        return None, (yield from _injected(tool, outcome.result, inject))
    changed = outcome.payload.get("error", text)
    if inject:
        changed += "\n\n" + inject
    if changed != text:
        try:
            failure.args = (changed,)
        except AttributeError:
            pass
    raise failure


def _injected(tool: Tool, result: Any, text: str) -> Generator[Step, Any, Any]:
    """Hand text for the agent on."""
    if not text:
        return result
    if tool.inject is not None:
        yield "inject", text
        return result
    if isinstance(result, str):
        return result + "\n\n" + text
    warnings.warn(f"a hook has text for the agent, but the result of {tool.name} is not text; give guard_tool an inject: {text!r}", stacklevel=2)
    return result


def _is_response(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("output"), str) and isinstance(value.get("success"), bool)


def _response(result: Any, began: float) -> dict[str, Any]:
    return {"success": True, "output": _text(result), "duration_ms": round((time.monotonic() - began) * 1000)}


def _text(result: Any) -> str:
    """A result as text, as the agent is most likely told."""
    if isinstance(result, str):
        return result
    if result is None:
        return ""
    try:
        return dumps(result).decode("ascii")
    except (TypeError, ValueError, RecursionError):
        return str(result)


def _like(result: Any, output: Any) -> Any:
    """What hooks made of a result's text, as the kind of value that it was."""
    if result is None or isinstance(result, str) or not isinstance(output, str):
        return output
    try:
        return loads(output)
    except (ValueError, RecursionError):
        return output


def decorate(client: Any, function: Callable[..., Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    """The function with hooks around it, for threads."""
    if inspect.iscoroutinefunction(function):
        raise TypeError(f"{function.__name__} is async; guard it with AsyncClient")
    tool = Tool(function, options)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        steps = guarded(tool, args, kwargs)
        done: Any = None
        error: Exception | None = None
        while True:
            try:
                kind, what = steps.throw(error) if error is not None else steps.send(done)
            except StopIteration as end:
                return end.value
            done, error = None, None
            try:
                if kind == "fire":
                    done = client.fire(*what, **tool.fire)
                elif kind == "call":
                    done = tool.function(*what.args, **what.kwargs)
                elif kind == "ask":
                    done = tool.ask(what)  # type: ignore[misc]
                elif kind == "inject":
                    tool.inject(what)  # type: ignore[misc]
                else:
                    time.sleep(what)
            except Exception as raised:
                error = raised

    return wrapper
