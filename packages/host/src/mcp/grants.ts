import { basename } from 'node:path';
import type { Fields, Problem } from './spec.ts';

/** What was granted to a plugin that is not the project's own; null for one that is, which may do anything. */
export type GrantsOf = (plugin: string) => readonly string[] | null;

/**
 * What a plugin says of a server and was not granted: the host would do it for the plugin. What the project says itself needs no
 * grant.
 */
export function ungranted(brought: Fields, said: Fields, grants: readonly string[] | null): Problem[] {
  if (grants === null) return [];
  return [...needed(brought, said)].flatMap(({ path, anyOf }) => {
    if (anyOf.some((grant) => grants.includes(grant))) return [];
    return [{ path, message: `its plugin was not granted ${anyOf[0]}` }];
  });
}

function* needed(brought: Fields, said: Fields): Iterable<{ path: string; anyOf: string[] }> {
  const type = said.type ?? brought.type ?? 'script';
  const { command, url } = brought;
  if (type === 'docker') {
    if (said.image == null) yield { path: 'image', anyOf: ['exec:docker', 'exec:podman'] };
  } else if (type === 'script') {
    if (command && said.command == null)
      yield { path: 'command', anyOf: [`exec:${command}`, `exec:${basename(command)}`] };
  } else if (url && said.url == null) {
    yield { path: 'url', anyOf: networkGrants(url) };
  }
  for (const [name, variable] of Object.entries(brought.envForward ?? {})) {
    if (variable !== null && said.envForward?.[name] === undefined) {
      yield { path: `env_forward.${name}`, anyOf: [`env:${variable}`, `secret:${variable}`] };
    }
  }
}

function networkGrants(url: string): string[] {
  if (!URL.canParse(url)) return [`net:${url}`];
  const { hostname, port, protocol } = new URL(url);
  return [`net:${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`, `net:${hostname}`];
}
