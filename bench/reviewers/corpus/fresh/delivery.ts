import { type Case, file } from '../case.ts';
import { commit, made } from '../pieces.ts';
import { checkout, node, npmPackage, python, workflow } from '../repositories.ts';

const ci = '.github/workflows/ci.yml';

/** Builds and tests as people write them. */
export const delivery: readonly Case[] = [
  {
    name: 'linter of a third party at a release branch',
    files: node(
      workflow('      - uses: super-linter/super-linter@releases/v6\n      - run: npm ci\n      - run: npm test\n'),
    ),
    planted: [{ kind: 'action', file: ci, at: 'super-linter/super-linter@' }],
  },
  {
    name: 'service of a job in the newest image',
    files: node({
      [ci]: file`
        name: ci
        on: push
        permissions: {}
        jobs:
          test:
            runs-on: ubuntu-24.04
            timeout-minutes: 5
            services:
              db:
                image: postgres
                env:
                  POSTGRES_HOST_AUTH_METHOD: trust
            steps:
              - uses: ${checkout}
              - run: npm ci
              - run: npm test
      `,
    }),
    planted: [{ kind: 'action', file: ci, at: 'image: postgres' }],
  },
  {
    name: 'coverage run whose failure is only noted',
    files: python(
      workflow(
        '      - name: Tests\n        run: |\n          pip install -r requirements.txt\n          coverage run -m pytest || echo "tests failed, see log"\n',
      ),
      ['coverage==7.5.4', 'pytest==8.2.2'],
    ),
    planted: [{ kind: 'test step', file: ci, at: 'coverage run -m pytest ||' }],
  },
  {
    name: 'tests before a report after set +e',
    files: node({
      ...workflow(
        '      - run: npm ci\n      - run: |\n          set +e\n          npm test\n          npm run report\n',
      ),
      ...npmPackage({}, { scripts: { test: 'node --test', report: 'node -e 0' } }),
    }),
    planted: [{ kind: 'test step', file: ci, at: 'set +e\n          npm test' }],
  },
  {
    name: 'lock file of another package',
    files: node({
      'package.json': npmPackage({ fastify: '^4.28.1' })['package.json'] ?? '',
      'package-lock.json': npmPackage({ express: '^4.19.2' })['package-lock.json'] ?? '',
    }),
    planted: [{ kind: 'lock', file: ['package.json', 'package-lock.json'] }],
  },
  {
    name: 'development dependency that is not locked',
    files: node({
      'package.json': npmPackage({ zod: '^3.23.8' }, { devDependencies: { vitest: '^2.0.3' } })['package.json'] ?? '',
      'package-lock.json': npmPackage({ zod: '^3.23.8' })['package-lock.json'] ?? '',
    }),
    planted: [{ kind: 'lock', file: ['package.json', 'package-lock.json'] }],
  },
  {
    name: 'contributing guide names a target that was renamed',
    files: python({
      'CONTRIBUTING.md': '# Contributing\n\nRun `make fmt` before you commit, then `make test`.\n',
      Makefile: '.PHONY: format test\n\nformat:\n\truff format .\n\ntest:\n\tpython3 -m unittest\n',
    }),
    planted: [{ kind: 'target', file: 'CONTRIBUTING.md', at: 'make fmt' }],
  },
  {
    name: 'test that fails in one of several files',
    files: node({
      'test/rounding.test.js': file`
        import assert from 'node:assert/strict';
        import { test } from 'node:test';

        test('prices are rounded half up', () => {
          assert.equal((1.005).toFixed(2), '1.01');
        });
      `,
    }),
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'second criterion forgotten',
    files: node({
      'src/search.js': 'export const search = (items, term) => items.filter(({ name }) => name.includes(term));\n',
      'test/search.test.js': file`
        import assert from 'node:assert/strict';
        import { test } from 'node:test';
        import { search } from '../src/search.js';

        test('search finds products by a part of their name', () => {
          assert.deepEqual(search([{ name: 'red shoe' }, { name: 'hat' }], 'shoe'), [{ name: 'red shoe' }]);
        });
      `,
    }),
    criteria: ['Search finds products by a part of their name', 'An empty search shows the ten newest products'],
    planted: [{ kind: 'criterion', at: 'An empty search shows the ten newest products' }],
  },
  {
    name: 'clean: a pipeline with caches, matrices and a release',
    files: node({
      ...workflow(
        [
          `      - uses: actions/setup-node@${commit('setup-node')} # v4.0.3`,
          '        with:',
          '          node-version: ${{ matrix.node }}',
          '          cache: npm',
          '      - run: npm ci',
          '      - run: npm run lint --if-present',
          '      - run: npm test -- --test-reporter=spec',
          '      - name: Pack',
          "        if: github.ref == 'refs/heads/main'",
          '        run: |',
          '          npm pack',
          '          ls *.tgz',
          `      - uses: actions/upload-artifact@${commit('upload')} # v4.3.4`,
          '        if: always()',
          '        continue-on-error: true',
          '        with:',
          '          name: package',
          '          path: "*.tgz"',
          '',
        ].join('\n'),
      ),
      '.dockerignore': 'node_modules\n',
      Dockerfile: `FROM node:24.4.1-alpine@sha256:${made(64, 'hex', 'alpine')}\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci --omit=dev\nCOPY src ./src\nCMD ["node", "src/total.js"]\n`,
    }),
    planted: [],
  },
  {
    name: 'clean: two criteria in the words of the tests',
    files: node({
      'src/stock.js': 'export const reserve = (stock, n) => (n > stock ? null : stock - n);\n',
      'test/stock.test.js': file`
        import assert from 'node:assert/strict';
        import { describe, it } from 'node:test';
        import { reserve } from '../src/stock.js';

        describe('reserving', () => {
          it('lowers the stock by what was reserved', () => {
            assert.equal(reserve(5, 2), 3);
          });

          it('is refused when there is not enough stock', () => {
            assert.equal(reserve(1, 2), null);
          });
        });
      `,
    }),
    criteria: ['Reserving lowers the stock by what was reserved', 'It is refused when there is not enough stock'],
    planted: [],
  },
];
