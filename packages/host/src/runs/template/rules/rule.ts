import type { Problem } from 'patchbay-sdk';
import type { Named, Outline } from '../outline.ts';

/** Something that must hold across the fields of a template: finds where it does not. */
export type Rule = (outline: Outline) => readonly Problem[];

/** Those of a list whose name stands in it before. */
export function repeated(all: readonly Named[]): readonly Named[] {
  return all.filter(({ name }, i) => all.findIndex((other) => other.name === name) < i);
}
