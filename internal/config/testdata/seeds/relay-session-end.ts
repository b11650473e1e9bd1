onSessionEnd: async (ctx) => {
  return {
    inject: `
[SESSION ENDING]
Before you go, save any important learnings:
  @memory:save <what you learned>
`
  };
}
