"""The types of events, decisions and outcomes. Made from docs/schema by `make schema`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

EventName = Literal[
    "GatewayStart",
    "GatewayStop",
    "SessionStart",
    "SessionEnd",
    "AgentStart",
    "AgentStop",
    "IterationStart",
    "IterationEnd",
    "GenerateStart",
    "GenerateEnd",
    "PreToolUse",
    "PostToolUse",
    "ToolResultPersist",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUseFailure",
    "MessageReceived",
    "MessageSending",
    "MessageSent",
    "PreCompact",
    "PostCompact",
    "Output",
    "Idle",
    "Directive",
    "Error",
    "SubagentStart",
    "SubagentStop",
    "Notification",
]
Action = Literal["continue", "allow", "ask", "block", "retry", "skip", "answer"]
Lane = Literal["transform", "guard", "observe"]


class Decision(TypedDict, total=False):
    """What a hook answers. An empty one has no opinion."""

    action: Action
    inject: str
    metadata: dict[str, Any]
    modified: dict[str, Any]
    reason: str
    result: Any
    retry_delay_ms: float
    user_message: str


class More(TypedDict, total=False):
    """What may come with any answer."""

    inject: str
    metadata: dict[str, Any]
    modified: dict[str, Any]
    reason: str
    user_message: str


_AtOdd = TypedDict("_AtOdd", {"from": "int"}, total=False)


class At(_AtOdd):
    """Part of Fact and others."""

    to: int


_FactOdd = TypedDict("_FactOdd", {"class": "str", "from": "str", "global": "bool"}, total=False)


class _Fact(_FactOdd):
    does: str
    sure: bool


class Fact(_Fact, total=False):
    """One thing that a tool call would do; docs/guards.md has the members."""

    approved: bool
    args: list[str] | None
    at: At
    because: str
    bounded: bool
    bulk: bool
    by: str
    creates: bool
    deletes: bool
    dialect: str
    dry: bool
    elevated: bool
    force: bool
    glob: bool
    host: str
    inside: str
    kind: str
    language: str
    link: str
    manager: str
    many: bool
    method: str
    name: str
    object: str
    path: str
    port: int
    program: str
    real: str
    receives: list[str] | None
    recursive: bool
    ref: str
    remote: str
    scheme: str
    scope: str
    scripts: bool
    secret: str
    sends: list[str] | None
    source: str
    sub: str
    system: str
    uncommitted: bool
    verb: str
    what: str
    where: str


class _Would(TypedDict):
    action: str
    reason: str


class Would(_Would, total=False):
    """Part of StepJSON and others."""

    change: bool
    rule: str


class _StepJSON(TypedDict):
    action: Action
    duration_ms: float
    hook: str
    lane: Lane
    reason: str


class StepJSON(_StepJSON, total=False):
    """One hook's part in an outcome."""

    changed: bool
    error: str
    injected: bool
    note: str
    rule: str
    would: Would | None


class _OutcomeJSON(TypedDict):
    action: Action
    by: str
    event: str
    inject: str
    payload: Any
    reason: str
    result: Any
    retry_delay_ms: float
    steps: list[StepJSON]


class OutcomeJSON(_OutcomeJSON, total=False):
    """What all hooks of one event answered together, with a step for each call."""

    facts: list[Fact]
    metadata: dict[str, Any]
    rule: str
    user_message: str


class _AgentResult(TypedDict):
    stop_hook_active: bool
    success: bool


class AgentResult(_AgentResult, total=False):
    """The payload of AgentStop."""

    duration_ms: int
    error: str
    last_assistant_message: str
    last_message: str
    run_id: str


class _AgentRun(TypedDict):
    prompt: str


class AgentRun(_AgentRun, total=False):
    """The payload of AgentStart."""

    agent_dir: str
    run_id: str
    system_prompt: str
    workspace_dir: str


class Alert(TypedDict):
    """The payload of Notification."""

    message: str


class Compaction(TypedDict, total=False):
    """The payload of PreCompact."""

    message_count: int
    token_count: int
    trigger: str


class CompactionResult(TypedDict, total=False):
    """The payload of PostCompact."""

    compact_summary: str
    message_count: int
    summary: str
    token_count: int
    trigger: str


class _Attachment(TypedDict):
    name: str
    size: int


class Attachment(_Attachment, total=False):
    """Part of Delivery and others."""

    path: str
    sha256: str


_DeliveryOdd = TypedDict("_DeliveryOdd", {"from": "str"}, total=False)


class _Delivery(_DeliveryOdd):
    content: str
    success: bool


class Delivery(_Delivery, total=False):
    """The payload of MessageSent."""

    attachments: list[Attachment] | None
    channel: str
    direction: str
    error: str
    id: str
    metadata: dict[str, Any]
    priority: str
    reply_to: str
    thread: str
    to: str


class _DirectiveCall(TypedDict):
    body: str
    namespace: str
    target: str


class DirectiveCall(_DirectiveCall, total=False):
    """The payload of Directive."""

    line: str


class _Fault(TypedDict):
    error: str
    phase: str


class Fault(_Fault, total=False):
    """The payload of Error."""

    tool_name: str


class GatewayEnd(TypedDict, total=False):
    """The payload of GatewayStop."""

    reason: str


class GatewayInfo(TypedDict, total=False):
    """The payload of GatewayStart."""

    address: str
    addresses: list[str] | None
    version: str


class Generation(TypedDict, total=False):
    """The payload of GenerateStart."""

    available_tools: list[str] | None
    messages: list[dict[str, Any]] | None
    model_name: str
    model_provider: str
    prompt: str
    system_prompt: str
    tools: list[dict[str, Any]] | None


class _ToolCall(TypedDict):
    input: dict[str, Any]
    name: str


class ToolCall(_ToolCall, total=False):
    """Part of GenerationResult and others."""

    id: str


class Usage(TypedDict):
    """Part of GenerationResult and others."""

    completion_tokens: int
    prompt_tokens: int
    total_tokens: int


class _GenerationResult(TypedDict):
    duration_ms: int
    response_text: str


class GenerationResult(_GenerationResult, total=False):
    """The payload of GenerateEnd."""

    available_tools: list[str] | None
    messages: list[dict[str, Any]] | None
    model_name: str
    model_provider: str
    prompt: str
    system_prompt: str
    tool_calls: list[ToolCall] | None
    tools: list[dict[str, Any]] | None
    usage: Usage | None


class _IterationInfo(TypedDict):
    iteration: int


class IterationInfo(_IterationInfo, total=False):
    """The payload of IterationStart."""

    max_iterations: int
    messages: list[dict[str, Any]] | None


class _ToolResponse(TypedDict):
    output: str
    success: bool


class ToolResponse(_ToolResponse, total=False):
    """Part of IterationResultToolCall and others."""

    duration_ms: int
    exit_code: int | None


class IterationResultToolCall(TypedDict):
    """Part of IterationResult and others."""

    input: dict[str, Any]
    name: str
    result: ToolResponse


class _IterationResult(TypedDict):
    completed_with_text: bool
    iteration: int


class IterationResult(_IterationResult, total=False):
    """The payload of IterationEnd."""

    max_iterations: int
    messages: list[dict[str, Any]] | None
    tool_calls: list[IterationResultToolCall] | None


_MessageOdd = TypedDict("_MessageOdd", {"from": "str"}, total=False)


class _Message(_MessageOdd):
    content: str


class Message(_Message, total=False):
    """The payload of MessageReceived, MessageSending."""

    attachments: list[Attachment] | None
    channel: str
    direction: str
    id: str
    metadata: dict[str, Any]
    priority: str
    reply_to: str
    thread: str
    to: str


class _OutputText(TypedDict):
    complete: bool
    text: str


class OutputText(_OutputText, total=False):
    """The payload of Output."""

    raw: str


class _Permission(TypedDict):
    tool_input: dict[str, Any]
    tool_name: str


class Permission(_Permission, total=False):
    """The payload of PermissionRequest, PermissionDenied."""

    reason: str
    tool_use_id: str


class SessionInfo(TypedDict, total=False):
    """The payload of SessionStart."""

    model: str
    model_name: str
    model_provider: str
    source: str
    system_prompt: str


class _SessionSummary(TypedDict):
    duration_ms: int
    total_tokens: int
    total_tool_calls: int


class SessionSummary(_SessionSummary, total=False):
    """The payload of SessionEnd."""

    exit_code: int | None
    reason: str


class Silence(TypedDict):
    """The payload of Idle."""

    count: int
    idle_ms: int


class Subagent(TypedDict, total=False):
    """The payload of SubagentStart, SubagentStop."""

    agent_type: str
    last_assistant_message: str
    last_message: str


class _ToolFailure(TypedDict):
    error: str
    tool_input: dict[str, Any]
    tool_name: str


class ToolFailure(_ToolFailure, total=False):
    """The payload of PostToolUseFailure."""

    duration_ms: int
    tool_use_id: str


class _ToolPersist(TypedDict):
    tool_name: str
    tool_response: ToolResponse


class ToolPersist(_ToolPersist, total=False):
    """The payload of ToolResultPersist."""

    tool_use_id: str


class _ToolResult(TypedDict):
    tool_input: dict[str, Any]
    tool_name: str
    tool_response: ToolResponse


class ToolResult(_ToolResult, total=False):
    """The payload of PostToolUse."""

    recent_tools: list[str] | None
    tool_use_id: str


class _ToolUse(TypedDict):
    tool_input: dict[str, Any]
    tool_name: str


class ToolUse(_ToolUse, total=False):
    """The payload of PreToolUse."""

    recent_tools: list[str] | None
    tool_use_id: str


class _Event(TypedDict):
    cwd: str
    event_id: str
    hook_event_name: str
    session_id: str
    time: str
    transcript_path: str


class Event(_Event, total=False):
    """What a hook is given: one flat object, a superset of what Claude Code gives its hooks."""

    agent: str
    facts: list[Fact]
    hookway_envelope: dict[str, Any]
    metadata: dict[str, Any]
    source: str


class GatewayStartEvent(Event, total=False):
    """A hook of GatewayStart is given it, and may observe."""

    address: str
    addresses: list[str] | None
    version: str


class GatewayStopEvent(Event, total=False):
    """A hook of GatewayStop is given it, and may observe."""

    reason: str


class SessionStartEvent(Event, total=False):
    """A hook of SessionStart is given it, and may inject."""

    model: str
    model_name: str
    model_provider: str
    system_prompt: str


class _SessionEndEvent(Event):
    duration_ms: int
    total_tokens: int
    total_tool_calls: int


class SessionEndEvent(_SessionEndEvent, total=False):
    """A hook of SessionEnd is given it, and may inject."""

    exit_code: int | None
    reason: str


class _AgentStartEvent(Event):
    prompt: str


class AgentStartEvent(_AgentStartEvent, total=False):
    """A hook of AgentStart is given it, and may change prompt and system_prompt, block, inject."""

    agent_dir: str
    run_id: str
    system_prompt: str
    workspace_dir: str


class _AgentStopEvent(Event):
    stop_hook_active: bool
    success: bool


class AgentStopEvent(_AgentStopEvent, total=False):
    """A hook of AgentStop is given it, and may block, inject."""

    duration_ms: int
    error: str
    last_assistant_message: str
    last_message: str
    run_id: str


class _IterationStartEvent(Event):
    iteration: int


class IterationStartEvent(_IterationStartEvent, total=False):
    """A hook of IterationStart is given it, and may answer."""

    max_iterations: int
    messages: list[dict[str, Any]] | None


class _IterationEndEvent(Event):
    completed_with_text: bool
    iteration: int


class IterationEndEvent(_IterationEndEvent, total=False):
    """A hook of IterationEnd is given it, and may observe."""

    max_iterations: int
    messages: list[dict[str, Any]] | None
    tool_calls: list[IterationResultToolCall] | None


class GenerateStartEvent(Event, total=False):
    """A hook of GenerateStart is given it, and may change *, block, retry, answer, inject."""

    available_tools: list[str] | None
    messages: list[dict[str, Any]] | None
    model_name: str
    model_provider: str
    prompt: str
    system_prompt: str
    tools: list[dict[str, Any]] | None


class _GenerateEndEvent(Event):
    duration_ms: int
    response_text: str


class GenerateEndEvent(_GenerateEndEvent, total=False):
    """A hook of GenerateEnd is given it, and may change response_text, block, retry."""

    available_tools: list[str] | None
    messages: list[dict[str, Any]] | None
    model_name: str
    model_provider: str
    prompt: str
    system_prompt: str
    tool_calls: list[ToolCall] | None
    tools: list[dict[str, Any]] | None
    usage: Usage | None


class _PreToolUseEvent(Event):
    tool_input: dict[str, Any]
    tool_name: str


class PreToolUseEvent(_PreToolUseEvent, total=False):
    """A hook of PreToolUse is given it, and may change tool_input, allow, ask, block, retry, answer, inject."""

    recent_tools: list[str] | None
    tool_use_id: str


class _PostToolUseEvent(Event):
    tool_input: dict[str, Any]
    tool_name: str
    tool_response: ToolResponse


class PostToolUseEvent(_PostToolUseEvent, total=False):
    """A hook of PostToolUse is given it, and may change tool_response, block, inject."""

    recent_tools: list[str] | None
    tool_use_id: str


class _ToolResultPersistEvent(Event):
    tool_name: str
    tool_response: ToolResponse


class ToolResultPersistEvent(_ToolResultPersistEvent, total=False):
    """A hook of ToolResultPersist is given it, and may change tool_response, block."""

    tool_use_id: str


class _PermissionRequestEvent(Event):
    tool_input: dict[str, Any]
    tool_name: str


class PermissionRequestEvent(_PermissionRequestEvent, total=False):
    """A hook of PermissionRequest is given it, and may allow, ask, block."""

    reason: str
    tool_use_id: str


class _PermissionDeniedEvent(Event):
    tool_input: dict[str, Any]
    tool_name: str


class PermissionDeniedEvent(_PermissionDeniedEvent, total=False):
    """A hook of PermissionDenied is given it, and may observe."""

    reason: str
    tool_use_id: str


class _PostToolUseFailureEvent(Event):
    error: str
    tool_input: dict[str, Any]
    tool_name: str


class PostToolUseFailureEvent(_PostToolUseFailureEvent, total=False):
    """A hook of PostToolUseFailure is given it, and may answer, inject."""

    duration_ms: int
    tool_use_id: str


_MessageReceivedEventOdd = TypedDict("_MessageReceivedEventOdd", {"from": "str"}, total=False)


class _MessageReceivedEvent(Event, _MessageReceivedEventOdd):
    content: str


class MessageReceivedEvent(_MessageReceivedEvent, total=False):
    """A hook of MessageReceived is given it, and may change content, block, inject."""

    attachments: list[Attachment] | None
    channel: str
    direction: str
    id: str
    priority: str
    reply_to: str
    thread: str
    to: str


_MessageSendingEventOdd = TypedDict("_MessageSendingEventOdd", {"from": "str"}, total=False)


class _MessageSendingEvent(Event, _MessageSendingEventOdd):
    content: str


class MessageSendingEvent(_MessageSendingEvent, total=False):
    """A hook of MessageSending is given it, and may change content, block, inject."""

    attachments: list[Attachment] | None
    channel: str
    direction: str
    id: str
    priority: str
    reply_to: str
    thread: str
    to: str


_MessageSentEventOdd = TypedDict("_MessageSentEventOdd", {"from": "str"}, total=False)


class _MessageSentEvent(Event, _MessageSentEventOdd):
    content: str
    success: bool


class MessageSentEvent(_MessageSentEvent, total=False):
    """A hook of MessageSent is given it, and may observe."""

    attachments: list[Attachment] | None
    channel: str
    direction: str
    error: str
    id: str
    priority: str
    reply_to: str
    thread: str
    to: str


class PreCompactEvent(Event, total=False):
    """A hook of PreCompact is given it, and may block, inject."""

    message_count: int
    token_count: int
    trigger: str


class PostCompactEvent(Event, total=False):
    """A hook of PostCompact is given it, and may inject."""

    compact_summary: str
    message_count: int
    summary: str
    token_count: int
    trigger: str


class _OutputEvent(Event):
    complete: bool
    text: str


class OutputEvent(_OutputEvent, total=False):
    """A hook of Output is given it, and may inject."""

    raw: str


class IdleEvent(Event):
    """A hook of Idle is given it, and may inject."""

    count: int
    idle_ms: int


class _DirectiveEvent(Event):
    body: str
    namespace: str
    target: str


class DirectiveEvent(_DirectiveEvent, total=False):
    """A hook of Directive is given it, and may inject."""

    line: str


class _ErrorEvent(Event):
    error: str
    phase: str


class ErrorEvent(_ErrorEvent, total=False):
    """A hook of Error is given it, and may change error, retry, answer."""

    tool_name: str


class SubagentStartEvent(Event, total=False):
    """A hook of SubagentStart is given it, and may block, inject."""

    agent_type: str
    last_assistant_message: str
    last_message: str


class SubagentStopEvent(Event, total=False):
    """A hook of SubagentStop is given it, and may block, inject."""

    agent_type: str
    last_assistant_message: str
    last_message: str


class NotificationEvent(Event):
    """A hook of Notification is given it, and may inject."""

    message: str
