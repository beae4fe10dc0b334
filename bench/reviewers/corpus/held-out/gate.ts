import { type Case, file } from '../case.ts';
import { node, npmPackage, python } from '../repositories.ts';

const basket = {
  'src/basket.js': file`
    export const add = (basket, item) => [...basket, item];
    export const remove = (basket, id) => basket.filter((item) => item.id !== id);
    export const discount = (total, code) => (code === 'SPRING10' ? total * 0.9 : total);
  `,
};

function basketTest(...tests: readonly (readonly [name: string, body: string])[]): Record<string, string> {
  const cases = tests.map(([name, body]) => `test('${name}', () => {\n  ${body}\n});\n`);
  return {
    'test/basket.test.js': [
      "import assert from 'node:assert/strict';",
      "import { test } from 'node:test';",
      "import { add, discount, remove } from '../src/basket.js';",
      '',
      ...cases,
    ].join('\n'),
  };
}

const adds = ['adding an item puts it into the basket', 'assert.deepEqual(add([], { id: 1 }), [{ id: 1 }]);'] as const;
const removes = [
  'removing an item takes it out of the basket',
  'assert.deepEqual(remove([{ id: 1 }], 1), []);',
] as const;
const discounts = [
  'a discount code lowers the total by ten percent',
  "assert.equal(discount(100, 'SPRING10'), 90);",
] as const;

/** Work that does not do what it should. */
export const gates: readonly Case[] = [
  {
    name: 'test that fails',
    files: node({
      ...basket,
      ...basketTest(adds, ['an unknown code is refused', "assert.throws(() => discount(100, 'WINTER'));"]),
    }),
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'test file that cannot be loaded',
    files: node({
      'test/prices.test.js':
        "import { format } from '../src/prices.js';\nimport { test } from 'node:test';\n\ntest('prices have two digits', () => format(1));\n",
    }),
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'unittest that fails',
    files: python({
      'tests/test_tax.py': file`
        import unittest

        from shop.total import total


        class TaxTest(unittest.TestCase):
            def test_total_includes_tax(self):
                self.assertEqual(total([(100, 1)]), 119)
      `,
      Makefile: '.PHONY: test\n\ntest:\n\tpython3 -m unittest\n',
    }),
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'criterion that nothing covers',
    files: node({ ...basket, ...basketTest(adds, removes) }),
    criteria: [
      'Adding an item puts it into the basket',
      'Removing an item takes it out of the basket',
      'The basket is restored after the browser is closed',
    ],
    planted: [{ kind: 'criterion', at: 'The basket is restored after the browser is closed' }],
  },
  {
    name: 'criterion whose only test is skipped',
    files: node({
      ...basket,
      ...basketTest(adds),
      'test/discount.test.js': file`
        import assert from 'node:assert/strict';
        import { test } from 'node:test';
        import { discount } from '../src/basket.js';

        test.skip('a discount code lowers the total by ten percent', () => {
          assert.equal(discount(100, 'SPRING10'), 90);
        });
      `,
    }),
    criteria: ['Adding an item puts it into the basket', 'A discount code lowers the total by ten percent'],
    planted: [{ kind: 'criterion', at: 'A discount code lowers the total by ten percent' }],
  },
  {
    name: 'package without a test script',
    files: node({
      ...npmPackage({}, { scripts: { start: 'node src/basket.js' } }),
      ...basket,
      ...basketTest(adds),
    }),
    criteria: ['Adding an item puts it into the basket'],
    planted: [{ kind: 'tests' }],
  },
  {
    name: 'clean: each criterion has a test that passes',
    files: node({ ...basket, ...basketTest(adds, removes, discounts) }),
    criteria: [
      'Adding an item puts it into the basket',
      'Removing an item takes it out of the basket',
      'A valid discount code lowers the total by 10 percent',
    ],
    planted: [],
  },
  {
    name: 'clean: criteria in Python tests with names of functions',
    files: python({
      'tests/test_basket.py': file`
        import unittest

        from shop.total import total


        class BasketTest(unittest.TestCase):
            def test_empty_basket_costs_nothing(self):
                self.assertEqual(total([]), 0)

            def test_price_is_multiplied_by_the_count_of_items(self):
                self.assertEqual(total([(5, 3)]), 15)
      `,
      Makefile: '.PHONY: test\n\ntest:\n\tpython3 -m unittest\n',
    }),
    criteria: ['An empty basket costs nothing', 'The price is multiplied by the count of items'],
    planted: [],
  },
];
