import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { readInside, writeInside } from '../../src/reports/inside.ts';

describe('a file of a report', () => {
  it('is written inside the project, with the folders it needs', () => {
    const dir = folder();
    writeInside(dir, 'reports/day-1.xml', 'one');
    writeInside(dir, 'reports/day-1.xml', 'two');
    expect(readFileSync(join(dir, 'reports/day-1.xml'), 'utf8')).toBe('two');
    expect(readInside(dir, 'reports/day-1.xml')).toBe('two');
    expect(readInside(dir, 'reports/day-2.xml')).toBeNull();
  });

  it.each(['../x', '/etc/x', 'a/../../x', '', 'a//b', 'a\\..\\..\\x'])('does not lead out of it: %j', (path) => {
    const dir = folder();
    expect(() => writeInside(dir, path, 'x')).toThrow('does not stay inside the project');
    expect(() => readInside(dir, path)).toThrow('does not stay inside the project');
  });

  it.each(['.git/hooks/pre-commit', '.patchbay/ledger.db', '.GIT/config', '.agentxchain/plugins/x'])(
    'is none of the host or of git: %s',
    (path) => {
      expect(() => writeInside(folder(), path, 'x')).toThrow('is not for reports');
    },
  );

  it('is never written over a link', () => {
    const [dir, elsewhere] = [folder(), folder()];
    mkdirSync(join(elsewhere, 'reports'));
    writeFileSync(join(elsewhere, 'file'), 'theirs');
    symlinkSync(join(elsewhere, 'reports'), join(dir, 'reports'));
    symlinkSync(join(elsewhere, 'file'), join(dir, 'PROGRESS.md'));
    expect(() => writeInside(dir, 'reports/x.xml', 'x')).toThrow('leads over a link');
    expect(() => writeInside(dir, 'PROGRESS.md', 'x')).toThrow('leads over a link');
    expect(existsSync(join(elsewhere, 'reports/x.xml'))).toBe(false);
    expect(readFileSync(join(elsewhere, 'file'), 'utf8')).toBe('theirs');
  });
});
