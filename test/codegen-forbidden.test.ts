import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inNode, root } from './project.ts';

const kernel = join(root, 'packages/host/src/kernel/index.ts');

/**
 * Calls hooks of all five kinds, with and without wrappers, so often that each is hot, and reports what came of it.
 * Nothing in it depends on time.
 */
const workload = `
import { Kernel, newRecord } from ${JSON.stringify(kernel)};
import * as z from 'zod/mini';

let forbidden = false;
try { new Function('return 1')(); } catch { forbidden = true; }
report({ forbidden });

const row = { deadlineMs: 1000, since: '0.1', doc: 'Of a test.', payload: z.object({ n: z.number() }) };
const answers = {
  notify: z.object({ verdict: z.enum(['ok', 'block']), message: z.optional(z.string()) }),
  collect: z.number(),
  first: z.number(),
  merge: z.record(z.string(), z.number()),
  waterfall: z.object({ n: z.number() }),
};
const answer = {
  notify: (i, n) => (n % 500 === 499 ? { verdict: 'block', message: 'no ' + i } : undefined),
  collect: (i, n) => (i + n) % 3 === 0 ? null : i * n,
  first: (i, n) => (n % 4 === i ? i * n : undefined),
  merge: (i, n) => ({ ['of' + i]: n, shared: i }),
  waterfall: (i, n) => (i === 2 ? undefined : { n: n + i }),
};
for (const kind of Object.keys(answers)) {
  for (const failure of ['soft', 'closed']) {
    for (const wrappers of [0, 2]) {
      for (const later of [false, true]) {
        const name = kind + ' ' + failure;
        const failures = [];
        const kernel = new Kernel({ [name]: { ...row, kind, failure, answer: answers[kind] } }, {
          onFailure: (error) => failures.push(error.message),
          breaker: { failures: 10000 },
        });
        for (let i = 0; i < 4; i++) {
          const handler = ({ n }, context) => {
            if (n === 1000 + i) throw new Error('handler ' + i + ' of ' + context.plugin);
            return answer[kind](i, n);
          };
          kernel.register({
            name: 'plugin-' + i,
            handlers: [{ hook: name, handler: later && i === 3 ? async (...all) => handler(...all) : handler }],
          });
        }
        let halves = 0;
        for (let i = 0; i < wrappers; i++) {
          const wrapper = ({ n }) => {
            halves++;
            return ({ result, refusal }) => {
              halves += refusal === undefined ? 1 : 100;
              return kind === 'waterfall' && i === 1 && result !== undefined ? { n: result.n + 1000000 } : undefined;
            };
          };
          kernel.register({ name: 'wrapper-' + i, handlers: [{ hook: name, wrapper }] });
        }
        const results = [];
        for (let n = 0; n < 2000; n++) {
          const record = newRecord();
          let result;
          try { result = await kernel.call(name, { n }, { record }); } catch (error) { result = error.code + ' ' + error.message; }
          if (n % 499 === 0 || (n >= 998 && n < 1006) || n > 1996) results.push([n, result ?? null, record]);
        }
        report({ kind, failure, wrappers, later, halves, results, failures });
      }
    }
  }
}
`;

it('gives the same results where code may not be generated from strings', () => {
  const allowed = inNode(workload);
  const forbidden = inNode(workload, '--disallow-code-generation-from-strings');
  expect([allowed.stderr, allowed.status, forbidden.stderr, forbidden.status]).toEqual(['', 0, '', 0]);
  expect(allowed.reports).toHaveLength(1 + 5 * 2 * 2 * 2);
  expect([allowed.reports[0], forbidden.reports[0]]).toEqual([{ forbidden: false }, { forbidden: true }]);
  expect(forbidden.reports.slice(1)).toEqual(allowed.reports.slice(1));
});

it('does the work at all: results, changes, refusals and failures are in what is compared', () => {
  const { reports } = inNode(workload, '--disallow-code-generation-from-strings');
  const find = (kind: string, failure: string, wrappers: number) =>
    reports.find((one) => expect.objectContaining({ kind, failure, wrappers, later: true }).asymmetricMatch(one)) as {
      results: [number, unknown, { changes: unknown[]; failures: unknown[] }][];
      failures: string[];
      halves: number;
    };
  const at = (found: ReturnType<typeof find>, n: number) => found.results.find(([one]) => one === n)?.[1];

  expect(at(find('collect', 'soft', 0), 998)).toEqual([2994, 1996, 0]);
  expect(at(find('first', 'soft', 0), 998)).toBe(1996);
  expect(at(find('merge', 'soft', 0), 998)).toMatchObject({ entries: { of0: 998, of3: 998, shared: 3 } });
  expect(at(find('waterfall', 'soft', 0), 499)).toEqual({ n: 503 });
  expect(at(find('waterfall', 'closed', 2), 499)).toEqual({ n: 1_000_503 });
  expect(at(find('notify', 'closed', 0), 1999)).toMatch(/^HOOK_REFUSED .*plugin-3.* no 3/);
  expect(find('notify', 'soft', 0).failures).toHaveLength(4);
  expect(find('notify', 'soft', 2).halves).toBe(2000 * 2 * 2);
});
