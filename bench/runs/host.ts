import { mkdirSync } from 'node:fs';
import { definePlugin } from 'patchbay-sdk';
import type { Service } from '../../packages/host/src/service.ts';
import { project, withHost } from '../deliveries/project.ts';

/** The plugins that listen. */
export const listeners = ['audit', 'notify', 'report'];

/** Does something with the host of a project in a folder, which is made, and to whose runs these plugins listen. */
export async function withListeners<T>(
  dir: string,
  names: readonly string[],
  act: (service: Service) => Promise<T>,
): Promise<T> {
  mkdirSync(dir, { recursive: true });
  await project(dir, []);
  return withHost(dir, act, (host) => {
    for (const name of names) host.load(listener(name));
  });
}

function listener(name: string) {
  const hear = () => {};
  const pass = () => null;
  return definePlugin({
    name,
    version: '1.0.0',
    hooks: {
      'run:started': pass,
      'turn:dispatched': pass,
      'turn:submitted': hear,
      'turn:accepted': hear,
      'gate:pending': pass,
      'gate:completion': hear,
      'run:completed': hear,
    },
  });
}
