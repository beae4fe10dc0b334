import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { sample } from 'patchbay-sdk';
import { expect, onTestFinished } from 'vitest';
import { folder, root } from '../../../../test/project.ts';
import { type AnyPayload, type LedgerStore, newEvent, openLedger } from '../../src/ledger/index.ts';

/** Where a ledger would be, in a folder that is gone when the test is over. */
export function ledgerFile(): string {
  return join(folder(), '.patchbay', 'ledger.db');
}

/** A ledger that is closed when the test is over. */
export async function opened(file = ledgerFile()): Promise<LedgerStore> {
  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Does something to the file behind the ledger's back. */
export function behind<T>(file: string, act: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false, timeout: 5000 });
  try {
    return act(db);
  } finally {
    db.close();
  }
}

/** An event of a chat, with some text. */
export function said(content: string, run_id: string | null = 'run-1'): AnyPayload {
  const { event, event_id, at, ...fields } = sample('message:received');
  return newEvent('message:received', { ...fields, content, run_id });
}

/** All that an iterable gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/**
 * Everything that `appender.ts` acknowledged is in the ledger, with what it owes, and the chain holds. The ledger is closed
 * afterwards.
 */
export async function expectAllOf(ledger: LedgerStore, acknowledged: readonly string[]): Promise<void> {
  try {
    const events = new Set((await all(ledger.events())).map(({ id }) => id));
    const deliveries = await all(ledger.deliveries());
    const settled = new Set(deliveries.filter(({ status }) => status === 'ok').map(({ id }) => id));
    const missing = acknowledged.filter((line) => {
      const [what, id = ''] = line.split(' ');
      return what === 'event' ? !events.has(id) : !settled.has(id);
    });
    expect(missing).toEqual([]);
    expect(deliveries).toHaveLength(events.size * 2);
    expect(await ledger.verify()).toMatchObject({ ok: true, events: events.size });
  } finally {
    await ledger.close();
  }
}

/** A script of this folder in a process of its own, from source. `before` is put in front of the command. */
export function inProcess(
  script: string,
  args: readonly string[],
  { flags = [] as string[], before = [] as string[] } = {},
) {
  const source = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
  const command = [...before, process.execPath, ...source, ...flags, join(import.meta.dirname, script), ...args];
  const child = spawn(command[0] ?? '', command.slice(1), { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    kill: () => child.kill('SIGKILL'),
    ended,
    lines: createInterface({ input: child.stdout }),
    stderr: () => stderr,
  };
}
