import { type EventPayload, refuse } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { goldenOf } from '../../../../test/flows/golden.ts';
import { Stage } from '../../../../test/flows/stage.ts';
import type { LedgerStore } from '../../src/ledger/index.ts';
import { castVote } from '../../src/runs/decisions.ts';
import type { TurnResult } from '../../src/runs/state.ts';
import { readTemplate } from '../../src/runs/template/read.ts';
import type { Conditions } from '../../src/runs/template/template.ts';
import { byPolicy, Pretend, result, stage, story, templateOf } from './fixture.ts';
import { changed, wrongWith } from './template-fixture.ts';

const objections = [{ id: 'OBJ-1', severity: 'medium', statement: 'It may be slow' }];
const passed = { status: 'pass', commands: ['npm test'], machine_evidence: [] } as const;
const cheap = { input_tokens: 60, output_tokens: 40, usd: 0.5 };

/** Carries a run out whose only turn has this result, up to the gate of a policy. */
async function judged(conditions: Conditions, done: Partial<TurnResult>) {
  const { run, ledger } = await stage(new Pretend(() => result(done)));
  const state = await run(templateOf({ build: ['developer'] }, { gates: { build: byPolicy('build', conditions) } }));
  return { state, ledger };
}

async function payloadOf<E extends 'gate:pending' | 'approval:requested' | 'gate:completion'>(
  ledger: LedgerStore,
  type: E,
) {
  for await (const { payload } of ledger.events({ type })) return payload as EventPayload<E>;
  return undefined;
}

describe('A gate with a policy', () => {
  it.each<[what: string, conditions: Conditions, good: Partial<TurnResult>, bad: Partial<TurnResult>, why: RegExp]>([
    [
      'what it cost',
      { usd_below: 1 },
      { cost: cheap },
      { cost: { ...cheap, usd: 1 } },
      /usd_below 1 \(1 USD were spent\)/,
    ],
    [
      'the tokens it used',
      { tokens_below: 101 },
      { cost: cheap },
      { cost: { ...cheap, input_tokens: 61 } },
      /tokens_below 101 \(101 tokens were used\)/,
    ],
    [
      'how many files it changed',
      { files_changed_below: 2 },
      { files_changed: ['a'] },
      { files_changed: ['a', 'b'] },
      /files_changed_below 2 \(2 files were changed\)/,
    ],
    [
      'which files it changed',
      { files_only: ['docs/**', '*.md'] },
      { files_changed: ['docs/a/b.txt', 'README.md'] },
      { files_changed: ['docs/a.md', 'src/a.ts', '.env'] },
      /files_only docs\/\*\* \*\.md \(src\/a\.ts, \.env changed\)/,
    ],
    [
      'any objection',
      { objections: 'none' },
      {},
      { objections },
      /objections none \(objections are open: OBJ-1 It may be slow\)/,
    ],
    [
      'objections that weigh enough',
      { objections: 'medium' },
      { objections: [{ id: 'OBJ-1', severity: 'low', statement: 'It may be slow' }] },
      { objections },
      /objections medium/,
    ],
    [
      'its verification',
      { verification: 'pass' },
      { verification: { ...passed, commands: [...passed.commands], machine_evidence: [] } },
      {},
      /verification pass \(verification of build\.developer did not pass\)/,
    ],
  ])('decides by %s', async (_, conditions, good, bad, why) => {
    const alone = await judged(conditions, good);
    expect(alone.state.status).toBe('completed');
    expect(await payloadOf(alone.ledger, 'gate:pending')).toMatchObject({ kind: 'policy', waiting_for: 'policy' });
    const comment = expect.stringContaining(Object.keys(conditions)[0] as string);
    expect(await payloadOf(alone.ledger, 'gate:completion')).toMatchObject({ approver: 'policy', comment });

    const asked = await judged(conditions, bad);
    expect(asked.state.status).toBe('waiting');
    const waiting_for = expect.stringMatching(why);
    expect(await payloadOf(asked.ledger, 'gate:pending')).toMatchObject({ waiting_for });
    expect(await payloadOf(asked.ledger, 'approval:requested')).toMatchObject({ waiting_for });
  });

  it('needs all of its conditions, and says which do not hold', async () => {
    const { state, ledger } = await judged(
      { usd_below: 1, files_changed_below: 1, objections: 'none' },
      { cost: cheap, files_changed: ['a'], objections },
    );
    expect(state.status).toBe('waiting');
    const { waiting_for } = (await payloadOf(ledger, 'gate:pending')) ?? {};
    expect(waiting_for).toMatch(/^1 approval\(s\), because of files_changed_below 1 .*, objections none /);
    expect(waiting_for).not.toContain('usd_below');
  });

  it('is opened by people where it does not open by itself, as many as it wants', async () => {
    const { run, ledger, emitter, resume } = await stage(new Pretend(() => result({ objections })));
    const gates = { a: byPolicy('a', { objections: 'none' }, { quorum: 2, approvers: ['bob', 'cy'] }) };
    await run(templateOf({ a: ['x'] }, { gates }));
    const vote = (by: string) => castVote({ ledger, emitter }, 'run-1', { by, decision: 'approved', comment: null });
    await expect(vote('eve')).rejects.toMatchObject({ code: 'APPROVAL_INVALID' });
    await vote('bob');
    expect((await resume()).status).toBe('waiting');
    await vote('cy');
    expect((await resume()).status).toBe('completed');
  });

  it('counts what all phases have changed, each file once', async () => {
    const workshop = new Pretend(({ phase }) => result({ files_changed: phase === 'a' ? ['x', 'y'] : ['y', 'z'] }));
    const { run, ledger } = await stage(workshop);
    await run(templateOf({ a: ['r'], b: ['r'] }, { gates: { b: byPolicy('b', { files_changed_below: 3 }) } }));
    const pending = [];
    for await (const { payload } of ledger.events({ type: 'gate:pending' })) pending.push(payload);
    expect(pending.at(-1)).toMatchObject({ waiting_for: expect.stringContaining('3 files were changed') });
  });

  it('does not go round a plugin that refuses the gate', async () => {
    const { run, kernel, ledger } = await stage();
    kernel.register({ name: 'guard', handlers: [{ hook: 'gate:pending', handler: () => refuse('not on Fridays') }] });
    const state = await run(templateOf({ a: ['x'] }, { gates: { a: byPolicy('a', { usd_below: 5 }) } }));
    expect(state).toMatchObject({ status: 'held', reason: expect.stringContaining('not on Fridays') });
    expect((await story(ledger)).slice(-2)).toEqual(['gate:pending', 'run:held']);
  });

  it('opens by itself for a change of documents, and waits for people for one of code: a real run', async () => {
    const stage = new Stage('policy');
    const { service } = await stage.start();
    const state = await stage.run(service);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(state.status).toBe('waiting');
  });

  it('sees that a file which was renamed is gone from where it was', async () => {
    const stage = new Stage('policy', { files: { 'src/main.txt': 'The same text, long enough to be known again.\n' } });
    const { service } = await stage.start();
    const { status, files } = await stage.run(service, 'rename');
    expect([status, files]).toEqual(['waiting', ['src/main.txt', 'docs/main.txt']]);
  });
});

describe('A policy in a template', () => {
  const human = 'approval: human';
  const policy = (text: string) => changed(human, `approval: ${text}`);

  it('is read with its conditions and who decides otherwise', () => {
    const text = policy(
      '{ kind: policy, automatic_if: { usd_below: 2.5, files_only: ["docs/**"] }, else: credentialed, quorum: 2 }',
    );
    expect(readTemplate(text, 'base.yaml').gates['ship']?.approval).toEqual({
      kind: 'policy',
      policy: { automaticIf: { usd_below: 2.5, files_only: ['docs/**'] }, otherwise: 'credentialed' },
      quorum: 2,
      approvers: [],
      proposerMayApprove: true,
      expiresMs: null,
    });
  });

  it('has people decide otherwise if it does not say who', () => {
    const { gates } = readTemplate(policy('{ kind: policy, automatic_if: { objections: none } }'), 'base.yaml');
    expect(gates['ship']?.approval.policy?.otherwise).toBe('human');
  });

  it.each([
    ['no conditions', 'policy', /is a policy that never decides: say under "automatic_if"/],
    ['empty conditions', '{ kind: policy, automatic_if: {} }', /is a policy that never decides/],
    [
      'conditions of a gate for people',
      '{ kind: credentialed, automatic_if: { usd_below: 1 } }',
      /is credentialed, so it cannot have automatic_if; write "kind: policy"/,
    ],
    ['an else without a policy', '{ kind: human, else: human }', /is human, so it cannot have else/],
    [
      'an unknown condition',
      '{ kind: policy, automatic_if: { usd_bellow: 1 } }',
      /usd_bellow: unknown field, did you mean "usd_below"/,
    ],
    [
      'an automatic else',
      '{ kind: policy, automatic_if: { usd_below: 1 }, else: automatic }',
      /"automatic" is none of/,
    ],
    [
      'a limit of nothing',
      '{ kind: policy, automatic_if: { files_changed_below: 0 } }',
      /must be a whole number from 1/,
    ],
    ['a glob that is none', '{ kind: policy, automatic_if: { files_only: ["../x"] } }', /leads out of the workspace/],
  ])('is refused with %s', (_, text, message) => {
    expect(wrongWith(policy(text))).toEqual([expect.stringMatching(message)]);
  });

  it('that looks at a verification which its phase does not have is told', () => {
    const warnings: string[] = [];
    const text = policy('{ kind: policy, automatic_if: { verification: pass } }')
      .replace('        verify: [npm test]\n', '')
      .replace('      - verification: pass\n', '      - reviews: pass\n');
    readTemplate(text, 'base.yaml', (message) => warnings.push(message));
    expect(warnings).toEqual([
      expect.stringMatching(/looks at the verification, but no step of the phase has "verify"/),
    ]);
  });
});
