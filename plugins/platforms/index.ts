import { definePlugin } from 'patchbay-sdk';
import { localPlatform } from './local.ts';

/** A project that is on this machine only. */
export const localPlugin = definePlugin({
  name: 'platform-local',
  version: '1.0.0',
  provides: { platform: ({ project }) => localPlatform(project) },
});

/** A project on GitHub. It asks for its settings when it is first used: most projects are elsewhere. */
export const githubPlugin = definePlugin({
  name: 'platform-github',
  version: '1.0.0',
  provides: {
    platform: ({ settings }) => {
      const made = async () => {
        const [{ readSettings }, { githubPlatform }] = await Promise.all([
          import('./github/settings.ts'),
          import('./github/platform.ts'),
        ]);
        return githubPlatform(readSettings(settings, process.env));
      };
      return {
        name: 'github',
        openReview: async (review) => (await made()).openReview(review),
        escalate: async (escalation) => (await made()).escalate(escalation),
        setVariable: async (name, value) => (await made()).setVariable(name, value),
        writeSummary: async (markdown) => (await made()).writeSummary(markdown),
        waitForChecks: async (commit, timeoutMs) => (await made()).waitForChecks(commit, timeoutMs),
      };
    },
  },
});
