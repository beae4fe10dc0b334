import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { yamlValue } from '../../src/config/yaml-value.ts';

describe('what a YAML text holds', () => {
  test('is what was written, by whatever means it was written', () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true });
    fc.assert(
      fc.property(values, (given) => {
        // JSON has no -0.
        const value = JSON.parse(JSON.stringify(given));
        expect(yamlValue(stringify(value))).toEqual(value);
        expect(yamlValue(JSON.stringify(value))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    '~',
    'Null',
    'yes',
    'True',
    '0o14',
    '0x1F',
    '012',
    '1_000',
    '1e3',
    '.5',
    '-.INF',
    '2001-01-01',
    '12:30',
    '1.0.0',
  ])('of the plain %s is what the editor of the same file takes it for', (plain) =>
    expect(yamlValue(`a: ${plain}`)).toEqual(parse(`a: ${plain}`)),
  );

  test.each([
    ['nothing', ''],
    ['comments', '# only\n\n# these\n'],
  ])('of %s is null', (_, text) => expect(yamlValue(text)).toBeNull());

  test.each([
    ['two of a name', 'b: 1\na: 1\na: 2', /duplicated mapping key at line 3/],
    ['two documents', 'a: 1\n---\na: 2', /more than one document/],
    ['a tag that nobody knows', 'a: !secret x', /unknown scalar tag .* at line 1/],
    ['an alias of nothing', 'a: *b', /unidentified alias "b" at line 1/],
    ['aliases without end', `a0: &a0 [x]\n${bomb()}`, /alias/],
  ])('with %s is not said, but what is wrong', (_, text, wrong) => {
    expect(() => yamlValue(text)).toThrow(wrong);
  });

  test('with a field __proto__ changes no prototype', () => {
    const value = yamlValue('__proto__: {wrong: true}\na: 1') as Record<string, unknown>;
    expect([value['wrong'], Object.keys(value)]).toEqual([undefined, ['__proto__', 'a']]);
  });
});

/** Lists of lists: each line makes it ten times as long. */
function bomb(): string {
  return Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`).join(
    '\n',
  );
}
