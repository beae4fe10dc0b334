import { readFileSync } from 'node:fs';
import { messageOf, PatchbayError, type Problem } from 'patchbay-sdk';
import { readYaml } from '../runs/template/source.ts';

/** What is planned for a day. */
export interface PlanDay {
  readonly day: number;
  /** What it is to bring, in words. */
  readonly target: string;
  /** What the plan says of it, all of it, for PRIME. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** What is planned, day by day. */
export interface Plan {
  readonly file: string;
  readonly days: readonly PlanDay[];
}

type Fields = Readonly<Record<string, unknown>>;
type Tell = (path: string, message: string) => void;

const titles = ['title', 'target', 'story', 'name', 'goal'];

/**
 * Reads a plan in any of its three shapes: `days` with a `target` each, `days` with `stories` each, or `stories` alone, of
 * which each is a day unless they say their `day`. Throws PLAN_INVALID with every problem, each with its line.
 */
export function readPlan(file: string): Plan {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const hint = 'Write one; docs/pace-day.md shows the three shapes.';
    throw new PatchbayError('PLAN_INVALID', `cannot read the plan ${file}: ${messageOf(error)}`, { file, hint });
  }
  const { value, problems, lineOf } = readYaml(text);
  if (problems.length > 0) throw planInvalid(file, problems);
  const found: Problem[] = [];
  const days = daysIn(value, (path, message) => found.push({ path, message }));
  if (found.length > 0) {
    throw planInvalid(
      file,
      found.map((problem) => ({ ...problem, line: lineOf(problem.path) })),
    );
  }
  return { file, days: days.toSorted((a, b) => a.day - b.day) };
}

function planInvalid(file: string, problems: readonly (Problem & { readonly line: number | null })[]): PatchbayError {
  const told = problems.map(({ path, message, line }) => {
    return `${line === null ? '' : `line ${line}, `}${path === '' ? '' : `${path}: `}${message}`;
  });
  return new PatchbayError('PLAN_INVALID', `${file}: ${told.join('; ')}`, { file, problems });
}

function daysIn(value: unknown, tell: Tell): PlanDay[] {
  const { days, stories } = isFields(value) ? value : {};
  if ((days === undefined) === (stories === undefined)) {
    tell('', 'a plan has either "days" or "stories", a list');
    return [];
  }
  const key = days === undefined ? 'stories' : 'days';
  const items = days ?? stories;
  if (!Array.isArray(items) || items.length === 0) {
    tell(key, `must be a list of ${key}, at least one`);
    return [];
  }
  const found = key === 'days' ? fromDays(items, tell) : fromStories(items, tell);
  return found.filter((one) => one !== undefined);
}

function fromDays(items: readonly unknown[], tell: Tell): (PlanDay | undefined)[] {
  const seen = new Set<number>();
  return items.map((item, i) => {
    const path = `days[${i}]`;
    if (!isFields(item)) return void tell(path, 'must have a "target" or "stories"');
    const day = dayOf(item, i + 1, path, tell);
    if (day !== undefined && seen.has(day)) tell(`${path}.day`, `day ${day} is in the plan already`);
    if (day !== undefined) seen.add(day);
    const target = item['target'] === undefined ? undefined : textIn(item['target'], `${path}.target`, tell);
    const titles = item['stories'] === undefined ? [] : titlesIn(item['stories'], `${path}.stories`, tell);
    if (item['target'] === undefined && item['stories'] === undefined) tell(path, 'must have a "target" or "stories"');
    return day === undefined ? undefined : { day, target: target ?? titles.join('; '), entry: item };
  });
}

function fromStories(items: readonly unknown[], tell: Tell): (PlanDay | undefined)[] {
  const dated = items.some((item) => isFields(item) && item['day'] !== undefined);
  const placed = items.flatMap((item, i) => {
    const path = `stories[${i}]`;
    const title = titleIn(item, path, tell);
    if (dated && !(isFields(item) && item['day'] !== undefined)) tell(path, 'says no "day", but other stories do');
    const day = isFields(item) ? dayOf(item, i + 1, path, tell) : i + 1;
    return title === undefined || day === undefined ? [] : [{ day, title, item }];
  });
  return [...Map.groupBy(placed, ({ day }) => day)].map(([day, stories]) => ({
    day,
    target: stories.map(({ title }) => title).join('; '),
    entry: { day, stories: stories.map(({ item }) => item) },
  }));
}

function dayOf(item: Fields, usual: number, path: string, tell: Tell): number | undefined {
  const { day = usual } = item;
  if (Number.isSafeInteger(day) && (day as number) >= 1) return day as number;
  return void tell(`${path}.day`, `${JSON.stringify(day)} must be the number of a day, from 1 on`);
}

function titlesIn(value: unknown, path: string, tell: Tell): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item, i) => titleIn(item, `${path}[${i}]`, tell) ?? []);
  }
  tell(path, 'must be a list of stories, at least one');
  return [];
}

function titleIn(item: unknown, path: string, tell: Tell): string | undefined {
  if (!isFields(item)) return textIn(item, path, tell);
  const key = titles.find((name) => item[name] !== undefined);
  if (key === undefined) return void tell(path, `must say what it is about, with one of ${titles.join(', ')}`);
  return textIn(item[key], `${path}.${key}`, tell);
}

function textIn(value: unknown, path: string, tell: Tell): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  return void tell(path, 'must say in words what is to be done');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
