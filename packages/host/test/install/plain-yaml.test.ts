import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument, stringify } from 'yaml';
import { readYamlText } from '../../src/install/plain-yaml.ts';

/** What the library makes of a text, all by itself. */
function byLibrary(text: string): unknown {
  const document = parseDocument(text);
  const [error] = document.errors;
  return error === undefined ? { value: document.toJS() } : { error: error.message.split('\n')[0] };
}

describe('the text of a YAML file', () => {
  it.each([
    '',
    '# nothing\n',
    'plugins:\n',
    'plugins:\n  a:\n    version: 1.0.0\n    enabled: true # on\n  b: {config: {n: 1, list: [x, "y", null]}}\n',
    'a:\n  b:\n  c:\n    d: 1.0.0\n# x\n    e: word\n  f: false\ng: null\n',
    'a:\n    b: x\n  c: y\n',
    'a: x\n  b: y\n',
    'a:\nb: x\n  c: y\n',
    '  a: x\n  b: y\n',
    '  a: x\nb: y\n',
    'a: x\n  more\n',
    'a: x \nb: y # z\n',
    'a:  x\r\nb: y\r\n',
    'a: null\nnull: x\ntrue: y\n',
    'constructor: x\ntoString: y\nhas_own: z\n',
    'a: 1.0\nb: 1.0.0\nbeta: 1.0.0-beta.1+e5\nc: yes\nd: True\ne: ~\n',
    'a: 1\na: 2\n',
    'a: x\nb:\n  c: x\n  c: y\n',
    'a: {b: 1, b: 2}\n',
    'list:\n  - {x: 1, x: 2}\n',
    'base: &base {x: 1}\nmore: *base\n',
    '%YAML 1.1\n---\nbase: &base {x: 1}\nmore:\n  <<: *base\n  y: yes\n',
    '<<: {a: 1}\n',
    '1: one\nnull: none\ntrue: yes\n',
    '? [a, b]\n: c\n',
    'a: !!set {x, y}\nb: !!omap [x: 1]\nc: !!map {z: 1}\nd: !!binary aGk=\n',
    '__proto__: {polluted: true}\nconstructor: 1\n',
    'when: 2001-12-14\nhex: 0x1F\nfloat: .inf\n',
    '- just\n- a list\n',
    'plain text',
    'a: [1, 2\n',
    'a: b: c\n',
    '\ta: 1\n',
    'a: 1\n---\nb: 2\n',
  ])('is read as the library reads it: %j', (text) => {
    expect(readYamlText(text)).toEqual(byLibrary(text));
    expect(({} as { polluted?: true }).polluted).toBe(undefined);
  });

  it('is read as the library reads it, whatever it holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = stringify(value);
        expect(readYamlText(text)).toEqual(byLibrary(text));
      }),
    );
  });

  it('is read as the library reads it, in whatever way its lines are indented', () => {
    const line = fc.tuple(
      fc.constantFrom('', '  ', '    ', '      ', ' '),
      fc.constantFrom('a', 'b', 'c-d', 'true', 'e_f'),
      fc.constantFrom(':', ':', ':', ': x', ': true', ': null', ': 1.0.0', ': 1.0', ' :', ': # x', ''),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const text = lines.map((parts) => parts.join('')).join('\n');
        expect(readYamlText(text)).toEqual(byLibrary(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('is read as the library reads it, even if it is hardly YAML', () => {
    const pieces = [
      'a',
      'b',
      ': ',
      ':',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      ', ',
      '"',
      '*a',
      '&a ',
      '<<',
      '!!set ',
      '#',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), (parts) => {
        const text = parts.join('');
        const attempt = (read: (text: string) => unknown) => {
          try {
            return read(text);
          } catch (error) {
            return String(error);
          }
        };
        expect(attempt(readYamlText)).toEqual(attempt(byLibrary));
      }),
      { numRuns: 2000 },
    );
  });
});
