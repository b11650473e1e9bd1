// Add timeout to all Bash commands
engine.register(
  Hook.new("add-timeout", HookEventType.PreToolUse)
    .with_matcher(HookMatcher.tool("Bash"))
);

engine.register_handler("add-timeout", {
  handle: (event) => {
    const args = event.payload.args;
    return {
      action: "Continue",
      modified: {
        ...args,
        timeout: args.timeout || 30000 // Default 30s timeout
      }
    };
  }
});
