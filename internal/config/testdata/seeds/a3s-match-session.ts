const matcher = { session_id: "session-123" };
