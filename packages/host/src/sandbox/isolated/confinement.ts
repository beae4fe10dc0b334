import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The command before a plugin's own, if any. With one, the plugin sees no process but its own, and all end with it. */
export type Prefix = readonly string[];

const own = ['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--dev-bind', '/', '/', '--proc', '/proc'];
const probes = new Map<string, Promise<Prefix>>();

/** The strictest prefix that works on this machine; empty where none does. Found out once. */
export function confinement(network: boolean): Promise<Prefix> {
  const key = String(network);
  const known = probes.get(key) ?? probe(network);
  probes.set(key, known);
  return known;
}

async function probe(network: boolean): Promise<Prefix> {
  const bwrap = process.platform === 'linux' ? onPath('bwrap') : undefined;
  if (bwrap === undefined) return [];
  const candidates = network ? [own] : [[...own, '--unshare-net'], own];
  for (const flags of candidates) {
    const prefix = [bwrap, ...flags];
    if (await works(prefix)) return prefix;
  }
  return [];
}

function works([command = '', ...flags]: Prefix): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command, [...flags, '--', '/bin/sh', '-c', ':'], { env: {}, timeout: 5000 }, (error) => {
      resolve(error === null);
    });
  });
}

function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
