// Only allow writing to specific directories
engine.register(
  Hook.new("restrict-writes", HookEventType.PreToolUse)
    .with_matcher(HookMatcher.tool("Write"))
);

engine.register_handler("restrict-writes", {
  handle: (event) => {
    const path = event.payload.args.file_path;
    if (!path.startsWith("/workspace/")) {
      return {
        action: "Block",
        reason: `Write access denied: ${path} is outside workspace`
      };
    }
    return { action: "Continue" };
  }
});
