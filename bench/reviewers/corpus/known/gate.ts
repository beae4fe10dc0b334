import { type Case, file } from '../case.ts';
import { node, npmPackage, python } from '../repositories.ts';

const accounts = {
  'src/accounts.js': file`
    export const accounts = new Map();

    export function register(email, password) {
      if (password.length < 12) throw new Error('the password is too short');
      accounts.set(email, { email, locked: false });
    }

    export function exportCsv() {
      return [...accounts.keys()].join('\\n');
    }
  `,
};

function accountsTest(body: string): Record<string, string> {
  return {
    'test/accounts.test.js': `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { accounts, register } from '../src/accounts.js';\n\n${body}`,
  };
}

const registers = file`
  test('a visitor can register with an email address', () => {
    register('ada@example.com', 'correct horse battery');
    assert.ok(accounts.has('ada@example.com'));
  });
`;

/** More work that does not do what it should. */
export const gates: readonly Case[] = [
  {
    name: 'criterion that is written but that no test covers',
    files: node({ ...accounts, ...accountsTest(registers) }),
    criteria: ['A visitor can register with an email address', 'Accounts can be exported as CSV'],
    planted: [{ kind: 'criterion', at: 'Accounts can be exported as CSV' }],
  },
  {
    name: 'criterion whose test does nothing',
    files: node({
      ...accounts,
      ...accountsTest(`${registers}\ntest('an account is locked after five failed logins', () => {});\n`),
    }),
    criteria: ['A visitor can register with an email address', 'An account is locked after five failed logins'],
    planted: [{ kind: 'criterion', at: 'An account is locked after five failed logins' }],
  },
  {
    name: 'criterion whose test only says that true is true',
    files: node({
      ...accounts,
      ...accountsTest(
        `${registers}\ntest('an account is locked after five failed logins', () => {\n  // TODO: write it\n  assert.equal(true, true);\n});\n`,
      ),
    }),
    criteria: ['An account is locked after five failed logins'],
    planted: [{ kind: 'criterion', at: 'An account is locked after five failed logins' }],
  },
  {
    name: 'criterion whose test is commented out',
    files: node({
      ...accounts,
      ...accountsTest(
        `${registers}\n// test('a password shorter than twelve characters is refused', () => {\n//   assert.throws(() => register('bob@example.com', 'short'));\n// });\n`,
      ),
    }),
    criteria: ['A password shorter than twelve characters is refused'],
    planted: [{ kind: 'criterion', at: 'A password shorter than twelve characters is refused' }],
  },
  {
    name: 'criterion inside a group that is skipped',
    files: node({
      ...accounts,
      ...accountsTest(registers),
      'test/limits.test.js': file`
        import assert from 'node:assert/strict';
        import { describe, it } from 'node:test';
        import { register } from '../src/accounts.js';

        describe.skip('limits', () => {
          it('refuses a password shorter than twelve characters', () => {
            assert.throws(() => register('bob@example.com', 'short'));
          });
        });
      `,
    }),
    criteria: ['A password shorter than twelve characters is refused'],
    planted: [{ kind: 'criterion', at: 'A password shorter than twelve characters is refused' }],
  },
  {
    name: 'criterion whose test in Python is skipped',
    files: python({
      'tests/test_refunds.py': file`
        import unittest

        from shop.total import total


        class RefundTest(unittest.TestCase):
            @unittest.skip("flaky")
            def test_refund_is_paid_within_a_day(self):
                self.assertEqual(total([(1, 1)]), 1)
      `,
    }),
    criteria: ['A refund is paid within a day'],
    planted: [{ kind: 'criterion', at: 'A refund is paid within a day' }],
  },
  {
    name: 'test script that runs nothing',
    files: node({ ...npmPackage({}, { scripts: { test: 'echo "tests are skipped for now"' } }), ...accounts }),
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'test script that npm writes for new packages',
    files: node({
      ...npmPackage({}, { scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
      ...accounts,
    }),
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'tests that are all skipped',
    files: node({
      'test/total.test.js':
        "import { test } from 'node:test';\n\ntest.skip('the total of a basket is the sum of its lines', () => {});\n",
    }),
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'document that a criterion asks for and that is not there',
    files: node({ ...accounts, ...accountsTest(registers) }),
    criteria: ['A visitor can register with an email address', 'docs/accounts.md explains how accounts are registered'],
    planted: [{ kind: 'criterion', at: 'docs/accounts.md explains how accounts are registered' }],
  },
  {
    name: 'clean: criteria about commands and documents',
    files: node({
      ...accounts,
      ...accountsTest(registers),
      'README.md':
        '# Shop\n\n`npm test` runs the tests. Visitors register with an email address and a password of twelve characters.\n',
    }),
    criteria: [
      'All tests pass',
      'A visitor can register with an email address',
      'README.md mentions that a password has twelve characters',
    ],
    planted: [],
  },
  {
    name: 'clean: a skipped test that no criterion needs',
    files: node({
      ...accounts,
      ...accountsTest(
        `${registers}\ntest('a password shorter than twelve characters is refused', () => {\n  assert.throws(() => register('bob@example.com', 'short'), /too short/);\n});\n\ntest.skip('accounts are exported as XML', () => {});\n`,
      ),
    }),
    criteria: ['A visitor can register with an email address', 'A password shorter than twelve characters is refused'],
    planted: [],
  },
];
