import { type ErrorCode, PatchbayError } from 'patchbay-sdk';
import { expect, it } from 'vitest';
import { Runs, type RunsParts } from '../../src/runs/runs.ts';
import { FakeHosts } from './fake-peers.ts';

it.each<[ErrorCode, boolean]>([
  ['LEDGER_WRITE', true],
  ['INTERNAL', false],
])('a run that stops with %s stays with its host: %s', async (code, isKept) => {
  const hosts = new FakeHosts();
  const ledger = { run: () => Promise.reject(new PatchbayError(code, 'it cannot be')) };
  const runs = new Runs({ ledger, peers: hosts.host('a') } as unknown as RunsParts);
  await expect(runs.advance('run-1')).rejects.toMatchObject({ code });
  expect(hosts.host('b').isElsewhere('run', 'run-1')).toBe(isKept);
});
