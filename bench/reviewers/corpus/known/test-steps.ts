import { type Case, file } from '../case.ts';
import { node, npmPackage, python, workflow } from '../repositories.ts';

const kind = 'test step' as const;
const ci = '.github/workflows/ci.yml';

/** More tests that stop nobody. */
export const testSteps: readonly Case[] = [
  {
    name: 'whole job that may fail',
    files: node(workflow('      - run: npm ci\n      - run: npm test\n', '    continue-on-error: true\n')),
    planted: [
      { kind, file: ci, at: 'test:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 10\n    continue-on-error: true' },
    ],
  },
  {
    name: 'test step that is turned off',
    files: node(workflow('      - run: npm ci\n      - run: npm test\n        if: ${{ false }}\n')),
    planted: [{ kind, file: ci, at: 'run: npm test\n        if:' }],
  },
  {
    name: 'tests whose end is hidden by a pipe',
    files: python(workflow('      - run: python3 -m unittest 2>&1 | tee test.log\n')),
    planted: [{ kind, file: ci, at: '| tee test.log' }],
  },
  {
    name: 'script of CI that lets its tests fail',
    files: node({
      ...workflow('      - run: ./scripts/ci.sh\n'),
      'scripts/ci.sh': '#!/usr/bin/env bash\nset -euo pipefail\nnpm ci\nnpm test || true\nnpm pack\n',
    }),
    planted: [{ kind, file: 'scripts/ci.sh', at: 'npm test || true' }],
  },
  {
    name: 'CircleCI step whose failure is swallowed',
    files: node({
      '.circleci/config.yml': file`
        version: 2.1
        jobs:
          test:
            docker:
              - image: cimg/node:24.4.1
            steps:
              - checkout
              - run: npm ci
              - run:
                  name: Unit tests
                  command: npm test || true
        workflows:
          main:
            jobs: [test]
      `,
    }),
    planted: [{ kind, file: '.circleci/config.yml', at: 'command: npm test || true' }],
  },
  {
    name: 'Azure step that continues on error',
    files: node({
      'azure-pipelines.yml': file`
        trigger: [main]
        pool:
          vmImage: ubuntu-24.04
        steps:
          - script: npm ci
          - script: npm test
            displayName: Unit tests
            continueOnError: true
      `,
    }),
    planted: [
      {
        kind,
        file: 'azure-pipelines.yml',
        at: 'script: npm test\n    displayName: Unit tests\n    continueOnError: true',
      },
    ],
  },
  {
    name: 'stage of Jenkins that swallows its tests',
    files: node({
      Jenkinsfile: file`
        pipeline {
          agent any
          stages {
            stage('Test') {
              steps {
                sh 'npm ci'
                sh 'npm test || true'
              }
            }
          }
        }
      `,
    }),
    planted: [{ kind, file: 'Jenkinsfile', at: "sh 'npm test || true'" }],
  },
  {
    name: 'script of the package that CI calls and that always succeeds',
    files: node({
      ...npmPackage({}, { scripts: { test: 'npm run test:unit', 'test:unit': 'node --test; exit 0' } }),
      ...workflow('      - run: npm ci\n      - run: npm run test:unit\n'),
    }),
    planted: [{ kind, file: 'package.json', at: 'node --test; exit 0' }],
  },
  {
    name: 'clean: failures that are handled and then passed on',
    files: node({
      ...workflow(
        [
          '      - run: npm ci',
          '      - run: npm test || (cat npm-debug.log && exit 1)',
          '      - run: npm audit --audit-level=high || true',
          '      - run: |',
          '          set -o pipefail',
          '          npm test | tee test.log',
          '      - run: |',
          '          set +e',
          '          npm test',
          '          code=$?',
          '          docker compose logs > logs.txt',
          '          exit $code',
          '      - uses: ./.github/actions/report',
          '        continue-on-error: true',
          '',
        ].join('\n'),
      ),
      '.github/actions/report/action.yml':
        'name: report\ndescription: Sends what was measured\nruns:\n  using: composite\n  steps:\n    - run: ./scripts/report.sh\n      shell: bash\n',
      'scripts/report.sh': '#!/bin/sh\nset -eu\ngrep -c pass test.log || true\n',
    }),
    planted: [],
  },
  {
    name: 'clean: a deployment by hand may fail, tests may not',
    files: node({
      '.gitlab-ci.yml': file`
        unit:
          image: node:24.4.1
          script:
            - npm ci
            - npm test

        preview:
          image: node:24.4.1
          when: manual
          allow_failure: true
          script:
            - ./deploy.sh preview || true
      `,
      'deploy.sh': '#!/bin/sh\nset -eu\necho "deployed to $1"\n',
      '.circleci/config.yml': file`
        version: 2.1
        jobs:
          test:
            docker:
              - image: cimg/node:24.4.1
            steps:
              - checkout
              - run: npm ci
              - run: npm test
              - run: codecov || true
        workflows:
          main:
            jobs: [test]
      `,
    }),
    planted: [],
  },
];
