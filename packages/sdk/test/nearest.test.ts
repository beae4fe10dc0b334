import { nearest, suggestion } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';

describe('nearest', () => {
  it.each([
    ['turn:acepted', 'turn:accepted'],
    ['turn:accepted', 'turn:accepted'],
    ['sumary', 'summary'],
    ['hoks', 'hooks'],
    ['ab', 'abcd'],
  ])('finds what "%s" was meant to be', (typed, meant) => {
    expect(nearest(typed, ['turn:accepted', 'turn:rejected', 'summary', 'hooks', 'abcd'])).toBe(meant);
  });

  it.each([['completely-different'], ['x'], ['']])('does not guess what "%s" could mean', (typed) => {
    expect(nearest(typed, ['turn:accepted', 'summary'])).toBeUndefined();
  });

  it('finds nothing where nothing is known', () => {
    expect(nearest('hooks', [])).toBeUndefined();
  });

  it('takes names that every object has for what they are', () => {
    expect(nearest('constructr', ['constructor', '__proto__'])).toBe('constructor');
    expect(nearest('__proto_', ['__proto__'])).toBe('__proto__');
  });
});

describe('suggestion', () => {
  it('asks whether the nearest was meant', () => {
    expect(suggestion('hoks', ['name', 'hooks'])).toBe('did you mean "hooks"?');
  });

  it('lists what there is when nothing is near', () => {
    expect(suggestion('zzzzzz', ['name', 'hooks'])).toBe('known are name, hooks');
  });

  it('says so when there is nothing', () => {
    expect(suggestion('name', [])).toBe('there are none');
  });
});
