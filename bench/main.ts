/** `npm run bench -- NAME [--json] [--quick]`: measures, compares with what was promised, exits 1 if a goal is missed. */
import { parseArgs } from 'node:util';
import { quick, thorough } from './measure.ts';
import { machine, type Report, render } from './report.ts';

const benches: Record<string, () => Promise<{ run(effort: typeof quick): Promise<Report> }>> = {
  kernel: () => import('./kernel/bench.ts'),
  cli: () => import('./cli/bench.ts'),
  install: () => import('./install/bench.ts'),
  ledger: () => import('./ledger/bench.ts'),
  deliveries: () => import('./deliveries/bench.ts'),
  runs: () => import('./runs/bench.ts'),
  webhooks: () => import('./webhooks/bench.ts'),
  reviewers: () => import('./reviewers/bench.ts'),
  memory: () => import('./memory/bench.ts'),
  messages: () => import('./messages/bench.ts'),
  hosts: () => import('./hosts/bench.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' } },
});
const names = positionals.includes('all') || positionals.length === 0 ? Object.keys(benches) : positionals;
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`there is no benchmark ${unknown.join(', ')}; known are ${Object.keys(benches).join(', ')}, all`);
  process.exit(2);
}
for (const name of names) {
  const bench = await benches[name]?.();
  const report = await bench?.run(values.quick ? quick : thorough);
  if (report === undefined) continue;
  console.log(values.json ? JSON.stringify({ ...report, machine: machine() }) : `${render(report)}\n`);
  // A quick run only shows that the benchmark works: its figures mean nothing.
  if (!values.quick && report.goals.some(({ ok }) => !ok)) process.exitCode = 1;
}
