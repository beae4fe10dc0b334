import { findProject } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { beside } from '../carry-on.ts';
import { ChatApi, isAbort, type Locate, locating, patiently } from '../chat/api.ts';
import { Pipe } from '../chat/pipe.ts';
import { harmless, Look } from '../chat/render.ts';
import { chosen, Session } from '../chat/session.ts';
import { Talk } from '../chat/talk.ts';
import { TypedHistory } from '../chat/typed-history.ts';
import type { Input, Output, Run } from '../command.ts';
import { whoami } from '../run-output.ts';

export const run: Run = (input) => ({ lines: lines(input) });

/** Whoever leaves while it waits for the host has left. */
async function* lines(input: Input): AsyncIterable<Output> {
  try {
    yield* hosted(input);
  } catch (error) {
    if (!isAbort(error)) throw error;
  }
}

async function* hosted(input: Input): AsyncIterable<Output> {
  const project = findProject(input.cwd);
  if (project === undefined)
    throw new PatchbayError('PROJECT_MISSING', `there is no project in ${input.cwd} nor above it`);
  const locate = locating(project.dir);
  const over = new AbortController();
  const leave = () => over.abort();
  input.signal.addEventListener('abort', leave);
  if (input.signal.aborted) leave();
  if (locate() !== undefined) {
    yield* chat(input, project.dir, locate, over);
    return;
  }
  // The host of this process ends with the chat.
  const ready = Promise.withResolvers<void>();
  const hosting = beside({ ...input, progress: quietly(input.progress) }, async (host) => {
    await host.serve({ port: 0, webhookPort: 0, troubled: input.progress });
    input.progress('No host serves this project: this chat is its host until you leave.');
    ready.resolve();
    if (!over.signal.aborted) await new Promise((resolve) => over.signal.addEventListener('abort', resolve));
  });
  hosting.catch(ready.reject);
  await ready.promise;
  try {
    yield* chat(input, project.dir, locate, over);
  } finally {
    leave();
    await hosting;
  }
}

async function* chat(input: Input, project: string, locate: Locate, over: AbortController): AsyncGenerator<Output> {
  const { args, options, json, progress } = input;
  const api = new ChatApi(locate);
  const { signal } = over;
  const named = args[0] ?? (options['workspace'] as string | undefined);
  const workspace = chosen(await patiently(() => api.workspaces(), signal), named);
  const session = await Session.open({ api, workspace, sender: whoami(options['by']), signal });
  const { stdin, stdout, stderr } = process;
  const look = new Look(isColoured(stdout), () => stdout.columns || 80);
  const leave = () => over.abort();
  if (stdin.isTTY && stdout.isTTY && !json && process.env['TERM'] !== 'dumb') {
    await new Talk({ session, look, stdin, stdout, stderr, typed: new TypedHistory(project), leave }).run();
    // However one leaves, that is how it ends.
    process.exitCode = 0;
    return;
  }
  // A file is given what was said; a terminal would obey it.
  const shown = stdout.isTTY ? harmless : (text: string) => text;
  yield* new Pipe({ session, look, shown, input: stdin, json, progress, leave }).run();
}

function isColoured({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && (process.env['NO_COLOR'] ?? '') === '';
}

/** What agents print is no part of the chat. */
function quietly(progress: Input['progress']): Input['progress'] {
  return (line) => {
    if (!/^\S*\s{4}\| /.test(line)) progress(line);
  };
}
