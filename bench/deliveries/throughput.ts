import { definePlugin } from 'patchbay-sdk';
import { accepted, inFolder, project, withHost } from './project.ts';
import { sideBySide, type Taken } from './side-by-side.ts';

const subscribers = ['audit', 'mirror', 'notify', 'report'];

/** Milliseconds in which `flood` events are durable (`durable`), and told to 4 plugins and written down (`settled`). */
export function withFourSubscribers(rounds: number, flood: number): Promise<Taken> {
  return inFolder(async (dir) => {
    await project(dir, []);
    const heard = new Map<string, number>();
    return withHost(
      dir,
      async (service) => {
        let expected = 0;
        const happen = () =>
          Promise.all(Array.from({ length: flood }, () => service.emit('turn:accepted', accepted())));
        const taken = await sideBySide(
          {
            settled: async () => {
              expected += flood;
              await happen();
              await service.rest();
            },
            durable: async () => {
              expected += flood;
              const start = performance.now();
              await happen();
              const ms = performance.now() - start;
              await service.rest();
              return ms;
            },
          },
          rounds,
          rounds > 1 ? 2 : 0,
        );
        for (const name of subscribers) {
          if (heard.get(name) !== expected) throw new Error(`${name} heard ${heard.get(name)} of ${expected} events`);
        }
        return taken;
      },
      (host) => {
        for (const name of subscribers) {
          const hear = () => void heard.set(name, (heard.get(name) ?? 0) + 1);
          host.load(definePlugin({ name, version: '1.0.0', hooks: { 'turn:accepted': hear } }));
        }
      },
    );
  });
}
