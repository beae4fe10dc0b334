import { expect, it } from 'vitest';
import { conduit } from '../index.ts';
import { clean } from './clean.ts';
import { type Files, input, sha } from './fixture.ts';

const ci = '.github/workflows/ci.yml';
const job = (steps: string, more = '', on = 'push') => ({
  [ci]: `on: ${on}
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 5
${more}    steps:
${steps}`,
});
const manifest = (dependencies: object, more: object = {}) =>
  JSON.stringify({ name: 'x', dependencies, ...more }, null, 1);
const lock = (dependencies: object) => JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies } } });

/** Name, files, the check that finds it, the place, the decision. */
const planted: readonly (readonly [string, Files, string, string, 'HOLD' | 'ADVISORY'])[] = [
  ['an action at a tag', job('      - uses: actions/checkout@v4\n'), 'pinning', `${ci}:7`, 'ADVISORY'],
  ['an action at a branch', job('      - name: x\n        uses: some/action@main\n'), 'pinning', `${ci}:8`, 'HOLD'],
  [
    'a workflow of elsewhere at a branch',
    { [ci]: 'on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/x.yml@master\n' },
    'pinning',
    `${ci}:4`,
    'HOLD',
  ],
  [
    'an action of one’s own that uses a tag',
    { 'action.yml': 'runs:\n  using: composite\n  steps:\n    - uses: actions/cache@v4.1.0\n' },
    'pinning',
    'action.yml:4',
    'ADVISORY',
  ],
  ['an image at latest', job('      - run: ls\n', '    container: node:latest\n'), 'pinning', `${ci}:6`, 'ADVISORY'],
  [
    'a service without a version',
    job('      - run: ls\n', '    services:\n      db:\n        image: postgres\n'),
    'pinning',
    `${ci}:8`,
    'ADVISORY',
  ],
  [
    'a Dockerfile at latest',
    { Dockerfile: 'FROM golang:1.23 AS build\nFROM alpine:latest\n' },
    'pinning',
    'Dockerfile:2',
    'ADVISORY',
  ],
  [
    'a compose file at latest',
    { 'compose.yml': 'services:\n  db:\n    image: redis:latest\n' },
    'pinning',
    'compose.yml:3',
    'ADVISORY',
  ],
  [
    'a step that may fail',
    job('      - run: go test ./...\n        continue-on-error: true\n'),
    'blocking tests',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'a job that may fail',
    job('      - run: pytest\n', '    continue-on-error: true\n'),
    'blocking tests',
    `${ci}:3`,
    'HOLD',
  ],
  [
    'tests or true',
    job('      - run: |\n          cargo build\n          cargo test || true\n'),
    'blocking tests',
    `${ci}:9`,
    'HOLD',
  ],
  ['tests or a word', job('      - run: pytest -q || echo "some tests failed"\n'), 'blocking tests', `${ci}:7`, 'HOLD'],
  ['tests into a pipe', job('      - run: pytest | tee log.txt\n'), 'blocking tests', `${ci}:7`, 'HOLD'],
  [
    'tests after set +e',
    job('      - run: |\n          set +e\n          pytest\n          echo done\n'),
    'blocking tests',
    `${ci}:9`,
    'HOLD',
  ],
  ['tests that never run', job('      - run: pytest\n        if: ${{ false }}\n'), 'blocking tests', `${ci}:7`, 'HOLD'],
  ['lint that may fail', job('      - run: ruff check . || true\n'), 'blocking tests', `${ci}:7`, 'ADVISORY'],
  [
    'a job of GitLab that may fail',
    { '.gitlab-ci.yml': 'unit:\n  script:\n    - pytest\n  allow_failure: true\n' },
    'blocking tests',
    '.gitlab-ci.yml:1',
    'HOLD',
  ],
  ['a recipe that may fail', { Makefile: 'test:\n\t-pytest\n' }, 'blocking tests', 'Makefile:2', 'HOLD'],
  [
    'a script that may fail',
    { 'package.json': '{\n "scripts": {\n  "test": "jest || true"\n }\n}' },
    'blocking tests',
    'package.json:3',
    'HOLD',
  ],
  [
    'a dependency that the lock does not know',
    { 'package.json': manifest({ a: '^1.0.0', b: '^2.0.0' }), 'package-lock.json': lock({ a: '^1.0.0' }) },
    'lock files',
    'package.json:5',
    'HOLD',
  ],
  [
    'a range that the lock does not know',
    { 'package.json': manifest({ a: '^2.0.0' }), 'package-lock.json': lock({ a: '^1.0.0' }) },
    'lock files',
    'package.json:4',
    'HOLD',
  ],
  [
    'a stale yarn.lock',
    { 'package.json': manifest({ a: '^2.0.0' }), 'yarn.lock': 'a@^1.0.0:\n  version "1.0.0"\n' },
    'lock files',
    'package.json:4',
    'HOLD',
  ],
  [
    'a stale pnpm-lock.yaml',
    {
      'package.json': manifest({ a: '^2.0.0' }),
      'pnpm-lock.yaml':
        'importers:\n  .:\n    dependencies:\n      a:\n        specifier: ^1.0.0\n        version: 1.0.0\n',
    },
    'lock files',
    'package.json:4',
    'HOLD',
  ],
  [
    'a workspace that the lock does not know',
    {
      'package.json': '{"workspaces": ["packages/*"]}',
      'package-lock.json': '{"lockfileVersion": 3, "packages": {"": {"workspaces": ["packages/*"]}}}',
      'packages/new/package.json': manifest({ a: '^1.0.0' }),
    },
    'lock files',
    'packages/new/package.json:4',
    'HOLD',
  ],
  [
    'a lock file that is missing',
    { 'package.json': manifest({ a: '^2.0.0' }) },
    'lock files',
    'package.json:1',
    'ADVISORY',
  ],
  [
    'npm ci without a lock file',
    { ...job('      - run: npm ci\n'), 'package.json': '{}' },
    'lock files',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'a stale go.sum',
    { 'go.mod': 'module x\n\nrequire github.com/a/b v1.2.0\n', 'go.sum': 'github.com/a/b v1.1.0 h1:x=\n' },
    'lock files',
    'go.mod:3',
    'HOLD',
  ],
  [
    'a stale Cargo.lock',
    { 'Cargo.toml': '[dependencies]\nrand = "0.9"\n', 'Cargo.lock': '[[package]]\nname = "serde"\n' },
    'lock files',
    'Cargo.toml:2',
    'HOLD',
  ],
  [
    'a target that CI calls',
    { ...job('      - run: make lint test\n'), Makefile: 'test:\n\tpytest\n' },
    'targets',
    `${ci}:7`,
    'HOLD',
  ],
  ['a makefile that CI calls', job('      - run: make -C native\n'), 'targets', `${ci}:7`, 'HOLD'],
  [
    'a target that the documents name',
    { 'README.md': '# x\n\n```sh\nmake deploy\n```\n', Makefile: 'test:\n\tpytest\n' },
    'targets',
    'README.md:4',
    'ADVISORY',
  ],
  [
    'a script that CI calls',
    { ...job('      - run: npm run e2e\n'), 'package.json': '{"scripts": {"test": "vitest run"}}' },
    'targets',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'a job without a limit',
    { [ci]: 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ls\n' },
    'job timeouts',
    `${ci}:3`,
    'ADVISORY',
  ],
  [
    'proposals with secrets',
    job(
      `      - uses: actions/checkout@${sha}\n        with:\n          ref: \${{ github.event.pull_request.head.sha }}\n`,
      '',
      'pull_request_target',
    ),
    'untrusted code',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'the merge of a proposal with secrets',
    job(
      `      - uses: actions/checkout@${sha}\n        with:\n          ref: refs/pull/\${{ github.event.number }}/merge\n`,
      '',
      'pull_request_target',
    ),
    'untrusted code',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'a title in a script',
    job('      - run: echo "${{ github.event.pull_request.title }}"\n', '', 'pull_request'),
    'untrusted code',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'every permission',
    { [ci]: `permissions: write-all\n${job('      - run: ls\n')[ci]}` },
    'permissions',
    `${ci}:1`,
    'ADVISORY',
  ],
  ['a workflow that is not valid', { [ci]: 'on: push\njobs:\n  a: [\n' }, 'workflows', ci, 'HOLD'],
];

it.each(planted)('finds %s', async (_, files, check, place, decision) => {
  const report = await conduit(input({ ...clean.rustCrate, [ci]: job('      - run: ls\n')[ci] ?? '', ...files }));
  const told = report.findings.filter(({ result }) => result !== 'PASS');
  expect(told).toEqual([
    expect.objectContaining({ check, evidence: expect.stringMatching(`^${place.replace(/\./g, '\\.')}:`) }),
  ]);
  expect(report.conduit_decision).toBe(decision);
});

it.each([
  [
    'tests that end by hand',
    job('      - run: |\n          set +e\n          pytest\n          code=$?\n          exit $code\n'),
  ],
  ['tests that tell and fail', job('      - run: pytest || (cat log.txt && exit 1)\n')],
  ['tests in a pipe of a named shell', job('      - run: pytest | tee log.txt\n        shell: bash\n')],
  ['an upload that may fail', job('      - run: curl -f https://example.com -d @cov || true\n')],
  ['a proposal without its head', job(`      - uses: actions/checkout@${sha}\n`, '', 'pull_request_target')],
  ['a target by pattern', { ...job('      - run: make build-linux\n'), Makefile: 'build-%:\n\tgo build\n' }],
  ['a target in an included file', { ...job('      - run: make lint\n'), Makefile: 'include common.mk\n' }],
  ['make with options', { ...job('      - run: make -j 4 test V=1\n'), Makefile: 'test: deps\n\tpytest\ndeps:\n' }],
  ['a command in another folder', job('      - run: cd native && make all\n')],
  [
    'prose about make',
    { 'README.md': 'You `make` it, or make sure that it is made.\n', Makefile: 'test:\n\tpytest\n' },
  ],
  [
    'another project’s make',
    { 'docs/a.md': '```sh\ngit clone https://example.com/x\ncd x\nmake install\n```\n', Makefile: 'test:\n\tpytest\n' },
  ],
])('has nothing against %s', async (_, files: Files) => {
  const report = await conduit(input(files));
  expect(report.findings.filter(({ result }) => result !== 'PASS')).toEqual([]);
});

it('holds whoever takes a target away that an old workflow calls', async () => {
  const files = { ...job('      - run: make lint\n'), Makefile: 'test:\n\tpytest\n' };
  expect(await conduit(input(files, { base: ['Makefile'] }))).toMatchObject({ conduit_decision: 'HOLD' });
  expect(await conduit(input(files, { base: ['other.py'] }))).toMatchObject({ conduit_decision: 'ADVISORY' });
});
