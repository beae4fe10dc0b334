import type { AnyPlugin } from 'patchbay-sdk';
import { slackPlugin, webhookPlugin } from 'plugin-channels';
import { acpCore } from 'plugin-core-acp';
import { llmCore } from 'plugin-core-llm';
import { httpCore, manualCore, scriptCore } from 'plugin-cores';
import { memoryPlugin } from 'plugin-memory';
import { otelObserverPlugin, sqliteObserverPlugin } from 'plugin-observers';
import { githubPlugin, localPlugin } from 'plugin-platforms';
import { junitPlugin, progressPlugin, summaryPlugin } from 'plugin-reporters';
import { conduitCore, gateCore, sentinelCore } from 'plugin-reviewers';
import { applePlugin, bubblewrapPlugin, dockerPlugin, nonePlugin, podmanPlugin } from 'plugin-runtimes';
import { cloudflaredPlugin, tailscalePlugin } from 'plugin-tunnels';

/** The plugins that come with the command; a project can set each of them up, or leave it out. */
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
  slackPlugin,
  webhookPlugin,
  bubblewrapPlugin,
  podmanPlugin,
  dockerPlugin,
  applePlugin,
  nonePlugin,
  sqliteObserverPlugin,
  otelObserverPlugin,
];
