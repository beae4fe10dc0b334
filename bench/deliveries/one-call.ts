import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventName, EventPayload } from 'patchbay-sdk';
import { entryFile, entryFlags } from '../../packages/host/src/sandbox/entry.ts';
import { type Command, commandOf } from '../../packages/host/src/sandbox/isolated/command.ts';
import { type IsolatedOptions, type LoadParams, limitsOf } from '../../packages/host/src/sandbox/isolated/options.ts';
import { Peer } from '../../packages/host/src/sandbox/isolated/peer.ts';

type Payload = EventPayload<EventName>;
type Verdict = { readonly verdict?: unknown } | undefined;

/** What the shipped host starts for a plugin: sources would take longer to start, and flatter whoever need not. */
const shipped = fileURLToPath(new URL('../../packages/host/dist/isolated-main.js', import.meta.url));

/** The least that can be said to call a plugin: read the event, load the plugin, call it, tell its answer. */
const least = `const { readFileSync } = require('node:fs');
const payload = JSON.parse(readFileSync(0, 'utf8'));
import(process.argv[1]).then(async ({ default: { hooks } }) => {
  console.log(JSON.stringify(await hooks[payload.event](payload)));
});`;

/** Two ways to start Node for one call of a plugin's only handler, confined as its warm process is. */
export interface OneCall {
  /**
   * With the runner of isolated plugins: what a host would do that kept no process. It gives what a call of a warm one gives: the
   * plugin and its configuration checked, the payload frozen, signals guarded, answers bounded.
   */
  readonly runner: (payload: Payload) => Promise<void>;
  /** With a few lines that give none of that, and would not do. Nothing can be faster. */
  readonly least: (payload: Payload) => Promise<void>;
}

/** Prepares both for a plugin without configuration. */
export async function oneCall(options: IsolatedOptions): Promise<OneCall> {
  const { argv, env } = await commandOf(options, limitsOf().memoryMb);
  const flags = argv.filter((word) => word !== entryFile('isolated-main') && !entryFlags.includes(word));
  const read = [dirname(shipped), join(dirname(shipped), '*')].map((path) => `--allow-fs-read=${path}`);
  const start = (...more: string[]) => ({ argv: [...flags, ...more] as unknown as Command['argv'], env });
  const ofRunner = start(...read, '--disable-warning=ExperimentalWarning', shipped);
  const ofLeast = start('-e', least, options.module);
  return {
    runner: (payload) => callRunner(ofRunner, options, payload),
    least: (payload) => callLeast(ofLeast, options.project, payload),
  };
}

async function callRunner(command: Pick<Command, 'argv' | 'env'>, options: IsolatedOptions, payload: Payload) {
  const [file, ...args] = command.argv;
  const { name, module, config, project: cwd } = options;
  const { answerBytes } = limitsOf();
  const child = spawn(file, args, { cwd, env: command.env, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  const closed = once(child, 'close');
  const peer = new Peer(child.stdio[3] as Socket, answerBytes, {
    serve: () => undefined,
    fault: (what) => child.kill() && console.error(`the process of the plugin ${what}`),
    ended: () => peer.abandon(new Error('the process of the plugin ended')),
  });
  await peer.ask('load', { name, module, config, answerBytes, exec: false } satisfies LoadParams);
  const { value } = await peer.ask('call', { handler: 0, run: payload.run_id, delivery: null, payload });
  peer.end();
  await closed;
  check(value as Verdict);
}

async function callLeast(command: Pick<Command, 'argv' | 'env'>, cwd: string, payload: Payload): Promise<void> {
  const [file, ...args] = command.argv;
  const child = spawn(file, args, { cwd, env: command.env, stdio: ['pipe', 'pipe', 'inherit'] });
  const said = child.stdout.setEncoding('utf8').toArray();
  child.stdin.end(JSON.stringify(payload));
  await once(child, 'close');
  check(JSON.parse((await said).join('')));
}

function check(answer: Verdict): void {
  if (answer?.verdict !== 'ok') throw new Error('the plugin gave no verdict');
}
