import { expect } from 'vitest';
import { modulePackage, type Package } from '../package.ts';
import type { Hostile } from '../row.ts';

const never = 'return new Promise(() => {});';
const late = /did not answer within 300 ms/;

/** A module that tries things in order, and fails with a list of those that it could do. */
function trying(name: string, attempts: Readonly<Record<string, string>>): Package {
  const list = Object.entries(attempts).map(([what, how]) => `[${JSON.stringify(what)}, async () => { ${how} }]`);
  const body = `
    const done = [];
    for (const [what, attempt] of [${list.join(',\n')}]) try { await attempt(); done.push(what); } catch {}
    if (done.length > 0) return { verdict: 'fail', message: 'could ' + done.join(', ') };
    return { verdict: 'ok', message: 'could do nothing' };`;
  const before = `import * as fs from 'node:fs';
    import * as net from 'node:net';
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const connected = (to) => new Promise((yes, no) => net.connect(to).once('connect', yes).once('error', no));`;
  return modulePackage(name, body, { before, deadlineMs: 10_000 });
}

const couldDoNothing: Hostile['check'] = ({ deliveries }) => {
  for (const { message } of deliveries) expect(message).toBe('could do nothing');
};

/** Hostile modules that want more than they were given, or hold up what they may hold up. */
export const confinedModules: Hostile[] = [
  {
    does: 'writes where it may not',
    make: (name, { project }) =>
      trying(name, {
        'overwrite a file': `fs.writeFileSync('${project}/precious/file', 'gone');`,
        'remove a file': `fs.rmSync('${project}/precious/file');`,
        'rename a file': `fs.renameSync('${project}/precious/file', '${project}/precious/mine');`,
        'make a link': `fs.symlinkSync('/etc/passwd', '${project}/link');`,
        'change its own files': `fs.appendFileSync(new URL('plugin.mjs', import.meta.url), '// mine');`,
        'write to /tmp': `fs.writeFileSync('/tmp/chaos-was-here', '');`,
        'write a database': `new (require('node:sqlite').DatabaseSync)('${project}/stolen.db').exec('CREATE TABLE t (x)');`,
        'write a report': `process.report.writeReport('${project}/report.json');`,
        'write a heap snapshot': `require('node:v8').writeHeapSnapshot('${project}/heap.heapsnapshot');`,
        'start a program': `require('node:child_process').execFileSync('/bin/true');`,
        'start a thread': `new (require('node:worker_threads').Worker)('0', { eval: true });`,
        'load an addon': `process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6');`,
        'signal the host': `process.kill(process.ppid, 0);`,
      }),
    accepted: 'ok',
    check: couldDoNothing,
  },
  {
    does: 'takes the ledger for itself',
    make: (name, { project }) =>
      trying(name, {
        'take the ledger': `globalThis.kept = new (require('node:sqlite').DatabaseSync)('${project}/.patchbay/ledger.db');
          kept.exec('BEGIN IMMEDIATE');`,
      }),
    accepted: 'ok',
    check: couldDoNothing,
  },
  {
    does: 'reads what it may not',
    make: (name, { project }) =>
      trying(name, {
        'see a variable of the host': `if (!('SECRET_TOKEN' in process.env) && !('NEIGHBOUR_SECRET' in process.env)) throw 1;`,
        'see an environment': `fs.readFileSync('/proc/' + process.ppid + '/environ'); fs.readFileSync('/proc/1/environ');`,
        'read the ledger': `fs.readFileSync('${project}/.patchbay/ledger.db');`,
        'open the ledger': `new (require('node:sqlite').DatabaseSync)('${project}/.patchbay/ledger.db', { readOnly: true }).prepare('SELECT 1').get();`,
        'read a log': `fs.readFileSync('${project}/.patchbay/logs/neighbour.log');`,
        'list the plugins': `fs.readdirSync('${project}/.patchbay/plugins');`,
        "read a neighbour's package": `fs.readdirSync('${project}/.patchbay/plugins/neighbour');`,
        'read the project file': `process.loadEnvFile('${project}/patchbay.yaml');`,
        'list /tmp': `fs.readdirSync('/tmp');`,
        'import a file': `await import('${project}/.patchbay/plugins/neighbour/plugin.json', { with: { type: 'json' } });`,
      }),
    accepted: 'ok',
    check: couldDoNothing,
  },
  {
    does: 'tells the secret it was configured with in every way it has',
    make: (name) =>
      modulePackage(
        name,
        `const { token } = context.config;
         console.log(token); console.error(JSON.stringify({ token })); context.log.warn(token, { [token]: token });
         if (payload.turn_id === 'turn-0') return { verdict: 'warn', message: token, annotations: { [token]: token } };
         throw new Error('the token is ' + token);`,
        { deadlineMs: 5000, config: { token: '${HOSTILE_SECRET}' } },
      ),
    accepted: 'settled',
  },
  {
    does: 'tells the variable it was granted in every way it has',
    make: (name) =>
      modulePackage(
        name,
        `const token = process.env.HOSTILE_SECRET;
         console.log(token); context.log.warn(token, { token });
         throw new Error('the token is ' + token);`,
        { deadlineMs: 5000, permissions: { env: ['HOSTILE_SECRET'] } },
      ),
    accepted: 'failed',
    says: /the token is/,
  },
  {
    does: 'may start programs, leaves some in sessions of their own, and dies',
    make: (name, { digits }) =>
      modulePackage(
        name,
        `for (let i = 0; i < 20; i++) spawn('sleep', ['600.${digits}'], { detached: true, stdio: 'ignore' }).unref();
         await new Promise((done) => setTimeout(done, 50));
         process.exit(7);`,
        {
          before: `import { spawn } from 'node:child_process';`,
          deadlineMs: 5000,
          permissions: { exec: ['sleep'] },
        },
      ),
    accepted: 'failed',
    says: /exited with code 7/,
    needs: 'namespace',
  },
  {
    does: 'may block, and hangs',
    make: (name) => modulePackage(name, never, { permissions: { block: ['run:started'] } }),
    accepted: 'failed',
    says: late,
    refuses: ['run:started'],
  },
  {
    does: 'may block, and exits',
    make: (name) =>
      modulePackage(name, 'process.exit(0);', { permissions: { block: ['run:started'] }, deadlineMs: 5000 }),
    accepted: 'failed',
    says: /exited with code 0/,
    refuses: ['run:started'],
  },
  {
    does: 'may block, and answers nonsense',
    make: (name) =>
      modulePackage(name, `return { verdict: 'perhaps' };`, {
        permissions: { block: ['run:started'] },
        deadlineMs: 5000,
      }),
    accepted: 'failed',
    refuses: ['run:started'],
  },
  {
    does: 'may block, and does not load',
    make: (name) =>
      modulePackage(name, '', { before: `throw new Error('not today');`, permissions: { block: ['run:started'] } }),
    accepted: 'none',
    says: /not today/,
    refuses: ['run:started'],
  },
  {
    does: 'asked for no right to block, and blocks',
    make: (name) => modulePackage(name, `return { verdict: 'block', message: 'I forbid it' };`, { deadlineMs: 5000 }),
    accepted: 'ok',
  },
];
