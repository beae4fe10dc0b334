import { expect } from 'vitest';
import { processPackage } from '../package.ts';
import type { Hostile } from '../row.ts';
import { idle } from './scripts.ts';

/** Hostile processes of the shipped 0.1 form, which answer on their output and may block. */
export const processes: Hostile[] = [
  {
    does: 'answers half of a verdict',
    make: (name) => processPackage(name, `printf '{"verdict":"al'`),
    accepted: 'failed',
    says: /answered what is no verdict/,
  },
  {
    does: 'answers twice',
    make: (name) => processPackage(name, `echo '{"verdict":"allow"}'; echo '{"verdict":"block"}'`),
    accepted: 'failed',
    says: /answered what is no verdict/,
  },
  {
    does: 'answers 5 MB',
    make: (name) =>
      processPackage(
        name,
        `printf '{"verdict":"allow","message":"'; head -c 5000000 /dev/zero | tr '\\0' x; echo '"}'`,
        { timeout: 10_000 },
      ),
    accepted: 'failed',
    says: /answered what is no verdict/,
    check: ({ deliveries }) => {
      for (const { message } of deliveries) expect(message?.length ?? 0).toBeLessThan(5000);
    },
  },
  {
    does: 'never reads the 1 MB that it is given',
    make: (name) => processPackage(name, `echo '{"verdict":"allow"}'`, { timeout: 10_000 }),
    accepted: 'ok',
    fields: { phase: 'x'.repeat(1_000_000) },
    neighbour: 'http',
  },
  {
    does: 'says block where it is not asked',
    make: (name) => processPackage(name, `echo '{"verdict":"block","message":"I forbid it"}'`, { timeout: 10_000 }),
    accepted: 'ok',
    check: ({ deliveries }) => {
      for (const { verdict, message } of deliveries) expect([verdict, message]).toEqual(['block', 'I forbid it']);
    },
  },
  {
    does: 'may block, and hangs',
    make: (name, ground) => processPackage(name, idle(ground), { mode: 'blocking' }),
    accepted: 'failed',
    says: /was ended after 300 ms/,
    refuses: ['turn:dispatched'],
  },
  {
    does: 'may not block, and hangs',
    make: (name, ground) => processPackage(name, idle(ground)),
    accepted: 'failed',
    says: /was ended after 300 ms/,
  },
  {
    does: 'may block, and dies',
    make: (name) => processPackage(name, 'kill -9 $$', { mode: 'blocking', timeout: 10_000 }),
    accepted: 'failed',
    says: /was ended by SIGKILL/,
    refuses: ['turn:dispatched'],
  },
  {
    does: 'may block, and answers nonsense',
    make: (name) => processPackage(name, `echo '{"verdict":"perhaps"}'`, { mode: 'blocking', timeout: 10_000 }),
    accepted: 'failed',
    says: /answered what is no verdict/,
    refuses: ['turn:dispatched'],
  },
  {
    does: 'may block, and allows only after its time is over',
    make: (name) =>
      processPackage(name, `trap '' TERM; sleep 1; echo '{"verdict":"allow"}'; exit 0`, { mode: 'blocking' }),
    accepted: 'failed',
    says: /was ended after 300 ms/,
    refuses: ['turn:dispatched'],
  },
];
