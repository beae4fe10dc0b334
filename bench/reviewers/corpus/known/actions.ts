import { type Case, file } from '../case.ts';
import { commit } from '../pieces.ts';
import { checkout, node, python } from '../repositories.ts';

const action = 'action' as const;

function workflow(steps: string): string {
  const head = file`
    name: ci
    on: [push, pull_request]
    permissions:
      contents: read
    jobs:
      test:
        runs-on: ubuntu-24.04
        timeout-minutes: 10
        steps:
  `;
  return `${head}${steps}`;
}

/** More of what may change under a pipeline. */
export const actions: readonly Case[] = [
  {
    name: 'official action by its tag',
    files: node({
      '.github/workflows/ci.yml': workflow(
        '      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: npm test\n',
      ),
    }),
    planted: [{ kind: action, file: '.github/workflows/ci.yml', at: 'actions/checkout@v4' }],
  },
  {
    name: 'action by the beginning of a commit',
    files: node({
      '.github/workflows/ci.yml': workflow(
        `      - uses: ${checkout}\n      - uses: acme/notify@${commit('notify').slice(0, 7)}\n      - run: npm ci\n      - run: npm test\n`,
      ),
    }),
    planted: [{ kind: action, file: '.github/workflows/ci.yml', at: 'acme/notify@' }],
  },
  {
    name: 'pipeline of GitLab that includes whatever a branch holds',
    files: node({
      '.gitlab-ci.yml': file`
        include:
          - project: acme/ci-templates
            ref: main
            file: /node.yml

        unit:
          image: node:24.4.1
          script:
            - npm ci
            - npm test
      `,
    }),
    planted: [{ kind: action, file: '.gitlab-ci.yml', at: '- project: acme/ci-templates\n    ref: main' }],
  },
  {
    name: 'job in the newest image',
    files: python({
      '.gitlab-ci.yml': file`
        unit:
          image: python:latest
          script:
            - python3 -m unittest
      `,
    }),
    planted: [{ kind: action, file: '.gitlab-ci.yml', at: 'python:latest' }],
  },
  {
    name: 'clean: pinned images and includes',
    files: node({
      '.gitlab-ci.yml': file`
        include:
          - local: /ci/deploy.yml
          - project: acme/ci-templates
            ref: v3.2.0
            file: /node.yml
          - template: Security/SAST.gitlab-ci.yml

        unit:
          image: node:24.4.1
          script:
            - npm ci
            - npm test
      `,
      'ci/deploy.yml': 'deploy:\n  stage: deploy\n  script:\n    - echo deploy\n',
      Dockerfile:
        'FROM node:24.4.1-alpine AS build\nWORKDIR /app\nCOPY . .\n\nFROM build AS final\nCMD ["node", "src/total.js"]\n',
    }),
    planted: [],
  },
];
