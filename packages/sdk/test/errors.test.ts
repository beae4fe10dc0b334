import { type ErrorCode, errorCodes, isVerdict, messageOf, PatchbayError, refuse } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';

describe('PatchbayError', () => {
  const error = new PatchbayError('HOOK_REFUSED', 'no', {
    plugin: 'guard',
    hook: 'turn:dispatched',
    run: 'run-1',
    file: '/a/b.ts',
    field: 'goal',
    cause: new Error('why'),
  });

  it('becomes JSON with its code, its message, what to do, and who is to blame', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'HOOK_REFUSED',
      message: 'no',
      hint: errorCodes.HOOK_REFUSED.hint,
      plugin: 'guard',
      hook: 'turn:dispatched',
      run: 'run-1',
      file: '/a/b.ts',
      field: 'goal',
    });
  });

  it('leaves out of the JSON whom it does not blame, and the cause', () => {
    const plain = new PatchbayError('INTERNAL', 'odd', { cause: 1n });
    expect(JSON.parse(JSON.stringify({ error: plain }))).toEqual({
      error: { code: 'INTERNAL', message: 'odd', hint: errorCodes.INTERNAL.hint },
    });
  });

  it('is an error with a name, a cause and a stack', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('PatchbayError');
    expect(String(error)).toBe('PatchbayError: no');
    expect(error.cause).toEqual(new Error('why'));
    expect(new PatchbayError('INTERNAL', 'odd')).not.toHaveProperty('cause');
    expect(error.stack).toContain('errors.test.ts');
  });

  it('may say what to do better than the registry', () => {
    expect(new PatchbayError('USAGE', 'x', { hint: 'do y' }).hint).toBe('do y');
    expect(new PatchbayError('USAGE', 'x').hint).toBe(errorCodes.USAGE.hint);
  });

  it.each(Object.keys(errorCodes) as ErrorCode[])('has for %s an exit code, a meaning and a hint', (code) => {
    expect([1, 2, 4]).toContain(new PatchbayError(code, 'x').exitCode);
    expect(errorCodes[code].means).toMatch(/^[A-Z].*\.$/);
    expect(errorCodes[code].hint).toMatch(/^[A-Z].*\.$/);
  });
});

describe('messageOf', () => {
  const getter = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('hidden');
    },
  });
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each<[string, unknown, string]>([
    ['an error', new TypeError('broken'), 'broken'],
    ['an error without a message', new TypeError(''), 'TypeError'],
    ['a text', 'just text', 'just text'],
    ['a number', 7, 'threw 7'],
    ['null', null, 'threw null'],
    ['undefined', undefined, 'threw undefined'],
    ['an object', { code: 1 }, 'threw {"code":1}'],
    ['a symbol', Symbol('s'), 'threw Symbol(s)'],
    ['a circle', circle, 'threw something that cannot be shown'],
    ['a big number', 10n, 'threw something that cannot be shown'],
    ['an error whose message throws', getter, 'threw something that cannot be shown'],
    ['a revoked proxy', revoked.proxy, 'threw something that cannot be shown'],
  ])('shows %s', (_, thrown, shown) => {
    expect(messageOf(thrown)).toBe(shown);
  });

  it.each<[string, unknown]>([
    ['an error whose message is no text', Object.assign(new Error('x'), { message: { toString: null } })],
    ['an error whose message and name are symbols', Object.assign(new Error('x'), { message: Symbol('m') })],
    ['an error without message and with a number as name', Object.assign(new Error(''), { name: 7 })],
    ['an object whose toJSON answers nothing', { toJSON: () => undefined }],
    ['an object that cannot become a text', { toJSON: () => undefined, toString: null, valueOf: null }],
  ])('always gives a text: %s', (_, thrown) => {
    expect(typeof messageOf(thrown)).toBe('string');
  });
});

describe('refuse', () => {
  it('is the verdict that blocks, with what people will read', () => {
    expect(refuse('not today')).toEqual({ verdict: 'block', message: 'not today' });
    expect(refuse('not today', { rule: 7 })).toEqual({
      verdict: 'block',
      message: 'not today',
      annotations: { rule: 7 },
    });
    expect(Object.keys(refuse('x'))).toEqual(['verdict', 'message']);
  });

  it('is known as a verdict, as are the others; what only looks like one is not', () => {
    expect(isVerdict(refuse('x'))).toBe(true);
    expect(isVerdict({ verdict: 'ok' })).toBe(true);
    for (const other of [{ verdict: 'certainly' }, { verdict: 'ok', message: 7 }, {}, null, undefined, 'block', 7]) {
      expect(isVerdict(other)).toBe(false);
    }
  });
});
