/**
 * The lives of a host in a project on a disk that is full at one moment of a run: while the agent works (`turn`), or when somebody
 * approves (`gate`). Then there is room again. Prints what came of it as JSON. Arguments: the disk, and the moment.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTemplate, openHost } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { scriptCore } from 'plugin-cores';

const [disk = '', moment = ''] = process.argv.slice(2);
const cwd = join(disk, 'project');
const filler = join(disk, 'filler');

const agent = `#!/bin/sh
[ -e "$DISK/done" ] || [ "$MOMENT" != turn ] || cat /dev/zero > "$DISK/filler" 2> /dev/null
echo better > src/a.txt && echo '{"summary": "Done"}' > "$PATCHBAY_RESULT"
`;
const template = `name: flow
roles: { developer: { core: script, with: { command: [./agent.sh], env: [DISK, MOMENT] }, writes: ["src/**"] } }
phases:
  - { name: building, steps: [{ role: developer, verify: [grep -q better src/a.txt] }], gate: ship }
  - { name: closing, steps: [{ role: developer }] }
gates: { ship: { approval: human } }
limits: { attempts: 3 }
`;

function make(): void {
  for (const dir of ['src', 'patchbay/templates']) mkdirSync(join(cwd, dir), { recursive: true });
  const files = { 'patchbay.yaml': '', '.gitignore': '.patchbay/\n', 'src/a.txt': 'a\n', 'agent.sh': agent };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  writeFileSync(join(cwd, 'patchbay/templates/flow.yaml'), template);
  chmodSync(join(cwd, 'agent.sh'), 0o755);
  const git = (...args: string[]) => execFileSync('git', args, { cwd });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '--quiet', '--message=begin');
}

function fill(): void {
  try {
    execFileSync('sh', ['-c', `cat /dev/zero > '${filler}'`], { stdio: 'ignore' });
  } catch {
    // It is full: that is what was wanted.
  }
}

/** Does something with a host; gives the code of what it could not do. */
async function living(act: (host: Awaited<ReturnType<typeof openHost>>) => Promise<void>): Promise<string | null> {
  const env = { ...process.env, DISK: disk, MOMENT: moment };
  const host = await openHost({ cwd, version: '0.0.0', builtins: [scriptCore], env });
  try {
    await act(host);
    return null;
  } catch (error) {
    return error instanceof PatchbayError ? error.code : `not ours: ${String(error)}`;
  } finally {
    await host.close();
  }
}

make();
let run_id = '';
const vote = { by: 'ann', decision: 'approved', comment: null } as const;
const failed = [
  await living(async (host) => {
    const { runs } = await host.start();
    run_id = await runs.request({ template: findTemplate('flow', cwd), goal: 'x', by: 'pat' });
    await runs.advance(run_id);
    if (moment !== 'gate') return;
    fill();
    await runs.vote(run_id, vote);
    await runs.advance(run_id);
  }),
  // Nobody has made room yet.
  await living(async (host) => {
    const { runs } = await host.start();
    const { status } = await runs.advance(run_id);
    // It may have been counted the first time, if the ledger is on another disk.
    if (status === 'waiting') await runs.vote(run_id, vote);
    await runs.advance(run_id);
  }),
];
rmSync(filler, { force: true });
writeFileSync(join(disk, 'done'), '');
let steps: string[] = [];
let verified = false;
const recovered = await living(async (host) => {
  const { runs, ledger, rest } = await host.start();
  let state = await runs.advance(run_id);
  if (state.status === 'waiting') {
    await runs.vote(run_id, vote);
    state = await runs.advance(run_id);
  }
  await rest();
  steps = (await Array.fromAsync(ledger.events({ run: run_id }))).map(({ type }) => type);
  verified = (await ledger.verify()).ok;
});
process.stdout.write(JSON.stringify({ failed, recovered, steps, verified }));
