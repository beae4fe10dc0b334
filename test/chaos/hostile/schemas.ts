/** A schema of a plugin's configuration that no sane author would write, and how installing the plugin may end. */
export interface AbsurdSchema {
  /** Completes "a schema that …". */
  readonly does: string;
  readonly schema: unknown;
  readonly ends: RegExp;
}

const refused = /^(?:MANIFEST|CONFIG)_INVALID$/;

function nested(levels: number): unknown {
  return levels === 0 ? {} : { type: 'object', properties: { a: nested(levels - 1) } };
}

/** Each definition tries the one before it twice. */
function doubling(levels: number): unknown {
  const two = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, i) => [`d${i}`, i === 0 ? { type: 'null' } : two(`d${i - 1}`)]),
  );
  return { $defs, ...two(`d${levels - 1}`) };
}

export const schemas: AbsurdSchema[] = [
  { does: 'is none', schema: { type: 'banana' }, ends: refused },
  { does: 'means itself', schema: { $ref: '#' }, ends: refused },
  { does: 'is somewhere in the network', schema: { $ref: 'http://127.0.0.1:1/schema.json' }, ends: refused },
  { does: 'is 2000 levels deep', schema: nested(2000), ends: /^(?:installed|MANIFEST_INVALID)$/ },
  {
    does: 'sets what all objects share',
    schema: JSON.parse('{"properties":{"__proto__":{"properties":{"polluted":{"default":1}},"default":{}}}}'),
    ends: /^(?:installed|(?:MANIFEST|CONFIG)_INVALID)$/,
  },
  {
    does: 'has a pattern that takes for ever on a value of its own',
    schema: { properties: { a: { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(50)}!` } } },
    ends: refused,
  },
  { does: 'tries more possibilities than there is time', schema: doubling(40), ends: refused },
];
