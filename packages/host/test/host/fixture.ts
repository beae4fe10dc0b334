import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type EventName, sample } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { type HostOptions, openHost } from '../../src/host.ts';
import { type InstallOptions, installPlugin } from '../../src/install/index.ts';
import type { Delivery, EventFields } from '../../src/ledger/index.ts';

/** A handler of a document-form manifest. */
export const script = (event: string, run: string, timeout_ms = 5000) => ({ event, type: 'script', run, timeout_ms });
export const http = (event: string, url: string, more: object = {}) => ({ event, type: 'http', url, ...more });

/** The files of a package in the document's form. */
export function documentForm(name: string, hooks: object[], files: Record<string, string> = {}, more: object = {}) {
  const manifest = { name, version: '1.0.0', description: 'x', hooks, ...more };
  return { 'agentxchain-plugin.json': JSON.stringify(manifest), ...files };
}

/** The files of a package with a module. */
export function moduleForm(name: string, hooks: string[], text: string, permissions: object = {}) {
  const part = { module: './plugin.mjs', hooks, permissions };
  const manifest = {
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name,
    version: '1.0.0',
    extensions: { 'dev.patchbay': part },
  };
  return { 'plugin.json': JSON.stringify(manifest), 'plugin.mjs': text };
}

/** A project in which packages can be installed. */
export class Bench {
  readonly dir: string;

  constructor(kind: 'agentxchain' | 'patchbay' = 'agentxchain') {
    this.dir = folder(kind === 'agentxchain' ? { 'agentxchain.json': '{}\n' } : { 'patchbay.yaml': '' });
  }

  file(path: string): string {
    return join(this.dir, path);
  }

  /** Installs a package of these files, those in `hooks/` with their run bit. */
  async install(name: string, files: Record<string, string>, options: Partial<InstallOptions> = {}) {
    const source = this.file(`sources/${name}`);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(source, path)), { recursive: true });
      writeFileSync(join(source, path), text);
      if (path.startsWith('hooks/')) chmodSync(join(source, path), 0o755);
    }
    return installPlugin(source, { cwd: this.dir, yes: true, ...options });
  }

  async open(options: Partial<HostOptions> = {}) {
    const host = await openHost({ cwd: this.dir, version: '0.0.0', ...options });
    onTestFinished(() => host.close());
    return host;
  }

  /** Opens a host and lets it work. */
  async start(options: Partial<HostOptions> = {}) {
    const host = await this.open(options);
    const service = await host.start();
    const emit = <E extends EventName>(event: E, changes: object = {}) => {
      const { event_id: _, at: __, ...fields } = sample(event) as Record<string, unknown>;
      return service.emit(event, { ...fields, ...changes } as unknown as EventFields<E>);
    };
    const deliveries = async (filter: Parameters<typeof service.ledger.deliveries>[0] = {}) => {
      const found: Delivery[] = [];
      for await (const delivery of service.ledger.deliveries(filter)) found.push(delivery);
      return found;
    };
    return { host, service, emit, deliveries };
  }
}
