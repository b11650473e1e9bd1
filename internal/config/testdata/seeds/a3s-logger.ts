engine.register(
  Hook.new("logger", HookEventType.PostToolUse)
    .with_config({ async_execution: true })
);
