import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyPayload } from 'patchbay-host/ledger';
import { expect } from 'vitest';
import { Scene } from './scene.ts';

/** How long people talk, how much, and when the host is ended. */
export interface Soak {
  readonly workspaces: number;
  readonly ms: number;
  readonly perSecond: number;
}

/**
 * Talks with a host that is ended twice, once by kill -9: every message must have been answered once, in the order in which the
 * messages of its workspace were sent.
 */
export async function soak({ workspaces, ms, perSecond }: Soak): Promise<void> {
  const scene = new Scene(workspaces);
  await scene.start();
  const said: string[][] = Array.from({ length: workspaces }, () => []);
  const start = performance.now();
  let count = 0;
  let cpuMs = 0;
  const talk = async () => {
    for (; performance.now() - start < ms; count++) {
      const whose = count % workspaces;
      const id = `m${count}`;
      said[whose]?.push(id);
      scene.say(whose, id);
      const due = start + ((count + 1) * 1000) / perSecond;
      await sleep(Math.max(0, due - performance.now()));
    }
  };
  const restarts = async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await sleep(ms / 3);
      cpuMs += await scene.cpuMs;
      await scene.end(signal);
      await scene.start();
    }
  };
  await Promise.all([talk(), restarts()]);
  const talked = performance.now() - start;
  const answered = await settled(scene, count);
  cpuMs += await scene.cpuMs;
  await scene.end('SIGTERM');
  const late = (performance.now() - start - talked) / 1000;
  process.stderr.write(
    `${count} messages in ${Math.round(talked / 1000)} s, all answered ${late.toFixed(1)} s later; ${(cpuMs / count).toFixed(1)} ms of a core each\n`,
  );
  expect(scene.untaken).toBe(0);
  const answers = new Map<string, string[]>();
  for (const { chat_jid, content } of answered) answers.set(chat_jid, [...(answers.get(chat_jid) ?? []), content]);
  for (const [i, ids] of said.entries()) {
    expect(answers.get(`pipe:${i}`)).toEqual(ids);
    // What was sent when the host died is sent again: at the most once more, and in order all the same.
    expect([...new Set(scene.heard.get(`pipe:${i}`))]).toEqual(ids);
  }
  const verified = await scene.looking((ledger) => ledger.verify());
  expect(verified.ok).toBe(true);
}

type Sent = Extract<AnyPayload, { event: 'message:sent' }>;

/** All answers, once nothing is owed any more. */
async function settled(scene: Scene, count: number): Promise<Sent[]> {
  return scene.looking(async (ledger) => {
    for (let left = 1500; left > 0; left--) {
      const owed = await ledger.owedPlugins();
      if (owed.length === 0 && scene.untaken === 0) break;
      await sleep(200);
    }
    const sent: Sent[] = [];
    for await (const { payload } of ledger.events({ type: 'message:sent' })) sent.push(payload as Sent);
    expect(sent).toHaveLength(count);
    return sent;
  });
}
