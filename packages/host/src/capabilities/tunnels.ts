import { type Hooks, messageOf, type Tunnel } from 'patchbay-sdk';
import { type Kernel, newRecord } from '../kernel/index.ts';
import { inTime } from './in-time.ts';

/** How a way for the outside to reach this machine stands. */
export interface TunnelStatus {
  readonly name: string;
  readonly plugin: string;
  /** Whether it could be used here; false if it does not say. */
  readonly available: boolean;
  /** Whether it is up; false if it does not say. */
  readonly connected: boolean;
  /** What it says of itself; null if it says nothing. */
  readonly summary: string | null;
  /** What is wrong with the plugin, rather than with the tunnel; null if nothing is. */
  readonly problem: string | null;
}

type Member = 'isAvailable' | 'isConnected' | 'statusSummary';

const answerMs = 10_000;
const isBoolean = (answer: unknown): answer is boolean => typeof answer === 'boolean';
const isText = (answer: unknown): answer is string => typeof answer === 'string';

/** How all tunnels of all plugins stand, a plugin that fails or hangs included. Never rejects. */
export async function tunnelStatus(kernel: Kernel<Hooks>): Promise<readonly TunnelStatus[]> {
  const record = newRecord();
  await kernel.call('tunnel', {}, { record });
  const failed = record.failures.map(({ plugin = '', message }) => {
    return { name: plugin, plugin, available: false, connected: false, summary: null, problem: message };
  });
  const asked = record.answers.map(({ plugin, answer }) => statusOf(plugin, answer as Tunnel));
  return [...(await Promise.all(asked)), ...failed];
}

/** What the operator should know when the host starts; undefined if a tunnel is up, or none could be. Never rejects. */
export async function tunnelWarning(kernel: Kernel<Hooks>): Promise<string | undefined> {
  const usable = (await tunnelStatus(kernel)).filter(({ available }) => available);
  if (usable.length === 0 || usable.some(({ connected }) => connected)) return undefined;
  const said = usable.map(({ name, summary, problem }) => `${name}: ${problem ?? summary}`).join('; ');
  return `no tunnel is connected, so nobody outside reaches this machine through one (${said})`;
}

async function statusOf(plugin: string, tunnel: Tunnel): Promise<TunnelStatus> {
  const problems: string[] = [];
  const ask = async <T>(member: Member, isRight: (answer: unknown) => answer is T): Promise<T | undefined> => {
    try {
      const answer: unknown = await inTime<unknown>(answerMs, () => tunnel[member]());
      if (isRight(answer)) return answer;
      problems.push(`${member} answered nonsense`);
    } catch (error) {
      problems.push(`${member}: ${messageOf(error)}`);
    }
    return undefined;
  };
  // At the same time: together they take no longer than one.
  const [available = false, connected = false, summary = null] = await Promise.all([
    ask('isAvailable', isBoolean),
    ask('isConnected', isBoolean),
    ask('statusSummary', isText),
  ]);
  const problem = problems.length === 0 ? null : problems.join('; ');
  return { name: tunnel.name, plugin, available, connected, summary, problem };
}
