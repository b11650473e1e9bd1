engine.register({
  id: "metrics-reporter",
  event_type: "post_tool_use",
  config: { async_execution: true }
});
