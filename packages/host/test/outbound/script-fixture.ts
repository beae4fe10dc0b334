import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type EventName, type EventPayload, sample } from 'patchbay-sdk';
import type { Outcome } from '../../src/outbound/outcome.ts';
import { runProcess, runScript, type ScriptCall } from '../../src/outbound/script.ts';
import type { Confinement } from '../../src/sandbox/launcher.ts';
import { Workshop } from '../sandbox/fixture.ts';

interface Told {
  readonly event?: EventName;
  readonly payload?: Partial<EventPayload<EventName>>;
  readonly timeoutMs?: number;
  readonly config?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly signal?: AbortSignal;
}

/** A plugin of AgentXchain whose handlers are written as they are called. */
export class ScriptPlugin extends Workshop {
  constructor(confinement: Confinement) {
    super(confinement);
    mkdirSync(join(this.dir, 'hooks'));
  }

  payload({ event = 'turn:accepted', payload = {} }: Told = {}): EventPayload<EventName> {
    return { ...sample(event), event, ...payload } as EventPayload<EventName>;
  }

  /** Calls a script by the document's contract. */
  callScript(text: string, told: Told = {}): Promise<Outcome> {
    this.script(text, { name: 'hooks/on-event.sh' });
    return this.call('./hooks/on-event.sh', told);
  }

  /** Calls the script that is there. */
  call(run: string, told: Told = {}): Promise<Outcome> {
    const { event = 'turn:accepted', timeoutMs = 20_000 } = told;
    return runScript({ type: 'script', event, run, timeoutMs }, this.#calling(told));
  }

  /** Calls a process by the contract of the 0.1 form. */
  callProcess(text: string, told: Told & { phase?: 'after_acceptance' | 'before_gate' | 'on_escalation' } = {}) {
    this.script(text, { name: 'hooks/process.sh' });
    const { event = 'turn:accepted', timeoutMs = 20_000, phase = 'after_acceptance' } = told;
    const command = ['bash', './hooks/process.sh', 'argument', '../outside'];
    return runProcess(
      { type: 'process', name: undefined, event, phase, command, blocking: true, timeoutMs },
      this.#calling(told),
    );
  }

  #calling(told: Told): ScriptCall {
    const { config = { channel: '#agents' }, env = {}, secrets = [], signal } = told;
    return {
      launcher: this.launcher,
      plugin: { name: 'plugin-notify', version: '1.2.0', dir: this.dir, config, env },
      project: this.project,
      payload: this.payload(told),
      key: 'delivery-7',
      secrets,
      signal,
    };
  }
}
