import { once } from 'node:events';
import type { AnyPlugin, TurnWork } from 'patchbay-sdk';
import { definePlugin } from 'patchbay-sdk';
import { scriptCore } from 'plugin-cores';
import { onTestFinished } from 'vitest';
import { Stage } from '../../../../test/flows/stage.ts';
import { openHost } from '../../src/host.ts';
import type { StoredEvent } from '../../src/ledger/index.ts';
import type { RunState } from '../../src/runs/state.ts';
import { findTemplate } from '../../src/runs/template/find.ts';
import type { Service } from '../../src/service.ts';

/** How the only role of a run is played. */
export interface Cast {
  /** The rest of the role in the template: `core: script, with: {…}`. */
  readonly role: string;
  /** The script `./agent.sh`, if it is played by that. */
  readonly agent?: string;
  readonly cores?: readonly AnyPlugin[];
}

/** A run of one turn, `building.developer`, that is under way. */
export interface UnderWay {
  readonly stage: Stage;
  readonly service: Service;
  readonly run_id: string;
  /** What was told of the turn so far. */
  readonly log: readonly string[];
  /** Waits until something has been told that matches. */
  told(pattern: RegExp): Promise<void>;
  /** Stops the run as Ctrl-C does. */
  readonly stop: AbortController;
  readonly ended: Promise<RunState>;
  /** Why the turn has failed. */
  failure(): Promise<StoredEvent['payload'] | undefined>;
}

/** Begins a run whose only turn is played like this; it is tried once. */
export async function begin({ role, agent = '', cores = [] }: Cast): Promise<UnderWay> {
  const flow = `name: flow\nroles:\n  developer: { ${role}, writes: ["src/**"] }\nphases:\n  - name: building\n    steps: [{ role: developer }]\nlimits: { attempts: 1 }\n`;
  const stage = new Stage('straight');
  stage.write('patchbay/templates/flow.yaml', flow);
  stage.write('agent.sh', `#!/bin/bash\n${agent}`);
  stage.commit();
  const heard = new EventTarget();
  const log: string[] = [];
  const turnLog = (_: unknown, text: string) => {
    log.push(text);
    heard.dispatchEvent(new Event('told'));
  };
  const host = await openHost({ cwd: stage.dir, version: '0.0.0', builtins: [scriptCore, ...cores], turnLog });
  onTestFinished(() => host.close());
  const service = await host.start();
  const run_id = await service.runs.request({ template: findTemplate('flow', stage.dir), goal: 'Try', by: 'pat' });
  const stop = new AbortController();
  const ended = service.runs.advance(run_id, stop.signal);
  return {
    stage,
    service,
    run_id,
    log,
    stop,
    ended,
    told: async (pattern) => {
      while (!pattern.test(log.join('\n'))) {
        const isOver = await Promise.race([once(heard, 'told').then(() => false), ended.then(() => true)]);
        if (isOver && !pattern.test(log.join('\n'))) throw new Error(`it ended without telling ${pattern}`);
      }
    },
    failure: async () => {
      for await (const event of service.ledger.events({ run: run_id, type: 'turn:failed' })) return event.payload;
      return undefined;
    },
  };
}

/** A core that works on a turn by a function. */
export function core(run: (turn: TurnWork) => Promise<void>): AnyPlugin {
  return definePlugin({ name: 'core-test', version: '1.0.0', provides: { agentCore: () => ({ name: 'test', run }) } });
}
