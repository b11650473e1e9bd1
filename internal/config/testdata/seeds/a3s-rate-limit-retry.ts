engine.register(
  Hook.new("rate-limit-retry", HookEventType.GenerateStart)
);

engine.register_handler("rate-limit-retry", {
  handle: (event) => {
    // Check if rate limited (example logic)
    if (isRateLimited(event.payload.session_id)) {
      return {
        action: "Retry",
        retry_delay_ms: 5000 // Wait 5 seconds
      };
    }
    return { action: "Continue" };
  }
});
