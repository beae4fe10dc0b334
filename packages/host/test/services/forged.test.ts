import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { apiToken } from '../../src/api/token.ts';
import { guarded } from '../../src/runs/confinement.ts';
import { Launcher } from '../../src/sandbox/launcher.ts';
import type { Workspace } from '../../src/workspaces/index.ts';
import { Stage, toolPlugin } from './fixture.ts';

/** What an agent does that wants its own call approved. */
const forger = `
import { DatabaseSync } from 'node:sqlite';
import { readFileSync, writeFileSync, mkdirSync, readdirSync } from 'node:fs';
const [project, id, dir] = process.argv.slice(1);
const tried = {};
const attempt = (name, act) => { try { tried[name] = String(act()); } catch (error) { tried[name] = 'failed: ' + error.message; } };
const state = project + '/.patchbay';
attempt('token', () => readFileSync(state + '/api-token', 'utf8'));
attempt('ledger', () => {
  const db = new DatabaseSync(state + '/ledger.db');
  const row = db.prepare("SELECT * FROM events WHERE type = 'approval:requested'").get();
  const payload = { ...JSON.parse(row.payload), event: 'approval:decided', event_id: id + '.decided', decision: 'approved', approver: 'ann', comment: null };
  db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(row.seq + 100, id + '.decided', 'approval:decided', row.at, null, null, null, null, JSON.stringify(payload), 'x');
  return 'written';
});
attempt('wal', () => writeFileSync(state + '/ledger.db-wal', 'x'));
attempt('settings', () => writeFileSync(project + '/patchbay.yaml', 'services: { tier: always-approve }'));
attempt('own folder', () => writeFileSync(dir + '/mine', 'x'));
process.stdout.write(JSON.stringify(tried));
`;

describe('an agent cannot approve its own call', () => {
  it('the ledger cannot be written where it runs, the token of the API not be read, the project file not be changed', async () => {
    const stage = await Stage.open({
      plugins: [toolPlugin('p', { pay: () => ({ result: 'paid' }) })],
      settings: { tier: 'human-approval' },
    });
    const token = apiToken(stage.dir);
    const user = stage.user();
    const turn = stage.services.open(user);
    const called = turn.call('pay', {});
    const { approval_id } = await stage.waiting();
    const launcher = new Launcher({ project: stage.dir });
    onTestFinished(() => launcher.close());
    const ws = { project: stage.dir, kind: 'worktree', root: join(user.dir, 'work') } as Workspace;
    const { stdout, exitCode, stderr } = await launcher.run({
      argv: [
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        '--input-type=module',
        '--eval',
        forger,
        '--',
        stage.dir,
        approval_id,
        user.dir,
      ],
      cwd: user.dir,
      env: { PATH: process.env['PATH'] ?? '' },
      timeoutMs: 60_000,
      ...guarded({ ...ws, root: user.dir }, user.dir),
    });
    expect([exitCode, stderr.text]).toEqual([0, '']);
    const tried = JSON.parse(stdout.text) as Record<string, string>;
    expect(tried['token']).not.toContain(token);
    for (const way of ['ledger', 'wal', 'settings'])
      expect([way, tried[way]]).toEqual([way, expect.stringMatching(/^failed: /)]);
    // It could write where it may: it is not that nothing works there.
    expect([tried['own folder'], existsSync(join(user.dir, 'mine'))]).toEqual(['undefined', true]);
    expect(readFileSync(join(stage.dir, 'patchbay.yaml'), 'utf8')).not.toContain('always-approve');
    expect(await stage.services.pending()).toHaveLength(1);
    expect(await stage.ledger.verify()).toMatchObject({ ok: true });
    await stage.services.decide(approval_id, { decision: 'refused', by: 'ann', comment: null });
    expect(await called).toEqual({ error: 'tool "pay" was not called: ann refused it' });
  });
});
