// Match dangerous rm commands
const matcher = { command_pattern: "rm\\s+-rf" };

// Match any git command
const matcher = { command_pattern: "^git\\s+" };
