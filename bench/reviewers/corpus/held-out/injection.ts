import { type Case, file } from '../case.ts';
import { go, node, python } from '../repositories.ts';

const injection = 'injection' as const;

/** Text of strangers that becomes code, SQL, a command or a page. */
export const injections: readonly Case[] = [
  {
    name: 'SQL put together with a template literal',
    files: node(
      {
        'src/orders.ts': file`
          import type { Request, Response } from 'express';
          import { pool } from './db.js';

          export async function search(req: Request, res: Response): Promise<void> {
            const term = String(req.query.q ?? '');
            const { rows } = await pool.query(\`SELECT id, title FROM orders WHERE title LIKE '%\${term}%' LIMIT 20\`);
            res.json(rows);
          }
        `,
      },
      { express: '^4.19.2', pg: '^8.12.0' },
    ),
    planted: [{ kind: injection, file: 'src/orders.ts', at: 'pool.query(' }],
  },
  {
    name: 'SQL in an f-string for sqlite3',
    files: python({
      'shop/users.py': file`
        import sqlite3


        def find(db: sqlite3.Connection, name: str):
            cursor = db.cursor()
            cursor.execute(f"SELECT id, email FROM users WHERE name = '{name}'")
            return cursor.fetchone()
      `,
    }),
    planted: [{ kind: injection, file: 'shop/users.py', at: 'cursor.execute(' }],
  },
  {
    name: 'SQL through Sprintf in Go',
    files: go({
      'store/store.go': file`
        package store

        import (
        \t"database/sql"
        \t"fmt"
        )

        // ByStatus lists the orders in a status.
        func ByStatus(db *sql.DB, status string) (*sql.Rows, error) {
        \tquery := fmt.Sprintf("SELECT id, total FROM orders WHERE status = '%s' ORDER BY id", status)
        \treturn db.Query(query)
        }
      `,
    }),
    planted: [
      {
        kind: injection,
        file: 'store/store.go',
        at: `query := fmt.Sprintf("SELECT id, total FROM orders WHERE status = '%s' ORDER BY id", status)\n\treturn db.Query(query)`,
      },
    ],
  },
  {
    name: 'branch name of a request in a shell command',
    files: node(
      {
        'src/history.js': file`
          import { exec } from 'node:child_process';
          import { Router } from 'express';

          export const history = Router();

          history.get('/history', (req, res) => {
            exec(\`git log --oneline -n 20 \${req.query.branch}\`, { timeout: 5000 }, (error, stdout) => {
              if (error) res.status(500).end();
              else res.type('text').send(stdout);
            });
          });
        `,
      },
      { express: '^4.19.2' },
    ),
    planted: [{ kind: injection, file: 'src/history.js', at: 'exec(`' }],
  },
  {
    name: 'file name in a command of subprocess with a shell',
    files: python({
      'shop/thumbnails.py': file`
        import subprocess


        def thumbnail(upload: str, size: int) -> None:
            subprocess.run(f"convert uploads/{upload} -resize {size}x{size} thumbs/{upload}", shell=True, check=True, timeout=30)
      `,
    }),
    planted: [{ kind: injection, file: 'shop/thumbnails.py', at: 'subprocess.run(' }],
  },
  {
    name: 'host name of a request given to sh -c in Go',
    files: go({
      'ping/ping.go': file`
        package ping

        import (
        \t"net/http"
        \t"os/exec"
        )

        // Handler pings a host.
        func Handler(w http.ResponseWriter, r *http.Request) {
        \thost := r.URL.Query().Get("host")
        \tout, err := exec.CommandContext(r.Context(), "sh", "-c", "ping -c 1 "+host).CombinedOutput()
        \tif err != nil {
        \t\thttp.Error(w, err.Error(), http.StatusBadGateway)
        \t\treturn
        \t}
        \t_, _ = w.Write(out)
        }
      `,
    }),
    planted: [{ kind: injection, file: 'ping/ping.go', at: '"sh", "-c"' }],
  },
  {
    name: 'formula of a request evaluated',
    files: node(
      {
        'src/calculator.js': file`
          import express from 'express';

          const app = express();
          app.use(express.json());
          app.post('/calculate', (req, res) => {
            const result = eval(req.body.formula);
            res.json({ result });
          });
          export default app;
        `,
      },
      { express: '^4.19.2' },
    ),
    planted: [{ kind: injection, file: 'src/calculator.js', at: 'eval(' }],
  },
  {
    name: 'pickle of a request body',
    files: python(
      {
        'shop/session.py': file`
          import base64
          import pickle

          from flask import request


          def load_cart():
              raw = request.cookies.get("cart")
              return pickle.loads(base64.b64decode(raw)) if raw else []
        `,
      },
      ['flask==3.0.3'],
    ),
    planted: [{ kind: 'deserialisation', file: 'shop/session.py', at: 'pickle.loads' }],
  },
  {
    name: 'YAML of strangers loaded with the full loader',
    files: python(
      {
        'shop/importer.py': file`
          import yaml


          def read_catalogue(stream):
              return yaml.load(stream, Loader=yaml.Loader)["products"]
        `,
      },
      ['PyYAML==6.0.1'],
    ),
    planted: [{ kind: 'deserialisation', file: 'shop/importer.py', at: 'yaml.load' }],
  },
  {
    name: 'template made of what the user wrote, in Flask',
    files: python(
      {
        'shop/greet.py': file`
          from flask import Flask, render_template_string, request

          app = Flask(__name__)


          @app.get("/hello")
          def hello():
              name = request.args.get("name", "you")
              return render_template_string("<h1>Hello " + name + "</h1>")
        `,
      },
      ['flask==3.0.3'],
    ),
    planted: [{ kind: injection, file: 'shop/greet.py', at: 'return render_template_string' }],
  },
  {
    name: 'search term of the address written into the page',
    files: node({
      'public/search.js': file`
        const params = new URLSearchParams(location.search);
        document.querySelector('#title').innerHTML = 'Results for ' + params.get('q');
      `,
    }),
    planted: [{ kind: injection, file: 'public/search.js', at: '.innerHTML' }],
  },
  {
    name: 'argument of a shell script evaluated',
    files: node({
      'scripts/with-env.sh': file`
        #!/usr/bin/env bash
        set -euo pipefail
        source .env
        eval "$@"
      `,
    }),
    planted: [{ kind: injection, file: 'scripts/with-env.sh', at: 'eval' }],
  },
  {
    name: 'title of an issue in a workflow command',
    files: node({
      '.github/workflows/triage.yml': file`
        name: triage
        on:
          issues:
            types: [opened]
        permissions:
          issues: write
        jobs:
          label:
            runs-on: ubuntu-24.04
            timeout-minutes: 5
            steps:
              - name: label bugs
                run: |
                  if echo "\${{ github.event.issue.title }}" | grep -qi bug; then
                    gh issue edit "$NUMBER" --add-label bug
                  fi
                env:
                  NUMBER: \${{ github.event.issue.number }}
                  GH_TOKEN: \${{ github.token }}
      `,
    }),
    planted: [{ kind: 'workflow injection', file: '.github/workflows/triage.yml', at: 'run: |\n          if echo' }],
  },
  {
    name: 'clean: SQL with parameters in three languages',
    files: node(
      {
        'src/orders.ts': file`
          import { pool } from './db.js';

          const columns = 'id, title, total';

          export const byId = (id: string) => pool.query(\`SELECT \${columns} FROM orders WHERE id = $1\`, [id]);
          export const byIds = (ids: readonly string[]) => {
            const marks = ids.map((_, i) => \`$\${i + 1}\`).join(', ');
            return pool.query(\`SELECT \${columns} FROM orders WHERE id IN (\${marks})\`, [...ids]);
          };
        `,
        'tools/report.py': file`
          import sqlite3


          def rows(db: sqlite3.Connection, since: str):
              return db.execute("SELECT id, total FROM orders WHERE created_at > ?", (since,)).fetchall()
        `,
        'tools/count.go': file`
          package tools

          import "database/sql"

          // Count counts the orders in a status.
          func Count(db *sql.DB, status string) (n int, err error) {
          \terr = db.QueryRow("SELECT count(*) FROM orders WHERE status = $1", status).Scan(&n)
          \treturn n, err
          }
        `,
      },
      { pg: '^8.12.0' },
    ),
    planted: [],
  },
  {
    name: 'clean: programs called with a list of arguments',
    files: node({
      'src/history.js': file`
        import { execFile } from 'node:child_process';
        import { promisify } from 'node:util';

        const run = promisify(execFile);

        export async function history(branch) {
          if (!/^[\\w./-]+$/.test(branch) || branch.startsWith('-')) throw new Error('no such branch');
          const { stdout } = await run('git', ['log', '--oneline', '-n', '20', branch, '--'], { timeout: 5000 });
          return stdout.split('\\n');
        }
      `,
      'tools/convert.py': file`
        import subprocess


        def convert(source: str, target: str) -> None:
            subprocess.run(["convert", "--", source, target], check=True, timeout=60)
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: words that look like dangerous calls',
    files: node({
      'src/review.js': file`
        // Never use eval() here: formulas go through the parser below.
        import { evaluate } from './formula.js';

        export const preview = (formula) => evaluate(formula, { pi: Math.PI });
        export const help = 'To evaluate a formula, write eval(formula) in the console.';
        const pattern = /(\\d+)\\s*x/;
        export const times = (text) => pattern.exec(text)?.[1];
      `,
      'src/formula.js': 'export const evaluate = (formula, names) => names[formula] ?? Number(formula);\n',
      'tools/load.py': file`
        import json

        import yaml


        def load(path: str):
            with open(path, encoding="utf-8") as stream:
                return json.load(stream) if path.endswith(".json") else yaml.safe_load(stream)
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: pages built with escaping',
    files: node(
      {
        'src/page.tsx': file`
          export function Results({ term, hits }: { term: string; hits: readonly string[] }) {
            return (
              <section>
                <h1>Results for {term}</h1>
                <ul>{hits.map((hit) => <li key={hit}>{hit}</li>)}</ul>
              </section>
            );
          }
        `,
        'public/clock.js':
          "document.querySelector('#clock').textContent = new Date().toLocaleTimeString();\ndocument.querySelector('#list').innerHTML = '';\n",
      },
      { react: '^18.3.1' },
    ),
    planted: [],
  },
];
