import { openLedger } from '../../src/ledger/index.ts';
import { ledgerProperties } from './properties.ts';
import { ledgerFile } from './scratch.ts';

ledgerProperties(
  'SQLite',
  async () => {
    const file = ledgerFile();
    return () => openLedger(file);
  },
  150,
);
