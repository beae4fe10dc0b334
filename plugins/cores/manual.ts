import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin, type TurnWork } from 'patchbay-sdk';

const lookEveryMs = 250;

/** Plays a role by a person: waits until the result file is there. */
export const manualCore = definePlugin({
  name: 'core-manual',
  version: '1.0.0',
  provides: { agentCore: () => ({ name: 'manual', run }) },
});

async function run(turn: TurnWork): Promise<void> {
  turn.log(`${turn.role}: work in ${turn.workspace}; what to do is in ${turn.bundle}; then write ${turn.result_file}`);
  while (!existsSync(turn.result_file)) {
    await sleep(lookEveryMs, undefined, { signal: turn.signal });
  }
}
