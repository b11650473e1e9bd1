"""What type checkers are to make of the package: mypy tests/typed.py. Nothing runs it."""

from __future__ import annotations

from typing import Any

from hookway import AsyncClient, Client, Context, Outcome, allow, block, hook, modify, proceed, run, skip
from hookway.types import Decision, PreToolUseEvent, ToolUse


@hook("PreToolUse", tool=["Bash", "mcp__*"], lane="guard", timeout=2)
def guard(event: PreToolUseEvent, ctx: Context) -> Decision | None:
    command: Any = event["tool_input"]["command"]
    if ctx.cancelled.is_set() or "rm" in command:
        return block("no", user_message="asked for rm")
    return None


@hook("PreToolUse", path="*.go", not_={"tool": "Read"}, any=[{"agent": "a"}], fields={"tool_input.url": "https://*"})
def kinds(event: PreToolUseEvent, ctx: Context) -> Decision:
    ctx.inject(ctx.working_dir)
    ctx.metadata["seen"] = True
    return skip("for the user", reason="known") if event["tool_name"] == "x" else proceed({"inject": "x"})


@hook("MessageSending")
async def message(event: Any) -> dict[str, object]:
    return {"modified": {"content": event["content"].strip()}}


@hook("PreToolUse")
def plain(event: PreToolUseEvent) -> Decision:
    event["tool_imput"]  # type: ignore[typeddict-item]
    return modify(tool_input={"command": "ls"}) if event["tool_name"] == "Bash" else allow()


@hook("SessionStart")  # type: ignore[type-var]
def wrong(event: PreToolUseEvent) -> Decision:
    return block(reson="no")  # type: ignore[call-arg]


client = Client(session_id="s")
payload: ToolUse = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
outcome: Outcome = client.fire("PreToolUse", payload, timeout=5)
action: str = outcome.action


@client.guard_tool
def bash(command: str) -> str:
    return command


@client.guard_tool(name="Bash", ask=lambda outcome: outcome.reason != "")
def other(command: str, timeout: int = 5) -> list[str]:
    return [command]


text: str = bash("ls")
lines: list[str] = other("ls", timeout=3)
bash(5)  # type: ignore[arg-type]


async def body() -> None:
    async with AsyncClient() as many:

        @many.guard_tool
        async def read(path: str) -> bytes:
            return path.encode()

        got: bytes = await read("a")
        print(got, (await many.fire("Idle")).blocked)
        async for record in many.watch():
            print(record["action"])


if __name__ == "__main__":
    run(match={"path": "*.go"}, needs=["TOKEN"])
