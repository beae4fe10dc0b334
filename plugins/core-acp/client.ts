import { type ClientApp, client, methods, RequestError } from '@agentclientprotocol/sdk';
import type { TurnWork } from 'patchbay-sdk';
import { readText, writeText } from './files.ts';
import type { BoundedLog } from './log.ts';
import { answerTo, objectionTo } from './permission.ts';
import type { Scope } from './scope.ts';
import { nameOf, type Transcript } from './transcript.ts';

/** What a client needs to answer an agent. */
export interface ClientParts {
  readonly turn: TurnWork;
  readonly scope: Scope;
  readonly transcript: Transcript;
  readonly log: BoundedLog;
  /** Whether the agent may run programs. */
  readonly exec: boolean;
}

/** What the client end of a connection can do for an agent: files, within the scope. Terminals are not offered. */
export const capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: false };

/** The client end: answers what the agent asks for by policy, and touches files for it where it may. */
export function clientOf({ turn, scope, transcript, log, exec }: ClientParts): ClientApp {
  // Once the turn is over nothing may change any more: the host looks at what did.
  const stillOn = () => {
    if (turn.signal.aborted) throw RequestError.requestCancelled();
  };
  return client({ name: 'patchbay' })
    .onRequest(methods.client.session.requestPermission, async ({ params: { toolCall, options } }) => {
      if (turn.signal.aborted) return { outcome: { outcome: 'cancelled' } };
      const call = transcript.known(toolCall);
      const objection = await objectionTo(call, scope, exec);
      log.line(objection === undefined ? `allowed: ${nameOf(call)}` : `refused: ${nameOf(call)}: ${objection}`);
      return answerTo(options, objection === undefined);
    })
    .onRequest(methods.client.fs.readTextFile, ({ params: { path, line, limit } }) => {
      stillOn();
      return { content: readText(scope, path, line ?? null, limit ?? null) };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
      const file = await scope.writable(path);
      stillOn();
      writeText(file, path, content);
      log.line(`wrote: ${path}`);
      return {};
    });
}
