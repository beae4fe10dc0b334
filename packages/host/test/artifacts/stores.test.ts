import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { folder } from '../../../../test/project.ts';
import type { ArtifactStore } from '../../src/artifacts/artifacts.ts';
import { DatabaseArtifacts } from '../../src/artifacts/database.ts';
import { DirectoryArtifacts } from '../../src/artifacts/directory.ts';
import { openArtifacts } from '../../src/artifacts/open.ts';
import { findProject } from '../../src/config/project.ts';
import { openHost } from '../../src/host.ts';
import { openPostgresLedger } from '../../src/ledger/index.ts';
import { Bench, moduleForm } from '../host/fixture.ts';
import { ObjectServer, storingModule } from './object-server.ts';

let server: PostgresServer;
let objects: ObjectServer;
beforeAll(async () => {
  server = await PostgresServer.start();
  objects = await ObjectServer.start();
});
afterAll(async () => {
  await objects.close();
  await server.remove();
});

const mb = 1024 * 1024;

/** A database with the tables of a ledger, and the artifacts in it. */
async function inDatabase(host?: string) {
  const url = await server.database();
  const ledger = await openPostgresLedger(url);
  const artifacts = new DatabaseArtifacts(url, mb, host === undefined ? {} : { host: () => host });
  onTestFinished(async () => {
    await artifacts.close();
    await ledger.close();
  });
  return { url, ledger, artifacts };
}

/** The artifacts of a project whose plugin keeps them on a server of objects. */
async function byPlugin(dir: string) {
  const project = findProject(dir);
  if (project === undefined) throw new Error('there is no project');
  const env = { PATCHBAY_DATABASE_URL: await server.database() };
  const host = await openHost({ cwd: dir, version: '0.0.0', env });
  expect(host.quarantined).toEqual([]);
  const artifacts = await openArtifacts({ kernel: host.kernel, project, env });
  if (artifacts === undefined) throw new Error('there are no artifacts');
  onTestFinished(async () => {
    await artifacts.close();
    await host.close();
  });
  return artifacts.store;
}

function moduleProject(): string {
  const yaml = 'plugins:\n  objects:\n    path: objects.mjs\n';
  return folder({ 'patchbay.yaml': yaml, 'objects.mjs': storingModule(objects.url) });
}

async function packageProject(): Promise<string> {
  const bench = new Bench('patchbay');
  const text = storingModule(objects.url);
  await bench.install('objects', moduleForm('objects', ['artifactStore'], text, { net: ['127.0.0.1'] }));
  return bench.dir;
}

/** A store, and how somebody changes what it has kept. */
const stores: [string, () => Promise<{ store: ArtifactStore; spoil: () => void | Promise<void> }>][] = [
  [
    'the database',
    async () => {
      const { url, artifacts } = await inDatabase();
      const spoil = async () => void (await server.run("UPDATE patchbay.artifacts SET content = 'spoilt'", url));
      return { store: artifacts, spoil };
    },
  ],
  [
    'a folder',
    async () => {
      const dir = folder();
      const spoil = () => {
        for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
          if (name.includes('work-')) writeFileSync(join(dir, name), `${readFileSync(join(dir, name), 'utf8')}!`);
        }
      };
      return { store: new DirectoryArtifacts(dir), spoil };
    },
  ],
  ['a plugin in the project', async () => ({ store: await byPlugin(moduleProject()), spoil: () => objects.spoil() })],
  [
    'a plugin in a process of its own',
    async () => ({ store: await byPlugin(await packageProject()), spoil: () => objects.spoil() }),
  ],
];

describe.each(stores)('Artifacts in %s', (name, made) => {
  it('come back as they were put, by run and name, however often', async () => {
    const { store } = await made();
    const content = randomBytes(name.startsWith('a ') ? 5 * mb : mb);
    await store.put('run-1', 'work-1', content);
    await store.put('run-1', 'work-1', content);
    await store.put('run-1', 'work-2', Buffer.alloc(0));
    await store.put('chat:1/x', 'work-1', Buffer.from('another'));
    expect(Buffer.from((await store.get('run-1', 'work-1')) ?? []).equals(content)).toBe(true);
    expect(await store.get('run-1', 'work-2')).toHaveLength(0);
    expect(Buffer.from((await store.get('chat:1/x', 'work-1')) ?? []).toString()).toBe('another');
    expect(await store.get('run-1', 'work-3')).toBeUndefined();
    expect(await store.get('run-2', 'work-1')).toBeUndefined();
  });

  it('are refused when somebody has changed them, naming run and artifact', async () => {
    const { store, spoil } = await made();
    await store.put('run-9', 'work-9', Buffer.from('as it was put'));
    await spoil();
    await expect(store.get('run-9', 'work-9')).rejects.toMatchObject({
      code: 'ARTIFACT_CORRUPT',
      run: 'run-9',
      message: expect.stringMatching(/"work-9" of run run-9/),
    });
  });
});

describe('Artifacts', () => {
  it.each(stores.slice(0, 2))('in %s are removed by name', async (_, made) => {
    const { store } = await made();
    for (const name of ['work-1', 'work-2']) await store.put('run-1', name, Buffer.from(name));
    await store.put('run-2', 'work-1', Buffer.from('x'));
    await store.remove('run-1', (name) => name === 'work-1');
    expect(await store.get('run-1', 'work-1')).toBeUndefined();
    expect(await store.get('run-1', 'work-2')).toBeDefined();
    await store.remove('run-1', () => true);
    expect(await store.get('run-1', 'work-2')).toBeUndefined();
    expect(await store.get('run-2', 'work-1')).toBeDefined();
  });

  it('that are too large for the database are refused, saying how large they may be', async () => {
    const { artifacts } = await inDatabase();
    await expect(artifacts.put('run-1', 'work-1', Buffer.alloc(mb + 1))).rejects.toMatchObject({
      code: 'ARTIFACT_LARGE',
      run: 'run-1',
      message: 'the artifact "work-1" of run run-1 has 2 MB, and the database takes at most 1 MB',
      hint: expect.stringContaining('shared folder'),
    });
  });

  it('say which folder cannot be used', async () => {
    const file = join(folder({ 'a-file': '' }), 'a-file');
    await expect(new DirectoryArtifacts(file).put('run-1', 'work-1', Buffer.from('x'))).rejects.toMatchObject({
      code: 'ARTIFACT_FAILED',
      message: expect.stringContaining(file),
    });
  });

  it('say which plugin does not keep them', async () => {
    const store = await byPlugin(moduleProject());
    objects.isFull = true;
    onTestFinished(() => {
      objects.isFull = false;
    });
    await expect(store.put('run-1', 'work-8', Buffer.from('x'))).rejects.toMatchObject({
      code: 'ARTIFACT_FAILED',
      plugin: 'objects',
      message: expect.stringContaining('507'),
    });
  });

  it('are not kept elsewhere because the plugin that should keep them is broken', async () => {
    const text =
      "export default { name: 'objects', version: '1.0.0', provides: { artifactStore: () => { throw new Error('no bucket'); } } };";
    const dir = folder({ 'patchbay.yaml': 'plugins:\n  objects:\n    path: objects.mjs\n', 'objects.mjs': text });
    await expect(byPlugin(dir)).rejects.toMatchObject({ code: 'HANDLER_FAILED', plugin: 'objects' });
  });

  it('of runs that ended long ago are removed, and no others', async () => {
    const { url, artifacts } = await inDatabase();
    const runs = { old: 'completed', waiting: 'waiting', held: 'held' };
    for (const [run_id, status] of Object.entries(runs)) {
      await artifacts.put(run_id, 'work-1', Buffer.from('x'));
      await artifacts.write(run_id, '{}', undefined);
      const at = run_id === 'held' ? new Date().toISOString() : '2020-01-01T00:00:00.000Z';
      await server.run(
        `INSERT INTO patchbay.runs (run_id, status, head, created_at, updated_at) VALUES ('${run_id}', '${status}', 1, '${at}', '${at}')`,
        url,
      );
    }
    expect(await artifacts.expire()).toEqual([]);
    await server.run("UPDATE patchbay.artifacts SET stored_at = now() - interval '91 days'", url);
    expect(await artifacts.expire()).toEqual(['old']);
    const left = await server.run('SELECT DISTINCT run_id FROM patchbay.artifacts ORDER BY run_id', url);
    expect(left).toEqual([{ run_id: 'held' }, { run_id: 'waiting' }]);
  });
});

describe('The head of a run', () => {
  const joined = `
    INSERT INTO patchbay.hosts (id, name, version, labels) VALUES ('host-1', 'a', '0', '{}');
    INSERT INTO patchbay.claims (kind, key, host) VALUES ('run', 'run-1', 'host-1')`;
  const fencing = 'DELETE FROM patchbay.claims';

  it('is moved by the host that has the run, until others take it', async () => {
    const { url, artifacts } = await inDatabase('host-1');
    await server.run(joined, url);
    await artifacts.write('run-1', 'first', undefined);
    await artifacts.write('run-1', 'second', 'first');
    await server.run(fencing, url);
    await expect(artifacts.write('run-1', 'third', 'second')).rejects.toMatchObject({ code: 'HOST_FENCED' });
    await expect(artifacts.write('run-2', 'first', undefined)).rejects.toMatchObject({ code: 'HOST_FENCED' });
    expect(await artifacts.read('run-1')).toBe('second');
    expect(await artifacts.read('run-2')).toBeUndefined();
  });

  it('is not moved by a host that is being fenced', async () => {
    const { url, artifacts } = await inDatabase('host-1');
    await server.run(joined, url);
    await artifacts.write('run-1', 'first', undefined);
    const other = new Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`BEGIN; ${fencing}`);
    const writing = artifacts.write('run-1', 'second', 'first');
    const outcome = expect(writing).rejects.toMatchObject({ code: 'HOST_FENCED' });
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%artifacts%'";
    await eventually(async () => expect(await server.run(waiting, url)).toHaveLength(1));
    await other.query('COMMIT');
    await outcome;
    expect(await artifacts.read('run-1')).toBe('first');
  });

  it('is not moved by one who does not know where it is', async () => {
    const { artifacts } = await inDatabase();
    await artifacts.write('run-1', 'first', undefined);
    for (const before of [undefined, 'another']) {
      await expect(artifacts.write('run-1', 'second', before)).rejects.toMatchObject({
        code: 'RUN_MOVED',
        run: 'run-1',
      });
    }
    expect(await artifacts.read('run-1')).toBe('first');
  });
});
