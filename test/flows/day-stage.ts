import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProject } from '../../packages/host/src/config/project.ts';
import { requestDay } from '../../packages/host/src/day/index.ts';
import type { RunState } from '../../packages/host/src/runs/state.ts';
import type { Service } from '../../packages/host/src/service.ts';
import { Stage, type Staging } from './stage.ts';

const roles = ['prime', 'forge', 'gate', 'sentinel', 'conduit', 'scribe'];
const played = roles.map((role) => `    ${role}: { core: script, with: { command: [./agent.sh] } }\n`).join('');

/** A project whose days are played by the script of a case, reviewers included. */
export class DayStage extends Stage {
  constructor(name: string, { files = {}, ...staging }: Staging = {}) {
    const shared = readFileSync(join(import.meta.dirname, 'day.sh'), 'utf8');
    super(name, { ...staging, files: { 'patchbay.yaml': `runs:\n  roles:\n${played}`, 'day.sh': shared, ...files } });
  }

  /** Asks for a day. */
  ask({ ledger, runs }: Service, day: number | 'next' = 'next', run_id?: string) {
    const project = findProject(this.dir);
    if (project === undefined) throw new Error('there is no project');
    const wanted = { day, by: 'pat', ...(run_id === undefined ? {} : { run_id }) };
    return requestDay({ project, ledger, runs }, wanted);
  }

  /** Asks for a day and carries it on until it ends or waits. */
  async day(service: Service, day: number | 'next' = 'next'): Promise<RunState> {
    const answer = await this.ask(service, day);
    if (answer.kind !== 'begun') throw new Error(`it is ${answer.kind}`);
    return this.advance(service, answer.run_id);
  }

  /** A document of a day, as people read it. */
  document(day: number, name: string): string | undefined {
    return this.read(`.pace/day-${day}/${name}.yaml`);
  }
}
