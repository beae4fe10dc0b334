import { describe, expect, it } from 'vitest';
import { Stage, tiers } from './fixture.ts';

describe.each(tiers)('the order of handlers, as pluggy has it (%s)', (tier) => {
  const orderOf = (stage: Stage) => {
    stage.hook('notify');
    stage.log.length = 0;
    stage.call('notify');
    return stage.log.join(' ');
  };

  it('really is called in the tier that the test is about', () => {
    const stage = new Stage(tier);
    let stack = '';
    stage.add('a', 'notify', () => {
      stack = new Error('where').stack?.split('\n').slice(0, 5).join('\n') ?? '';
    });
    stage.call('notify');
    const frame = { cold: /loop\.ts/, hot: /eval at (?:compile|generate)/, 'no codegen': /plain\.ts/ }[tier];
    expect(stack).toMatch(frame);
    stack = '';
    stage.sync('notify');
    expect(stack).toMatch(frame);
  });

  it('calls the plugin first that was registered last', () => {
    const stage = new Stage(tier);
    for (const name of ['a', 'b', 'c']) stage.speaker(name, 'notify');
    expect(orderOf(stage)).toBe('c b a');
  });

  it('keeps the same order for callers that cannot wait', () => {
    const stage = new Stage(tier);
    for (const name of ['a', 'b', 'c']) stage.speaker(name, 'notify', { tryfirst: name === 'a' });
    stage.sync('notify');
    expect(stage.log.join(' ')).toBe('a c b');
  });

  it('calls a tryfirst handler before all that are not', () => {
    const stage = new Stage(tier);
    stage.speaker('eager', 'notify', { tryfirst: true });
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    expect(orderOf(stage)).toBe('eager b a');
  });

  it('calls a trylast handler after all that are not, even if it came last', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    stage.speaker('shy', 'notify', { trylast: true });
    expect(orderOf(stage)).toBe('b a shy');
  });

  it('calls the latest of several tryfirst handlers first', () => {
    const stage = new Stage(tier);
    stage.speaker('e1', 'notify', { tryfirst: true });
    stage.speaker('n', 'notify');
    stage.speaker('e2', 'notify', { tryfirst: true });
    expect(orderOf(stage)).toBe('e2 e1 n');
  });

  it('calls the latest of several trylast handlers first among themselves', () => {
    const stage = new Stage(tier);
    stage.speaker('s1', 'notify', { trylast: true });
    stage.speaker('s2', 'notify', { trylast: true });
    stage.speaker('n', 'notify');
    expect(orderOf(stage)).toBe('n s2 s1');
  });

  it('takes an option that is false for one that is not there', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { tryfirst: false, trylast: false });
    stage.speaker('b', 'notify');
    expect(orderOf(stage)).toBe('b a');
  });

  it('treats several handlers of one plugin like ones that were registered one after the other', () => {
    const stage = new Stage(tier);
    const handler = (word: string) => () => {
      stage.log.push(word);
    };
    const handlers = ['x1', 'x2', 'x3'].map((word) => ({ hook: 'notify', handler: handler(word) }));
    stage.put({ name: 'x', handlers });
    stage.speaker('y', 'notify');
    expect(orderOf(stage)).toBe('y x3 x2 x1');
  });

  it('calls one that says before in front of those it names (pluggy has no such thing)', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { before: ['c'] });
    stage.speaker('b', 'notify');
    stage.speaker('c', 'notify');
    expect(orderOf(stage)).toBe('a c b');
  });

  it('calls one that says after behind those it names', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    stage.speaker('c', 'notify', { after: ['a', 'b'] });
    expect(orderOf(stage)).toBe('b a c');
  });

  it('does not mind a constraint that names nobody who is there', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { before: ['nobody'], after: ['nobody-else'] });
    stage.speaker('b', 'notify');
    expect(orderOf(stage)).toBe('b a');
  });

  it('heeds a constraint as soon as the plugin it names has come', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { before: ['late'] });
    stage.speaker('b', 'notify');
    expect(orderOf(stage)).toBe('b a');
    stage.speaker('late', 'notify');
    expect(orderOf(stage)).toBe('a late b');
  });

  it('forgets a constraint when the plugin that had it has gone', async () => {
    const stage = new Stage(tier);
    const a = stage.speaker('a', 'notify');
    const b = stage.speaker('b', 'notify', { after: ['a'] });
    stage.speaker('c', 'notify', { after: ['b'] });
    expect(orderOf(stage)).toBe('a b c');
    await b.dispose();
    expect(orderOf(stage)).toBe('c a');
    await a.dispose();
    expect(orderOf(stage)).toBe('c');
  });

  it('heeds a chain of constraints from end to end', () => {
    const stage = new Stage(tier);
    for (const [name, next] of ['ab', 'bc', 'cd', 'de']) {
      stage.speaker(`${name}`, 'notify', { before: [`${next}`] });
    }
    stage.speaker('e', 'notify');
    expect(orderOf(stage)).toBe('a b c d e');
  });

  it('heeds constraints among tryfirst handlers as among others', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { tryfirst: true, before: ['b'] });
    stage.speaker('b', 'notify', { tryfirst: true });
    stage.speaker('c', 'notify');
    expect(orderOf(stage)).toBe('a b c');
  });

  it('accepts a constraint that only says what the phases say anyway', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { trylast: true, after: ['b'] });
    stage.speaker('b', 'notify', { before: ['a'] });
    stage.speaker('c', 'notify', { tryfirst: true, before: ['a', 'b'] });
    expect(orderOf(stage)).toBe('c b a');
  });

  it('applies a constraint to every handler of the plugin it names', () => {
    const stage = new Stage(tier);
    const handler = () => {
      stage.log.push('x');
    };
    stage.speaker('a', 'notify', { before: ['x'] });
    stage.put({
      name: 'x',
      handlers: [
        { hook: 'notify', handler },
        { hook: 'notify', handler, trylast: true },
      ],
    });
    expect(orderOf(stage)).toBe('a x x');
  });

  it('goes by what a constraint said at registration, whatever becomes of the array', () => {
    const stage = new Stage(tier);
    const after = ['nobody'];
    stage.speaker('a', 'notify');
    stage.speaker('b', 'notify', { after });
    after.push('a');
    expect(orderOf(stage)).toBe('b a');
  });

  it('calls plugins of an alphabetical dialect by name, whenever they came', () => {
    const stage = new Stage(tier);
    for (const name of ['m', 'z', 'a', 'B']) stage.speaker(name, 'notify', { dialect: 'agentxchain' });
    expect(orderOf(stage)).toBe('B a m z');
  });

  it('calls several handlers of one alphabetical plugin as they were written', () => {
    const stage = new Stage(tier);
    const handler = (word: string) => () => {
      stage.log.push(word);
    };
    const handlers = ['one', 'two', 'three'].map((word) => ({ hook: 'notify', handler: handler(word) }));
    stage.put({ name: 'x', dialect: 'agentxchain', handlers });
    expect(orderOf(stage)).toBe('one two three');
  });

  it('calls plugins of a first-come dialect in the order in which they came', () => {
    const stage = new Stage(tier);
    for (const name of ['c', 'a', 'b']) stage.speaker(name, 'notify', { dialect: 'pace' });
    expect(orderOf(stage)).toBe('c a b');
  });

  it('calls plugins of the pynchy dialect the latest first', () => {
    const stage = new Stage(tier);
    for (const name of ['c', 'a', 'b']) stage.speaker(name, 'notify', { dialect: 'pynchy' });
    expect(orderOf(stage)).toBe('b a c');
  });

  it('calls one dialect after the other, in the order of the dialect table', () => {
    const stage = new Stage(tier);
    for (const dialect of ['pynchy', 'pace', 'agentxchain', 'native'] as const) {
      stage.speaker(`${dialect}-1`, 'notify', { dialect });
      stage.speaker(`${dialect}-2`, 'notify', { dialect });
    }
    expect(orderOf(stage)).toBe('native-2 native-1 agentxchain-1 agentxchain-2 pace-1 pace-2 pynchy-2 pynchy-1');
  });

  it('lets tryfirst and trylast reach across dialects', () => {
    const stage = new Stage(tier);
    stage.speaker('n', 'notify', { trylast: true });
    stage.speaker('x', 'notify', { dialect: 'agentxchain' });
    stage.speaker('p', 'notify', { dialect: 'pynchy', tryfirst: true });
    expect(orderOf(stage)).toBe('p x n');
  });

  it('lets before and after reach across dialects', () => {
    const stage = new Stage(tier);
    stage.speaker('n', 'notify', { after: ['p'] });
    stage.speaker('m', 'notify');
    stage.speaker('x', 'notify', { dialect: 'agentxchain' });
    stage.speaker('p', 'notify', { dialect: 'pynchy' });
    expect(orderOf(stage)).toBe('m p n x');
  });

  it('leaves the order of the others alone when one goes', async () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify');
    const b = stage.speaker('b', 'notify', { tryfirst: true });
    stage.speaker('c', 'notify');
    stage.speaker('d', 'notify', { trylast: true });
    expect(orderOf(stage)).toBe('b c a d');
    await b.dispose();
    expect(orderOf(stage)).toBe('c a d');
  });

  it('gives a plugin that comes back the place of a newcomer', async () => {
    const stage = new Stage(tier);
    const a = stage.speaker('a', 'notify');
    stage.speaker('b', 'notify');
    expect(orderOf(stage)).toBe('b a');
    await a.dispose();
    stage.speaker('a', 'notify');
    expect(orderOf(stage)).toBe('a b');
  });

  it('keeps the hooks of a plugin apart', () => {
    const stage = new Stage(tier);
    const handler = (word: string) => () => {
      stage.log.push(word);
    };
    stage.put({
      name: 'x',
      handlers: [
        { hook: 'notify', handler: handler('notify') },
        { hook: 'collect', handler: handler('collect') },
      ],
    });
    expect(orderOf(stage)).toBe('notify');
  });

  it('can explain the order in which it calls', () => {
    const stage = new Stage(tier);
    stage.speaker('a', 'notify', { before: ['b'] });
    stage.speaker('b', 'notify', { id: 'the-b' });
    stage.speaker('c', 'notify', { tryfirst: true, dialect: 'pace' });
    stage.wrap('w', 'notify', () => {});
    expect(orderOf(stage)).toBe('c a b');
    expect(stage.kernel.hook('notify').explain()).toEqual([
      { plugin: 'w', handler: 'w#1', because: 'wrapper; native: last registered first' },
      { plugin: 'c', handler: 'c#1', because: 'tryfirst; pace: first registered first' },
      { plugin: 'a', handler: 'a#1', because: 'before b; native: last registered first' },
      { plugin: 'b', handler: 'the-b', because: 'after a; native: last registered first' },
    ]);
  });
});
