const matcher = {
  tool: "Bash",
  command_pattern: "rm",
  session_id: "session-123"
};
