import { type Case, file } from '../case.ts';
import { go, node, python } from '../repositories.ts';

const injection = 'injection' as const;
const express = { express: '^4.19.2' };
const flask = ['flask==3.0.3'];

/** More ways from outside into code, queries and pages. */
export const injections: readonly Case[] = [
  {
    name: 'raw query of Prisma with a value in it',
    files: node(
      {
        'src/users.ts': file`
          import { prisma } from './prisma.js';

          export const byEmail = (email: string) =>
            prisma.$queryRawUnsafe(\`SELECT id, name FROM "User" WHERE email = '\${email}'\`);
        `,
      },
      { '@prisma/client': '^5.16.1' },
    ),
    planted: [{ kind: injection, file: 'src/users.ts', at: 'prisma.$queryRawUnsafe' }],
  },
  {
    name: 'order of a query taken from the request',
    files: node(
      {
        'src/products.js': file`
          import { db } from './db.js';

          export async function list(req, res) {
            let sql = 'SELECT id, name, price FROM products';
            if (req.query.sort) {
              sql += ' ORDER BY ' + req.query.sort;
            }
            res.json(await db.all(sql));
          }
        `,
      },
      express,
    ),
    planted: [
      {
        kind: injection,
        file: 'src/products.js',
        at: "sql += ' ORDER BY ' + req.query.sort;\n  }\n  res.json(await db.all(sql));",
      },
    ],
  },
  {
    name: 'text() of SQLAlchemy with an f-string',
    files: python(
      {
        'shop/report.py': file`
          from sqlalchemy import text


          def revenue(session, country):
              query = f"SELECT sum(total) FROM orders WHERE country = '{country}'"
              return session.execute(text(query)).scalar()
        `,
      },
      ['SQLAlchemy==2.0.31'],
    ),
    planted: [
      {
        kind: injection,
        file: 'shop/report.py',
        at: 'query = f"SELECT sum(total) FROM orders WHERE country = \'{country}\'"\n    return session.execute(text(query))',
      },
    ],
  },
  {
    name: 'DELETE put together by addition, in Go',
    files: go({
      'store/delete.go': file`
        package store

        import "database/sql"

        // Delete removes a customer.
        func Delete(db *sql.DB, id string) error {
        \t_, err := db.Exec("DELETE FROM customers WHERE id = " + id)
        \treturn err
        }
      `,
    }),
    planted: [{ kind: injection, file: 'store/delete.go', at: 'db.Exec' }],
  },
  {
    name: 'shell started with -c and a value',
    files: node(
      {
        'src/backup.ts': file`
          import { spawn } from 'node:child_process';

          export function backup(database: string) {
            return spawn('bash', ['-c', \`pg_dump \${database} | gzip > /backups/\${database}.sql.gz\`], { stdio: 'inherit' });
          }
        `,
      },
      {},
    ),
    planted: [{ kind: injection, file: 'src/backup.ts', at: "spawn('bash'" }],
  },
  {
    name: 'shell started with -c and a value, in Python',
    files: python({
      'shop/backup.py': file`
        import subprocess


        def backup(database: str) -> None:
            subprocess.run(["bash", "-c", f"pg_dump {database} | gzip > /backups/{database}.gz"], check=True, timeout=600)
      `,
    }),
    planted: [{ kind: injection, file: 'shop/backup.py', at: 'subprocess.run' }],
  },
  {
    name: 'template of a mail taken from the request',
    files: node(
      {
        'src/mails.js': file`
          import Handlebars from 'handlebars';
          import { Router } from 'express';

          export const mails = Router();
          mails.post('/preview', (req, res) => {
            const render = Handlebars.compile(req.body.template);
            res.json({ html: render(req.body.values) });
          });
        `,
      },
      { ...express, handlebars: '^4.7.8' },
    ),
    planted: [{ kind: injection, file: 'src/mails.js', at: 'Handlebars.compile' }],
  },
  {
    name: 'Jinja template made of a form',
    files: python(
      {
        'shop/preview.py': file`
          from flask import Blueprint, request
          from jinja2 import Environment

          preview = Blueprint("preview", __name__)
          environment = Environment()


          @preview.post("/preview")
          def show():
              template = environment.from_string(request.form["template"])
              return template.render(shop="Acme")
        `,
      },
      [...flask, 'Jinja2==3.1.4'],
    ),
    planted: [{ kind: injection, file: 'shop/preview.py', at: 'environment.from_string' }],
  },
  {
    name: 'page returned with what was asked for, in Flask',
    files: python(
      {
        'shop/search.py': file`
          from flask import Flask, request

          app = Flask(__name__)


          @app.route("/search")
          def search():
              term = request.args.get("q", "")
              return f"<h1>Results for {term}</h1>"
        `,
      },
      flask,
    ),
    planted: [{ kind: injection, file: 'shop/search.py', at: 'return f"<h1>' }],
  },
  {
    name: 'page written with what was asked for, in Go',
    files: go({
      'web/search.go': file`
        package web

        import (
        \t"fmt"
        \t"net/http"
        )

        // Search answers with a page.
        func Search(w http.ResponseWriter, r *http.Request) {
        \tterm := r.URL.Query().Get("q")
        \tw.Header().Set("Content-Type", "text/html")
        \tfmt.Fprintf(w, "<h1>Results for %s</h1>", term)
        }
      `,
    }),
    planted: [{ kind: injection, file: 'web/search.go', at: 'fmt.Fprintf' }],
  },
  {
    name: 'cookie of a visitor brought back to life',
    files: node(
      {
        'src/profile.js': file`
          import { unserialize } from 'node-serialize';

          export function profile(req, res) {
            const cookie = Buffer.from(req.cookies.profile, 'base64').toString();
            res.json(unserialize(cookie));
          }
        `,
      },
      { ...express, 'node-serialize': '^0.0.4' },
    ),
    planted: [{ kind: 'deserialisation', file: 'src/profile.js', at: 'res.json(unserialize' }],
  },
  {
    name: 'message of a queue unpickled',
    files: python(
      {
        'shop/worker.py': file`
          import pickle

          import redis

          queue = redis.Redis(host="queue", socket_timeout=5)


          def work() -> None:
              _, message = queue.blpop("jobs")
              job = pickle.loads(message)
              job.run()
        `,
      },
      ['redis==5.0.7'],
    ),
    planted: [{ kind: 'deserialisation', file: 'shop/worker.py', at: 'pickle.loads' }],
  },
  {
    name: 'commit message in a workflow script',
    files: node({
      '.github/workflows/notify.yml': file`
        name: notify
        on:
          push:
            branches: [main]
        permissions: {}
        jobs:
          tell:
            runs-on: ubuntu-24.04
            timeout-minutes: 5
            steps:
              - run: ./notify.sh "\${{ github.event.head_commit.message }}"
      `,
      'notify.sh': '#!/bin/sh\nset -eu\nprintf "%s\\n" "$1"\n',
    }),
    planted: [{ kind: 'workflow injection', file: '.github/workflows/notify.yml', at: './notify.sh' }],
  },
  {
    name: 'clean: queries of builders and tagged templates',
    files: node(
      {
        'src/queries.ts': file`
          import { Prisma } from '@prisma/client';
          import { sql } from 'slonik';
          import { knex, pool, prisma } from './db.js';

          const sortable = { name: 'name', price: 'price_cents' } as const;

          export const find = (email: string) => prisma.$queryRaw\`SELECT id FROM "User" WHERE email = \${email}\`;
          export const one = (id: string) => pool.one(sql.unsafe\`SELECT id FROM orders WHERE id = \${id}\`);
          export const list = (sort: keyof typeof sortable) => knex('products').select('id').orderBy(sortable[sort]);
          export const ids = (all: string[]) => prisma.$queryRaw\`SELECT id FROM "User" WHERE id IN (\${Prisma.join(all)})\`;
          export const select = (label: string) => \`Select \${label} from the list\`;
        `,
      },
      { '@prisma/client': '^5.16.1', knex: '^3.1.0', slonik: '^46.1.0' },
    ),
    planted: [],
  },
  {
    name: 'clean: queries in Python whose parts are fixed',
    files: python(
      {
        'shop/queries.py': file`
          from psycopg import sql

          TABLES = ("orders", "returns")


          def many(db, ids):
              marks = ", ".join("?" * len(ids))
              return db.execute(f"SELECT id, total FROM orders WHERE id IN ({marks})", ids)


          def count(db, table):
              if table not in TABLES:
                  raise ValueError(table)
              return db.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))


          def recent(db, days):
              return db.execute("SELECT id FROM orders WHERE age < %s", (days,))
        `,
      },
      ['psycopg==3.2.1'],
    ),
    planted: [],
  },
  {
    name: 'clean: methods that are called exec and eval',
    files: node({
      'src/cache.js': file`
        import { DatabaseSync } from 'node:sqlite';

        const db = new DatabaseSync(':memory:');
        db.exec('PRAGMA journal_mode = WAL');
        const take = 'return redis.call("GET", KEYS[1])';

        export const read = (redis, key) => redis.eval(take, 1, key);
        export const title = (page) => page.$eval('h1', (heading) => heading.textContent);
        export const version = (text) => /v(\\d+)/.exec(text)?.[1];
      `,
      'tools/score.py': file`
        import ast
        import subprocess


        def score(model, text):
            model.eval()
            return ast.literal_eval(text)


        def clean() -> None:
            subprocess.run("rm -rf build/*.tmp && sync", shell=True, check=True, timeout=30)
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: markup that somebody has cleaned',
    files: node(
      {
        'public/post.js': file`
          import DOMPurify from 'dompurify';
          import { marked } from 'marked';

          export const show = (post) => {
            document.querySelector('#post').innerHTML = DOMPurify.sanitize(marked.parse(post.body));
            document.querySelector('#author').textContent = post.author;
          };
        `,
        'src/hello.js': file`
          import escapeHtml from 'escape-html';

          export const hello = (req, res) => res.send(\`<h1>Hello \${escapeHtml(req.query.name)}</h1>\`);
          export const json = (req, res) => res.json({ term: req.query.q });
        `,
      },
      { ...express, dompurify: '^3.1.5', 'escape-html': '^1.0.3', marked: '^13.0.1' },
    ),
    planted: [],
  },
];
