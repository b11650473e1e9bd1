// Bad: triggers on every tool
const matcher = {};

// Good: specific tool and pattern
const matcher = {
  tool: "Bash",
  command_pattern: "^sudo\\s+"
};
