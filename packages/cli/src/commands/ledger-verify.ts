import type { Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';

export const run: Run = async ({ cwd }) => {
  const ledger = await projectLedger(cwd);
  if (ledger === undefined) return { json: { ok: true, events: 0, head: null }, text: 'The ledger is empty.' };
  try {
    const verified = await ledger.verify();
    const { ok, events, head, broken_at, reason } = verified;
    return {
      json: verified,
      text: ok
        ? `${events} events, unchanged since they were written; head ${head}`
        : `event ${broken_at} is not as it was written: ${reason}; the ${events} before it are`,
      exitCode: ok ? 0 : 1,
    };
  } finally {
    await ledger.close();
  }
};
