import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Scope } from './scope.ts';
import type { ToolCall } from './update.ts';

/** Why a tool may not be used; undefined if it may. What does not say what it touches may not. */
export function objectionTo(call: ToolCall, scope: Scope, exec: boolean): string | undefined {
  const content = call.content ?? [];
  const edited = content.flatMap((part) => (part.type === 'diff' && part.path !== undefined ? [part.path] : []));
  const beyond = edited.find((path) => scope.writable(path) === undefined);
  if (beyond !== undefined) return `${beyond} is outside of what the role may change`;
  if (content.some(({ type }) => type === 'terminal') && !exec) return noPrograms;
  const named = (call.locations ?? []).map(({ path }) => path);
  switch (call.kind) {
    case 'edit':
    case 'delete':
    case 'move':
      return outside([...named, ...edited], (path) => scope.writable(path), 'outside of what the role may change');
    case 'read':
    case 'search':
      return outside(named, (path) => scope.readable(path), 'outside of the workspace');
    case 'execute':
      return exec ? undefined : noPrograms;
    case 'think':
      return undefined;
    default:
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

function outside(paths: readonly string[], may: (path: string) => string | undefined, why: string): string | undefined {
  if (paths.length === 0) return 'it does not say which files it is about';
  const beyond = paths.find((path) => may(path) === undefined);
  return beyond === undefined ? undefined : `${beyond} is ${why}`;
}
