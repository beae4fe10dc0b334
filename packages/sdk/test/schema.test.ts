import { fieldsOf, type HookName, hooks, problemOf, sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';

describe('problemOf', () => {
  const person = mini.object({ name: mini.string(), born: mini.object({ year: mini.int() }) });

  it('says nothing of what fits', () => {
    expect(problemOf(person, { name: 'Ada', born: { year: 1815 } })).toBeUndefined();
  });

  it('says where and what, in one line', () => {
    expect(problemOf(person, { name: 'Ada', born: { year: '1815' } })).toBe(
      'born.year: Invalid input: expected number, received string',
    );
  });

  it('says everything that is wrong', () => {
    const problem = problemOf(person, { name: 7, born: {} });
    expect(problem).toContain('name: ');
    expect(problem).toContain('; born.year: ');
    expect(problem).not.toContain('\n');
  });

  it('has no path for what is wrong as a whole', () => {
    expect(problemOf(person, 'Ada')).toBe('Invalid input: expected object, received string');
    expect(problemOf(mini.string(), undefined)).toBe('Invalid input: expected string, received undefined');
  });

  it('names a field that is too much', () => {
    expect(problemOf(mini.strictObject({}), { extra: 1 })).toBe('Unrecognized key: "extra"');
  });

  it('speaks of the alternative that was meant', () => {
    const either = mini.union([mini.object({ verdict: mini.enum(['ok']) }), person]);
    expect(problemOf(either, { name: 'Ada', born: { year: 'x' } })).toBe(
      'born.year: Invalid input: expected number, received string',
    );
    expect(problemOf(either, { verdict: 'no' })).toMatch(/^verdict: /);
  });

  it('gives the whole path inside an alternative', () => {
    const list = mini.object({ people: mini.array(mini.union([mini.string(), person])) });
    expect(problemOf(list, { people: ['Bob', { name: 'Ada', born: {} }] })).toMatch(/^people(\.1|\[1\])\.born\.year: /);
  });

  it('tells what is wrong with a wrong dispatch as of a dispatch, not as of a verdict', () => {
    const answer = { ...sample('turn:dispatched'), goal: 7 };
    const problem = problemOf(hooks['turn:dispatched'].answer, answer);
    expect(problem).toMatch(/^goal: /);
    expect(problem).not.toContain('verdict');
  });

  it.each([[null], [undefined], [Number.NaN], [Symbol('x')], [10n], [() => {}], [Object.create(null)], [new Date(0)]])(
    'does not stumble over %s',
    (value) => {
      expect(problemOf(person, value)).toContain('expected');
    },
  );
});

describe('fieldsOf', () => {
  it.each(Object.keys(hooks) as HookName[])('knows the fields of the payload of %s', (hook) => {
    const fields = fieldsOf(hooks[hook].payload);
    expect(fields).toEqual(expect.arrayContaining(Object.keys(sample(hook))));
  });

  it('knows those of an object, strict or not', () => {
    expect(fieldsOf(mini.object({ a: mini.string() }))).toEqual(['a']);
    expect(fieldsOf(mini.strictObject({ a: mini.string(), b: mini.optional(mini.int()) }))).toEqual(['a', 'b']);
  });

  it('says nothing of an object that takes any field', () => {
    expect(fieldsOf(mini.looseObject({ a: mini.string() }))).toBeUndefined();
    expect(fieldsOf(mini.catchall(mini.object({ a: mini.string() }), mini.string()))).toBeUndefined();
  });

  it('says nothing of what is no object', () => {
    expect(fieldsOf(mini.string())).toBeUndefined();
    expect(fieldsOf(mini.record(mini.string(), mini.string()))).toBeUndefined();
    expect(
      fieldsOf(mini.union([mini.object({ a: mini.string() }), mini.object({ b: mini.string() })])),
    ).toBeUndefined();
  });

  it('reads the schemas of the other zod, too', () => {
    expect(fieldsOf(z.object({ a: z.string() }) as unknown as mini.ZodMiniType)).toEqual(['a']);
  });
});
