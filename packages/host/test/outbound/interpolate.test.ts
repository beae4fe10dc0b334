import { sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { interpolate, type Variables } from '../../src/outbound/interpolate.ts';

const payload = sample('turn:accepted', { run_id: 'run-7', turn_id: 'turn-3', role: 'developer', phase: null });

function filled(headers: Record<string, string>, variables: Partial<Variables> = {}) {
  const result = interpolate(headers, { env: {}, grants: [], payload, ...variables });
  return 'problem' in result ? result.problem : Object.fromEntries(result.headers);
}

describe('a variable in a header', () => {
  it.each([
    ['of the environment', 'Bearer ${TOKEN}', 'Bearer s3cret'],
    ['of the event', '${run_id}/${turn_id}/${role}', 'run-7/turn-3/developer'],
    ['of the event that is null is empty', '[${phase}]', '[]'],
    ['may stand there twice', '${TOKEN}${TOKEN}', 's3crets3cret'],
    ['is not looked for in values', '${NESTED}', '${TOKEN}$&'],
    ['that is empty in the environment', '[${EMPTY}]', '[]'],
    ['is only what is in braces', '$TOKEN $ {TOKEN} $${role}', '$TOKEN $ {TOKEN} $developer'],
  ])('%s', (_, template, value) => {
    const env = { TOKEN: 's3cret', NESTED: '${TOKEN}$&', EMPTY: '' };
    expect(filled({ 'X-Test': template }, { env, grants: ['env:TOKEN', 'env:NESTED', 'env:EMPTY'] })).toEqual({
      'x-test': value,
    });
  });

  it('is taken from the environment first, if that was granted, then from the event', () => {
    const env = { role: 'of the environment' };
    expect(filled({ a: '${role}' }, { env, grants: ['env:role'] })).toEqual({ a: 'of the environment' });
    expect(filled({ a: '${role}' }, { env })).toEqual({ a: 'developer' });
  });

  it('that was not granted is refused, whether it is set or not', () => {
    const problem = 'header X-Key needs the variable TOKEN, which was not granted: env:TOKEN';
    expect(filled({ 'X-Key': '${TOKEN}' }, { env: { TOKEN: 's3cret' } })).toBe(problem);
    expect(filled({ 'X-Key': '${TOKEN}' }, { grants: ['env:TOKEN2', 'TOKEN'] })).toBe(problem);
  });

  it.each(['TOKEN', 'constructor', '__proto__', 'goal', ''])(
    '%j that is found nowhere is named with its header',
    (name) => {
      expect(filled({ 'X-Key': `\${${name}}` }, { grants: [`env:${name}`] })).toBe(
        `header X-Key needs the variable ${name}, which is not set`,
      );
    },
  );

  it.each([
    ['a line feed', 'abc\nX-Evil: 1'],
    ['a carriage return', 'abc\r'],
    ['a NUL', 'abc\0def'],
    ['what is no byte', 'pass☃word'],
  ])('whose value has %s is refused, without its value', (_, value) => {
    const problem = filled({ 'X-Key': '${TOKEN}' }, { env: { TOKEN: value }, grants: ['env:TOKEN'] });
    expect(problem).toBe('header X-Key has a line break or another character that no header can carry');
  });

  it('of the event with a line break is refused as well', () => {
    const evil = sample('turn:accepted', { role: 'developer\r\nX-Evil: 1' });
    expect(filled({ 'X-Role': '${role}' }, { payload: evil })).toContain('header X-Role has a line break');
  });
});

describe('headers', () => {
  it('tell which values of the environment stand in them, and of the event none', () => {
    const variables = { env: { TOKEN: 's3cret', OTHER: 'x' }, grants: ['env:TOKEN', 'env:OTHER'], payload };
    expect(interpolate({ a: '${TOKEN} ${role}' }, variables)).toMatchObject({ secrets: ['s3cret'] });
  });

  it('that differ in case only are one: the last', () => {
    expect(filled({ 'Content-Type': 'a/b', 'content-type': 'c/d' })).toEqual({ 'content-type': 'c/d' });
  });

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Upgrade', 'Expect'])(
    '%s is not for a plugin to set',
    (header) => {
      expect(filled({ [header]: 'x' })).toBe(`header ${header} cannot be set by a plugin`);
    },
  );
});
