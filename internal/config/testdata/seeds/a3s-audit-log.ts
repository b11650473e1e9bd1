// Log all tool executions
engine.register(
  Hook.new("audit-log", HookEventType.PostToolUse)
    .with_config({ async_execution: true, priority: 1000 })
);

engine.register_handler("audit-log", {
  handle: (event) => {
    const { tool, args, result } = event.payload;
    console.log(JSON.stringify({
      timestamp: new Date().toISOString(),
      session: event.payload.session_id,
      tool,
      args,
      success: result.success,
      duration_ms: result.duration_ms
    }));
    return { action: "Continue" };
  }
});
