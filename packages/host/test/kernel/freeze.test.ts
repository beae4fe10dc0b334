import { describe, expect, it } from 'vitest';
import { freezeDeep } from '../../src/kernel/index.ts';

describe('freezing a payload', () => {
  it('reaches all the way down, through arrays and circles', () => {
    const payload = { list: [{ deep: { deeper: 1 } }], self: {} };
    payload.self = payload;
    expect(freezeDeep(payload)).toBe(payload);
    expect(Object.isFrozen(payload)).toBe(true);
    expect(Object.isFrozen(payload.list)).toBe(true);
    expect(Object.isFrozen(payload.list[0]?.deep)).toBe(true);
  });

  it('goes below what somebody froze only at the top', () => {
    const payload = Object.freeze({ inside: { open: true } });
    freezeDeep(payload);
    expect(Object.isFrozen(payload.inside)).toBe(true);
  });

  it('leaves alone what has a class of its own, and what is not an object', () => {
    class Channel {
      state = 'open';
    }
    const payload = { date: new Date(), bytes: new Uint8Array(2), channel: new Channel(), map: new Map() };
    freezeDeep(payload);
    for (const member of Object.values(payload)) expect(Object.isFrozen(member)).toBe(false);
    for (const value of [1, 'text', null, undefined, true]) expect(freezeDeep(value)).toBe(value);
  });

  it('does not call getters', () => {
    let called = 0;
    freezeDeep({
      get expensive() {
        return ++called;
      },
    });
    expect(called).toBe(0);
  });

  it('does not take for frozen what it once failed to freeze', () => {
    let traps = 1;
    const inside = { open: true };
    const hostile = new Proxy(
      { inside },
      {
        ownKeys(target) {
          if (traps-- > 0) throw new Error('not now');
          return Reflect.ownKeys(target);
        },
      },
    );
    expect(() => freezeDeep(hostile)).toThrow('not now');
    freezeDeep(hostile);
    expect(Object.isFrozen(inside)).toBe(true);
  });
});
