import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateProject, openHost, startInbound } from 'patchbay-host';
import { installPlugin } from 'patchbay-host/install';
import { Kernel, newRecord } from 'patchbay-host/kernel';
import { type AnyPayload, openLedger, openPostgresLedger } from 'patchbay-host/ledger';
import {
  definePlugin,
  type ErrorCode,
  errorCodes,
  type HookRow,
  hooks,
  PatchbayError,
  type Plugin,
  refuse,
  sample,
} from 'patchbay-sdk';
import { createTestHost } from 'patchbay-sdk/testing';
import { z } from 'patchbay-sdk/zod';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Input } from '../packages/cli/src/command.ts';
import { besideIn, followBeside } from '../packages/cli/src/follow.ts';
import { appOf } from '../packages/host/src/api/app.ts';
import { type Limits, usualLimits } from '../packages/host/src/api/index.ts';
import type { ApiParts } from '../packages/host/src/api/route.ts';
import { routes } from '../packages/host/src/api/routes.ts';
import { DatabaseArtifacts } from '../packages/host/src/artifacts/database.ts';
import { DirectoryArtifacts } from '../packages/host/src/artifacts/directory.ts';
import { holdProject } from '../packages/host/src/config/holder.ts';
import { findProject, type Project } from '../packages/host/src/config/project.ts';
import { chooseRuntime } from '../packages/host/src/containers/choose.ts';
import { checkedMounts } from '../packages/host/src/containers/mount-rules.ts';
import { clearAdvisory, readPlan, requestDay } from '../packages/host/src/day/index.ts';
import { alone } from '../packages/host/src/hosts/peers.ts';
import { commit } from '../packages/host/src/install/transaction.ts';
import { Emitter } from '../packages/host/src/outbound/emitter.ts';
import { newToken, prove } from '../packages/host/src/runs/approvers.ts';
import { castVote } from '../packages/host/src/runs/decisions.ts';
import { unlabelled } from '../packages/host/src/runs/labels.ts';
import { loadRun } from '../packages/host/src/runs/load.ts';
import { Runs, type RunsParts } from '../packages/host/src/runs/runs.ts';
import { fold } from '../packages/host/src/runs/state.ts';
import { findTemplate } from '../packages/host/src/runs/template/find.ts';
import { readTemplate } from '../packages/host/src/runs/template/read.ts';
import { Launcher } from '../packages/host/src/sandbox/launcher.ts';
import { openWorkspace } from '../packages/host/src/workspaces/index.ts';
import { PostgresServer } from './postgres.ts';
import { folder, project, root } from './project.ts';

/** A plugin, checked by no compiler. */
const plugin = (name: string, its: unknown = {}) =>
  ({ name, version: '1.0.0', hooks: its }) as unknown as Plugin<undefined>;
const load = (...plugins: Plugin<undefined>[]) => createTestHost(...plugins);
const fails = () => {
  throw new Error('out of paper');
};
const afterFiring = async (handler: unknown, times = 1) => {
  const host = load(plugin('bad', { 'turn:accepted': handler }));
  for (let i = 1; i < times; i++) await host.fire('turn:accepted');
  return (await host.fire('turn:accepted')).failures[0];
};

/** The error that the API answers a request with, which has the token. */
async function asked(path: string, headers: Record<string, string> = {}, limits: Partial<Limits> = {}) {
  const options = { routes, token: 'token', bound: '127.0.0.1', limits: { ...usualLimits, ...limits } };
  const app = appOf({} as ApiParts, options);
  const incoming = { headers: { host: '127.0.0.1' }, socket: { remoteAddress: '127.0.0.1' } };
  const request = new Request(`http://127.0.0.1${path}`, { headers: { authorization: 'Bearer token', ...headers } });
  const { error } = (await (await app.fetch(request, { incoming } as never)).json()) as { error: unknown };
  return error;
}

/** The error that the built command prints, whose exit code must be that of the registry. */
function printed(
  args: string[],
  { cwd = folder(), flags = [] as string[], script = 'packages/cli/bin/patchbay.cjs' } = {},
) {
  const { stdout, status } = spawnSync(process.execPath, [...flags, join(root, script), ...args, '--json'], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  });
  const { error } = JSON.parse(stdout) as { error: { code: ErrorCode; message: string; hint: string } };
  expect(status).toBe(errorCodes[error.code].exit);
  return error;
}

/** A project with a plugin package in `p`. */
function packaged(changes: object = {}): string {
  const manifest = { name: 'p', version: '1.0.0', description: 'x', hooks: [], ...changes };
  return folder({ 'patchbay.yaml': '', 'p/agentxchain-plugin.json': JSON.stringify(manifest) });
}

/** Asks for a day after this has happened to its first run, in a project that may spend one cent. */
async function dayAfter(events: readonly AnyPayload[], day = 1): Promise<unknown> {
  const cwd = folder({ 'pace/pace.config.yaml': 'cost: { total_usd: 0.01 }\n', 'plan.yaml': 'stories: [Paging]\n' });
  const project = findProject(cwd) as Project;
  const ledger = await openLedger(join(cwd, 'ledger.db'));
  await ledger.requestRun({ run_id: 'run-1', template: 'pace', goal: 'g', snapshot: {}, inputs: { day: 1 } });
  for (const event of events) await ledger.append(event);
  return await requestDay({ project, ledger, runs: {} as Runs }, { day, by: 'ada' }).finally(() => ledger.close());
}

/** Serves webhooks of plugins, each on a path, in a project of its own. */
async function taking(paths: Readonly<Record<string, string>>, where: { host?: string; port?: number } = {}) {
  const host = await openHost({ cwd: project({}), version: '0.0.0' });
  onTestFinished(() => host.close());
  for (const [name, path] of Object.entries(paths)) {
    host.load({ name, version: '1.0.0', provides: { webhooks: () => [{ path, handle: () => undefined }] } });
  }
  const service = await host.start();
  const parts = { kernel: host.kernel, service, project: host.project as Project, port: 0, ...where };
  const inbound = await startInbound(parts);
  onTestFinished(() => inbound.close());
}

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await PostgresServer.start();
});
afterAll(() => postgres.remove());

/** Opens a ledger in a new database as a user with no rights of its own there, whose password this is. */
async function asGuest(password: string, options = '') {
  const url = await postgres.database(options);
  await postgres.run("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN PASSWORD 'right'");
  const ledger = await openPostgresLedger(url.replace('patchbay:not-asked', `guest:${password}`));
  await ledger.close();
}

/** A project in which something has happened. */
async function eventful(): Promise<string> {
  const cwd = folder({ 'patchbay.yaml': '' });
  const ledger = await openLedger(join(cwd, '.patchbay/ledger.db'));
  await ledger.append(sample('run:started'));
  await ledger.close();
  return cwd;
}

const migrateTo = (to: string, cwd: string) =>
  migrateProject({ kernel: new Kernel(hooks), cwd, to, told: () => {}, signal: new AbortController().signal });

const garbage = 'this is not a database, and long enough to be looked at as one'.repeat(100);

/** What makes each code happen. A code without an entry does not compile. */
const provoke: Record<ErrorCode, () => unknown> = {
  HOOK_UNKNOWN: () => load(plugin('bad', { 'turn:acepted': () => {} })),
  HOOK_ARGUMENT_UNKNOWN: () => load(plugin('bad', { 'turn:accepted': ({ sumary }: { sumary: string }) => sumary })),
  HOOK_TABLE_INVALID: () => {
    const row: HookRow = { ...hooks['host:ready'], kind: 'first', historic: true };
    return new Kernel({ row });
  },
  HOOK_REFUSED: async () => {
    const host = load(plugin('guard', { 'run:started': () => refuse('not on Fridays') }));
    return (await host.fire('run:started')).refusal;
  },
  HANDLER_INVALID: () => load(plugin('bad', { 'turn:accepted': 'handler' })),
  HANDLER_FAILED: () => afterFiring(fails),
  HANDLER_TIMEOUT: () => afterFiring({ deadlineMs: 5, handler: () => new Promise(() => {}) }),
  HANDLER_ANSWER: () => afterFiring(() => ({ verdict: 'certainly' })),
  HANDLER_ASYNC: () => {
    const kernel = new Kernel(hooks);
    kernel.register({ name: 'bad', handlers: [{ hook: 'turn:accepted', handler: async () => {} }] });
    const record = newRecord();
    kernel.hook('turn:accepted').callSync(sample('turn:accepted'), { record });
    return record.failures[0];
  },
  HANDLER_PAUSED: () => afterFiring(fails, 6),
  ORDER_CYCLE: () =>
    load(
      plugin('a', { 'turn:accepted': { before: ['b'], handler: () => {} } }),
      plugin('b', { 'turn:accepted': { before: ['a'], handler: () => {} } }),
    ),
  HANDLER_START: async () => {
    const cwd = folder();
    const launcher = new Launcher({ project: cwd });
    const job = { argv: ['/nowhere/script.sh'], cwd, env: {}, timeoutMs: 1000 };
    return await launcher.run(job).finally(() => launcher.close());
  },
  ORDER_IMPOSSIBLE: () =>
    load(
      plugin('a', { 'turn:accepted': { tryfirst: true, handler: () => {} } }),
      plugin('b', { 'turn:accepted': { before: ['a'], handler: () => {} } }),
    ),
  PLUGIN_INVALID: () => load(plugin('Bad Name')),
  PLUGIN_DUPLICATE: () => load(plugin('twin'), plugin('twin')),
  PLUGIN_BLOCKED: async () => {
    const kernel = new Kernel(hooks);
    await kernel.block('bad');
    kernel.register({ name: 'bad', handlers: [] });
  },
  PLUGIN_UNKNOWN: () => new Kernel(hooks).unregister('nobody'),
  PLUGIN_LOAD: () => printed(['hooks', 'explain', 'memory'], { cwd: project({ bad: 'throw 1;' }) }),
  CONFIG_INVALID: () => {
    const configured = definePlugin({ name: 'bad', version: '1.0.0', config: z.object({ level: z.number() }) });
    return createTestHost(configured);
  },
  PROJECT_INVALID: () => printed(['hooks', 'explain', 'memory'], { cwd: folder({ 'patchbay.yaml': 'plugins: 7\n' }) }),
  MANIFEST_MISSING: () =>
    printed(['plugin', 'install', './p'], { cwd: folder({ 'patchbay.yaml': '', 'p/README.md': '' }) }),
  MANIFEST_INVALID: () => printed(['plugin', 'install', './p'], { cwd: packaged({ version: 'one' }) }),
  PROJECT_MISSING: () => printed(['plugin', 'list']),
  PROJECT_BUSY: () => {
    const dir = folder({ config: 'edited meanwhile' });
    const write = { file: join(dir, 'config'), before: 'as it was read', text: 'as it should be' };
    commit(join(dir, 'work'), { moves: [], removes: [], writes: [write] });
  },
  PROJECT_HELD: () => {
    const dir = folder();
    const release = holdProject(dir);
    try {
      return holdProject(dir);
    } finally {
      release();
    }
  },
  PROJECT_WRITE: () => {
    const dir = folder({ 'new/plugin.json': '', 'a-file': '' });
    const move = { from: join(dir, 'new'), to: join(dir, 'a-file/plugin') };
    commit(join(dir, 'work'), { moves: [move], removes: [], writes: [] });
  },
  LOCK_INVALID: () => printed(['plugin', 'list'], { cwd: folder({ 'patchbay.yaml': '', 'patchbay.lock': '{' }) }),
  PLUGIN_INSTALLED: () => {
    const cwd = packaged();
    spawnSync(process.execPath, [join(root, 'packages/cli/bin/patchbay.cjs'), 'plugin', 'install', './p'], { cwd });
    return printed(['plugin', 'install', './p'], { cwd });
  },
  LOCK_DIFFERS: () => {
    const cwd = folder({ 'patchbay.yaml': 'plugins:\n  p:\n    version: 1.0.0\n' });
    return printed(['plugin', 'install', '--frozen'], { cwd });
  },
  GRANT_MISSING: () => {
    const hooks = [{ event: 'turn:accepted', type: 'http', url: 'https://example.com/' }];
    return printed(['plugin', 'install', './p'], { cwd: packaged({ hooks }) });
  },
  SOURCE_INVALID: () => printed(['plugin', 'install', './not-there'], { cwd: packaged() }),
  SOURCE_UNAVAILABLE: () => {
    const cwd = packaged();
    return installPlugin('npm:anything', { cwd, registry: 'http://127.0.0.1:1/', timeoutMs: 2000 });
  },
  PACKAGE_UNSAFE: () => {
    const cwd = packaged();
    symlinkSync('/etc/passwd', join(cwd, 'p/link'));
    return printed(['plugin', 'install', './p'], { cwd });
  },
  EVENT_INVALID: async () => {
    const ledger = await openLedger(join(folder(), 'ledger.db'));
    return await ledger.append({ ...sample('run:started'), roles: 7 } as never).finally(() => ledger.close());
  },
  TEMPLATE_INVALID: () => readTemplate('name: 7', 'test.yaml'),
  TEMPLATE_UNKNOWN: () => findTemplate('goverend', folder()),
  WORKSPACE_DIRTY: async () => {
    const project = folder({ 'a.txt': 'one' });
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    writeFileSync(join(project, 'a.txt'), 'two');
    return openWorkspace({ project, run_id: 'run-1', state: join(project, '.patchbay/runs/run-1') });
  },
  WORKSPACE_UNKNOWN: () => printed(['workspace', 'explain', 'nowhere'], { cwd: project({}) }),
  MCP_UNKNOWN: () => printed(['mcp', 'call', 'nobody', 'echo'], { cwd: project({}) }),
  MCP_FAILED: () => {
    const mcp_servers = 'mcp_servers:\n  broken: { command: /nowhere/at-all }\n';
    return printed(['mcp', 'start', 'broken'], { cwd: folder({ 'patchbay.yaml': mcp_servers }) });
  },
  RUNTIME_UNAVAILABLE: () => chooseRuntime(new Kernel(hooks), 'nobody', 'linux'),
  MOUNT_REFUSED: () => {
    const cwd = folder({ 'patchbay.yaml': '' });
    return checkedMounts(cwd, [{ from: 'patchbay.yaml', to: '/x', readOnly: false }]);
  },
  WORKSPACE_FAILED: async () => {
    const project = folder({ 'a-file': '' });
    const at = { project, run_id: 'run-1', state: join(project, '.patchbay/runs/run-1') };
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    await openWorkspace(at);
    rmSync(join(project, '.git'), { recursive: true });
    return openWorkspace(at);
  },
  RUN_TRANSITION: () => fold([{ seq: 1, type: 'run:completed', payload: sample('run:completed') }]),
  RUN_UNKNOWN: async () => {
    const ledger = await openLedger(join(folder(), 'ledger.db'));
    return await loadRun(ledger, 'run-x').finally(() => ledger.close());
  },
  RUN_REFUSED: () => printed(['run', '--input', 'x'], { cwd: folder({ 'patchbay.yaml': '' }) }),
  APPROVAL_INVALID: async () => {
    const ledger = await openLedger(join(folder(), 'ledger.db'));
    await ledger.requestRun({ run_id: 'run-1', template: 't', goal: 'g' });
    const emitter = new Emitter(new Kernel(hooks), ledger, () => ({
      version: null,
      digest: null,
      hide: (value) => value,
      rights: null,
    }));
    const vote = { by: 'ada', decision: 'approved', comment: null } as const;
    return await castVote({ ledger, emitter }, 'run-1', vote).finally(() => ledger.close());
  },
  APPROVAL_UNPROVEN: () => prove('ada', 'a guess', { ada: { token_sha256: newToken().token_sha256 } }, 'run-1'),
  PLAN_INVALID: () => readPlan('/nowhere/plan.yaml'),
  DAY_UNKNOWN: () => dayAfter([], 7),
  DAY_HELD: () => dayAfter([sample('run:held', { run_id: 'run-1' })]),
  BUDGET_SPENT: () => dayAfter([sample('run:aborted', { run_id: 'run-1' })]),
  ADVISORY_UNKNOWN: async () => {
    const ledger = await openLedger(join(folder(), 'ledger.db'));
    const clearing = clearAdvisory({ ledger, emitter: {} as Emitter }, 'adv-x', { by: 'ada', reason: 'x' });
    return await clearing.finally(() => ledger.close());
  },
  RUN_MOVED: async () => {
    const ledger = await openLedger(join(folder(), 'ledger.db'));
    await ledger.append(sample('run:started'));
    const late = { ...sample('run:completed'), event_id: 'another' };
    return await ledger.append(late, [], { after: 0 }).finally(() => ledger.close());
  },
  LEDGER_WRITE: () => openLedger(join(folder({ 'a-file': '' }), 'a-file', 'ledger.db')),
  LEDGER_CORRUPT: () =>
    printed(['ledger', 'verify'], { cwd: folder({ 'patchbay.yaml': '', '.patchbay/ledger.db': garbage }) }),
  LEDGER_NEWER: async () => {
    const file = join(folder(), 'ledger.db');
    await (await openLedger(file)).close();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 99');
    db.close();
    return openLedger(file);
  },
  DATABASE_URL: () => openPostgresLedger('mysql://127.0.0.1/db'),
  DATABASE_UNREACHABLE: () => openPostgresLedger(postgres.url('nowhere')),
  DATABASE_LOGIN: () => asGuest('wrong'),
  DATABASE_UNSUITABLE: () => asGuest('right', "ENCODING 'LATIN1' TEMPLATE template0"),
  DATABASE_RIGHTS: () => asGuest('right'),
  HOST_FENCED: async () => {
    const ledger = await openPostgresLedger(await postgres.database(), { host: () => 'gone' });
    return await ledger.append(sample('run:started')).finally(() => ledger.close());
  },
  RUN_ELSEWHERE: () => {
    const peers = { ...alone, take: async () => undefined };
    return new Runs({ peers } as unknown as RunsParts).advance('run-1');
  },
  LEDGER_MOVED: async () => {
    const cwd = await eventful();
    await migrateTo(await postgres.database(), cwd);
    return openLedger(join(cwd, '.patchbay/ledger.db'));
  },
  MIGRATION_REFUSED: async () => migrateTo(await postgres.database(), folder({ 'patchbay.yaml': '' })),
  MIGRATION_UNFINISHED: async () => {
    const url = await postgres.database();
    await (await openPostgresLedger(url)).close();
    await postgres.run('UPDATE patchbay.version SET version = -version', url);
    return openPostgresLedger(url);
  },
  WEBHOOK_INVALID: () => taking({ one: 'no path' }),
  WEBHOOK_DUPLICATE: () => taking({ one: '/same', two: '/same' }),
  WEBHOOK_UNPROVEN: () => taking({ one: '/open' }, { host: '0.0.0.0' }),
  WEBHOOK_UNKNOWN: () => printed(['webhooks', 'pause', '/nowhere'], { cwd: project({}) }),
  PORT_TAKEN: async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return taking({}, { port: (server.address() as AddressInfo).port });
  },
  HOST_LABELS: () => {
    throw unlabelled('run-1', [{ role: 'trainer', labels: ['gpu'] }]);
  },
  ARTIFACT_LARGE: () => new DatabaseArtifacts('postgres://127.0.0.1/nowhere', 1).put('run-1', 'work', Buffer.alloc(2)),
  ARTIFACT_CORRUPT: () => new DirectoryArtifacts(folder({ 'run-1/work': 'spoilt' })).get('run-1', 'work'),
  ARTIFACT_FAILED: () => new DirectoryArtifacts(join(folder({ 'a-file': '' }), 'a-file')).get('run-1', 'work'),
  DELIVERY_UNKNOWN: () => printed(['deliveries', 'replay', '7.1'], { cwd: folder({ 'patchbay.yaml': '' }) }),
  REQUEST_INVALID: () => asked('/api/v1/runs?limit=none'),
  REQUEST_DENIED: () => asked('/api/v1/runs', { authorization: 'Bearer wrong' }),
  REQUEST_UNKNOWN: () => asked('/api/v1/nothing'),
  REQUEST_LIMITED: () => asked('/api/v1/runs', {}, { known: 0 }),
  HOST_GONE: async () => {
    const ledger = await openLedger(join(folder(), 'ledger.db'));
    await ledger.requestRun({ run_id: 'run-1', template: 't', goal: 'g' });
    const input = { progress: () => {}, signal: new AbortController().signal } as unknown as Input;
    return await followBeside(ledger, 'run-1', besideIn(folder()), input).finally(() => ledger.close());
  },
  USAGE: () => printed(['nope']),
  NODE_TOO_OLD: () => {
    const text = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.0.0' } });\n`;
    return printed(['demo'], { flags: ['--require', join(folder({ 'old.cjs': text }), 'old.cjs')] });
  },
  NOT_BUILT: () => {
    const dir = folder();
    cpSync(join(root, 'packages/cli/bin'), join(dir, 'bin'), { recursive: true });
    cpSync(join(root, 'packages/cli/package.json'), join(dir, 'package.json'));
    const { stdout } = spawnSync(process.execPath, [join(dir, 'bin/patchbay.cjs'), 'demo', '--json'], {
      encoding: 'utf8',
    });
    return (JSON.parse(stdout) as { error: unknown }).error;
  },
  INTERNAL: () => {
    const text = `String.prototype.padEnd = () => { throw new Error('this machine is broken'); };\n`;
    return printed(['hooks', 'list'], { flags: ['--require', join(folder({ 'broken.cjs': text }), 'broken.cjs')] });
  },
};

describe('every error code', () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])('%s happens, with a message and a hint', async (code) => {
    let error: unknown;
    try {
      error = await provoke[code]();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(PatchbayError);
      error = thrown;
    }
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\S/), hint: expect.stringMatching(/\S/) });
  });
});

describe('the references made from the tables', () => {
  const check = (cwd: string) =>
    spawnSync(process.execPath, ['--conditions=patchbay-source', join(root, 'scripts/docs.ts'), '--check'], {
      cwd,
      encoding: 'utf8',
    });

  it('are current', () => {
    const { stderr, status } = check(root);
    expect([stderr, status]).toEqual(['', 0]);
  });

  it.each([['docs/hooks.md'], ['docs/errors.md']])(
    'are known not to be current when %s was changed by hand',
    (page) => {
      const dir = folder({
        'docs/hooks.md': readFileSync(join(root, 'docs/hooks.md'), 'utf8'),
        'docs/errors.md': readFileSync(join(root, 'docs/errors.md'), 'utf8'),
        'docs/api.md': readFileSync(join(root, 'docs/api.md'), 'utf8'),
        [page]: `${readFileSync(join(root, page), 'utf8')}More.\n`,
      });
      const { stderr, status } = check(dir);
      expect([stderr, status]).toEqual([expect.stringContaining(`${page} is not current`), 1]);
    },
  );

  it.each(Object.entries(errorCodes))('tell what %s means and what to do', (code, { exit, means, hint }) => {
    expect(readFileSync(join(root, 'docs/errors.md'), 'utf8')).toContain(
      `| \`${code}\` | ${exit} | ${means} | ${hint} |`,
    );
  });

  it.each(Object.entries(hooks))('tell when %s is called', (name, row) => {
    expect(readFileSync(join(root, 'docs/hooks.md'), 'utf8')).toContain(`### \`${name}\`\n\n${row.doc}\n`);
  });
});
