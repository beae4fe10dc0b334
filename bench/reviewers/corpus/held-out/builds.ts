import { type Case, file } from '../case.ts';
import { made } from '../pieces.ts';
import { checkout, go, node, npmLock, npmPackage, python } from '../repositories.ts';

/** Lock files that are not there or not right, and commands that call what is not there. */
export const builds: readonly Case[] = [
  {
    name: 'dependencies without a lock file',
    files: {
      'README.md': '# Shop\n',
      'package.json': npmPackage({ express: '^4.19.2', zod: '^3.23.8' })['package.json'] ?? '',
      'src/index.js': "import express from 'express';\n\nexport const app = express();\n",
      'test/smoke.test.js': "import { test } from 'node:test';\n\ntest('the module is there', () => {});\n",
    },
    planted: [{ kind: 'lock', file: ['package.json', 'package-lock.json'] }],
  },
  {
    name: 'dependency that the lock file does not know',
    files: node({
      'package.json': npmPackage({ express: '^4.19.2', helmet: '^7.1.0' })['package.json'] ?? '',
      'package-lock.json': npmLock({ name: 'shop', version: '1.4.0', dependencies: { express: '^4.19.2' } }),
    }),
    planted: [{ kind: 'lock', file: ['package.json', 'package-lock.json'] }],
  },
  {
    name: 'range that the locked version is not in',
    files: node({
      'package.json': npmPackage({ express: '^5.0.0' })['package.json'] ?? '',
      'package-lock.json': npmLock({ name: 'shop', version: '1.4.0', dependencies: { express: '^4.19.2' } }),
    }),
    planted: [{ kind: 'lock', file: ['package.json', 'package-lock.json'] }],
  },
  {
    name: 'Go module that go.sum has no line for',
    files: go({
      'go.mod':
        'module example.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/google/uuid v1.6.0\n\tgithub.com/jackc/pgx/v5 v5.6.0\n)\n',
      'go.sum': `github.com/google/uuid v1.6.0 h1:${made(43, 'base64', 'a')}=\ngithub.com/google/uuid v1.6.0/go.mod h1:${made(43, 'base64', 'b')}=\n`,
    }),
    planted: [{ kind: 'lock', file: ['go.mod', 'go.sum'] }],
  },
  {
    name: 'Poetry project without its lock file',
    files: python({
      'pyproject.toml': file`
        [tool.poetry]
        name = "shop"
        version = "1.4.0"
        description = "The shop of our town"
        authors = ["Acme <dev@acme.example>"]

        [tool.poetry.dependencies]
        python = "^3.12"
        requests = "^2.32"

        [build-system]
        requires = ["poetry-core>=1.9"]
        build-backend = "poetry.core.masonry.api"
      `,
    }),
    planted: [{ kind: 'lock', file: ['pyproject.toml', 'poetry.lock'] }],
  },
  {
    name: 'CI calls a make target that is not there',
    files: node({
      '.github/workflows/ci.yml': file`
        name: ci
        on: push
        permissions:
          contents: read
        jobs:
          check:
            runs-on: ubuntu-24.04
            timeout-minutes: 10
            steps:
              - uses: ${checkout}
              - run: make lint
              - run: make test
      `,
      Makefile: '.PHONY: test\n\ntest:\n\tnpm test\n',
    }),
    planted: [{ kind: 'target', file: ['.github/workflows/ci.yml', 'Makefile'] }],
  },
  {
    name: 'README names a make target that is not there',
    files: python({
      'README.md': '# Shop\n\n## Develop\n\n```sh\nmake setup\nmake check\n```\n',
      Makefile: '.PHONY: check\n\ncheck:\n\tpython3 -m unittest\n',
    }),
    planted: [{ kind: 'target', file: ['README.md', 'Makefile'] }],
  },
  {
    name: 'CI runs a script that the package does not have',
    files: node({
      '.github/workflows/ci.yml': file`
        name: ci
        on: push
        permissions:
          contents: read
        jobs:
          check:
            runs-on: ubuntu-24.04
            timeout-minutes: 10
            steps:
              - uses: ${checkout}
              - run: npm ci
              - run: npm run typecheck
              - run: npm test
      `,
    }),
    planted: [{ kind: 'target', file: ['.github/workflows/ci.yml', 'package.json'] }],
  },
  {
    name: 'clean: fresh lock files of workspaces',
    files: (() => {
      const root = { name: 'shop', version: '1.4.0', dependencies: { zod: '^3.23.8' } };
      const lock = JSON.parse(npmLock(root)) as { packages: Record<string, unknown> };
      lock.packages[''] = { ...root, workspaces: ['packages/*'] };
      lock.packages['packages/api'] = { name: '@shop/api', version: '1.0.0', dependencies: { zod: '^3.23.8' } };
      lock.packages['node_modules/@shop/api'] = { resolved: 'packages/api', link: true };
      return node({
        'package.json': `${JSON.stringify({ ...root, private: true, type: 'module', workspaces: ['packages/*'], scripts: { test: 'node --test' } }, null, 2)}\n`,
        'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
        'packages/api/package.json': `${JSON.stringify({ name: '@shop/api', version: '1.0.0', type: 'module', dependencies: { zod: '^3.23.8' } }, null, 2)}\n`,
        'packages/api/index.js': 'export const version = 1;\n',
      });
    })(),
    planted: [],
  },
  {
    name: 'clean: every make target that anybody calls is there',
    files: node({
      Makefile: file`
        GO_PACKAGES := ./...
        .PHONY: all test lint release-%

        all: lint test

        test lint:
        \tnpm run $@

        release-%:
        \tnpm version $*

        dist/app.js: src/total.js
        \tmkdir -p dist
        \tcp src/total.js $@
      `,
      'package.json':
        npmPackage({}, { scripts: { test: 'node --test', lint: 'node --check src/total.js' } })['package.json'] ?? '',
      'README.md': '# Shop\n\n`make` checks everything, `make release-patch` releases; we make sure that it works.\n',
      '.github/workflows/ci.yml': file`
        name: ci
        on: push
        permissions:
          contents: read
        jobs:
          check:
            runs-on: ubuntu-24.04
            timeout-minutes: 10
            steps:
              - uses: ${checkout}
              - run: npm ci
              - run: make test lint
              - run: make -j2 dist/app.js
              - run: make release-patch
                if: startsWith(github.ref, 'refs/tags/')
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: a library without dependencies, a Go module without requirements',
    files: go({
      'package.json': `${JSON.stringify({ name: 'docs', version: '1.0.0', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
      'site.test.js': "import { test } from 'node:test';\n\ntest('the site has a title', () => {});\n",
    }),
    planted: [],
  },
  {
    name: 'clean: a minified library that the repository carries along',
    files: node({
      'public/vendor/picker.min.js': `/*! picker 3.1.0 */!function(e){${Array.from({ length: 40 }, (_, i) => `e.f${i}=function(t){return eval("("+t+")")||document.write(t)};fetch("/x"+${i});`).join('')}}(window);\n`,
      'public/index.html': '<!doctype html>\n<title>Shop</title>\n<script src="vendor/picker.min.js"></script>\n',
    }),
    planted: [],
  },
];
