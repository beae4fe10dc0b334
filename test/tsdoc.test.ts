import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const exported = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function|class|interface|type) (\w+)/gm;

it('tells the contract of every export of the SDK', () => {
  const files = globSync('packages/sdk/src/**/*.ts').filter(
    (file) => !file.endsWith('index.ts') || file.includes('testing'),
  );
  const silent = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(exported)]
      .filter(({ index }) => !text.slice(0, index).trimEnd().endsWith('*/'))
      .map(([, name]) => `${file}: ${name}`);
  });
  expect(files.length).toBeGreaterThan(10);
  expect(silent).toEqual([]);
});
