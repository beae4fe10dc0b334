import { type Case, file } from '../case.ts';
import { joined, made } from '../pieces.ts';
import { checkout, node, python } from '../repositories.ts';

const express = { express: '^4.19.2' };

/** The same defects by ways that are less common, and repositories that look worse than they are. */
export const hard: readonly Case[] = [
  {
    name: 'request taken apart in the parameters',
    files: node(
      {
        'src/receipts.js': file`
          import { createReadStream } from 'node:fs';
          import path from 'node:path';

          export const receipt = ({ query }, res) => {
            createReadStream(path.join('receipts', query.name)).pipe(res);
          };
        `,
      },
      express,
    ),
    planted: [{ kind: 'traversal', file: 'src/receipts.js', at: 'createReadStream(path' }],
  },
  {
    name: 'fetch of the global object',
    files: node({
      'src/geo.ts':
        'export const locate = async (ip: string): Promise<unknown> =>\n  (await globalThis.fetch(`https://geo.acme.io/${ip}`)).json();\n',
    }),
    planted: [{ kind: 'timeout', file: 'src/geo.ts', at: 'globalThis.fetch' }],
  },
  {
    name: 'eval by a detour',
    files: node(
      {
        'src/macro.js':
          'export function macro(req, res) {\n  const run = (0, eval)(req.body.macro);\n  res.json({ run });\n}\n',
      },
      express,
    ),
    planted: [{ kind: 'injection', file: 'src/macro.js', at: '(0, eval)' }],
  },
  {
    name: 'query handed to a helper that puts it together',
    files: node(
      {
        'src/list.js': file`
          import { db } from './db.js';

          const where = (field, value) => \`WHERE \${field} = '\${value}'\`;

          export const byCity = (req) => db.all('SELECT id FROM shops ' + where('city', req.query.city));
        `,
      },
      express,
    ),
    planted: [{ kind: 'injection', file: 'src/list.js', at: "db.all('SELECT" }],
  },
  {
    name: 'token put together from two texts',
    files: node({
      'src/bot.js': `// Scanners complain otherwise\nconst token = 'gh' + 'p_' + '${made(36, 'any', 'split')}';\nexport const headers = { authorization: \`token \${token}\` };\n`,
    }),
    planted: [{ kind: 'secret', file: 'src/bot.js', at: 'const token' }],
  },
  {
    name: 'session of requests made in a function',
    files: python(
      {
        'shop/api.py': file`
          import requests


          def client():
              session = requests.Session()
              session.headers["x-shop"] = "1"
              return session


          def orders():
              return client().get("https://orders.acme.io/v1").json()
        `,
      },
      ['requests==2.32.3'],
    ),
    planted: [{ kind: 'timeout', file: 'shop/api.py', at: 'client().get' }],
  },
  {
    name: 'password of a user list in a SQL dump',
    files: node({
      'db/seed.sql': `CREATE USER shop WITH PASSWORD '${made(20, 'any', 'seed')}';\nGRANT ALL ON DATABASE shop TO shop;\n`,
    }),
    planted: [{ kind: 'secret', file: 'db/seed.sql', at: 'CREATE USER' }],
  },
  {
    name: 'tests that may fail on pull requests',
    files: node({
      '.github/workflows/ci.yml': file`
        name: ci
        on: [push, pull_request]
        permissions: {}
        jobs:
          test:
            runs-on: ubuntu-24.04
            timeout-minutes: 5
            steps:
              - uses: ${checkout}
              - run: npm ci
              - run: npm test
                continue-on-error: \${{ github.event_name == 'pull_request' }}
      `,
    }),
    planted: [{ kind: 'test step', file: '.github/workflows/ci.yml', at: 'run: npm test\n        continue-on-error' }],
  },
  {
    name: 'tests whose result is turned into a word',
    files: node({
      '.github/workflows/ci.yml': file`
        name: ci
        on: push
        permissions: {}
        jobs:
          test:
            runs-on: ubuntu-24.04
            timeout-minutes: 5
            steps:
              - uses: ${checkout}
              - run: npm ci
              - run: if npm test; then echo passed; else echo failed; fi
      `,
    }),
    planted: [{ kind: 'test step', file: '.github/workflows/ci.yml', at: 'if npm test' }],
  },
  {
    name: 'criterion that only a comment speaks of',
    files: node({
      'src/cart.js': 'export const cart = [];\n',
      'test/cart.test.js': file`
        import assert from 'node:assert/strict';
        import { test } from 'node:test';
        import { cart } from '../src/cart.js';

        // A cart that is left alone for thirty days is emptied: comes with the next release.
        test('it begins empty', () => {
          assert.deepEqual(cart, []);
        });
      `,
    }),
    criteria: ['A cart that is left alone for thirty days is emptied'],
    planted: [{ kind: 'criterion', at: 'A cart that is left alone for thirty days is emptied' }],
  },
  {
    name: 'clean: a scanner of secrets and its patterns',
    files: node({
      'src/patterns.js': `export const patterns = {\n  aws: /${joined('AK', 'IA')}[A-Z0-9]{16}/g,\n  github: /ghp_[A-Za-z0-9]{36}/g,\n  pem: /-----BEGIN (?:RSA )?PRIVATE KEY-----/,\n  password: /password\\s*[:=]\\s*['"][^'"]{8,}['"]/i,\n};\n`,
      'docs/rules.md':
        '# Rules\n\nA key looks like `ghp_` and 36 letters, an address like `postgres://user:pass@host/db`.\n',
    }),
    planted: [],
  },
  {
    name: 'clean: migrations with names of tables in code',
    files: node({
      'migrations/001.js': file`
        const tables = ['orders', 'returns'];

        export async function up(db) {
          for (const table of tables) {
            await db.exec(\`ALTER TABLE \${table} ADD COLUMN archived_at TEXT\`);
          }
        }
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: a workflow that looks after failures itself',
    files: node({
      '.github/workflows/ci.yml': file`
        name: ci
        on: push
        permissions: {}
        jobs:
          test:
            runs-on: ubuntu-24.04
            timeout-minutes: 5
            steps:
              - uses: ${checkout}
              - run: npm ci
              - id: tests
                run: if npm test; then echo passed; else echo failed; exit 1; fi
              - run: npm test || exit $?
              - if: failure()
                run: cat npm-debug.log || true
      `,
    }),
    planted: [],
  },
];
