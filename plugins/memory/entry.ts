import { type EarlierMemory, type MemoryCategory, type MemoryEntry, memoryLimits } from 'patchbay-sdk';

/** What is to be kept. */
export type NewEntry = MemoryEntry;

/** What is kept, without its text. */
export interface Listed {
  readonly key: string;
  readonly category: MemoryCategory;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived: boolean;
}

/** What is kept. */
export interface Entry extends Listed {
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** An entry that was found, the best one first. */
export interface Recalled extends Entry {
  /** Greater is better; comparable within one answer only. */
  readonly score: number;
}

/** An entry as it was before it was corrected or forgotten. */
export type Earlier = EarlierMemory;

/** How long entries are kept that are not kept for ever. */
export interface Retention {
  /** Hours until a `daily` entry is gone. */
  readonly dailyHours: number;
  /** Days until a `conversation` entry is archived. */
  readonly conversationDays: number;
  /** So many `conversation` entries are there at once; older ones are archived. */
  readonly conversationCount: number;
}

const categories: readonly MemoryCategory[] = ['core', 'daily', 'conversation'];
const { key: mostKey, content: mostContent, atOnce: mostAtOnce } = memoryLimits;

/** Throws a TypeError that says what cannot be kept, and why. */
export function checkEntry({ key, content, category, metadata }: NewEntry): void {
  checkKey(key);
  if (typeof content !== 'string' || content === '') throw new TypeError('"content" must be a text that is not empty');
  if (content.length > mostContent) throw new TypeError(`"content" is longer than ${mostContent} characters`);
  checkCategory(category);
  if (metadata !== null && (typeof metadata !== 'object' || Array.isArray(metadata))) {
    throw new TypeError('"metadata" must be an object, or null');
  }
}

/** Throws a TypeError if nothing can be kept under this key. */
export function checkKey(key: string): void {
  if (typeof key !== 'string' || key === '') throw new TypeError('"key" must be a text that is not empty');
  if (key.length > mostKey) throw new TypeError(`"key" is longer than ${mostKey} characters`);
}

/** Throws a TypeError if there is no such category. */
export function checkCategory(category: string): void {
  if (!categories.includes(category as MemoryCategory)) {
    throw new TypeError(`"category" must be ${categories.join(', ')}, not ${JSON.stringify(category)}`);
  }
}

/** Throws a TypeError if so many cannot be asked for. */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > mostAtOnce) {
    throw new TypeError(`"limit" must be a whole number from 1 to ${mostAtOnce}, not ${String(limit)}`);
  }
}
