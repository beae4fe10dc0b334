/** A small process that does nothing but start others: what the launcher is compared with. */
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** What to start. */
export interface Bare {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

process.on('message', async ({ argv: [command = '', ...args], cwd, env }: Bare) => {
  const start = performance.now();
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn(command, args, { cwd, env, detached: true, stdio: [...stdio] });
  for (const stream of child.stdio) stream?.on('data', () => {});
  child.on('close', (code) => process.send?.(code === 0 ? performance.now() - start : Number.NaN));
});
