// A process that does nothing but start others: what the launcher is compared with. No TypeScript: stripping types at its
// start would leave it larger, and starting others from a larger one takes longer.
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

process.on('message', ({ argv: [command, ...args], cwd, env }) => {
  const start = performance.now();
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  for (const stream of child.stdio) stream?.on('data', () => {});
  child.on('close', (code) => process.send(code === 0 ? performance.now() - start : Number.NaN));
});
