import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerContract } from '../../../../test/contracts/ledger.ts';
import { openLedger } from '../../src/ledger/index.ts';

ledgerContract('SQLite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-ledger-'));
  const file = join(dir, '.patchbay', 'ledger.db');
  return {
    ledger: await openLedger(file),
    again: () => openLedger(file),
    remove: () => rmSync(dir, { recursive: true }),
  };
});
