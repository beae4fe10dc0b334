import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { apiToken, isToken } from '../../src/api/token.ts';
import { apiTokenFile as tokenFile } from '../../src/config/state.ts';

describe('The token of the API', () => {
  it('is made once, long, and for its owner only', () => {
    const dir = folder();
    const token = apiToken(dir);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(statSync(tokenFile(dir)).mode & 0o777).toBe(0o600);
    expect(apiToken(dir)).toBe(token);
    expect(apiToken(folder())).not.toBe(token);
  });

  it('is made anew where others could read it, as in a repository that brings one along', () => {
    const dir = folder();
    const token = apiToken(dir);
    chmodSync(tokenFile(dir), 0o644);
    expect(apiToken(dir)).not.toBe(token);
    expect(statSync(tokenFile(dir)).mode & 0o777).toBe(0o600);
  });

  it.each(['', 'short', 'x'.repeat(1000)])('is made anew where the file holds %j', (text) => {
    const dir = folder({ '.patchbay/other': '' });
    writeFileSync(tokenFile(dir), text, { mode: 0o600 });
    const token = apiToken(dir);
    expect([token === text, readFileSync(tokenFile(dir), 'utf8')]).toEqual([false, `${token}\n`]);
  });

  it('is not read through a link, nor written through one', () => {
    const dir = folder({ '.patchbay/other': '' });
    const known = apiToken(folder());
    writeFileSync(join(dir, 'elsewhere'), `${known}\n`, { mode: 0o600 });
    symlinkSync(join(dir, 'elsewhere'), tokenFile(dir));
    expect(apiToken(dir)).not.toBe(known);
    expect(readFileSync(join(dir, 'elsewhere'), 'utf8')).toBe(`${known}\n`);
    rmSync(tokenFile(dir));
    symlinkSync(join(dir, 'elsewhere'), `${tokenFile(dir)}.next`);
    apiToken(dir);
    expect(readFileSync(join(dir, 'elsewhere'), 'utf8')).toBe(`${known}\n`);
  });

  it('is compared whole', () => {
    expect(isToken('abc', 'abc')).toBe(true);
    for (const other of ['', 'ab', 'abcd', 'abd', 'ABC', 'äbc']) expect(isToken(other, 'abc')).toBe(false);
  });
});
