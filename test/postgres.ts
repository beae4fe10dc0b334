import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';

/** PostgreSQL will not run as root: then it runs as nobody. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];

/** The folder of the newest server that is installed; undefined if none is. */
export function postgresPrograms(): string | undefined {
  const folders = globSync('/usr/lib/postgresql/*/bin').filter((dir) => globSync(join(dir, 'postgres')).length > 0);
  return folders.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
}

/** Where a server listens, and from where it is reached. */
export interface Place {
  readonly address: string;
  readonly from: string;
}

/** A server of its own, on a free port, that keeps what it commits as a real one does unless its settings say otherwise. */
export class PostgresServer {
  readonly port: number;
  readonly #place: Place;
  readonly #programs: string;
  readonly #dir: string;
  readonly #settings: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #databases = 0;

  private constructor(
    programs: string,
    dir: string,
    place: Place,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#place = place;
    this.#programs = programs;
    this.#dir = dir;
    this.port = port;
    this.#settings = settings;
  }

  /** Throws if there is no PostgreSQL on this machine. `remove` is to be called, whatever happens. */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    place: Place = { address: '127.0.0.1', from: '127.0.0.1/32' },
  ): Promise<PostgresServer> {
    const programs = postgresPrograms();
    if (programs === undefined) throw new Error('PostgreSQL is not installed; on Debian: apt-get install postgresql');
    const dir = mkdtempSync(join(tmpdir(), 'patchbay-postgres-'));
    if (isRoot) chownSync(dir, nobody, nobody);
    const server = new PostgresServer(programs, dir, place, await freePort(place.address), settings);
    try {
      server.#init();
      await server.start();
      return server;
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  /** The URL of a database, for a user whose password is not asked for. */
  url(database = 'postgres'): string {
    return `postgres://patchbay:not-asked@${this.#place.address}:${this.port}/${database}`;
  }

  /** The URL of a new, empty database. */
  async database(options = ''): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.run(`CREATE DATABASE ${name} ${options}`);
    return this.url(name);
  }

  /** Makes statements behind the back of whoever uses a database. Gives the rows of the last one. */
  async run(sql: string, url = this.url()): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return [await client.query(sql)].flat().at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  /** Starts it again after it was stopped. */
  async start(): Promise<void> {
    const settings = {
      listen_addresses: this.#place.address,
      port: String(this.port),
      unix_socket_directories: this.#dir,
      max_connections: '60',
      shared_buffers: '16MB',
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Dies with this process, whatever that dies of.
    const command = [...asNobody, '--pdeathsig=INT', join(this.#programs, 'postgres'), '-D', this.#data, ...args];
    const child = spawn('setpriv', command, { cwd: this.#dir, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        said.push(line);
        if (line.includes('ready to accept connections')) resolve();
      });
      child.once('error', reject).once('exit', () => reject(new Error(`PostgreSQL ended: ${said.join('\n')}`)));
    });
  }

  /** `INT` ends all sessions and stops; `QUIT` is as if it had crashed. */
  async stop(signal: 'INT' | 'QUIT' = 'INT'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(`SIG${signal}`);
    await ended;
  }

  /** Stops it, and leaves nothing behind. */
  async remove(): Promise<void> {
    await this.stop('QUIT');
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#dir, 'data');
  }

  #init(): void {
    const options = ['--no-sync', '--no-locale', '--encoding=UTF8', '--username=patchbay', '--auth=scram-sha-256'];
    const pwfile = join(this.#dir, 'password');
    appendFileSync(pwfile, 'not-asked\n', { mode: 0o644 });
    const command = [join(this.#programs, 'initdb'), ...options, `--pwfile=${pwfile}`, '-D', this.#data];
    const done = spawnSync('setpriv', [...asNobody, ...command], { cwd: this.#dir, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`initdb failed: ${done.error?.message ?? done.stderr}`);
    // The first line that fits counts. Others than this user have to know their password.
    const rules = join(this.#data, 'pg_hba.conf');
    const { from } = this.#place;
    const start = `host all patchbay ${from} trust\nhost all all ${from} scram-sha-256\n`;
    rmSync(rules);
    appendFileSync(rules, start, { mode: 0o644 });
  }
}

async function freePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
