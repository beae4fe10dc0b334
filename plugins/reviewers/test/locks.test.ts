import { expect, it } from 'vitest';
import { conduit } from '../index.ts';
import { type Files, input } from './fixture.ts';

const uv = (...names: string[]) => names.map((name) => `[[package]]\nname = "${name}"\nversion = "1.0"\n`).join('\n');
const project = (list: string) =>
  `[project]\nname = "shop"\ndependencies = ${list}\n\n[dependency-groups]\ndev = ["pytest>=8"]\n`;
const poetry = '[tool.poetry]\nname = "a"\n\n[tool.poetry.dependencies]\npython = "^3.12"\nrequests = "^2"\n';

/** Name, files, the place, the decision. */
const planted: readonly (readonly [string, Files, string, 'HOLD' | 'ADVISORY'])[] = [
  [
    'a stale uv.lock',
    { 'pyproject.toml': project('["httpx>=0.27", "pydantic>=2"]'), 'uv.lock': uv('shop', 'httpx', 'pytest') },
    'pyproject.toml:3',
    'HOLD',
  ],
  [
    'a stale uv.lock of a long list',
    { 'pyproject.toml': project('[\n  "httpx",\n  "rich",\n]'), 'uv.lock': uv('shop', 'httpx', 'pytest') },
    'pyproject.toml:5',
    'HOLD',
  ],
  [
    'a stale uv.lock of a group',
    { 'pyproject.toml': project('["httpx"]'), 'uv.lock': uv('shop', 'httpx') },
    'pyproject.toml:6',
    'HOLD',
  ],
  ['no poetry.lock', { 'pyproject.toml': poetry }, 'pyproject.toml:1', 'ADVISORY'],
  ['a stale poetry.lock', { 'pyproject.toml': poetry, 'poetry.lock': uv('urllib3') }, 'pyproject.toml:6', 'HOLD'],
  [
    'no uv.lock where uv is at work',
    { 'pyproject.toml': `${project('["httpx"]')}\n[tool.uv]\npackage = false\n` },
    'pyproject.toml:1',
    'ADVISORY',
  ],
  ['no Pipfile.lock', { Pipfile: '[packages]\nrequests = "*"\n' }, 'Pipfile:1', 'ADVISORY'],
  [
    'a stale Pipfile.lock',
    { Pipfile: '[packages]\nrequests = "*"\nrich = "*"\n', 'Pipfile.lock': '{"default": {"requests": {}}}' },
    'Pipfile:3',
    'HOLD',
  ],
  ['no Gemfile.lock', { Gemfile: 'source "x"\ngem "rails"\n' }, 'Gemfile:1', 'ADVISORY'],
  [
    'a stale Gemfile.lock',
    { Gemfile: 'gem "rails"\ngem "puma"\n', 'Gemfile.lock': 'GEM\n  specs:\n    rails (7.1.0)\n' },
    'Gemfile:2',
    'HOLD',
  ],
  [
    'no composer.lock',
    { 'composer.json': '{"type": "project", "require": {"php": ">=8", "monolog/monolog": "^3"}}' },
    'composer.json:1',
    'ADVISORY',
  ],
  [
    'a stale composer.lock',
    { 'composer.json': '{"require": {"a/b": "^3"}}', 'composer.lock': '{"packages": [{"name": "a/c"}]}' },
    'composer.json:1',
    'HOLD',
  ],
  [
    'no Cargo.lock of a program',
    { 'Cargo.toml': '[package]\nname = "a"\n\n[dependencies]\nserde = "1"\n', 'src/main.rs': '' },
    'Cargo.toml:1',
    'ADVISORY',
  ],
];

it.each(planted)('finds %s', async (_, files, place, decision) => {
  const report = await conduit(input(files));
  expect(report.findings.filter(({ result }) => result !== 'PASS')).toEqual([
    expect.objectContaining({
      check: 'lock files',
      evidence: expect.stringMatching(`^${place.replaceAll('.', '\\.')}:`),
    }),
  ]);
  expect(report.conduit_decision).toBe(decision);
});

it.each([
  [
    'names that are written in several ways',
    {
      'pyproject.toml': project('["HTTPX[http2]>=0.27; python_version < \'4\'", "typing_extensions"]'),
      'uv.lock': uv('shop', 'httpx', 'pytest', 'typing-extensions'),
    },
  ],
  ['a library in Python', { 'pyproject.toml': project('["httpx"]') }],
  ['a fresh poetry.lock', { 'pyproject.toml': poetry, 'poetry.lock': uv('requests') }],
  [
    'a fresh Pipfile.lock',
    {
      Pipfile: '[packages]\nRequests = {version = "*"}\n\n[requires]\npython_version = "3.12"\n',
      'Pipfile.lock': '{"default": {"requests": {}}}',
    },
  ],
  ['a library in Ruby', { Gemfile: 'source "x"\ngemspec\n', 'a.gemspec': '' }],
  ['a library in PHP', { 'composer.json': '{"type": "library", "require": {"a/b": "^3"}}' }],
  ['a program in PHP without dependencies', { 'composer.json': '{"require": {"php": ">=8", "ext-json": "*"}}' }],
  ['a library in Rust', { 'Cargo.toml': '[package]\nname = "a"\n\n[dependencies]\nserde = "1"\n', 'src/lib.rs': '' }],
])('has nothing against %s', async (_, files: Files) => {
  const { findings } = await conduit(input(files));
  expect(findings.filter(({ result }) => result !== 'PASS')).toEqual([]);
});
