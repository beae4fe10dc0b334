import { expect, it } from 'vitest';
import { conduit } from '../index.ts';
import { type Files, input, sha } from './fixture.ts';

const ci = '.github/workflows/ci.yml';
const workflow = (steps: string) => ({
  [ci]: `on: push\njobs:\n  test:\n    runs-on: x\n    timeout-minutes: 5\n    steps:\n${steps}`,
});
const scripts = (all: object) => JSON.stringify({ scripts: all }, null, 1);

/** Name, files, the check that finds it, the place, the decision. */
const planted: readonly (readonly [string, Files, string, string, 'HOLD' | 'ADVISORY'])[] = [
  [
    'a script that CI starts',
    { ...workflow('      - run: ./ci/run.sh\n'), 'ci/run.sh': '#!/bin/bash\nset -e\nnpm test || true\n' },
    'blocking tests',
    'ci/run.sh:3',
    'HOLD',
  ],
  [
    'a script that CI gives to a shell',
    { ...workflow('      - run: bash ci/run.sh all\n'), 'ci/run.sh': 'set +e\npytest\necho done\n' },
    'blocking tests',
    'ci/run.sh:2',
    'HOLD',
  ],
  [
    'a step that may fail for proposals',
    workflow("      - run: pytest\n        continue-on-error: ${{ github.event_name == 'pull_request' }}\n"),
    'blocking tests',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'a step that tells of failure and goes on',
    workflow(
      '      - run: |\n          if ! pytest; then\n            echo failed\n          fi\n          echo done\n',
    ),
    'blocking tests',
    `${ci}:8`,
    'HOLD',
  ],
  [
    'a step of CircleCI',
    {
      '.circleci/config.yml':
        'jobs:\n  a:\n    docker:\n      - image: a:1\n    steps:\n      - checkout\n      - run: pytest || true\n',
    },
    'blocking tests',
    '.circleci/config.yml:7',
    'HOLD',
  ],
  [
    'a named step of CircleCI',
    {
      '.circleci/config.yml':
        'jobs:\n  a:\n    steps:\n      - run:\n          name: tests\n          command: |\n            pytest || true\n',
    },
    'blocking tests',
    '.circleci/config.yml:7',
    'HOLD',
  ],
  [
    'an image of CircleCI',
    {
      '.circleci/config.yml':
        'jobs:\n  a:\n    docker:\n      - image: cimg/node:latest\n    steps:\n      - run: ls\n',
    },
    'pinning',
    '.circleci/config.yml:4',
    'ADVISORY',
  ],
  [
    'a step of Azure',
    { 'azure-pipelines.yml': 'steps:\n  - script: pytest\n    continueOnError: true\n' },
    'blocking tests',
    'azure-pipelines.yml:2',
    'HOLD',
  ],
  [
    'a step of a stage of Azure',
    {
      'azure-pipelines.yml':
        'stages:\n  - stage: a\n    jobs:\n      - job: b\n        steps:\n          - bash: go test ./... || exit 0\n',
    },
    'blocking tests',
    'azure-pipelines.yml:6',
    'HOLD',
  ],
  [
    'a stage of Jenkins',
    { Jenkinsfile: "pipeline {\n  stages {\n    stage('a') { steps {\n      sh 'pytest || true'\n    } }\n  }\n}\n" },
    'blocking tests',
    'Jenkinsfile:4',
    'HOLD',
  ],
  [
    'a script of Jenkins',
    { Jenkinsfile: "node {\n  sh '''\n    ls\n    pytest || true\n  '''\n}\n" },
    'blocking tests',
    'Jenkinsfile:4',
    'HOLD',
  ],
  ['a script of Travis', { '.travis.yml': 'script:\n  - pytest || true\n' }, 'blocking tests', '.travis.yml:2', 'HOLD'],
  [
    'a step of Bitbucket',
    { 'bitbucket-pipelines.yml': 'pipelines:\n  default:\n    - step:\n        script:\n          - pytest || true\n' },
    'blocking tests',
    'bitbucket-pipelines.yml:5',
    'HOLD',
  ],
  [
    'a script of npm beside the tests',
    { 'package.json': scripts({ test: 'npm run test:unit', 'test:unit': 'node --test; exit 0' }) },
    'blocking tests',
    'package.json:4',
    'HOLD',
  ],
  [
    'an include at a branch',
    { '.gitlab-ci.yml': 'include:\n  - project: a/b\n    ref: main\n    file: /x.yml\n' },
    'pinning',
    '.gitlab-ci.yml:2',
    'ADVISORY',
  ],
  [
    'an include at nothing',
    { '.gitlab-ci.yml': 'include:\n  project: a/b\n  file: /x.yml\n' },
    'pinning',
    '.gitlab-ci.yml:2',
    'ADVISORY',
  ],
  [
    'an include from afar',
    { '.gitlab-ci.yml': 'include:\n  - remote: https://shop.io/ci.yml\n' },
    'pinning',
    '.gitlab-ci.yml:2',
    'ADVISORY',
  ],
  [
    'a component at the newest',
    { '.gitlab-ci.yml': 'include:\n  - component: gitlab.com/a/b@~latest\n' },
    'pinning',
    '.gitlab-ci.yml:2',
    'ADVISORY',
  ],
  [
    'a script that another one calls',
    { 'package.json': scripts({ build: 'npm run clean && tsc' }) },
    'targets',
    'package.json:3',
    'HOLD',
  ],
  [
    'a target that another one needs',
    { Makefile: '.PHONY: all test\nall: lint test\ntest:\n\tpytest\n' },
    'targets',
    'Makefile:2',
    'HOLD',
  ],
  ['a file that CI starts', workflow('      - run: ./scripts/verify.sh --all\n'), 'targets', `${ci}:7`, 'HOLD'],
  [
    'a file that CI gives to a program',
    workflow('      - run: python3 tools/check.py\n'),
    'targets',
    `${ci}:7`,
    'HOLD',
  ],
  [
    'a target that an image makes',
    { Dockerfile: 'FROM a:1\nCOPY . .\nRUN npm ci && make bundle\n', Makefile: 'test:\n\tpytest\n' },
    'targets',
    'Dockerfile:3',
    'HOLD',
  ],
];

it.each(planted)('finds what lets tests fail, moves or is not there: %s', async (_, files, check, place, decision) => {
  const report = await conduit(input(files));
  expect(report.findings.filter(({ result }) => result !== 'PASS')).toEqual([
    expect.objectContaining({ check, evidence: expect.stringMatching(`^${place.replaceAll('.', '\\.')}:`) }),
  ]);
  expect(report.conduit_decision).toBe(decision);
});

it.each([
  ['a script that nobody but people start', { 'ci/run.sh': 'npm test || true\n' }],
  [
    'a script that passes failures on',
    { ...workflow('      - run: ./ci/run.sh\n'), 'ci/run.sh': 'set +e\npytest\ncode=$?\nexit $code\n' },
  ],
  ['a step that asks and fails', workflow('      - run: if pytest; then echo ok; else exit 1; fi\n')],
  [
    'tests that are run if they are there',
    workflow(
      '      - run: |\n          if [ -f pytest.ini ]; then pytest; fi\n          if command -v tox; then tox; fi\n',
    ),
  ],
  ['a matrix with coming versions', workflow('      - run: pytest\n        continue-on-error: ${{ matrix.next }}\n')],
  [
    'an upload of CircleCI',
    { '.circleci/config.yml': 'jobs:\n  a:\n    steps:\n      - run: pytest\n      - run: codecov || true\n' },
  ],
  [
    'a report of Azure',
    { 'azure-pipelines.yml': 'steps:\n  - script: ./report.sh\n    continueOnError: true\n', 'report.sh': 'true\n' },
  ],
  ['a pipeline that is not valid', { '.circleci/config.yml': 'jobs: [', Jenkinsfile: 'sh (' }],
  [
    'includes of one’s own or at a version',
    {
      '.gitlab-ci.yml':
        'include:\n  - local: /x.yml\n  - /y.yml\n  - template: Jobs/Build.gitlab-ci.yml\n  - project: a/b\n    ref: v1.2.0\n    file: /x.yml\n  - component: gitlab.com/a/b@1.0.0\n',
    },
  ],
  [
    'scripts that are there',
    {
      'package.json': scripts({
        lint: 'x',
        test: 'npm run --silent lint && npm run -s build --if-present',
        all: 'npm run lint -w a',
      }),
    },
  ],
  [
    'targets that are files or made by rule',
    { Makefile: 'all: main.o src README.md $(X) lib/%.a\n\tcc\n', 'src/a.c': '', 'README.md': '' },
  ],
  ['a target of a makefile that includes others', { Makefile: 'include a.mk\nall: lint\n' }],
  [
    'a file that a step before has made',
    workflow('      - run: curl -fsSL https://shop.io/get.sh -o ./get.sh\n      - run: ./get.sh\n'),
  ],
  [
    'a file that is built',
    workflow('      - run: npm ci\n      - run: node dist/check.js && ./node_modules/.bin/x.js\n'),
  ],
  [
    'a file of another repository',
    workflow(`      - uses: actions/checkout@${sha}\n        with:\n          repository: a/b\n      - run: ./b.sh\n`),
  ],
  ['a file in another folder', workflow('      - run: cd other && ./b.sh\n')],
  [
    'an image that makes something else',
    {
      Dockerfile: 'FROM a:1\nRUN git clone https://shop.io/x && cd x && make install\n',
      Makefile: 'test:\n\tpytest\n',
    },
  ],
])('has nothing against %s', async (_, files: Files) => {
  const lock = { 'package-lock.json': '{"packages": {"": {}}}' };
  const { findings } = await conduit(input({ ...lock, ...files }));
  expect(findings.filter(({ result, check }) => result !== 'PASS' && check !== 'workflows')).toEqual([]);
});
