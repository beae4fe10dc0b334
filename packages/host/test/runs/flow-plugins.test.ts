import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type EventName, type EventPayload, events } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { goldenOf } from '../../../../test/flows/golden.ts';
import { Stage } from '../../../../test/flows/stage.ts';
import { root } from '../../../../test/project.ts';
import type { Service } from '../../src/service.ts';

const documented = [
  'turn:dispatched',
  'turn:accepted',
  'turn:rejected',
  'turn:failed',
  'gate:transition',
  'gate:completion',
  'run:started',
  'run:completed',
] as const;

/** A package of the document's form whose script keeps every payload it gets, and the variables it is called with. */
function witness(dir: string) {
  const hooks = documented.map((event) => ({ event, type: 'script', run: './hooks/keep.sh', timeout_ms: 10_000 }));
  const manifest = { name: 'witness', version: '1.0.0', description: 'Keeps what it is told', hooks };
  const place = `${dir}/seen/$AGENTXCHAIN_EVENT-$AGENTXCHAIN_TURN_ID-$(date +%s%N)`;
  return {
    'agentxchain-plugin.json': JSON.stringify(manifest),
    'hooks/keep.sh': `#!/bin/sh
mkdir -p '${dir}/seen'
file=${place}
cp "$AGENTXCHAIN_PAYLOAD_FILE" "$file.json"
echo "$AGENTXCHAIN_RUN_ID|$AGENTXCHAIN_TURN_ID|$AGENTXCHAIN_ROLE|$AGENTXCHAIN_PHASE" > "$file.txt"
`,
  };
}

/** The run in which everything happens; Ann approves. */
async function carriedOut(stage: Stage, service: Service) {
  let state = await stage.run(service);
  for (const comment of ['a good plan', 'ship it']) {
    await service.runs.vote(state.run_id, { by: 'ann', decision: 'approved', comment });
    state = await stage.advance(service, state.run_id);
  }
  expect(state.status).toBe('completed');
  return state;
}

describe('An installed script', () => {
  it('sees all eight documented events, with what the document says is in them', async () => {
    const stage = new Stage('everything', { files: { '.gitignore': '.patchbay/\nsources/\nseen/\n' } });
    await stage.install('witness', witness(stage.dir));
    stage.commit();
    const { service } = await stage.start();
    const { run_id } = await carriedOut(stage, service);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    const seen = new Map<EventName, Record<string, unknown>[]>(documented.map((event) => [event, []]));
    for (const name of readdirSync(stage.file('seen')).filter((file) => file.endsWith('.json'))) {
      const payload = JSON.parse(readFileSync(stage.file(`seen/${name}`), 'utf8')) as EventPayload<EventName>;
      expect(events[payload.event].safeParse(payload)).toMatchObject({ success: true });
      seen.get(payload.event)?.push(payload as unknown as Record<string, unknown>);
      const { turn_id, role, phase } = payload;
      const variables = readFileSync(stage.file(`seen/${name.replace(/json$/, 'txt')}`), 'utf8').trim();
      expect(variables).toBe([run_id, turn_id, role, phase].map((value) => value ?? '').join('|'));
    }
    const count = Object.fromEntries([...seen].map(([event, all]) => [event, all.length]));
    expect(count).toEqual({
      'turn:dispatched': 6,
      'turn:accepted': 4,
      'turn:rejected': 1,
      'turn:failed': 1,
      'gate:transition': 1,
      'gate:completion': 1,
      'run:started': 1,
      'run:completed': 1,
    });
    const of = (event: EventName, turn?: string, attempt?: number) =>
      seen.get(event)?.find((one) => turn === undefined || (one['turn_id'] === turn && one['attempt'] === attempt));
    expect(of('run:started')).toMatchObject({
      run_id,
      template: 'flow',
      goal: 'Make it work',
      config_summary: { started_by: 'pat', template: { name: 'flow' } },
      roles: ['planner', 'developer', 'reviewer'],
      phases: ['planning', 'building'],
    });
    expect(of('turn:dispatched', 'building.developer', 1)).toMatchObject({
      turn_id: 'building.developer',
      role: 'developer',
      phase: 'building',
      adapter: 'script',
    });
    expect(of('turn:accepted', 'building.developer', 3)).toMatchObject({
      result: {
        status: 'completed',
        summary: 'A second go',
        decisions: [{ id: 'DEC-2', category: 'code', statement: 'One file', rationale: 'It is enough' }],
        objections: [{ id: 'OBJ-2', severity: 'low', statement: 'It may be slow' }],
        files_changed: ['src/a.txt'],
        verification: { status: 'pass', machine_evidence: [{ command: 'grep -q tested src/a.txt', exit_code: 0 }] },
        artifact: 'src/a.txt',
        proposed_next_role: 'reviewer',
        cost: { input_tokens: 100, output_tokens: 50, usd: 0.25 },
      },
      decision_summary: 'DEC-2: One file',
      summary: 'A second go',
    });
    expect(of('turn:rejected')).toMatchObject({
      turn_id: 'building.developer',
      attempt: 2,
      reason: 'Not good enough',
      errors: ['OBJ-1: It is bad'],
      by: 'reviewer',
      next_attempt: 3,
    });
    expect(of('turn:failed')).toMatchObject({
      turn_id: 'building.developer',
      attempt: 1,
      error: { code: 'CORE_FAILED', message: './agent.sh exited with 3: out of ideas' },
      exit_code: 3,
      signal: null,
      timed_out: false,
    });
    expect(of('gate:transition')).toMatchObject({
      gate: 'plan',
      from_phase: 'planning',
      to_phase: 'building',
      approver: 'ann',
      comment: 'a good plan',
    });
    const run_summary = {
      turns: 4,
      phases: [{ name: 'planning' }, { name: 'building' }],
      decisions: 2,
      verification: { status: 'pass' },
      cost: { input_tokens: 200, output_tokens: 100, usd: 0.75 },
    };
    expect(of('gate:completion')).toMatchObject({ approver: 'ann', comment: 'ship it', run_summary });
    expect(of('run:completed')).toMatchObject({ run_summary, decisions: [{ id: 'DEC-1' }, { id: 'DEC-2' }] });
  });
});

describe('The built-in packages', () => {
  it('plugin-json-report writes the documented report of a real run', async () => {
    const stage = new Stage('everything');
    await stage.bring(join(root, 'plugins/plugin-json-report'), { config: { include_file_diffs: true } });
    stage.commit();
    const { service } = await stage.start();
    const { run_id } = await carriedOut(stage, service);
    const report = JSON.parse(stage.read(`.agentxchain/reports/${run_id}.json`) ?? '') as Record<string, unknown>;
    expect(report).toMatchObject({
      run: { run_id, template: 'flow', goal: 'Make it work', turns: 4 },
      phases: [{ name: 'planning' }, { name: 'building' }],
      decisions: [
        { id: 'DEC-1', statement: 'Count from one' },
        { id: 'DEC-2', statement: 'One file' },
      ],
      objections: [
        { id: 'OBJ-1', severity: 'high', statement: 'It is bad' },
        { id: 'OBJ-2', severity: 'low', statement: 'It may be slow' },
      ],
      verification: { status: 'pass', machine_evidence: [{ command: 'grep -q tested src/a.txt', exit_code: 0 }] },
      cost: { input_tokens: 200, output_tokens: 100, usd: 0.75 },
      file_diffs: [
        { turn_id: 'planning.planner', attempt: 1, role: 'planner', patch: expect.stringContaining('+++ b/PLAN.md') },
        { turn_id: 'building.developer', attempt: 3, patch: expect.stringContaining('+++ b/src/a.txt') },
      ],
    });
  });

  it('plugin-slack-notify posts what was accepted, rejected and approved', async () => {
    const posts: unknown[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        posts.push(JSON.parse(body));
        response.end('ok');
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;
    const stage = new Stage('everything');
    const config = { webhook_url: `http://127.0.0.1:${port}/T/B/x`, mention_on_gate: '@here' };
    await stage.bring(join(root, 'plugins/plugin-slack-notify'), { config });
    stage.commit();
    const { service } = await stage.start();
    const { run_id } = await carriedOut(stage, service);
    const channel = '#agentxchain';
    expect(posts).toEqual(
      [
        'Turn accepted (planner): A plan',
        '@here ann let the run into building: a good plan',
        'Turn accepted (reviewer): Not good enough',
        'Turn rejected (developer): Not good enough',
        'Turn accepted (reviewer): Good',
        'Turn accepted (developer): A second go',
        `@here ann approved the completion of ${run_id}: ship it`,
      ].map((text) => ({ channel, text })),
    );
  });
});
