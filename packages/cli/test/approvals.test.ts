import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hooks } from 'patchbay-sdk';
import { expect, it, onTestFinished } from 'vitest';
import { Kernel } from '../../../packages/host/src/kernel/index.ts';
import { Emitter } from '../../../packages/host/src/outbound/emitter.ts';
import { Approvals } from '../../../packages/host/src/services/approvals.ts';
import { project, root } from '../../../test/project.ts';
import { openBeside } from '../../../test/store.ts';
import { expectError, patchbay } from './command.ts';

const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
const script = join(root, 'packages/cli/src/main.ts');

/** A project in which calls can be made to wait. */
async function waiting() {
  const cwd = project({});
  mkdirSync(join(cwd, '.patchbay'));
  const ledger = await openBeside(cwd);
  const unknown = { version: null, digest: null, hide: <T>(value: T) => value, rights: null };
  const emitter = new Emitter(new Kernel(hooks), ledger, () => unknown);
  const approvals = new Approvals({ ledger, emitter, now: Date.now, approvalMs: 60_000 });
  const undo = [ledger.on('elsewhere', () => approvals.heardElsewhere())];
  onTestFinished(async () => {
    for (const off of undo) off();
    await ledger.close();
  });
  const user = { key: 'r/t/1', run_id: 'r', turn_id: 't', role: 'a', workspace: 'home', chat_jid: null, dir: cwd };
  const ask = async (tool: string) => {
    const asked = { tool, request_id: 'q', input_sha256: 'h', input: { to: 'bob\u001b[2J' }, why: 'human-approval' };
    const shown = Promise.withResolvers<string>();
    const signal = new AbortController().signal;
    const decided = approvals.ask({ ...user, signal }, asked, signal, shown.resolve);
    return { id: await shown.promise, decided };
  };
  return { ask, call: (...args: string[]) => patchbay(args, { cwd, flags, script }) };
}

it('calls that wait are listed, approved and refused by their id, once', async () => {
  const { ask, call } = await waiting();
  expect(call('approvals').stdout).toBe('Nothing waits for a decision.\n');
  const pay = await ask('pay');
  const send = await ask('send');
  const shown = call('approvals').stdout;
  expect(shown).toContain(`${pay.id}  home  pay   {"to":"bob\\u001b[2J"}`);
  expect(shown).not.toContain('\u001b');
  expect(JSON.parse(call('approvals', '--json').stdout)).toMatchObject([{ tool: 'pay' }, { tool: 'send' }]);
  expect(call('approvals', '--workspace', 'work').stdout).toBe('Nothing waits for a decision.\n');
  expect(call('approve', pay.id, '--by', 'ann').stdout).toBe(`${pay.id}: approved, pay in workspace home\n`);
  expect(await pay.decided).toMatchObject({ decision: 'approved', by: 'ann' });
  expectError(call('approve', pay.id), 2, 'APPROVAL_INVALID', /is decided on already/);
  expect(call('refuse', send.id, '--by', 'ann', '--reason', 'too much').status).toBe(0);
  expect(await send.decided).toMatchObject({ decision: 'refused', comment: 'too much' });
  expect(call('approvals').stdout).toBe('Nothing waits for a decision.\n');
});
