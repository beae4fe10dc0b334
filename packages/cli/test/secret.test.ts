import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { askSecret } from '../src/secret.ts';

/** A terminal at which somebody types. */
function terminal(isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  return { input, output, shown: text(output) };
}

describe('askSecret', () => {
  it('asks, and gives what was typed without showing it', async () => {
    const { input, output, shown } = terminal();
    const asked = askSecret('Token of ann', new AbortController().signal, { input, output });
    input.write('pba_sec');
    input.write('ret \r');
    expect(await asked).toBe('pba_secret');
    output.end();
    expect(await shown).toBe('Token of ann: \n');
  });

  it.each([
    ['nothing', '\r'],
    ['the end of the input', '\x04'],
    ['blanks', '  \r'],
  ])('gives nothing for %s', async (_, typed) => {
    const { input, output } = terminal();
    const asked = askSecret('Token', new AbortController().signal, { input, output });
    input.write(typed);
    expect(await asked).toBeUndefined();
  });

  it('gives nothing when the command is ended meanwhile', async () => {
    const ending = new AbortController();
    const asked = askSecret('Token', ending.signal, terminal());
    ending.abort();
    expect(await asked).toBeUndefined();
  });

  it('does not ask where there is nobody', async () => {
    const { input, output, shown } = terminal(false);
    expect(await askSecret('Token', new AbortController().signal, { input, output })).toBeUndefined();
    output.end();
    expect(await shown).toBe('');
  });
});
