import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Stage } from '../../../test/flows/stage.ts';
import { confinements, eventually, nap, running } from '../../host/test/sandbox/fixture.ts';
import { appears, call, json, type RunJson, start } from './run-fixture.ts';

/** A run whose agent ignores SIGTERM, and where it cannot escape that way has a child in a session of its own. */
async function atWork() {
  const seconds = nap();
  const stage = new Stage('interrupted');
  const escaped = confinements.includes('namespace') ? 'setsid' : '';
  stage.write(
    'agent.sh',
    `#!/bin/bash
trap '' TERM
sources=\${PATCHBAY_BUNDLE%/.patchbay/*}/sources
mkdir -p "$sources"
${escaped} sleep ${seconds} &
echo at work
touch "$sources/working"
sleep ${seconds}
`,
  );
  chmodSync(stage.file('agent.sh'), 0o755);
  stage.commit();
  const under = start(stage, 'run', '--template', 'flow', '--input', 'Never ends');
  await appears(stage, 'sources/working');
  const [{ run_id = '' } = {}] = json<RunJson[]>(stage, 0, 'status');
  return { stage, seconds, run_id, ...under };
}

describe('A run that is worked on', () => {
  it('has a sign of life that status shows, and prints what its agent does; Ctrl-C ends all of it', async () => {
    const { stage, seconds, run_id, child, ended } = await atWork();
    await eventually(() => {
      expect(call(stage, 'status', run_id).stdout).toMatch(
        /building\.developer +developer +attempt 1 +working, last sign of life \d s ago/,
      );
    });
    expect(json(stage, 0, 'status', run_id)).toMatchObject({ turns: [{ sign_of_life: { pid: child.pid } }] });
    child.kill('SIGINT');
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([130, expect.stringContaining('\n    | at work\n')]);
    expect(running(seconds)).toEqual([]);
    expect(call(stage, 'status', run_id).stdout).toMatch(/attempt 1 +dispatched/);
  });

  it('is ended with all that its agent started by abort, beside its host', async () => {
    const { stage, seconds, run_id, ended } = await atWork();
    expect(json(stage, 0, 'abort', run_id)).toMatchObject({ status: 'aborted' });
    expect(await ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/: aborted, /) });
    expect(running(seconds)).toEqual([]);
  });

  it('whose host was killed has given no sign of life for a while', async () => {
    const { stage, run_id, child } = await atWork();
    const heartbeat = `.patchbay/runs/${run_id}/turns/building.developer-1/heartbeat.json`;
    await appears(stage, heartbeat);
    child.kill('SIGKILL');
    const sign = JSON.parse(stage.read(heartbeat) ?? '') as { at: string };
    const before = new Date(Date.parse(sign.at) - 3_600_000).toISOString();
    stage.write(heartbeat, JSON.stringify({ ...sign, at: before }));
    expect(call(stage, 'status', run_id).stdout).toMatch(/no sign of life for 1 h 0 min/);
  });
});
