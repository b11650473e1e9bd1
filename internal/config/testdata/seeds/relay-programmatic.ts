import { Relay } from 'agent-relay';

const relay = new Relay({
  name: 'MyAgent',
});

// Register pattern handler
relay.pattern('deploy', async (target, message, ctx) => {
  console.log(`Deploying to ${target}: ${message}`);
  await deploy(target);
  return { inject: `Deployed to ${target}` };
});

// Register lifecycle hook
relay.on('sessionStart', async (ctx) => {
  const memories = await loadMemories(ctx.agentId);
  ctx.inject(`Your memories:\n${memories}`);
});

relay.on('sessionEnd', async (ctx) => {
  ctx.inject('Save important learnings with @memory:save');
});

// Start with wrapped command
relay.wrap('claude');
