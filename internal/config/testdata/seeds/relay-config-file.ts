// relay.config.ts (in project root or ~/.config/agent-relay/)
import type { RelayConfig } from 'agent-relay';

export default {
  // Pattern handlers (namespaces)
  patterns: {
    memory: 'builtin',  // Use built-in memory handler
    deploy: { handler: myDeployHandler },
  },

  // Lifecycle hooks
  hooks: {
    onSessionStart: async (ctx) => {
      // Load relevant memories
      const memories = await ctx.memory.search(ctx.workingDir);
      return { inject: `Relevant context:\n${memories}` };
    },

    onSessionEnd: async (ctx) => {
      return {
        inject: `Session ending. Save any important learnings with @memory:save`
      };
    },

    onOutput: async (output, ctx) => {
      // Custom output processing
      if (output.includes('ERROR')) {
        await ctx.notify('errors', output);
      }
    },

    onIdle: async (ctx) => {
      // Called after 30s of no output
      // Could prompt for status update
    },
  },

  // Memory configuration
  memory: {
    backend: 'mem0',  // or 'qdrant', 'custom'
    autoSave: false,  // Don't auto-extract, let agent decide
    promptOnEnd: true, // Prompt to save at session end
  },
} satisfies RelayConfig;
