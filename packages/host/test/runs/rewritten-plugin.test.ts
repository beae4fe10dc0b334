import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { definePlugin, type TurnWork } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { Stage } from '../../../../test/flows/stage.ts';
import { restorePlugins } from '../../src/install/index.ts';
import { integrityOf } from '../../src/install/integrity.ts';

/** An agent that no namespace holds, as on a system that has none. */
function agent(act: (turn: TurnWork) => unknown) {
  const run = async (turn: TurnWork) => {
    await act(turn);
    writeFileSync(turn.result_file, '{"summary": "Nothing to see here"}');
  };
  return definePlugin({ name: 'core-free', version: '1.0.0', provides: { agentCore: () => ({ name: 'free', run }) } });
}

const template = `name: flow
roles: { developer: { core: free, writes: ["src/**"] } }
phases:
  - name: building
    steps: [{ role: developer }]
limits: { attempts: 2 }
`;

/** A project with a guard of its gates and somebody who is told of turns; both note that they were called. */
async function staged() {
  const stage = new Stage('straight', { files: { '.gitignore': '.patchbay/\nsources/\nnotes/\n' } });
  stage.write('patchbay/templates/flow.yaml', template);
  stage.write('notes/.keep', '');
  const guard = { type: 'process', command: ['./hooks/ok.sh'], mode: 'blocking' };
  const allow = `#!/bin/sh\ncat > /dev/null\necho asked >> '${stage.dir}/notes/guard'\necho '{"verdict": "allow"}'\n`;
  const manifest = { schema_version: '0.1', name: 'guard', version: '1.0.0', hooks: { before_gate: [guard] } };
  await stage.install('guard', { 'agentxchain-plugin.json': JSON.stringify(manifest), 'hooks/ok.sh': allow });
  const heard = ['turn:dispatched', 'turn:failed'].map((event) => ({ event, type: 'script', run: './hooks/a.sh' }));
  await stage.install('watcher', {
    'agentxchain-plugin.json': JSON.stringify({ name: 'watcher', version: '1.0.0', description: 'x', hooks: heard }),
    'hooks/a.sh': `#!/bin/sh\necho "$AGENTXCHAIN_EVENT" >> '${stage.dir}/notes/watcher'\n`,
  });
  stage.commit();
  return stage;
}

/** What is told of plugins while the host is at work. */
async function quarantined({ service }: Awaited<ReturnType<Stage['start']>>): Promise<string[]> {
  const told: string[] = [];
  for await (const { payload } of service.ledger.events({ type: 'plugin:quarantined' })) {
    told.push((payload as unknown as { plugin: string }).plugin);
  }
  return told;
}

describe('A plugin whose files an agent rewrites', () => {
  it('is quarantined at the end of that turn: it is not called any more, and what it guarded is refused', async () => {
    const stage = await staged();
    const evil = `echo evil >> '${stage.dir}/notes/evil'\n`;
    const host = await stage.start(
      agent(({ attempt }) => {
        if (attempt > 1) return;
        for (const script of ['guard/hooks/ok.sh', 'watcher/hooks/a.sh']) {
          appendFileSync(stage.file(`.patchbay/plugins/${script}`), evil);
        }
      }),
    );
    const state = await stage.run(host.service);
    expect(await quarantined(host)).toEqual(['guard', 'watcher']);
    expect(state).toMatchObject({
      status: 'held',
      reason: expect.stringMatching(
        /"guard" guards gate:pending and is quarantined: its files were changed while it ran/,
      ),
    });
    expect([stage.read('notes/evil'), stage.read('notes/guard')]).toEqual([undefined, undefined]);
    expect(stage.read('notes/watcher')).toBe('turn:dispatched\n');

    await host.close();
    await restorePlugins({ cwd: stage.dir });
    const next = await stage.start(agent(() => {}));
    const again = await stage.advance(next.service, await next.service.runs.release(state.run_id, 'pat'));
    expect(again.status).toBe('completed');
    expect(stage.read('notes/guard')).toBe('asked\n');
  });

  it('is quarantined even if the lock file is made to fit', async () => {
    const stage = await staged();
    const host = await stage.start(
      agent(async ({ attempt }) => {
        if (attempt > 1) return;
        appendFileSync(stage.file('.patchbay/plugins/guard/hooks/ok.sh'), '# evil\n');
        const lock = JSON.parse(readFileSync(stage.file('patchbay.lock'), 'utf8'));
        lock.plugins.guard.integrity = await integrityOf(stage.file('.patchbay/plugins/guard'));
        writeFileSync(stage.file('patchbay.lock'), JSON.stringify(lock));
      }),
    );
    expect((await stage.run(host.service)).status).toBe('held');
    expect(await quarantined(host)).toEqual(['guard']);
  });

  it('is quarantined if it is removed, and if the turn in which that happens is stopped', async () => {
    const stage = await staged();
    const ending = new AbortController();
    const host = await stage.start(
      agent(() => {
        rmSync(stage.file('.patchbay/plugins/guard'), { recursive: true });
        ending.abort();
      }),
    );
    const { service } = host;
    const run_id = await service.runs.request({ template: stage.template(), goal: 'x', by: 'pat' });
    await service.runs.advance(run_id, ending.signal);
    expect(await quarantined(host)).toEqual(['guard']);
  });

  it('is left alone as long as nobody touches it', async () => {
    const stage = await staged();
    const host = await stage.start(agent(({ workspace }) => appendFileSync(`${workspace}/src/a.txt`, 'more\n')));
    expect((await stage.run(host.service)).status).toBe('completed');
    expect(await quarantined(host)).toEqual([]);
  });
});
