import { type HookName, hooks, problemOf, sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';

const names = Object.keys(hooks) as HookName[];

describe('sample', () => {
  it.each(names)('gives a payload for %s that the table accepts', (hook) => {
    expect(problemOf(hooks[hook].payload, sample(hook))).toBeUndefined();
  });

  it.each(names)('makes the payload for %s anew each time, all the way down', (hook) => {
    const objectsIn = (value: unknown): object[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
    const first = new Set(objectsIn(sample(hook)));
    expect(first.size).toBeGreaterThan(0);
    expect(objectsIn(sample(hook)).filter((object) => first.has(object))).toEqual([]);
  });

  it('does not remember what somebody did to an earlier one', () => {
    const spoilt = sample('turn:accepted');
    spoilt.result.decisions.pop();
    spoilt.cost.usd = -1;
    expect(sample('turn:accepted').result.decisions).toHaveLength(1);
    expect(sample('turn:accepted').cost.usd).toBeGreaterThan(0);
  });

  it('puts what one says in place of what it has, and leaves the rest', () => {
    const { reason, next_attempt, ...rest } = sample('turn:rejected', { reason: 'No tests', next_attempt: null });
    const { reason: usualReason, next_attempt: usualAttempt, ...usual } = sample('turn:rejected');
    expect([reason, next_attempt]).toEqual(['No tests', null]);
    expect([usualReason, usualAttempt]).not.toEqual([reason, next_attempt]);
    expect(rest).toEqual(usual);
  });

  it('may be given a field that the sample leaves out', () => {
    expect(sample('run:started')).not.toHaveProperty('resumes');
    expect(sample('run:started', { resumes: 'run-0' }).resumes).toBe('run-0');
    expect(problemOf(hooks['run:started'].payload, sample('run:started', { resumes: 'run-0' }))).toBeUndefined();
  });

  it('names the event it is a payload of', () => {
    expect(sample('gate:pending').event).toBe('gate:pending');
    expect(sample('chat:cleared').event).toBe('chat:cleared');
  });

  it('has nothing about a run where an event is about the host', () => {
    expect(sample('plugin:installed')).toMatchObject({ run_id: null, goal: null, role: null, attempt: null });
    expect(sample('turn:accepted').run_id).not.toBeNull();
  });
});
