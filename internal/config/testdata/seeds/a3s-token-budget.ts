// Track and limit token usage
let sessionTokens = new Map<string, number>();

engine.register(
  Hook.new("token-budget", HookEventType.GenerateEnd)
);

engine.register_handler("token-budget", {
  handle: (event) => {
    const { session_id, usage } = event.payload;
    const current = sessionTokens.get(session_id) || 0;
    const updated = current + usage.total_tokens;
    sessionTokens.set(session_id, updated);

    if (updated > 100000) {
      console.warn(`Session ${session_id} exceeded 100k tokens`);
    }
    return { action: "Continue" };
  }
});
