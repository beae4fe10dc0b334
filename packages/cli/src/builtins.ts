import type { AnyPlugin } from 'patchbay-sdk';
import { acpCore } from 'plugin-core-acp';
import { llmCore } from 'plugin-core-llm';
import { httpCore, manualCore, scriptCore } from 'plugin-cores';
import { memoryPlugin } from 'plugin-memory';
import { githubPlugin, localPlugin } from 'plugin-platforms';
import { junitPlugin, progressPlugin, summaryPlugin } from 'plugin-reporters';
import { conduitCore, gateCore, sentinelCore } from 'plugin-reviewers';
import { cloudflaredPlugin, tailscalePlugin } from 'plugin-tunnels';

/** The plugins that come with the command and are always there: agent cores, reviewers that need no model, platforms, reporters, memory, tunnels. */
export const builtins: readonly AnyPlugin[] = [
  scriptCore,
  manualCore,
  httpCore,
  acpCore,
  llmCore,
  gateCore,
  sentinelCore,
  conduitCore,
  localPlugin,
  githubPlugin,
  progressPlugin,
  junitPlugin,
  summaryPlugin,
  memoryPlugin,
  tailscalePlugin,
  cloudflaredPlugin,
];
