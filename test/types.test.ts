import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';

interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** `file(line,column): error TS1234: message`, with what belongs to the message indented below. */
function parse(output: string): Complaint[] {
  return output.split(/\n(?=\S)/).flatMap((text) => {
    const found = /^(\S+)\((\d+),\d+\): error TS\d+: (.*)$/s.exec(text.trimEnd());
    if (found === null) return [];
    const [, file = '', line = '', message = ''] = found;
    return [{ file, line: Number(line), message }];
  });
}

const root = new URL('..', import.meta.url).pathname;
const good = globSync('test/types/good/*.ts', { cwd: root });
const bad = globSync('test/types/bad/*.ts', { cwd: root });
let complaints: Complaint[] = [];

beforeAll(() => {
  const tsc = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'test/types', '--pretty', 'false'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  complaints = parse(tsc.stdout);
});

const about = (file: string) => complaints.filter((complaint) => complaint.file === file);

describe('what is right compiles, with exact types and no annotations', () => {
  it('looks at fixtures at all', () => {
    expect(good.length).toBeGreaterThan(5);
    expect(bad.length).toBeGreaterThan(5);
    expect(complaints.length).toBeGreaterThan(bad.length);
  });

  it.each(good)('%s has no error', (file) => {
    expect(about(file)).toEqual([]);
  });
});

describe('what is wrong does not compile, and the compiler says so in the very line', () => {
  it.each(bad)('%s has exactly the errors it announces', (file) => {
    const announced = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
      .split('\n')
      .flatMap((text, i) => {
        const fragment = / \/\/ wrong: (.+)$/.exec(text)?.[1];
        return fragment === undefined ? [] : [{ line: i + 1, message: expect.stringContaining(fragment) }];
      });
    expect(announced.length).toBeGreaterThan(0);
    expect(about(file).map(({ line, message }) => ({ line, message }))).toEqual(announced);
  });
});
