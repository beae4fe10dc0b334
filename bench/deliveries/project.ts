import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EventPayload, sample } from 'patchbay-sdk';
import { type Host, openHost } from '../../packages/host/src/host.ts';
import { installPlugin } from '../../packages/host/src/install/index.ts';
import type { Service } from '../../packages/host/src/service.ts';

/** The files of a package by their path. */
export type Package = Readonly<Record<string, string>>;

/** A package of one script for accepted turns. */
export function scriptPackage(name: string, body: string, timeoutMs = 10_000): Package {
  const hooks = [{ event: 'turn:accepted', type: 'script', run: './run.sh', timeout_ms: timeoutMs }];
  return {
    'agentxchain-plugin.json': JSON.stringify({ name, version: '1.0.0', description: 'x', hooks }),
    'run.sh': `#!/bin/sh\n${body}\n`,
  };
}

/** Writes files, all of them runnable, below a folder. */
export function write(dir: string, files: Package): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text, { mode: 0o755 });
  }
}

/** Does something in a folder that is gone afterwards. */
export async function inFolder<T>(act: (dir: string) => Promise<T>): Promise<T> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-bench-')));
  try {
    return await act(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Makes a project with these packages. */
export async function project(dir: string, packages: readonly Package[]): Promise<void> {
  write(dir, { 'patchbay.yaml': '' });
  for (const [i, one] of packages.entries()) {
    const from = `${dir}-package-${i}`;
    write(from, one);
    await installPlugin(from, { cwd: dir, yes: true });
  }
}

/** Does something with the host of a project, whose failing handlers are never left alone. */
export async function withHost<T>(
  dir: string,
  act: (service: Service, host: Host) => Promise<T>,
  before: (host: Host) => void = () => {},
): Promise<T> {
  const host = await openHost({ cwd: dir, version: '0.1.0', breaker: { failures: 1_000_000 } });
  try {
    before(host);
    return await act(await host.start(), host);
  } finally {
    await host.close();
  }
}

/** What an accepted turn tells. */
export function accepted(): EventPayload<'turn:accepted'> {
  return { ...sample('turn:accepted'), event_id: crypto.randomUUID() };
}
