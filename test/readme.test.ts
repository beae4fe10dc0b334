import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('shows in the README the very plugin that examples/hello runs', () => {
  const [, shown] = /```ts\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(shown).toBe(readFileSync('examples/hello/plugin.ts', 'utf8'));
});

it('names only files that exist', () => {
  for (const page of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect(() => readFileSync(link ?? '').length, `${page}: ${link}`).not.toThrow(/ENOENT/);
  }
});
