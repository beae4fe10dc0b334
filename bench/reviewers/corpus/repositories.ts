import type { Files } from './case.ts';
import { commit, made } from './pieces.ts';

type Dependencies = Readonly<Record<string, string>>;

/** A package.json and the lock file that belongs to it. */
export function npmPackage(dependencies: Dependencies = {}, more: Readonly<Record<string, unknown>> = {}): Files {
  const manifest = { name: 'shop', version: '1.4.0', private: true, type: 'module', ...more };
  const withTest = { scripts: { test: 'node --test' }, ...manifest, dependencies };
  return {
    'package.json': `${JSON.stringify(withTest, null, 2)}\n`,
    'package-lock.json': npmLock(withTest),
  };
}

/** The lock file, third version, of a package with these dependencies. */
export function npmLock(manifest: {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Dependencies;
}): string {
  const { name, version, dependencies } = manifest;
  const packages = Object.entries(dependencies).map(([dependency, range]) => {
    const exact = range.replace(/^[^\d]*/, '');
    const file = dependency.replace(/^@[^/]+\//, '');
    const resolved = `https://registry.npmjs.org/${dependency}/-/${file}-${exact}.tgz`;
    const integrity = `sha512-${made(86, 'base64', dependency)}==`;
    return [`node_modules/${dependency}`, { version: exact, resolved, integrity, license: 'MIT' }];
  });
  const root = { name, version, dependencies };
  const lock = { name, version, lockfileVersion: 3, requires: true };
  return `${JSON.stringify({ ...lock, packages: { '': root, ...Object.fromEntries(packages) } }, null, 2)}\n`;
}

/** A repository in JavaScript or TypeScript that is in order but for these files. */
export function node(files: Files, dependencies: Dependencies = {}): Files {
  return {
    ...npmPackage(dependencies),
    'README.md': '# Shop\n\nThe shop of our town. `npm test` runs the tests.\n',
    'src/total.js':
      'export const total = (lines) => lines.reduce((sum, { price, count }) => sum + price * count, 0);\n',
    'test/total.test.js': [
      "import assert from 'node:assert/strict';",
      "import { test } from 'node:test';",
      "import { total } from '../src/total.js';",
      '',
      "test('the total of a basket is the sum of its lines', () => {",
      '  assert.equal(total([{ price: 2, count: 3 }, { price: 1, count: 1 }]), 7);',
      '});',
      '',
    ].join('\n'),
    ...files,
  };
}

/** A repository in Python that is in order but for these files. */
export function python(files: Files, requirements: readonly string[] = []): Files {
  return {
    'README.md': '# Shop\n\nThe shop of our town. `python3 -m unittest` runs the tests.\n',
    ...(requirements.length > 0 ? { 'requirements.txt': `${requirements.join('\n')}\n` } : {}),
    'shop/__init__.py': '',
    'shop/total.py': 'def total(lines):\n    return sum(price * count for price, count in lines)\n',
    'tests/__init__.py': '',
    'tests/test_total.py': [
      'import unittest',
      '',
      'from shop.total import total',
      '',
      '',
      'class TotalTest(unittest.TestCase):',
      '    def test_total_is_the_sum_of_its_lines(self):',
      '        self.assertEqual(total([(2, 3), (1, 1)]), 7)',
      '',
    ].join('\n'),
    ...files,
  };
}

/** A repository in Go that is in order but for these files. */
export function go(files: Files): Files {
  return {
    'README.md': '# Shop\n\nThe shop of our town. `go test ./...` runs the tests.\n',
    'go.mod': 'module example.com/shop\n\ngo 1.22\n',
    'total.go':
      'package shop\n\n// Total is the sum of the prices.\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n',
    'total_test.go':
      'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total([]int{1, 2}) != 3 {\n\t\tt.Fatal("not the sum")\n\t}\n}\n',
    ...files,
  };
}

/** How a step takes the repository, pinned. */
export const checkout = `actions/checkout@${commit('checkout')} # v4.1.7`;

/** A workflow of one job that is in order but for these steps, or for what else is said of the job. */
export function workflow(steps: string, ofJob = ''): Files {
  const head = [
    'name: ci',
    'on: [push, pull_request]',
    'permissions:',
    '  contents: read',
    'jobs:',
    '  test:',
    '    runs-on: ubuntu-24.04',
    '    timeout-minutes: 10',
    '',
  ].join('\n');
  return { '.github/workflows/ci.yml': `${head}${ofJob}    steps:\n      - uses: ${checkout}\n${steps}` };
}
