import { type Case, file } from '../case.ts';
import { node, npmPackage, python, workflow } from '../repositories.ts';

const kind = 'test step' as const;

/** Tests that may fail without anybody being stopped. */
export const testSteps: readonly Case[] = [
  {
    name: 'test step that may fail',
    files: node(
      workflow(
        '      - run: npm ci\n      - name: Unit tests\n        run: npm test\n        continue-on-error: true\n',
      ),
    ),
    planted: [
      {
        kind,
        file: '.github/workflows/ci.yml',
        at: '- name: Unit tests\n        run: npm test\n        continue-on-error: true',
      },
    ],
  },
  {
    name: 'test command whose failure is swallowed in a workflow',
    files: node(workflow('      - run: npm ci\n      - run: npm test || true\n')),
    planted: [{ kind, file: '.github/workflows/ci.yml', at: 'npm test || true' }],
  },
  {
    name: 'pytest whose failure becomes a message',
    files: python(
      workflow(
        '      - run: python3 -m pip install -r requirements.txt\n      - run: |\n          python3 -m unittest || echo "::warning::some tests fail"\n',
      ),
      ['requests==2.32.3'],
    ),
    planted: [{ kind, file: '.github/workflows/ci.yml', at: 'python3 -m unittest ||' }],
  },
  {
    name: 'GitLab test job that may fail',
    files: node({
      '.gitlab-ci.yml': file`
        image: node:24.4.1

        stages: [test, deploy]

        unit:
          stage: test
          script:
            - npm ci
            - npm test
          allow_failure: true

        deploy:
          stage: deploy
          script:
            - ./deploy.sh
          rules:
            - if: $CI_COMMIT_BRANCH == "main"
      `,
      'deploy.sh': '#!/bin/sh\nset -eu\necho deployed\n',
    }),
    planted: [
      {
        kind,
        file: '.gitlab-ci.yml',
        at: 'unit:\n  stage: test\n  script:\n    - npm ci\n    - npm test\n  allow_failure: true',
      },
    ],
  },
  {
    name: 'test script of the package that always succeeds',
    files: node({
      ...npmPackage({}, { scripts: { test: 'node --test || exit 0', lint: 'node --check src/total.js' } }),
    }),
    planted: [{ kind, file: 'package.json', at: '|| exit 0' }],
  },
  {
    name: 'make target that ignores its tests',
    files: python({
      Makefile: file`
        .PHONY: test build

        test:
        \t-python3 -m unittest

        build:
        \tpython3 -m compileall -q shop
      `,
    }),
    planted: [{ kind, file: 'Makefile', at: 'test:\n\t-python3 -m unittest' }],
  },
  {
    name: 'clean: only cleaning up may fail',
    files: node({
      ...workflow(
        [
          '      - run: npm ci',
          '      - run: npm test',
          '      - name: Clean up',
          '        if: always()',
          '        run: |',
          '          docker rm -f shop-test || true',
          '          rm -rf .cache',
          '      - name: Comment on the pull request',
          '        continue-on-error: true',
          '        run: ./scripts/comment.sh',
          '',
        ].join('\n'),
      ),
      'scripts/comment.sh': '#!/bin/sh\nset -eu\ngh pr comment --body "Tests have passed" || true\n',
      Makefile: '.PHONY: clean\n\nclean:\n\t-rm -rf dist\n',
    }),
    planted: [],
  },
  {
    name: 'clean: tests against a coming version may fail, those of today may not',
    files: node(
      workflow(
        '      - run: npm ci\n      - run: npm test\n',
        '    continue-on-error: ${{ matrix.experimental }}\n    strategy:\n      matrix:\n        node: [22, 24]\n        experimental: [false]\n        include:\n          - node: 25\n            experimental: true\n',
      ),
    ),
    planted: [],
  },
];
