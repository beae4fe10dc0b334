import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Scope } from './scope.ts';
import { isToolOfTurn } from './tools.ts';
import type { ToolCall } from './update.ts';

/** Why a tool may not be used; undefined if it may. What does not say what it touches may not. */
export async function objectionTo(call: ToolCall, scope: Scope, exec: boolean): Promise<string | undefined> {
  const content = call.content ?? [];
  const edited = content.flatMap((part) => (part.type === 'diff' && part.path !== undefined ? [part.path] : []));
  const written = (paths: readonly string[]) =>
    beyond(paths, (path) => scope.writable(path), 'outside of what the role may change');
  const objection = await written(edited);
  if (objection !== undefined) return objection;
  if (content.some(({ type }) => type === 'terminal') && !exec) return noPrograms;
  const named = (call.locations ?? []).map(({ path }) => path);
  switch (call.kind) {
    case 'edit':
    case 'delete':
    case 'move':
      return named.length + edited.length === 0 ? noFiles : written(named);
    case 'read':
    case 'search':
      if (named.length === 0) return noFiles;
      return beyond(named, async (path) => scope.readable(path), 'outside of the workspace');
    case 'execute':
      return exec ? undefined : noPrograms;
    case 'think':
      return undefined;
    default:
      if (isToolOfTurn(call)) return undefined;
      return `tools of the kind "${call.kind ?? 'other'}" are not for this role`;
  }
}

/** The answer to a request, by the options it comes with: never one that would let it do the same elsewhere unasked. */
export function answerTo(options: readonly PermissionOption[], allowed: boolean): RequestPermissionResponse {
  const kinds = allowed ? (['allow_once'] as const) : (['reject_once', 'reject_always'] as const);
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined);
  if (option !== undefined) return { outcome: { outcome: 'selected', optionId: option.optionId } };
  return allowed ? answerTo(options, false) : { outcome: { outcome: 'cancelled' } };
}

const noPrograms = 'the role may not run programs ("exec: true" lets it)';
const noFiles = 'it does not say which files it is about';

/** What is said of the first path that may not be touched; undefined if all may. */
async function beyond(
  paths: readonly string[],
  may: (path: string) => Promise<string | undefined>,
  why: string,
): Promise<string | undefined> {
  for (const path of paths) if ((await may(path)) === undefined) return `${path} is ${why}`;
  return undefined;
}
