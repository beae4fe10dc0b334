import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ledgerFile } from '../../packages/host/src/config/state.ts';
import { openLedger } from '../../packages/host/src/ledger/index.ts';
import { runScript } from '../../packages/host/src/outbound/script.ts';
import { findBubblewrap } from '../../packages/host/src/sandbox/bubblewrap.ts';
import { inNamespace } from '../../packages/host/src/sandbox/launch/cage.ts';
import type { Service } from '../../packages/host/src/service.ts';
import { fill } from '../ledger/raw.ts';
import { accepted, inFolder, project, scriptPackage, withHost, write } from './project.ts';
import { Launcher } from './shipped.ts';
import { sideBySide, type Taken } from './side-by-side.ts';

const body = 'echo "turn $AGENTXCHAIN_TURN_ID was accepted"';
const env = { PATH: process.env['PATH'] ?? '' };

/** A script by its contract (`ours`) beside the same one just started, confined in the same way (`bare`). */
export function beside(rounds: number): Promise<Taken> {
  return inFolder(async (dir) => {
    write(dir, { 'run.sh': `#!/bin/sh\n${body}\n` });
    const launcher = new Launcher({ project: dir });
    const spawner = fork(join(import.meta.dirname, 'bare-spawner.mjs'), { execArgv: [] });
    try {
      const bwrap = (await launcher.confinement()) === 'namespace' ? findBubblewrap() : undefined;
      const own = [join(dir, 'run.sh')];
      const bare = { argv: bwrap === undefined ? own : inNamespace(bwrap, { cwd: dir, env }, own), cwd: dir, env };
      const plugin = { name: 'x', version: '1.0.0', dir, config: { channel: '#agents' }, env: {} };
      const handler = { type: 'script', event: 'turn:accepted', run: './run.sh', timeoutMs: 10_000 } as const;
      return await sideBySide(
        {
          bare: async () => {
            spawner.send(bare);
            const [ms] = await once(spawner, 'message');
            return ms;
          },
          ours: async () => {
            const call = { launcher, plugin, project: dir, payload: accepted(), key: 'x', secrets: [] };
            const start = performance.now();
            const { status, message } = await runScript(handler, call);
            const taken = performance.now() - start;
            if (status !== 'ok') throw new Error(`the script failed: ${message}`);
            return taken;
          },
        },
        rounds,
      );
    } finally {
      spawner.kill();
      await launcher.close();
    }
  });
}

/** An event from when it happens until a script has heard of it, in ledgers of these sizes. */
export function inLedgersOf(sizes: readonly [number, number], rounds: number): Promise<Taken> {
  return inFolder(async (dir) => {
    const [small, large] = [join(dir, 'small'), join(dir, 'large')];
    for (const [i, one] of [small, large].entries()) {
      await project(one, [scriptPackage('teller', body)]);
      const file = ledgerFile(one);
      mkdirSync(dirname(file), { recursive: true });
      await (await openLedger(file)).close();
      fill(file, sizes[i] ?? 0, ['teller']);
    }
    const deliver = (service: Service) => async () => {
      await service.emit('turn:accepted', accepted());
      await service.rest();
    };
    return withHost(small, (few) =>
      withHost(large, (many) => sideBySide({ small: deliver(few), large: deliver(many) }, rounds)),
    );
  });
}
