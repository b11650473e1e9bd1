// Built-in when memory is configured
relay.pattern('memory', async (action, content, ctx) => {
  switch (action) {
    case 'save':
      await ctx.memory.add(content, { agentId: ctx.agentId });
      return { inject: `✓ Saved to memory` };

    case 'search':
      const results = await ctx.memory.search(content);
      return { inject: `Memories:\n${format(results)}` };

    case 'forget':
      await ctx.memory.delete(content);
      return { inject: `✓ Forgotten` };
  }
});
