import { exec } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { gate } from '../index.ts';
import type { CommandOutcome, ReviewInput } from '../review.ts';
import type { Files } from './fixture.ts';

/** Runs commands for real. */
const runIn = (cwd: string) => (command: string) =>
  new Promise<CommandOutcome>((resolve) => {
    const env = { PATH: `${process.execPath.replace(/\/node$/, '')}:${process.env['PATH']}` };
    exec(command, { cwd, env, timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ exit_code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });

function review(files: Files, criteria: readonly string[], changes: Partial<ReviewInput> = {}) {
  const workspace = folder(files);
  const verification = { status: 'skipped', commands: [], machine_evidence: [] } as const;
  return gate({ workspace, base: Object.keys(files), criteria, verification, run: runIn(workspace), ...changes });
}

const repository = {
  'package.json': '{"type": "module", "scripts": {"test": "node --test"}}',
  'src/users.js': `export const users = new Map([['ada', { name: 'Ada' }]]);
export function find(id) {
  return users.has(id) ? { status: 200, user: users.get(id) } : { status: 404 };
}
export function exportCsv() {
  return [...users.values()].map(({ name }) => name).join('\\n');
}
`,
  'test/users.test.js': `import { equal } from 'node:assert/strict';
import { it } from 'node:test';
import { find } from '../src/users.js';

it('answers 404 when the id is unknown', () => equal(find('nobody').status, 404));
it('finds a known user by id', () => equal(find('ada').status, 200));
`,
  'README.md': '# users\n\nRun with `--verbose` to see every request.\n',
};
const covered = ['An unknown id answers 404', 'A known user is found by id'];

describe('gate', () => {
  it('lets work pass whose tests pass and speak of every criterion', async () => {
    const report = await review(repository, [...covered, 'All tests pass', 'README.md documents the --verbose flag']);
    expect(report).toMatchObject({ gate_decision: 'SHIP', blockers: [], deferred: [], hold_reason: '' });
    expect(report.criteria_results.map(({ result }) => result)).toEqual(['PASS', 'PASS', 'PASS', 'PASS']);
    expect(report.criteria_results[0]?.evidence).toBe(
      'test "answers 404 when the id is unknown" (test/users.test.js:5) speaks of it (unknown, id, answer, 404); npm test exited with 0',
    );
  });

  it('holds work whose tests fail, and says which criterion that is', async () => {
    const broken = repository['src/users.js'].replace('status: 404', 'status: 500');
    const report = await review({ ...repository, 'src/users.js': broken }, covered);
    expect(report.gate_decision).toBe('HOLD');
    expect(report.criteria_results.map(({ result }) => result)).toEqual(['FAIL', 'PARTIAL']);
    expect(report.blockers[0]).toMatch(/^npm test exited with 1:\n/);
    expect(report.hold_reason).toContain('not met: An unknown id answers 404');
  });

  it('holds work that does nothing about a criterion', async () => {
    const report = await review(repository, [...covered, 'Passwords are hashed with argon2 before storage']);
    expect(report).toMatchObject({ gate_decision: 'HOLD' });
    expect(report.blockers).toEqual([
      'not met: Passwords are hashed with argon2 before storage (no test and no changed file speaks of it)',
    ]);
  });

  it('is not certain of what is written and has no test', async () => {
    const report = await review(repository, ['Users can export their names as CSV']);
    expect(report).toMatchObject({ gate_decision: 'ADVISORY', blockers: [] });
    expect(report.criteria_results[0]).toMatchObject({
      result: 'PARTIAL',
      evidence: expect.stringContaining('src/users.js was changed'),
    });
    expect(report.hold_reason).toContain('no test speaks of it');
  });

  it('does not count a test that is skipped', async () => {
    const skipped = repository['test/users.test.js'].replace("it('answers", "it.skip('answers");
    const report = await review({ ...repository, 'test/users.test.js': skipped }, covered);
    expect(report.criteria_results[0]).toMatchObject({
      result: 'FAIL',
      evidence: expect.stringContaining('it is skipped'),
    });
  });

  it.each(['true', 'echo npm test', 'true # npm test', 'npm test || true'])(
    'runs the tests itself if the verification is no more than %s',
    async (command) => {
      const failing = "import { it } from 'node:test';\nit('a', () => { throw new Error('no'); });\n";
      const verification = { status: 'pass', commands: [command], machine_evidence: [] } as const;
      const report = await review({ ...repository, 'test/users.test.js': failing }, [], { verification });
      expect(report.blockers).toEqual([expect.stringMatching(/^npm test exited with 1/)]);
    },
  );

  it.each(['npm test', 'CI=1 npm run test:unit -- --bail', 'cd api && uv run pytest -q', 'npx vitest run'])(
    'takes %s for the tests and looks for no others',
    async (command) => {
      const commands: string[] = [];
      const run = async (one: string) => ({ exit_code: commands.push(one) - 1, output: 'ok' });
      await review(repository, [], {
        run,
        verification: { status: 'pass', commands: [command], machine_evidence: [] },
      });
      expect(commands).toEqual([command]);
    },
  );

  it('believes exit codes and not the status', async () => {
    const verification = { status: 'pass', commands: ['npm test', 'exit 3'], machine_evidence: [] } as const;
    const report = await review(repository, covered, { verification });
    expect(report).toMatchObject({ gate_decision: 'HOLD', blockers: ['exit 3 exited with 3'] });
  });

  it('says so when tests succeed without there being one', async () => {
    const report = await review({ 'package.json': '{"scripts": {"test": "echo No tests found"}}' }, []);
    expect(report).toMatchObject({
      gate_decision: 'ADVISORY',
      hold_reason: 'npm test succeeded without running a test',
    });
  });

  it('tells that it ran nothing where it cannot, and goes by what the verification tells', async () => {
    const told = {
      status: 'pass',
      commands: ['npm test'],
      machine_evidence: [{ command: 'npm test', exit_code: 0 }],
    } as const;
    const workspace = folder(repository);
    const given = { workspace, base: [], criteria: covered, verification: told };
    const report = await gate(given);
    expect(report.gate_decision).toBe('SHIP');
    expect(report.criteria_results[0]?.evidence).toContain('as the verification tells; it was not run again');
    const failed = { ...told, status: 'fail', machine_evidence: [{ command: 'npm test', exit_code: 1 }] } as const;
    expect(await gate({ ...given, verification: failed })).toMatchObject({ gate_decision: 'HOLD' });
    const nothing = { status: 'skipped', commands: [], machine_evidence: [] } as const;
    expect(await gate({ ...given, verification: nothing })).toMatchObject({ gate_decision: 'ADVISORY', blockers: [] });
  });

  it('holds if the tests do not end in time or cannot be run', async () => {
    const late = await review(repository, [], { run: () => new Promise(() => {}), time_limit_ms: 50 });
    expect(late.blockers).toEqual(['npm test could not be run:\nit did not end in time']);
    const broken = await review(repository, [], { run: () => Promise.reject(new Error('no shell')) });
    expect(broken.blockers).toEqual(['npm test could not be run:\nno shell']);
  });

  it('keeps what the handoff leaves open, and does not hold for what the story leaves out', async () => {
    const report = await review(repository, ['Users can be deleted in bulk'], {
      handoff: { known_gaps: ['no paging yet'] },
      story: { out_of_scope: ['deleting users in bulk'] },
    });
    expect(report).toMatchObject({
      gate_decision: 'ADVISORY',
      deferred: ['no paging yet'],
      hold_reason: expect.stringContaining('out of scope'),
    });
  });

  it('holds if a document that a criterion asks for is not there', async () => {
    const report = await review(repository, [
      'docs/api.md describes the endpoints',
      'It works with Node.js and finds a known user by id',
    ]);
    expect(report.criteria_results).toMatchObject([
      { result: 'FAIL', evidence: 'there is no docs/api.md' },
      { result: 'PASS' },
    ]);
  });
});

it.each([
  ['make test', { Makefile: 'test:\n\ttrue\n' }],
  ['python3 -m pytest -q', { 'tests/test_a.py': 'def test_a(): pass\n' }],
  ['cargo test', { 'Cargo.toml': '[package]\n' }],
  ['go test ./...', { 'go.mod': 'module a\n' }],
])('finds out that tests are run by %s', async (command, files: Files) => {
  const commands: string[] = [];
  const run = async (one: string) => ({ exit_code: commands.push(one) - 1, output: 'ok' });
  await review(files, [], { run });
  expect(commands).toEqual([command]);
});
