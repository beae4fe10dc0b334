import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import type { Project } from '../config/project.ts';
import type { LedgerStore } from '../ledger/index.ts';
import type { Runs } from '../runs/runs.ts';
import type { Warn } from '../runs/template/read.ts';
import { backlogOf } from './backlog.ts';
import { type DayRun, dayRuns, shippedRuns, standingOf } from './days.ts';
import { deferredBy } from './deferred.ts';
import { type Plan, type PlanDay, readPlan } from './plan.ts';
import { dollars, spendByDay } from './spend.ts';
import { templateOfDay } from './template.ts';

/** What days are begun with. */
export interface DayParts {
  readonly project: Project;
  readonly ledger: LedgerStore;
  readonly runs: Runs;
  /** Hears what is most often a mistake. */
  readonly warn?: Warn;
}

/** A day that is wanted. */
export interface DayWanted {
  /** One of the plan, or the first that is not shipped. */
  readonly day: number | 'next';
  readonly by: string;
  /** Under which id; if there is a run of it, that is the answer. @default a new one */
  readonly run_id?: string;
}

/** What came of wanting a day. */
export type DayAnswer =
  | { readonly kind: 'begun' | 'under-way'; readonly day: number; readonly run_id: string; readonly target: string }
  /** Nothing is done again. */
  | { readonly kind: 'shipped'; readonly day: number; readonly run_id: string; readonly at: string }
  /** Every day of the plan is shipped. */
  | { readonly kind: 'none'; readonly days: number };

/** In one process, one after the other: whoever is second sees what the first has begun. */
const last = new WeakMap<LedgerStore, Promise<unknown>>();

/**
 * Writes down that a day is wanted; whoever is the host carries it out. A day that is shipped or under way is not begun
 * again. Throws PLAN_INVALID; DAY_UNKNOWN; DAY_HELD while any day is held; BUDGET_SPENT when nothing of the total is left;
 * and what `Runs.request` and `templateOfDay` throw.
 */
export function requestDay(parts: DayParts, wanted: DayWanted): Promise<DayAnswer> {
  const done = (last.get(parts.ledger) ?? Promise.resolve()).then(() => request(parts, wanted));
  last.set(
    parts.ledger,
    done.catch(() => {}),
  );
  return done;
}

/** Where the plan of a project is; there may be none. */
export function planFile({ dir, pace }: Project): string {
  const places = [join(dir, 'pace', 'plan.yaml'), join(dir, 'plan.yaml')];
  return pace?.plan ?? places.find((place) => existsSync(place)) ?? (places[0] as string);
}

async function request(parts: DayParts, { day: wanted, by, run_id }: DayWanted): Promise<DayAnswer> {
  const { ledger, project } = parts;
  const runs = await dayRuns(ledger);
  const known = runs.find((run) => run.run_id === run_id);
  if (known !== undefined) return begunBefore(known);
  const plan = readPlan(planFile(project));
  const planned = dayIn(plan, wanted, runs);
  if (planned === undefined) return { kind: 'none', days: plan.days.length };
  const standing = standingOf(runs, planned.day);
  if (standing.state === 'shipped' || standing.state === 'under-way') return begunBefore(standing.run);
  refuseHeld(runs);
  return begin(parts, planned, runs, by, run_id);
}

function begunBefore({ day, run_id, status, at, target }: DayRun): DayAnswer {
  return status === 'completed' ? { kind: 'shipped', day, run_id, at } : { kind: 'under-way', day, run_id, target };
}

function dayIn({ days, file }: Plan, wanted: number | 'next', runs: readonly DayRun[]): PlanDay | undefined {
  if (wanted === 'next') return days.find(({ day }) => standingOf(runs, day).state !== 'shipped');
  const found = days.find(({ day }) => day === wanted);
  if (found !== undefined) return found;
  const known = days.map(({ day }) => day).join(', ');
  throw new PatchbayError('DAY_UNKNOWN', `there is no day ${wanted} in ${file}; there are ${known}`, { file });
}

function refuseHeld(runs: readonly DayRun[]): void {
  const held = [...new Set(runs.map(({ day }) => day))]
    .map((day) => standingOf(runs, day))
    .find(({ state }) => state === 'held');
  if (held?.state !== 'held') return;
  const { run_id, day } = held.run;
  const hint = `Look with \`patchbay status ${run_id}\`, then release it with \`patchbay resume ${run_id}\` or give it up with \`patchbay abort ${run_id}\`.`;
  throw new PatchbayError('DAY_HELD', `day ${day} is held (${run_id}): no day is begun until it is released`, {
    run: run_id,
    hint,
  });
}

async function begin(
  { project, ledger, runs, warn }: DayParts,
  { day, target, entry }: PlanDay,
  before: readonly DayRun[],
  by: string,
  run_id: string | undefined,
): Promise<DayAnswer> {
  const template = templateOfDay(project, await leftOf(project, ledger, before), warn);
  const shipped = shippedRuns(before);
  const backlog = await backlogOf(ledger);
  const cleared = backlog
    .filter((item) => item.cleared !== null)
    .map(({ id, by: reviewer, advisory }) => ({ id, by: reviewer, advisory }));
  const inputs = { day, target, plan: entry, deferred: await deferredBy(ledger, shipped), cleared };
  const builds_on = shipped.at(-1)?.run_id;
  const asked = await runs.request({
    template,
    goal: target,
    by,
    inputs,
    ...(run_id === undefined ? {} : { run_id }),
    ...(builds_on === undefined ? {} : { builds_on }),
  });
  // Another process may have begun it at the same moment: the first stays.
  const first = standingOf(await dayRuns(ledger), day);
  if (first.state !== 'under-way' || first.run.run_id === asked) return { kind: 'begun', day, run_id: asked, target };
  await runs.abort(asked, by, `day ${day} is under way as ${first.run.run_id}`);
  return begunBefore(first.run);
}

/** What is left of the total that days may cost; null if there is no such cap. Throws BUDGET_SPENT if it is nothing. */
async function leftOf({ pace }: Project, ledger: LedgerStore, runs: readonly DayRun[]): Promise<number | null> {
  const total = pace?.cost.totalUsd ?? null;
  if (total === null) return null;
  const spends = await spendByDay(ledger, runs);
  const spent = spends.reduce((sum, { usd }) => sum + usd, 0);
  if (spent < total) return total - spent;
  const each = spends.map(({ day, usd }) => `day ${day}: ${dollars(usd)}`).join(', ');
  const told = each === '' ? '' : ` (${each})`;
  const message = `the total of ${dollars(total)} is spent: ${dollars(spent)}${told}`;
  throw new PatchbayError('BUDGET_SPENT', message, { file: pace?.file });
}
