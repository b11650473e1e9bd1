"""What type checkers know of @hook. Made from docs/schema by `make schema`; do not edit."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict, TypeVar, overload

from typing_extensions import Unpack

from . import types as t
from ._hooks import Context

_Answer = Mapping[str, object] | None | Awaitable[Mapping[str, object] | None]

class _Options(TypedDict, total=False):
    tool: str | Iterable[str] | None
    path: str | Iterable[str] | None
    command: str | Iterable[str] | None
    session: str | Iterable[str] | None
    agent: str | Iterable[str] | None
    source: str | Iterable[str] | None
    namespace: str | Iterable[str] | None
    target: str | Iterable[str] | None
    deletes: str | Iterable[str] | Literal[True] | None
    writes: str | Iterable[str] | Literal[True] | None
    reads: str | Iterable[str] | Literal[True] | None
    moves: str | Iterable[str] | Literal[True] | None
    runs: str | Iterable[str] | Literal[True] | None
    connects: str | Iterable[str] | Literal[True] | None
    sends: str | Iterable[str] | Literal[True] | None
    git: str | Iterable[str] | Literal[True] | None
    sql: str | Iterable[str] | Literal[True] | None
    infra: str | Iterable[str] | Literal[True] | None
    secret: str | Iterable[str] | Literal[True] | None
    unknown: Literal[True] | None
    where: Callable[[Any], object] | None
    fields: Mapping[str, str | Iterable[str]] | None
    any: Mapping[str, Any] | Iterable[Mapping[str, Any]] | None
    all: Mapping[str, Any] | Iterable[Mapping[str, Any]] | None
    not_: Mapping[str, Any] | None
    match: Mapping[str, Any] | None
    lane: t.Lane | None
    priority: int | None
    timeout: float | str | None
    max_retries: int | None
    on_failure: Literal["continue", "block"] | None
    description: str | None

_GatewayStart = TypeVar("_GatewayStart", bound=Callable[[t.GatewayStartEvent], _Answer] | Callable[[t.GatewayStartEvent, Context], _Answer])
_GatewayStop = TypeVar("_GatewayStop", bound=Callable[[t.GatewayStopEvent], _Answer] | Callable[[t.GatewayStopEvent, Context], _Answer])
_SessionStart = TypeVar("_SessionStart", bound=Callable[[t.SessionStartEvent], _Answer] | Callable[[t.SessionStartEvent, Context], _Answer])
_SessionEnd = TypeVar("_SessionEnd", bound=Callable[[t.SessionEndEvent], _Answer] | Callable[[t.SessionEndEvent, Context], _Answer])
_AgentStart = TypeVar("_AgentStart", bound=Callable[[t.AgentStartEvent], _Answer] | Callable[[t.AgentStartEvent, Context], _Answer])
_AgentStop = TypeVar("_AgentStop", bound=Callable[[t.AgentStopEvent], _Answer] | Callable[[t.AgentStopEvent, Context], _Answer])
_IterationStart = TypeVar("_IterationStart", bound=Callable[[t.IterationStartEvent], _Answer] | Callable[[t.IterationStartEvent, Context], _Answer])
_IterationEnd = TypeVar("_IterationEnd", bound=Callable[[t.IterationEndEvent], _Answer] | Callable[[t.IterationEndEvent, Context], _Answer])
_GenerateStart = TypeVar("_GenerateStart", bound=Callable[[t.GenerateStartEvent], _Answer] | Callable[[t.GenerateStartEvent, Context], _Answer])
_GenerateEnd = TypeVar("_GenerateEnd", bound=Callable[[t.GenerateEndEvent], _Answer] | Callable[[t.GenerateEndEvent, Context], _Answer])
_PreToolUse = TypeVar("_PreToolUse", bound=Callable[[t.PreToolUseEvent], _Answer] | Callable[[t.PreToolUseEvent, Context], _Answer])
_PostToolUse = TypeVar("_PostToolUse", bound=Callable[[t.PostToolUseEvent], _Answer] | Callable[[t.PostToolUseEvent, Context], _Answer])
_ToolResultPersist = TypeVar("_ToolResultPersist", bound=Callable[[t.ToolResultPersistEvent], _Answer] | Callable[[t.ToolResultPersistEvent, Context], _Answer])
_PermissionRequest = TypeVar("_PermissionRequest", bound=Callable[[t.PermissionRequestEvent], _Answer] | Callable[[t.PermissionRequestEvent, Context], _Answer])
_PermissionDenied = TypeVar("_PermissionDenied", bound=Callable[[t.PermissionDeniedEvent], _Answer] | Callable[[t.PermissionDeniedEvent, Context], _Answer])
_PostToolUseFailure = TypeVar("_PostToolUseFailure", bound=Callable[[t.PostToolUseFailureEvent], _Answer] | Callable[[t.PostToolUseFailureEvent, Context], _Answer])
_MessageReceived = TypeVar("_MessageReceived", bound=Callable[[t.MessageReceivedEvent], _Answer] | Callable[[t.MessageReceivedEvent, Context], _Answer])
_MessageSending = TypeVar("_MessageSending", bound=Callable[[t.MessageSendingEvent], _Answer] | Callable[[t.MessageSendingEvent, Context], _Answer])
_MessageSent = TypeVar("_MessageSent", bound=Callable[[t.MessageSentEvent], _Answer] | Callable[[t.MessageSentEvent, Context], _Answer])
_PreCompact = TypeVar("_PreCompact", bound=Callable[[t.PreCompactEvent], _Answer] | Callable[[t.PreCompactEvent, Context], _Answer])
_PostCompact = TypeVar("_PostCompact", bound=Callable[[t.PostCompactEvent], _Answer] | Callable[[t.PostCompactEvent, Context], _Answer])
_Output = TypeVar("_Output", bound=Callable[[t.OutputEvent], _Answer] | Callable[[t.OutputEvent, Context], _Answer])
_Idle = TypeVar("_Idle", bound=Callable[[t.IdleEvent], _Answer] | Callable[[t.IdleEvent, Context], _Answer])
_Directive = TypeVar("_Directive", bound=Callable[[t.DirectiveEvent], _Answer] | Callable[[t.DirectiveEvent, Context], _Answer])
_Error = TypeVar("_Error", bound=Callable[[t.ErrorEvent], _Answer] | Callable[[t.ErrorEvent, Context], _Answer])
_SubagentStart = TypeVar("_SubagentStart", bound=Callable[[t.SubagentStartEvent], _Answer] | Callable[[t.SubagentStartEvent, Context], _Answer])
_SubagentStop = TypeVar("_SubagentStop", bound=Callable[[t.SubagentStopEvent], _Answer] | Callable[[t.SubagentStopEvent, Context], _Answer])
_Notification = TypeVar("_Notification", bound=Callable[[t.NotificationEvent], _Answer] | Callable[[t.NotificationEvent, Context], _Answer])
_Any = TypeVar("_Any", bound=Callable[[Any], _Answer] | Callable[[Any, Context], _Answer])

@overload
def hook(event: Literal["GatewayStart"], /, **options: Unpack[_Options]) -> Callable[[_GatewayStart], _GatewayStart]: ...
@overload
def hook(event: Literal["GatewayStop"], /, **options: Unpack[_Options]) -> Callable[[_GatewayStop], _GatewayStop]: ...
@overload
def hook(event: Literal["SessionStart"], /, **options: Unpack[_Options]) -> Callable[[_SessionStart], _SessionStart]: ...
@overload
def hook(event: Literal["SessionEnd"], /, **options: Unpack[_Options]) -> Callable[[_SessionEnd], _SessionEnd]: ...
@overload
def hook(event: Literal["AgentStart", "before-agent-start", "UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt"], /, **options: Unpack[_Options]) -> Callable[[_AgentStart], _AgentStart]: ...
@overload
def hook(event: Literal["AgentStop", "Stop", "AfterAgent"], /, **options: Unpack[_Options]) -> Callable[[_AgentStop], _AgentStop]: ...
@overload
def hook(event: Literal["IterationStart", "beforeIteration", "step-start"], /, **options: Unpack[_Options]) -> Callable[[_IterationStart], _IterationStart]: ...
@overload
def hook(event: Literal["IterationEnd", "afterIteration", "step-stop"], /, **options: Unpack[_Options]) -> Callable[[_IterationEnd], _IterationEnd]: ...
@overload
def hook(event: Literal["GenerateStart", "beforeLLM", "BeforeModel"], /, **options: Unpack[_Options]) -> Callable[[_GenerateStart], _GenerateStart]: ...
@overload
def hook(event: Literal["GenerateEnd", "afterLLM", "AfterModel"], /, **options: Unpack[_Options]) -> Callable[[_GenerateEnd], _GenerateEnd]: ...
@overload
def hook(event: Literal["PreToolUse", "before-tool-call", "beforeTool", "tool-call-start", "tool-call"], /, **options: Unpack[_Options]) -> Callable[[_PreToolUse], _PreToolUse]: ...
@overload
def hook(event: Literal["PostToolUse", "after-tool-call", "afterTool", "tool-call-end"], /, **options: Unpack[_Options]) -> Callable[[_PostToolUse], _PostToolUse]: ...
@overload
def hook(event: Literal["ToolResultPersist"], /, **options: Unpack[_Options]) -> Callable[[_ToolResultPersist], _ToolResultPersist]: ...
@overload
def hook(event: Literal["PermissionRequest"], /, **options: Unpack[_Options]) -> Callable[[_PermissionRequest], _PermissionRequest]: ...
@overload
def hook(event: Literal["PermissionDenied"], /, **options: Unpack[_Options]) -> Callable[[_PermissionDenied], _PermissionDenied]: ...
@overload
def hook(event: Literal["PostToolUseFailure", "tool-error", "tool-call-error", "tool-use-failure"], /, **options: Unpack[_Options]) -> Callable[[_PostToolUseFailure], _PostToolUseFailure]: ...
@overload
def hook(event: Literal["MessageReceived"], /, **options: Unpack[_Options]) -> Callable[[_MessageReceived], _MessageReceived]: ...
@overload
def hook(event: Literal["MessageSending"], /, **options: Unpack[_Options]) -> Callable[[_MessageSending], _MessageSending]: ...
@overload
def hook(event: Literal["MessageSent"], /, **options: Unpack[_Options]) -> Callable[[_MessageSent], _MessageSent]: ...
@overload
def hook(event: Literal["PreCompact", "before-compaction", "PreCompress"], /, **options: Unpack[_Options]) -> Callable[[_PreCompact], _PreCompact]: ...
@overload
def hook(event: Literal["PostCompact", "after-compaction"], /, **options: Unpack[_Options]) -> Callable[[_PostCompact], _PostCompact]: ...
@overload
def hook(event: Literal["Output"], /, **options: Unpack[_Options]) -> Callable[[_Output], _Output]: ...
@overload
def hook(event: Literal["Idle"], /, **options: Unpack[_Options]) -> Callable[[_Idle], _Idle]: ...
@overload
def hook(event: Literal["Directive"], /, **options: Unpack[_Options]) -> Callable[[_Directive], _Directive]: ...
@overload
def hook(event: Literal["Error", "agent-error"], /, **options: Unpack[_Options]) -> Callable[[_Error], _Error]: ...
@overload
def hook(event: Literal["SubagentStart"], /, **options: Unpack[_Options]) -> Callable[[_SubagentStart], _SubagentStart]: ...
@overload
def hook(event: Literal["SubagentStop"], /, **options: Unpack[_Options]) -> Callable[[_SubagentStop], _SubagentStop]: ...
@overload
def hook(event: Literal["Notification"], /, **options: Unpack[_Options]) -> Callable[[_Notification], _Notification]: ...
@overload
def hook(*events: str, **options: Unpack[_Options]) -> Callable[[_Any], _Any]: ...
