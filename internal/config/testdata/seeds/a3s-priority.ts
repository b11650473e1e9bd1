// Security check runs first (priority 10)
engine.register({
  id: "security-check",
  event_type: "pre_tool_use",
  config: { priority: 10 }
});

// Logging runs last (priority 1000)
engine.register({
  id: "audit-log",
  event_type: "pre_tool_use",
  config: { priority: 1000 }
});
