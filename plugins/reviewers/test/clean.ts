import { type Files, sha } from './fixture.ts';

const workflow = (steps: string) => `name: ci
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        experimental: [false]
    continue-on-error: \${{ matrix.experimental }}
    steps:
      - uses: actions/checkout@${sha} # v4.2.2
${steps}`;

const lock = (root: object, packages: object = {}) =>
  JSON.stringify({ name: 'x', lockfileVersion: 3, packages: { '': root, ...packages } }, null, 2);

const library = {
  name: 'shapes',
  version: '1.0.0',
  type: 'module',
  scripts: { build: 'tsc -p .', lint: 'biome check .', test: 'vitest run' },
  dependencies: { undici: '^7.0.0' },
  devDependencies: { typescript: '5.9.2', vitest: '^3.0.0' },
};

const typescriptPackage: Files = {
  'package.json': JSON.stringify(library, null, 2),
  'package-lock.json': lock({ dependencies: library.dependencies, devDependencies: library.devDependencies }),
  'README.md':
    '# shapes\n\nMake sure that you have Node 24.\n\n```sh\nnpm ci\nnpm test\n```\n\nSet `API_TOKEN=your-token-here`.\n',
  '.env.example':
    'API_TOKEN=\nDATABASE_URL=postgres://postgres:postgres@localhost:5432/app\nSECRET_KEY=change-me-to-something-random\n',
  '.github/workflows/ci.yml': workflow(
    '      - run: npm ci\n      - run: npm run lint\n      - run: npm test\n      - run: npm run build\n      - run: rm -rf tmp || true\n',
  ),
  'src/index.ts': `import { execFile, execSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const pattern = /(\\d+)/;
export enum Unit { Metre, Foot }
export class Reader {
  constructor(private readonly dir: string) {}
  async area(name: string): Promise<number> {
    const text = await readFile(join(this.dir, basename(name)), 'utf8');
    const found = pattern.exec(\`area \${text}\`);
    return Number(found?.[1] ?? 0);
  }
}
export async function load(url: string, token: string | undefined): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: \`Bearer \${token}\` }, signal: AbortSignal.timeout(5000) });
  return response.json();
}
export const version = () => execSync('git describe --tags').toString();
export const log = (ref: string) => promisify(execFile)('git', ['log', ref]);
export const passwordField = 'input[name=password]';
export const tokenHeader = 'x-gitlab-token';
export const secretName = 'projects/shop-prod-2/secrets/db-password-v12';
`,
  'src/store.ts': `import { DatabaseSync } from 'node:sqlite';

const TABLE = 'shapes';
export class Store {
  readonly #db: DatabaseSync;
  constructor(file: string) {
    this.#db = new DatabaseSync(file);
  }
  all(limit: number, order: 'ASC' | 'DESC') {
    return this.#db.prepare(\`SELECT * FROM \${TABLE} ORDER BY id \${order} LIMIT \${limit}\`).all();
  }
  some(ids: readonly string[]) {
    const marks = ids.map(() => '?').join(',');
    return this.#db.prepare(\`SELECT * FROM shapes WHERE id IN (\${marks})\`).all(...ids);
  }
}
`,
  'test/index.test.ts': `import { expect, it } from 'vitest';
it('measures the area of a shape', () => expect(1).toBe(1));
const key = 'AKIAIOSFODNN7EXAMPLE';
fetch(\`http://127.0.0.1:\${key}\`);
`,
};

const server: Files = {
  'package.json': JSON.stringify({
    name: 'server',
    private: true,
    scripts: { test: 'node --test' },
    dependencies: { express: '^5.0.0', pg: '8.16.0' },
  }),
  'package-lock.json': lock({ dependencies: { express: '^5.0.0', pg: '8.16.0' } }),
  'server.js': `'use strict';
const express = require('express');
const path = require('path');
const { Pool } = require('pg');
const jwt = require('jsonwebtoken');
const app = express();
const pool = new Pool({ connectionString: process.env.DATABASE_URL });
const uploads = path.join(__dirname, 'uploads');
app.get('/users/:id', async (req, res) => {
  const { rows } = await pool.query('SELECT * FROM users WHERE id = $1', [req.params.id]);
  res.json(rows[0]);
});
app.get('/files/:name', (req, res) => {
  const file = path.resolve(uploads, req.params.name);
  if (!file.startsWith(uploads + path.sep)) return res.status(404).end();
  res.sendFile(file);
});
app.get('/avatars/:name', (req, res) => res.sendFile(req.params.name, { root: uploads }));
app.get('/hello', (req, res) => res.send(\`<h1>Hello \${escapeHtml(req.query.name)}</h1>\`));
app.post('/login', (req, res) => res.json({ token: jwt.sign({ sub: req.body.user }, process.env.JWT_SECRET, { expiresIn: '1h' }) }));
function escapeHtml(text) {
  return String(text).replace(/[&<>"']/g, (char) => \`&#\${char.charCodeAt(0)};\`);
}
app.listen(Number(process.env.PORT ?? 3000));
`,
  'web/app.tsx': `import { useEffect, useState } from 'react';
export function App({ id }: { id: string }) {
  const [name, setName] = useState('');
  useEffect(() => {
    fetch(\`/api/users/\${id}\`).then((answer) => answer.json()).then(({ name }) => setName(name));
  }, [id]);
  return <p title="it's fine">Don't panic, {name}</p>;
}
`,
  'web/dom.js': `const list = document.querySelector('ul');
list.innerHTML = '';
for (const name of ['a', 'b']) { const item = document.createElement('li'); item.textContent = name; list.append(item); }
list.insertAdjacentHTML('beforeend', DOMPurify.sanitize(window.location.hash));
`,
  Dockerfile: `ARG NODE=24
FROM node:\${NODE}-slim AS build
WORKDIR /app
FROM build AS test
FROM gcr.io/distroless/nodejs24@sha256:${'ab12'.repeat(16)}
COPY --from=build /app /app
`,
  'compose.yaml':
    'services:\n  app:\n    build: .\n    image: app\n  db:\n    image: postgres:17.2\n    environment:\n      POSTGRES_PASSWORD: postgres\n',
  '.gitlab-ci.yml':
    'image: node:24.1\ntest:\n  script:\n    - npm ci\n    - npm test\nlinks:\n  allow_failure: true\n  script:\n    - npx linkinator docs\n',
};

const pythonPackage: Files = {
  'pyproject.toml':
    '[project]\nname = "ledger"\nversion = "1.0.0"\ndependencies = ["requests>=2.32", "pyyaml>=6"]\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
  'uv.lock':
    'version = 1\n\n[[package]]\nname = "ledger"\n\n[[package]]\nname = "requests"\n\n[[package]]\nname = "pyyaml"\n',
  Makefile: '.PHONY: test lint\n\ntest:\n\tpython -m pytest\n\nlint:\n\truff check .\n\nclean:\n\t-rm -rf build\n',
  'README.md': '# ledger\n\nRun `make test` and `make lint`; make sure both pass.\n\n```sh\n$ make clean\n```\n',
  '.github/workflows/ci.yml': workflow(
    `      - uses: actions/setup-python@${sha}\n        with:\n          python-version: '3.13'\n      - run: pip install -e .\n      - run: |\n          set -o pipefail\n          make test | tee log.txt\n      - run: make lint\n`,
  ),
  'ledger/api.py': `"""Talks to the bank. Never call eval() on what it answers, nor os.system(cmd)."""
import os
import sqlite3
import subprocess

import requests
import yaml

TABLE = "entries"
TOKEN = os.environ["BANK_TOKEN"]


def load(path):
    with open(path) as file:
        return yaml.safe_load(file)


def fetch(account):
    # requests.get(url) without a timeout would hang
    answer = requests.get(
        f"https://bank.example.com/accounts/{account}",
        headers={"Authorization": f"Bearer {TOKEN}"},
        timeout=10,
    )
    answer.raise_for_status()
    return answer.json()


def entries(db: sqlite3.Connection, account, ids):
    placeholders = ",".join("?" for _ in ids)
    db.execute(f"SELECT * FROM {TABLE} WHERE id IN ({placeholders})", ids)
    return db.execute("SELECT * FROM entries WHERE account = ?", (account,)).fetchall()


def revision(ref):
    model.eval()
    subprocess.run("git fetch --tags && git gc", shell=True, check=True)
    return subprocess.run(["git", "rev-parse", ref], check=True, capture_output=True).stdout
`,
  'tests/test_api.py': 'def test_entries_of_an_account():\n    assert eval("1") == 1\n',
};

const goModule: Files = {
  'go.mod': 'module example.com/fetcher\n\ngo 1.23\n\nrequire github.com/google/uuid v1.6.0\n',
  'go.sum':
    'github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=\ngithub.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=\n',
  '.github/workflows/ci.yml': workflow(
    `      - uses: actions/setup-go@${sha}\n      - run: go vet ./...\n      - run: go test -race ./...\n`,
  ),
  'main.go': `package main

import (
	"database/sql"
	"fmt"
	"net/http"
	"os/exec"
	"time"
)

// http.Get(url) has no timeout: do not use it.
var client = &http.Client{Timeout: 10 * time.Second}

func page(db *sql.DB, name string, limit int) (*sql.Rows, error) {
	return db.Query(fmt.Sprintf("SELECT id FROM pages WHERE name = ? LIMIT %d", limit), name)
}

func revision(ref string) ([]byte, error) {
	return exec.Command("git", "rev-parse", ref).Output()
}

func main() {
	answer, err := client.Get("https://example.com")
	fmt.Println(answer, err)
}
`,
  'main_test.go': 'package main\n\nimport "testing"\n\nfunc TestPage(t *testing.T) {}\n',
};

const rustCrate: Files = {
  'Cargo.toml':
    '[package]\nname = "tiny"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n',
  'Cargo.lock':
    'version = 4\n\n[[package]]\nname = "serde"\nversion = "1.0.210"\n\n[[package]]\nname = "tiny"\nversion = "0.1.0"\n',
  'src/main.rs': 'fn main() {}\n\n#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n',
  '.github/workflows/ci.yml': workflow('      - run: cargo test --locked\n'),
};

const workspaces: Files = {
  'package.json': JSON.stringify({
    private: true,
    workspaces: ['packages/*'],
    scripts: { test: 'vitest run' },
    devDependencies: { vitest: '3.0.0' },
  }),
  'package-lock.json': lock(
    { devDependencies: { vitest: '3.0.0' } },
    { 'packages/a': { dependencies: { zod: '^4.0.0' } }, 'packages/b': { dependencies: { a: '1.0.0' } } },
  ),
  'packages/a/package.json': JSON.stringify({ name: 'a', version: '1.0.0', dependencies: { zod: '^4.0.0' } }),
  'packages/b/package.json': JSON.stringify({ name: 'b', dependencies: { a: '1.0.0' } }),
  'packages/a/index.mjs': `import http from 'node:http';
const token = process.env.TOKEN ?? '';
export const hash = '${'0f1e2d3c4b5a69788796a5b4c3d2e1f0'}';
export const serve = () => http.createServer((request, response) => response.end(token)).listen(0);
export const ask = (url) => http.get(url, { timeout: 1000 }, (answer) => answer.resume());
`,
  '.github/workflows/ci.yml': workflow(
    '      - run: npm ci\n      - run: npm test --workspaces\n      - run: npm run build -w packages/a\n',
  ),
};

/** Repositories in which nothing is wrong. */
export const clean = { typescriptPackage, server, pythonPackage, goModule, rustCrate, workspaces };
