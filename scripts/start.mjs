// What `npm run NAME` and `npm test` start, on whatever Node the machine has: installs what is missing, then goes on
// with the Node of the `node` package. Keep it readable by old Nodes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const node = join(bin, process.platform === 'win32' ? 'node.cmd' : 'node');
const stamp = join(root, 'node_modules', '.patchbay-installed');

function run(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  });
  if (done.error) console.error(`cannot start ${command}: ${done.error.message}`);
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** Installs the npm packages unless those of this very lock file are there. */
function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing packages (once; about 360 MB, Node 24 among them) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', process.stderr, process.stderr],
  });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Programs that the tests use, with the Debian package that has them. */
const programs = {
  busybox: 'busybox-static',
  bwrap: 'bubblewrap',
  curl: 'curl',
  git: 'git',
  ip: 'iproute2',
  jq: 'jq',
  openssl: 'openssl',
  podman: 'podman',
  postgres: 'postgresql',
  python3: 'python3',
  runc: 'runc',
  tmux: 'tmux',
  wrk: 'wrk',
};

/** Debian keeps the programs of each version of PostgreSQL in a folder of their own, which is on nobody's path. */
function serverFolders() {
  const all = '/usr/lib/postgresql';
  return existsSync(all) ? readdirSync(all).map((version) => join(all, version, 'bin')) : [];
}

function isThere(program) {
  const names = process.platform === 'win32' ? [program, `${program}.exe`] : [program];
  // What administrators use may not be on the path of others.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', ...serverFolders()];
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
}

/** Installs the programs that are missing, on Debian as root; elsewhere says which they are. */
function installPrograms() {
  const missing = Object.keys(programs).filter((program) => !isThere(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => programs[program]);
  if (process.getuid?.() !== 0 || !isThere('apt-get')) {
    console.error(`Missing for the tests: ${missing.join(', ')}. On Debian: apt-get install ${packages.join(' ')}`);
    return;
  }
  console.error(`Installing ${packages.join(', ')} (once) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const quietly = { env, stdio: ['ignore', 'ignore', process.stderr] };
  run('apt-get', ['update', '-qq'], quietly);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quietly);
}

const source = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
const build = [['scripts/build.ts']];
const vitest = (...args) => ['node_modules/vitest/vitest.mjs', 'run', ...args];

/** Each task is a list of things for Node to run, in order; the words after the task's name go to the last one. */
const tasks = {
  build,
  demo: [...build, ['packages/cli/bin/patchbay.cjs', 'demo']],
  test: [...build, vitest()],
  'test:long': [...build, vitest('--config', 'vitest.long.config.ts')],
  bench: [...build, [...source, '--expose-gc', '--allow-natives-syntax', 'bench/main.ts']],
  docs: [[...source, 'scripts/docs.ts']],
  format: [['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.']],
  check: [
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    ['node_modules/typescript/bin/tsc', '-p', '.'],
    [...source, 'scripts/docs.ts', '--check'],
  ],
};

const [name, ...rest] = process.argv.slice(2);
const steps = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined;
if (steps === undefined) {
  console.error(`usage: node scripts/start.mjs ${Object.keys(tasks).join('|')}`);
  process.exit(2);
}
install();
if (name === 'test' || name === 'test:long' || name === 'bench') installPrograms();
steps.forEach((step, i) => {
  run(node, i === steps.length - 1 ? [...step, ...rest] : step);
});
