import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readlinkSync } from 'node:fs';
import { expect, vi } from 'vitest';
import type { Network } from './network.ts';

/** A network namespace. It is there as long as its process is, and the cables that end in it too. */
class Namespace {
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  static async make(): Promise<Namespace> {
    // Dies with this process, whatever that dies of.
    const command = ['--pdeathsig=KILL', 'unshare', '--net', 'sleep', 'infinity'];
    const made = new Namespace(spawn('setpriv', command, { stdio: 'ignore' }));
    await vi.waitFor(() => expect(made.#isApart).toBe(true), { timeout: 60_000, interval: 10 });
    return made;
  }

  get pid(): string {
    return String(this.#process.pid);
  }

  /** The words before a command that is to run in it. */
  get prefix(): readonly string[] {
    return ['nsenter', `--net=/proc/${this.pid}/ns/net`];
  }

  /** Does something in it as `ip` does. */
  ip(words: string): void {
    run([...this.prefix, 'ip', ...words.split(' ')]);
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    if (this.#process.kill('SIGKILL')) await ended;
  }

  get #isApart(): boolean {
    const file = `/proc/${this.pid}/ns/net`;
    return existsSync(file) && readlinkSync(file) !== readlinkSync('/proc/self/ns/net');
  }
}

function run([command = '', ...args]: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/**
 * A network namespace for each host, and one in which there is a switch that they, and this machine, are plugged into. The
 * addresses are of those that are set aside for tests of networks.
 */
export class Namespaces implements Network {
  readonly kind = 'network namespaces';
  readonly #net = `198.18.${process.pid % 256}`;
  readonly #switch: Namespace;
  readonly #hosts: readonly Namespace[];
  #port = 0;

  private constructor(between: Namespace, hosts: readonly Namespace[]) {
    this.#switch = between;
    this.#hosts = hosts;
  }

  /** Undefined where this process may not make any. */
  static async make(hosts: number): Promise<Namespaces | undefined> {
    try {
      run(['unshare', '--net', 'ip', 'link', 'add', 'probe', 'type', 'bridge']);
    } catch {
      return undefined;
    }
    const made = await Promise.all(Array.from({ length: hosts + 1 }, () => Namespace.make()));
    const network = new Namespaces(made[0] as Namespace, made.slice(1));
    try {
      network.#plug();
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  get server() {
    return { address: `${this.#net}.1`, from: `${this.#net}.0/24` };
  }

  async connect(port: number): Promise<void> {
    this.#port = port;
  }

  at(host: number): readonly string[] {
    return this.#hosts[host]?.prefix ?? [];
  }

  addressOf(host: number): string {
    return `${this.#net}.${host + 11}`;
  }

  serverOf(): string {
    return `${this.server.address}:${this.#port}`;
  }

  cut(host: number): void {
    this.#switch.ip(`link set port${host} down`);
  }

  heal(host: number): void {
    this.#switch.ip(`link set port${host} up`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#switch, ...this.#hosts].map((one) => one.close()));
  }

  #plug(): void {
    const ours = `pb${process.pid}`;
    this.#switch.ip('link add between type bridge');
    this.#switch.ip('link set between up');
    run(['ip', 'link', 'add', ours, 'type', 'veth', 'peer', 'name', 'machine', 'netns', this.#switch.pid]);
    run(['ip', 'address', 'add', `${this.server.address}/24`, 'dev', ours]);
    run(['ip', 'link', 'set', ours, 'up']);
    this.#switch.ip('link set machine master between up');
    for (const [i, host] of this.#hosts.entries()) {
      this.#switch.ip(`link add port${i} type veth peer name cable netns ${host.pid}`);
      this.#switch.ip(`link set port${i} master between up`);
      host.ip('link set lo up');
      host.ip(`address add ${this.addressOf(i)}/24 dev cable`);
      host.ip('link set cable up');
    }
  }
}
