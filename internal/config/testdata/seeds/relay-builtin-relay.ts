// Built-in, always available
relay.pattern('relay', async (target, message, ctx) => {
  if (target === '*') {
    await ctx.relay.broadcast(message);
  } else {
    await ctx.relay.send(target, message);
  }
});
