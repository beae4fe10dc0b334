import { type EventPayload, type Hooks, messageOf, type Platform, type Reporter, type Verdict } from 'patchbay-sdk';
import { inTime } from '../capabilities/in-time.ts';
import type { Project } from '../config/project.ts';
import type { ReviewSettings } from '../config/reporting.ts';
import type { HandlerInput, Kernel, Registration } from '../kernel/index.ts';
import type { LedgerStore } from '../ledger/index.ts';
import type { RunState } from '../runs/state.ts';

/** Where reports are made. */
export interface ReportPlace {
  readonly project: Project;
  readonly kernel: Kernel<Hooks>;
  /** The plugins that are always there, by name. */
  readonly builtins: readonly string[];
}

type Settled = EventPayload<'run:completed' | 'run:held' | 'run:failed' | 'run:aborted'>;

type On = (
  hook: string,
  id: string,
  handler: (payload: Settled) => Promise<Verdict>,
  deadlineMs?: number,
) => HandlerInput;

const settledEvents = ['run:completed', 'run:held', 'run:failed', 'run:aborted'] as const;
/** How long one reporter may take. */
const reporterMs = 20_000;

/**
 * Has reporters tell of settled runs, and the platform of those that are stuck. Both are handlers like those of plugins:
 * owed to each event, repeated after a crash.
 */
export class Reporting {
  readonly #place: ReportPlace;
  #ledger: LedgerStore | undefined;

  constructor(place: ReportPlace) {
    this.#place = place;
  }

  /** From now on there is a ledger to read runs from. */
  attach(ledger: LedgerStore): void {
    this.#ledger = ledger;
  }

  /** The plugins that do it, where there is something for them to do. */
  registrations(): readonly Registration[] {
    const { project, kernel, builtins } = this.#place;
    const on: On = (hook, id, handler, deadlineMs = 120_000) => ({ hook, id, trylast: true, deadlineMs, handler });
    const reports = settledEvents.map((hook) => on(hook, 'reports', (one) => this.#report(one)));
    const days = [
      on('run:held', 'escalation', (one) => this.#escalate(one)),
      on('run:completed', 'release', (one) => this.#release(one)),
    ];
    const givers = (hook: 'reporter' | 'platform') =>
      kernel
        .hook(hook)
        .handlers()
        .map(({ plugin }) => plugin);
    const isReported =
      project.reporting.reporters !== null || givers('reporter').some((plugin) => !builtins.includes(plugin));
    const review = project.reporting.platform?.review ?? null;
    const asking = review === null ? [] : [this.#asking(review, on)];
    const platform = givers('platform').length === 0 ? [] : [...(project.pace === null ? [] : days), ...asking];
    return [
      ...(isReported ? [{ name: 'patchbay-reports', handlers: reports }] : []),
      ...(platform.length > 0 ? [{ name: 'patchbay-platform', handlers: platform }] : []),
    ];
  }

  async #report({ run_id }: Settled): Promise<Verdict> {
    const { kernel, project } = this.#place;
    const all = await kernel.call('reporter', {});
    const { reporters } = project.reporting;
    const used =
      reporters === null
        ? all.filter(({ byDefault = true }) => byDefault)
        : reporters.flatMap((name) => all.filter((one) => one.name === name));
    const missing = (reporters ?? []).filter((name) => !all.some((one) => one.name === name));
    const problems = missing.map((name) => `there is no reporter "${name}", known are ${namesOf(all)}`);
    if (used.length === 0) return said(problems, 'nobody reports');
    const state = await this.#run(run_id);
    if (state === undefined) return { verdict: 'ok' };
    const [{ reportOf }, { readInside, writeInside }] = await Promise.all([
      import('./report.ts'),
      import('./inside.ts'),
    ]);
    const report = reportOf(state);
    for (const reporter of used) {
      try {
        const told = () => reporter.report(report, async (path) => readInside(project.dir, path));
        const { files = [], summary } = await inTime(reporterMs, told);
        for (const { path, text } of files) writeInside(project.dir, path, text);
        if (summary !== undefined) await (await this.#platform()).writeSummary(summary);
      } catch (error) {
        problems.push(`reporter "${reporter.name}": ${messageOf(error)}`);
      }
    }
    return said(problems, `reported by ${namesOf(used)}`);
  }

  /** People are told of a day that is held, and whoever starts days that they should not. */
  async #escalate(held: Settled): Promise<Verdict> {
    if (held.template !== 'pace') return { verdict: 'ok' };
    const platform = await this.#platform();
    const day = (await this.#run(held.run_id))?.inputs['day'];
    const what = day === undefined ? `Run ${held.run_id}` : `Day ${String(day)}`;
    const { url } = await platform.escalate({
      key: held.run_id ?? '',
      title: `${what} is on HOLD`,
      body: [
        held.goal ?? '',
        `**Why:** ${held.reason ?? 'not said'}`,
        `No other day begins until this one is released: \`patchbay resume ${held.run_id}\`, or \`patchbay abort ${held.run_id}\`.`,
      ].join('\n\n'),
    });
    await platform.setVariable('PACE_PAUSED', 'true');
    return { verdict: 'ok', message: `escalated to ${platform.name}: ${url}` };
  }

  async #release({ template }: Settled): Promise<Verdict> {
    if (template === 'pace') await (await this.#platform()).setVariable('PACE_PAUSED', 'false');
    return { verdict: 'ok' };
  }

  #asking(review: ReviewSettings, on: On): HandlerInput {
    const ask = async ({ run_id }: Settled): Promise<Verdict> => {
      const state = await this.#run(run_id);
      if (state === undefined) return { verdict: 'ok' };
      const { requestReview } = await import('./review.ts');
      const told = await requestReview(this.#place.project.dir, await this.#platform(), state, review);
      return { verdict: 'ok', message: told };
    };
    return on('run:completed', 'review', ask, 180_000 + (review.checksMs ?? 0));
  }

  async #platform(): Promise<Platform> {
    const { kernel, project } = this.#place;
    const { name, settings } = project.reporting.platform ?? { name: 'local', settings: {} };
    const all = await kernel.call('platform', { project: project.dir, settings });
    const chosen = all.find((one) => one.name === name);
    if (chosen === undefined) throw new Error(`there is no platform "${name}", known are ${namesOf(all)}`);
    return chosen;
  }

  async #run(run_id: string | null): Promise<RunState | undefined> {
    if (this.#ledger === undefined) throw new Error('there is no ledger to read the run from');
    // Not before it is needed: most commands only look.
    const { loadRun } = await import('../runs/load.ts');
    return (await loadRun(this.#ledger, run_id ?? '')).state;
  }
}

function namesOf(all: readonly Pick<Reporter, 'name'>[]): string {
  return all.map(({ name }) => name).join(', ') || 'none';
}

function said(problems: readonly string[], well: string): Verdict {
  return problems.length === 0 ? { verdict: 'ok', message: well } : { verdict: 'warn', message: problems.join('; ') };
}
