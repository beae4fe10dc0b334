import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin, type TurnWork } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { openHost } from '../../src/host.ts';
import type { RunState } from '../../src/runs/state.ts';
import type { Template } from '../../src/runs/template/template.ts';
import type { Service } from '../../src/service.ts';
import { git } from '../workspaces/fixture.ts';

/** How a turn is played; whatever it does, it has handed in a result afterwards, unless it gives false. */
export type Play = (work: TurnWork, site: Site) => void | false | Promise<void | false>;

/** Says in a file of the role who was there, on which host. */
export const leavesMark: Play = ({ workspace, role, attempt, reviews }, { name }) => {
  if (reviews === null) appendFileSync(join(workspace, `${role}.txt`), `attempt ${attempt} on ${name}\n`);
};

/** One of several hosts: a clone of the repository, and a host in it. */
export class Site {
  readonly name: string;
  readonly dir: string;
  /** The turns that were worked on here. */
  readonly worked: string[] = [];
  play: Play;
  close: () => Promise<void> = async () => {};
  #service: Service | undefined;

  constructor(name: string, origin: string, play: Play) {
    this.name = name;
    this.dir = join(folder(), 'project');
    this.play = play;
    git(origin, 'clone', '--quiet', origin, this.dir);
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('it was not started');
    return this.#service;
  }

  async start(url: string): Promise<this> {
    const run = async (work: TurnWork) => {
      this.worked.push(`${work.turn_id}#${work.attempt}`);
      if ((await this.play(work, this)) === false || existsSync(work.result_file)) return;
      const status = work.reviews === null ? 'completed' : 'approved';
      writeFileSync(work.result_file, JSON.stringify({ status, summary: `${work.role} is done` }));
    };
    const core = definePlugin({
      name: 'core-test',
      version: '1.0.0',
      provides: { agentCore: () => ({ name: 'test', run }) },
    });
    const env = { ...process.env, PATCHBAY_DATABASE_URL: url };
    const host = await openHost({ cwd: this.dir, version: '0.0.0', builtins: [core], env });
    onTestFinished(() => host.close());
    this.#service = await host.start();
    this.close = () => host.close();
    return this;
  }

  request(template: Template): Promise<string> {
    return this.service.runs.request({ template, goal: 'Make it work', by: 'pat' });
  }

  /** Carries a run on until it ends or waits, or until this step of it: `turn:accepted x#1`. */
  async advance(run_id: string, until?: string): Promise<RunState> {
    const stop = new AbortController();
    const off = this.service.ledger.on('appended', ({ event }) => {
      const { turn_id, attempt } = event.payload;
      if (event.run_id === run_id && `${event.type} ${turn_id}#${attempt}` === until) stop.abort();
    });
    try {
      return await this.service.runs.advance(run_id, stop.signal);
    } finally {
      off();
    }
  }

  /** A file on the branch of a run. */
  accepted(run_id: string, path: string): string {
    return git(this.dir, 'show', `patchbay/${run_id}:${path}`);
  }

  /** What is in the worktree of a run, or of one of its turns. */
  work(run_id: string, path: string, turn = ''): string | undefined {
    const file = join(this.dir, '.patchbay/runs', run_id, `work${turn}`, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }
}

/** A repository that hosts have clones of. */
export function originOf(files: Readonly<Record<string, string>> = {}): string {
  const dir = folder({ 'patchbay.yaml': 'engine: postgres\n', '.gitignore': '.patchbay/\n', 'a.txt': 'a\n', ...files });
  git(dir, 'init', '--quiet', '--initial-branch=main');
  git(dir, 'add', '--all');
  git(dir, 'commit', '--quiet', '--message=first');
  return dir;
}

/** Two hosts with a clone each, on one database. */
export async function pair(
  url: string,
  { origin = originOf(), play = leavesMark }: { origin?: string; play?: Play } = {},
) {
  const a = new Site('A', origin, play);
  const b = new Site('B', origin, play);
  return { a: await a.start(url), b: await b.start(url), origin };
}

/** Never resolves; rejects when a turn is stopped. */
export async function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(new Error('stopped'));
    signal.addEventListener('abort', () => reject(new Error('stopped')));
  });
}
