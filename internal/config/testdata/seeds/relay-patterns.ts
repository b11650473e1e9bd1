// relay.config.ts
export default {
  patterns: {
    // Custom namespace: @deploy:
    deploy: {
      handler: async (target, message, context) => {
        if (target === 'staging') {
          await exec('npm run deploy:staging');
          return { inject: 'Deployed to staging successfully' };
        }
      }
    },

    // Custom namespace: @notify:
    notify: {
      handler: async (target, message, context) => {
        await fetch('https://slack.com/api/post', {
          body: JSON.stringify({ channel: target, text: message })
        });
      }
    }
  }
};
