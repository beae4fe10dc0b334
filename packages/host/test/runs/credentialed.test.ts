import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { goldenOf } from '../../../../test/flows/golden.ts';
import { Stage } from '../../../../test/flows/stage.ts';
import { folder, root } from '../../../../test/project.ts';
import { storeEnv } from '../../../../test/store.ts';
import { readProject } from '../../src/config/project.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { addApprover } from '../../src/runs/add-approver.ts';
import { newToken } from '../../src/runs/approvers.ts';
import { castVote } from '../../src/runs/decisions.ts';
import { loadRun } from '../../src/runs/load.ts';
import { byPolicy, human, Pretend, result, stage, templateOf } from './fixture.ts';

const ann = newToken();
const bob = newToken();
const approvers = () => ({
  ann: { token_sha256: ann.token_sha256 },
  bob: { token_sha256: bob.token_sha256 },
});

/** A run that waits at this gate, and how to decide on it. */
async function waiting(gate = human('a', { kind: 'credentialed' })) {
  const { run, ledger, emitter, resume } = await stage(new Pretend(() => result({ files_changed: ['a'] })));
  expect((await run(templateOf({ a: ['x'] }, { gates: { a: gate } }))).status).toBe('waiting');
  const vote = (by: string, token?: string, decision: 'approved' | 'refused' = 'approved') =>
    castVote({ ledger, emitter, approvers }, 'run-1', { by, decision, comment: null, token });
  return { vote, resume, ledger, emitter };
}

describe('A credentialed gate', () => {
  it('opens for somebody who proves who they are, and the ledger says how, but not the token', async () => {
    const { vote, resume, ledger } = await waiting();
    await vote('ann', `  ${ann.token}\n`);
    expect((await resume()).status).toBe('completed');
    const decided = [];
    for await (const { payload } of ledger.events({ type: 'approval:decided' })) decided.push(payload);
    expect(decided).toMatchObject([{ approver: 'ann', decision: 'approved', proof: 'token' }]);
    for await (const { payload } of ledger.events()) expect(JSON.stringify(payload)).not.toContain(ann.token);
  });

  it.each([
    ['approve', 'nobody who gives no token', 'ann', undefined, /that of ann was not given/],
    ['approve', 'nobody with the token of somebody else', 'ann', bob.token, /is not that of ann/],
    ['approve', 'nobody with an empty token', 'ann', '', /is not that of ann/],
    ['approve', 'nobody whom the project does not know', 'eve', ann.token, /eve has none/],
    ['approve', 'nobody with a name that every object has', 'constructor', ann.token, /constructor has none/],
    ['refuse', 'nobody who gives no token', 'ann', undefined, /that of ann was not given/],
  ] as const)('lets %s %s', async (decision, _, by, token, message) => {
    const { vote, resume } = await waiting();
    const voted = vote(by, token, decision === 'approve' ? 'approved' : 'refused');
    await expect(voted).rejects.toMatchObject({
      code: 'APPROVAL_UNPROVEN',
      exitCode: 2,
      message: expect.stringMatching(message),
    });
    await expect(voted).rejects.toMatchObject({ message: expect.not.stringContaining('pba_') });
    expect((await resume()).status).toBe('waiting');
  });

  it('counts so many different people, each with a token of their own', async () => {
    const { vote, resume } = await waiting(human('a', { kind: 'credentialed', quorum: 2 }));
    await vote('ann', ann.token);
    await expect(vote('ann', ann.token)).rejects.toMatchObject({ code: 'APPROVAL_INVALID' });
    expect((await resume()).status).toBe('waiting');
    await vote('bob', bob.token);
    expect((await resume()).status).toBe('completed');
  });

  it('is still only for those whom it names', async () => {
    const { vote } = await waiting(human('a', { kind: 'credentialed', approvers: ['bob'] }));
    await expect(vote('ann', ann.token)).rejects.toMatchObject({ code: 'APPROVAL_INVALID' });
  });

  it('is held when somebody refuses who proves who they are', async () => {
    const { vote, resume } = await waiting();
    await vote('ann', ann.token, 'refused');
    expect(await resume()).toMatchObject({ status: 'held', reason: 'ann refused gate "a"' });
  });

  it('does not count an approval that says nothing of a proof, however it got into the ledger', async () => {
    const { vote, resume, emitter } = await waiting();
    const unproven = newEvent('approval:decided', {
      run_id: 'run-1',
      approval_id: 'run-1/a/a',
      kind: 'gate',
      waiting_for: '',
      expires_at: null,
      decision: 'approved',
      approver: 'ann',
      comment: null,
    });
    await emitter.emit(unproven);
    expect((await resume()).status).toBe('waiting');
    await vote('ann', ann.token);
    expect((await resume()).status).toBe('completed');
  });

  it('may be what a policy falls back on', async () => {
    const { vote, resume } = await waiting(byPolicy('a', { files_changed_below: 1 }, {}, 'credentialed'));
    await expect(vote('ann')).rejects.toMatchObject({ code: 'APPROVAL_UNPROVEN' });
    await vote('ann', ann.token);
    expect((await resume()).status).toBe('completed');
  });

  it('asks nothing of those who decide on any other gate', async () => {
    const { vote, resume } = await waiting(human('a'));
    await vote('eve');
    expect((await resume()).status).toBe('completed');
  });
});

describe('addApprover', () => {
  const text = '# Ours.\nplugins: {} # none yet\nruns:\n  core: script\n  with:\n    command:\n      - ./a.sh\n';

  it('writes what the token is known by into the project file, and leaves the rest as it was', async () => {
    const dir = folder({ 'patchbay.yaml': text });
    const { token, file } = await addApprover(dir, 'ann@example.com');
    const written = readFileSync(file, 'utf8');
    expect(written.startsWith(text)).toBe(true);
    expect(written).not.toContain(token);
    expect(readProject(file).runs).toEqual({
      core: { core: 'script', with: { command: ['./a.sh'] } },
      roles: {},
      runsOn: {},
      approvers: { 'ann@example.com': { token_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
  });

  it('gives nobody a second token, and everybody another one', async () => {
    const dir = folder({ 'patchbay.yaml': '' });
    const [one, other] = [await addApprover(dir, 'ann'), await addApprover(dir, 'bob')];
    expect(one.token).not.toBe(other.token);
    await expect(addApprover(dir, 'ann')).rejects.toMatchObject({ code: 'USAGE', message: /already/ });
  });

  it('adds two at the same moment', async () => {
    const dir = folder({ 'patchbay.yaml': '' });
    const both = await Promise.all([addApprover(dir, 'ann'), addApprover(dir, 'bob')]);
    expect(Object.keys(readProject(both[0].file).runs.approvers).sort()).toEqual(['ann', 'bob']);
  });

  it.each([[''], ['  '], ['-ann'], ['a b'], ['a:b'], ['x'.repeat(101)]])('takes no name like %j', (name) => {
    expect(() => addApprover(folder({ 'patchbay.yaml': '' }), name)).toThrow(/is no name/);
  });

  it('leaves a project file alone that is wrong', async () => {
    const dir = folder({ 'patchbay.yaml': 'runs: { approvers: { ann: { token_sha256: 7 } } }\n' });
    await expect(addApprover(dir, 'bob')).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      message: expect.stringMatching(/:1: "runs\.approvers\.ann": needs a "token_sha256"/),
    });
  });

  it('works beside an agentxchain.json', async () => {
    const dir = folder({ 'agentxchain.json': '{"plugins": {}}' });
    const { file } = await addApprover(dir, 'ann');
    expect(Object.keys(readProject(file).runs.approvers)).toEqual(['ann']);
  });
});

describe('A run with a credentialed gate', () => {
  it('heeds whom the project file names when they decide, not when the host began', async () => {
    const stage = new Stage('credentialed');
    const { service } = await stage.start();
    const { run_id } = await stage.run(service);
    const vote = (token: string) =>
      service.runs.vote(run_id, { by: 'ann', decision: 'approved', comment: 'go on', token });
    const { token } = await addApprover(stage.dir, 'ann');
    const known = readFileSync(stage.file('patchbay.yaml'), 'utf8');
    writeFileSync(stage.file('patchbay.yaml'), '');
    await expect(vote(token)).rejects.toMatchObject({ code: 'APPROVAL_UNPROVEN' });
    writeFileSync(stage.file('patchbay.yaml'), known);
    await vote(token);
    const state = await stage.advance(service, run_id);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(state.status).toBe('completed');
  });

  it('cannot be approved by an agent in its turn, not even of another run, whatever its settings let it see', async () => {
    const flags = '--conditions=patchbay-source --disable-warning=ExperimentalWarning';
    // Wherever the ledger is, the agent knows it.
    const where = Object.entries(storeEnv()).map(([name, value]) => `${name}='${value}'`);
    const cli = `exec env ${where.join(' ')} ${process.execPath} ${flags} ${root}/packages/cli/src/main.ts "$@"\n`;
    const stage = new Stage('credentialed', { files: { 'cli.sh': cli } });
    const { token } = await addApprover(stage.dir, 'ann');
    const before = readFileSync(stage.file('patchbay.yaml'), 'utf8');
    stage.commit();
    vi.stubEnv('PATCHBAY_APPROVER_TOKEN', token);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { service } = await stage.start();
    const { run_id } = await stage.run(service);
    const other = await stage.run(service, `approve ${run_id}`);
    await service.runs.vote(other.run_id, { by: 'ann', decision: 'approved', comment: null, token });
    expect((await stage.advance(service, other.run_id)).status).toBe('completed');
    expect(stage.result(other, 'src/said.txt').split('\n')).toEqual([
      'variables: none, none',
      'without a token: 2',
      'with a guess: 2',
    ]);
    expect(stage.result(other, 'src/out.txt')).toMatch(/APPROVAL_UNPROVEN/);
    expect(readFileSync(stage.file('patchbay.yaml'), 'utf8')).toBe(before);
    const { state } = await loadRun(service.ledger, run_id);
    expect([state?.status, state?.gate?.votes]).toEqual(['waiting', []]);
  });
});
