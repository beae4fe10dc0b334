import { definePlugin, type Plugin, refuse } from 'patchbay-sdk';
import { createTestHost } from 'patchbay-sdk/testing';
import { describe, expect, it } from 'vitest';

const plugin = (name: string, hooks: NonNullable<Plugin<undefined>['hooks']>) =>
  definePlugin({ name, version: '1.0.0', hooks });

const quiet = plugin('quiet', { 'run:started': () => {}, 'turn:accepted': () => {} });
const guard = plugin('guard', { 'run:started': () => refuse('not on Fridays') });
const broken = plugin('broken', {
  'turn:accepted': () => {
    throw new Error('out of paper');
  },
});

describe('assertOk', () => {
  it('passes when all went well, and gives the outcome back', async () => {
    const fired = await createTestHost(quiet).fire('turn:accepted');
    expect(fired.assertOk()).toBe(fired);
  });

  it('fails with what was refused', async () => {
    const fired = await createTestHost(guard).fire('run:started');
    expect(() => fired.assertOk()).toThrow(
      'hook "run:started": expected no failure, but HOOK_REFUSED: plugin "guard" in hook "run:started" refused: not on Fridays',
    );
  });

  it('fails with what failed', async () => {
    const fired = await createTestHost(broken).fire('turn:accepted');
    expect(() => fired.assertOk()).toThrow(/HANDLER_FAILED: plugin "broken" .* out of paper/);
  });
});

describe('assertRefused', () => {
  it('passes for a refusal, whatever it says', async () => {
    const fired = await createTestHost(guard).fire('run:started');
    expect(fired.assertRefused()).toBe(fired);
  });

  it('passes for a refusal that says what is expected', async () => {
    const fired = await createTestHost(guard).fire('run:started');
    expect(fired.assertRefused('Fridays').assertRefused(/not on \w+days/)).toBe(fired);
  });

  it.each([['Mondays'], [/Mondays/]])(
    'fails for a refusal that says something else than %s, and tells what',
    async (text) => {
      const fired = await createTestHost(guard).fire('run:started');
      expect(() => fired.assertRefused(text)).toThrow(
        /expected a refusal like .*Mondays.*, but HOOK_REFUSED: .*Fridays/,
      );
    },
  );

  it('fails when nobody refused', async () => {
    const fired = await createTestHost(quiet).fire('run:started');
    expect(() => fired.assertRefused()).toThrow(
      'hook "run:started": expected a refusal, but nothing failed and nobody refused',
    );
    expect(() => fired.assertRefused(/.*/)).toThrow('nobody refused');
    expect(() => fired.assertRefused('')).toThrow('nobody refused');
  });

  it('fails for a mere failure', async () => {
    const fired = await createTestHost(broken).fire('turn:accepted');
    expect(() => fired.assertRefused()).toThrow('HANDLER_FAILED');
  });

  it('can be asked again with a sticky or global expression', async () => {
    const fired = await createTestHost(guard).fire('run:started');
    const global = /Fridays/g;
    expect(fired.assertRefused(global).assertRefused(global)).toBe(fired);
  });
});

describe('assertFailed', () => {
  it('passes when some handler failed', async () => {
    const fired = await createTestHost(broken, quiet).fire('turn:accepted');
    expect(fired.assertFailed().assertFailed('HANDLER_FAILED')).toBe(fired);
  });

  it('fails for another code, and tells what failed instead', async () => {
    const fired = await createTestHost(broken).fire('turn:accepted');
    expect(() => fired.assertFailed('HANDLER_TIMEOUT')).toThrow(
      /expected a failure HANDLER_TIMEOUT, but HANDLER_FAILED: .*out of paper/,
    );
  });

  it('fails when nothing failed', async () => {
    const fired = await createTestHost(quiet).fire('turn:accepted');
    expect(() => fired.assertFailed()).toThrow(
      'hook "turn:accepted": expected a failure, but nothing failed and nobody refused',
    );
  });
});

describe('assertCalled', () => {
  it('passes for these plugins in this order', async () => {
    const fired = await createTestHost(quiet, broken).fire('turn:accepted');
    expect(fired.assertCalled('broken', 'quiet')).toBe(fired);
  });

  it('passes for nobody where nobody was called', async () => {
    const fired = await createTestHost(quiet).fire('turn:rejected');
    expect(fired.assertCalled()).toBe(fired);
  });

  it.each([[['quiet', 'broken']], [['broken']], [['broken', 'quiet', 'guard']], [[]]])(
    'fails for %j, and tells who was called',
    async (names) => {
      const fired = await createTestHost(quiet, broken).fire('turn:accepted');
      expect(() => fired.assertCalled(...names)).toThrow(
        `hook "turn:accepted": expected calls of ${names.join(', ') || 'nobody'}, but called were broken, quiet`,
      );
    },
  );

  it('tells that nobody was called', async () => {
    const fired = await createTestHost().fire('turn:accepted');
    expect(() => fired.assertCalled('quiet')).toThrow('expected calls of quiet, but called were none');
  });
});
