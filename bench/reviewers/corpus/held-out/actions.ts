import { type Case, file } from '../case.ts';
import { commit } from '../pieces.ts';
import { checkout, node } from '../repositories.ts';

const action = 'action' as const;

/** Actions of others that may change under a workflow. */
export const actions: readonly Case[] = [
  {
    name: 'deploy action of a third party by its branch',
    files: node({
      '.github/workflows/deploy.yml': file`
        name: deploy
        on:
          push:
            branches: [main]
        permissions:
          contents: read
        jobs:
          deploy:
            runs-on: ubuntu-24.04
            timeout-minutes: 15
            steps:
              - uses: ${checkout}
              - uses: acme-cloud/deploy@main
                with:
                  token: \${{ secrets.DEPLOY_TOKEN }}
      `,
    }),
    planted: [{ kind: action, file: '.github/workflows/deploy.yml', at: 'acme-cloud/deploy@main' }],
  },
  {
    name: 'action of a third party by a tag that can move',
    files: node({
      '.github/workflows/ci.yml': file`
        name: ci
        on: [push, pull_request]
        permissions:
          contents: read
        jobs:
          test:
            runs-on: ubuntu-24.04
            timeout-minutes: 10
            steps:
              - uses: ${checkout}
              - run: npm ci
              - run: npm test
              - name: Upload coverage
                uses: codecov/codecov-action@v4
      `,
    }),
    planted: [{ kind: action, file: '.github/workflows/ci.yml', at: 'codecov/codecov-action@v4' }],
  },
  {
    name: 'container of the newest image as an action',
    files: node({
      '.github/workflows/lint.yaml': file`
        name: lint
        on: pull_request
        permissions: {}
        jobs:
          shell:
            runs-on: ubuntu-24.04
            timeout-minutes: 5
            steps:
              - uses: ${checkout}
              - uses: docker://koalaman/shellcheck:latest
                with:
                  args: scripts/*.sh
      `,
    }),
    planted: [{ kind: action, file: '.github/workflows/lint.yaml', at: 'docker://koalaman/shellcheck:latest' }],
  },
  {
    name: 'workflow of another repository by its branch',
    files: node({
      '.github/workflows/release.yml': file`
        name: release
        on:
          push:
            tags: ['v*']
        permissions:
          contents: write
        jobs:
          publish:
            uses: acme/workflows/.github/workflows/npm-publish.yml@master
            secrets: inherit
      `,
    }),
    planted: [{ kind: action, file: '.github/workflows/release.yml', at: 'npm-publish.yml@master' }],
  },
  {
    name: 'unpinned action inside a composite action',
    files: node({
      '.github/actions/setup/action.yml': file`
        name: setup
        description: What every job needs
        runs:
          using: composite
          steps:
            - uses: pnpm/action-setup@v4
              with:
                version: 9.5.0
            - run: pnpm --version
              shell: bash
      `,
    }),
    planted: [{ kind: action, file: '.github/actions/setup/action.yml', at: 'pnpm/action-setup@v4' }],
  },
  {
    name: 'clean: everything pinned, or of the repository itself',
    files: node({
      '.github/workflows/ci.yml': file`
        name: ci
        on: [push, pull_request]
        permissions:
          contents: read
        jobs:
          test:
            runs-on: ubuntu-24.04
            timeout-minutes: 10
            steps:
              - uses: ${checkout}
              - uses: ./.github/actions/setup
              - uses: docker://koalaman/shellcheck@sha256:${commit('shell')}${commit('check').slice(0, 24)}
                with:
                  args: scripts/ci.sh
              - run: npm ci
              - run: npm test
      `,
      'scripts/ci.sh': '#!/bin/sh\nset -eu\nnpm ci\nnpm test\n',
      '.github/actions/setup/action.yml': file`
        name: setup
        description: What every job needs
        runs:
          using: composite
          steps:
            - uses: actions/setup-node@${commit('setup-node')} # v4.0.3
              with:
                node-version-file: .nvmrc
      `,
      '.nvmrc': '24\n',
    }),
    planted: [],
  },
];
