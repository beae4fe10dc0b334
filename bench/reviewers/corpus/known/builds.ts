import { type Case, file } from '../case.ts';
import { made } from '../pieces.ts';
import { go, node, npmPackage, python, workflow } from '../repositories.ts';

const pyproject = (dependencies: string) => file`
  [project]
  name = "shop"
  version = "1.4.0"
  requires-python = ">=3.12"
  dependencies = [${dependencies}]

  [dependency-groups]
  dev = ["pytest>=8"]
`;

const uvLock = (...names: readonly string[]) =>
  [
    'version = 1\nrequires-python = ">=3.12"\n',
    ...names.map(
      (name) =>
        `\n[[package]]\nname = "${name}"\nversion = "1.0.0"\nsource = { registry = "https://pypi.org/simple" }\n`,
    ),
  ].join('');

/** More lock files and targets. */
export const builds: readonly Case[] = [
  {
    name: 'yarn.lock that does not know a dependency',
    files: node({
      'package.json': npmPackage({ express: '^4.19.2', 'left-pad': '^1.3.0' })['package.json'] ?? '',
      'package-lock.json': '',
      'yarn.lock': `# yarn lockfile v1\n\n\nexpress@^4.19.2:\n  version "4.19.2"\n  resolved "https://registry.yarnpkg.com/express/-/express-4.19.2.tgz#${made(40, 'hex')}"\n`,
    }),
    planted: [{ kind: 'lock', file: ['package.json', 'yarn.lock'] }],
  },
  {
    name: 'pnpm lock file with another range',
    files: node({
      'package.json': npmPackage({ zod: '^3.23.8' })['package.json'] ?? '',
      'package-lock.json': '',
      'pnpm-lock.yaml': file`
        lockfileVersion: '9.0'

        importers:

          .:
            dependencies:
              zod:
                specifier: ^3.22.4
                version: 3.22.4

        packages:

          zod@3.22.4:
            resolution: {integrity: sha512-${made(86, 'base64', 'zod')}==}
      `,
    }),
    planted: [{ kind: 'lock', file: ['package.json', 'pnpm-lock.yaml'] }],
  },
  {
    name: 'Go module without go.sum',
    files: go({ 'go.mod': 'module example.com/shop\n\ngo 1.22\n\nrequire github.com/google/uuid v1.6.0\n' }),
    planted: [{ kind: 'lock', file: 'go.mod' }],
  },
  {
    name: 'uv.lock that does not know a dependency',
    files: python({
      'pyproject.toml': pyproject('"httpx>=0.27", "pydantic>=2.8"'),
      'uv.lock': uvLock('httpx', 'pytest', 'shop'),
    }),
    planted: [{ kind: 'lock', file: ['pyproject.toml', 'uv.lock'] }],
  },
  {
    name: 'Pipfile without its lock file',
    files: python({
      Pipfile:
        '[[source]]\nurl = "https://pypi.org/simple"\nverify_ssl = true\nname = "pypi"\n\n[packages]\nrequests = "~=2.32"\n',
    }),
    planted: [{ kind: 'lock', file: ['Pipfile', 'Pipfile.lock'] }],
  },
  {
    name: 'program in Rust without Cargo.lock',
    files: {
      'README.md': '# Counter\n',
      'Cargo.toml':
        '[package]\nname = "counter"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = "1.0"\n',
      'src/main.rs': 'fn main() {\n    println!("1");\n}\n',
      Makefile: '.PHONY: test\n\ntest:\n\t@echo "ok 1 - counts"\n',
    },
    planted: [{ kind: 'lock', file: ['Cargo.toml', 'Cargo.lock'] }],
  },
  {
    name: 'program in Ruby without Gemfile.lock',
    files: {
      'README.md': '# Counter\n',
      Gemfile: 'source "https://rubygems.org"\n\ngem "sinatra", "~> 4.0"\n',
      'app.rb': 'require "sinatra"\n\nget("/") { "1" }\n',
      Makefile: '.PHONY: test\n\ntest:\n\t@echo "ok 1 - counts"\n',
    },
    planted: [{ kind: 'lock', file: ['Gemfile', 'Gemfile.lock'] }],
  },
  {
    name: 'lock file that git is told to ignore',
    files: (() => {
      const { 'package-lock.json': _, ...rest } = node(
        { '.gitignore': 'node_modules\npackage-lock.json\n' },
        { zod: '^3.23.8' },
      );
      return rest;
    })(),
    planted: [{ kind: 'lock', file: ['package.json', 'package-lock.json', '.gitignore'] }],
  },
  {
    name: 'script of the package that calls one that is not there',
    files: node({
      'package.json':
        npmPackage({}, { scripts: { test: 'node --test', build: 'npm run clean && node scripts/build.js' } })[
          'package.json'
        ] ?? '',
      'scripts/build.js': 'console.log("built");\n',
    }),
    planted: [{ kind: 'target', file: 'package.json', at: 'npm run clean' }],
  },
  {
    name: 'make target that needs one that is not there',
    files: node({ Makefile: '.PHONY: all test\n\nall: lint test\n\ntest:\n\tnpm test\n' }),
    planted: [{ kind: 'target', file: 'Makefile', at: 'all: lint test' }],
  },
  {
    name: 'make target of another folder that is not there',
    files: node({
      ...workflow('      - run: make -C docs html\n'),
      'docs/Makefile': 'pdf:\n\tpandoc index.md -o index.pdf\n',
      'docs/index.md': '# Shop\n',
    }),
    planted: [{ kind: 'target', file: ['.github/workflows/ci.yml', 'docs/Makefile'] }],
  },
  {
    name: 'CI starts a script that is not there',
    files: node(workflow('      - run: ./scripts/verify.sh\n')),
    planted: [{ kind: 'target', file: '.github/workflows/ci.yml', at: './scripts/verify.sh' }],
  },
  {
    name: 'image that makes a target which is not there',
    files: node({
      Dockerfile: 'FROM node:24.4.1\nWORKDIR /app\nCOPY . .\nRUN npm ci && make bundle\nCMD ["node", "src/total.js"]\n',
      Makefile: '.PHONY: test\n\ntest:\n\tnpm test\n',
    }),
    planted: [{ kind: 'target', file: ['Dockerfile', 'Makefile'] }],
  },
  {
    name: 'clean: fresh lock files of Python, Go and pnpm',
    files: go({
      'go.mod':
        'module example.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/google/uuid v1.6.0\n\texample.com/kit v0.0.0\n)\n\nreplace example.com/kit => ./kit\n',
      'go.sum': `github.com/google/uuid v1.6.0 h1:${made(43, 'base64', 'a')}=\ngithub.com/google/uuid v1.6.0/go.mod h1:${made(43, 'base64', 'b')}=\n`,
      'kit/go.mod': 'module example.com/kit\n\ngo 1.22\n',
      'web/package.json': `${JSON.stringify({ name: 'web', private: true, dependencies: { zod: '^3.23.8', ui: 'workspace:*' } }, null, 2)}\n`,
      'web/pnpm-lock.yaml': `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      ui:\n        specifier: workspace:*\n        version: link:../ui\n      zod:\n        specifier: ^3.23.8\n        version: 3.23.8\n`,
      'tools/pyproject.toml': pyproject('"HTTPX[http2]>=0.27", "typing_extensions; python_version < \'3.13\'"'),
      'tools/uv.lock': uvLock('httpx', 'pytest', 'shop', 'typing-extensions'),
    }),
    planted: [],
  },
  {
    name: 'clean: a library that leaves versions to its users',
    files: python({
      'pyproject.toml': file`
        [project]
        name = "shop-client"
        version = "2.0.0"
        dependencies = ["httpx>=0.27"]

        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"
      `,
      'plugin/package.json': `${JSON.stringify({ name: 'eslint-plugin-shop', version: '1.0.0', peerDependencies: { eslint: '>=9' } }, null, 2)}\n`,
      'crate/Cargo.toml':
        '[package]\nname = "shop-core"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = "1.0"\n',
      'crate/src/lib.rs': 'pub fn one() -> u32 {\n    1\n}\n',
    }),
    planted: [],
  },
  {
    name: 'clean: makefiles of documentation and of variables',
    files: node({
      ...workflow('      - run: make -C docs html\n'),
      'docs/Makefile':
        'SPHINXBUILD ?= sphinx-build\n\nhelp:\n\t@$(SPHINXBUILD) -M help . _build\n\n%: Makefile\n\t@$(SPHINXBUILD) -M $@ . _build\n',
      Makefile: file`
        SRC := $(wildcard src/*.js)
        BIN = dist/app.js

        .PHONY: all clean
        all: $(BIN) README.md

        $(BIN): $(SRC) | dist
        \tcat $(SRC) > $@

        dist:
        \tmkdir -p $@

        clean:
        \trm -rf dist
      `,
      'README.md':
        '# Shop\n\nTo build, clone [kit](https://kit.example.com) and run:\n\n```sh\ncd ../kit\nmake install\n```\n\nThen `make all` here. We make no promises.\n',
    }),
    planted: [],
  },
  {
    name: 'clean: scripts that are there, called in several ways',
    files: node({
      ...workflow('      - run: npm run build --if-present && ./scripts/verify.sh && node scripts/size.mjs\n'),
      'scripts/verify.sh': '#!/bin/sh\nset -eu\ntest -f package.json\n',
      'scripts/size.mjs': "import { statSync } from 'node:fs';\n\nconsole.log(statSync('package.json').size);\n",
      'package.json':
        npmPackage(
          {},
          {
            scripts: {
              pretest: 'npm run lint',
              test: 'node --test',
              lint: 'node --check src/total.js',
              start: 'node src/total.js',
              all: 'npm run lint && npm test && npm start',
            },
          },
        )['package.json'] ?? '',
    }),
    planted: [],
  },
];
