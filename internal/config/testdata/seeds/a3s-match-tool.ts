// Only trigger for Bash tool
const matcher = { tool: "Bash" };
