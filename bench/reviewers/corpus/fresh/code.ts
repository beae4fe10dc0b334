import { type Case, file } from '../case.ts';
import { joined, made } from '../pieces.ts';
import { go, node, python } from '../repositories.ts';

const express = { express: '^4.19.2' };

/** Code as people write it. */
export const code: readonly Case[] = [
  {
    name: 'table name of a request in a query of mysql2',
    files: node(
      {
        'src/tables.ts': file`
          import type { RequestHandler } from 'express';
          import { connection } from './connection.js';

          export const rows: RequestHandler = async (req, res) => {
            const [found] = await connection.execute('SELECT * FROM ' + req.params.table + ' LIMIT 10');
            res.json(found);
          };
        `,
      },
      { ...express, mysql2: '^3.10.2' },
    ),
    planted: [{ kind: 'injection', file: 'src/tables.ts', at: 'connection.execute' }],
  },
  {
    name: 'login by a formatted query, in Python',
    files: python({
      'shop/login.py': file`
        def login(cursor, email, password):
            query = "SELECT id FROM users WHERE email = '{}' AND password = '{}'".format(email, password)
            cursor.execute(query)
            return cursor.fetchone()
      `,
    }),
    planted: [
      {
        kind: 'injection',
        file: 'shop/login.py',
        at: "query = \"SELECT id FROM users WHERE email = '{}' AND password = '{}'\".format(email, password)\n    cursor.execute(query)",
      },
    ],
  },
  {
    name: 'video converted by a command line, in a worker',
    files: node({
      'src/worker.cjs': file`
        const { execSync } = require('child_process');

        module.exports = function convert(job) {
          const out = job.data.file.replace(/\\.mov$/, '.mp4');
          execSync('ffmpeg -i ' + job.data.file + ' ' + out, { stdio: 'ignore' });
          return out;
        };
      `,
    }),
    planted: [{ kind: 'injection', file: 'src/worker.cjs', at: "execSync('ffmpeg" }],
  },
  {
    name: 'rule of a tenant compiled by Function',
    files: node(
      {
        'src/rules.js': file`
          export function price(req, res) {
            const rule = new Function('basket', 'return ' + req.body.rule);
            res.json({ price: rule(req.body.basket) });
          }
        `,
      },
      express,
    ),
    planted: [{ kind: 'injection', file: 'src/rules.js', at: 'new Function' }],
  },
  {
    name: 'comment written into the page',
    files: node({
      'public/comments.js': file`
        export function show(comments) {
          const list = document.getElementById('comments');
          for (const comment of comments) {
            list.insertAdjacentHTML('beforeend', '<li>' + comment.text + '</li>');
          }
        }
      `,
    }),
    planted: [{ kind: 'injection', file: 'public/comments.js', at: 'list.insertAdjacentHTML' }],
  },
  {
    name: 'os.popen with what was asked for',
    files: python(
      {
        'shop/whois.py': file`
          import os

          from flask import Flask, request

          app = Flask(__name__)


          @app.route("/whois")
          def whois():
              domain = request.args.get("domain")
              return {"text": os.popen("whois " + domain).read()}
        `,
      },
      ['flask==3.0.3'],
    ),
    planted: [{ kind: 'injection', file: 'shop/whois.py', at: 'os.popen' }],
  },
  {
    name: 'query of GORM put together',
    files: go({
      'store/search.go': file`
        package store

        import "gorm.io/gorm"

        // Search finds products.
        func Search(db *gorm.DB, term string) (found []Product) {
        \tdb.Raw("SELECT * FROM products WHERE name LIKE '%" + term + "%'").Scan(&found)
        \treturn found
        }
      `,
      'go.mod': 'module example.com/shop\n\ngo 1.22\n\nrequire gorm.io/gorm v1.25.10\n',
      'go.sum': `gorm.io/gorm v1.25.10 h1:${made(43, 'base64', 'gorm')}=\n`,
    }),
    planted: [{ kind: 'injection', file: 'store/search.go', at: 'db.Raw' }],
  },
  {
    name: 'log file shown by its name, in Koa',
    files: node(
      {
        'src/logs.js': file`
          import fs from 'node:fs/promises';
          import Router from '@koa/router';

          export const logs = new Router();
          logs.get('/logs/:file', async (ctx) => {
            ctx.body = await fs.readFile('/var/log/shop/' + ctx.params.file, 'utf8');
          });
        `,
      },
      { '@koa/router': '^12.0.1', koa: '^2.15.3' },
    ),
    planted: [{ kind: 'traversal', file: 'src/logs.js', at: 'fs.readFile' }],
  },
  {
    name: 'upload saved under its own name, in Flask',
    files: python(
      {
        'shop/uploads.py': file`
          import os

          from flask import Blueprint, request

          uploads = Blueprint("uploads", __name__)


          @uploads.post("/upload")
          def upload():
              sent = request.files["file"]
              sent.save(os.path.join("/srv/uploads", sent.filename))
              return "", 204
        `,
      },
      ['flask==3.0.3'],
    ),
    planted: [{ kind: 'traversal', file: 'shop/uploads.py', at: 'sent.save' }],
  },
  {
    name: 'webhook posted without a limit',
    files: node({
      'src/notify.ts': file`
        export async function notify(url: string, event: object): Promise<boolean> {
          const { ok } = await fetch(url, { method: 'POST', body: JSON.stringify(event) });
          return ok;
        }
      `,
    }),
    planted: [{ kind: 'timeout', file: 'src/notify.ts', at: 'await fetch' }],
  },
  {
    name: 'request of node:https without a limit',
    files: node({
      'src/ping.js': file`
        import https from 'node:https';

        export const ping = (host) =>
          new Promise((resolve, reject) => {
            https.get(\`https://\${host}/health\`, (res) => resolve(res.statusCode)).on('error', reject);
          });
      `,
    }),
    planted: [{ kind: 'timeout', file: 'src/ping.js', at: 'https.get' }],
  },
  {
    name: 'certificates unchecked by curl in a Dockerfile',
    files: node({
      Dockerfile:
        'FROM debian:12.6\nRUN apt-get update && apt-get install -y curl=7.88.1-10+deb12u6 \\\n && curl -k -o /usr/local/bin/tool https://downloads.acme.io/tool\n',
    }),
    planted: [{ kind: 'tls', file: 'Dockerfile', at: 'curl -k' }],
  },
  {
    name: 'keys of two services in one constants module',
    files: node({
      'src/constants.ts': file`
        export const PAGE_SIZE = 20;
        export const MAPS_KEY = '${joined('AI', 'za', made(35, 'url', 'maps'))}';
        export const MAIL_KEY = '${joined('key', '-', made(32, 'hex', 'mailgun'))}';
        export const SUPPORT = 'help@acme.example';
      `,
    }),
    planted: [
      { kind: 'secret', file: 'src/constants.ts', at: 'MAPS_KEY' },
      { kind: 'secret', file: 'src/constants.ts', at: 'MAIL_KEY' },
    ],
  },
  {
    name: 'token of GitHub in a notebook',
    files: python({
      'analysis/issues.ipynb': `${JSON.stringify({ cells: [{ cell_type: 'code', source: ['from github import Github\n', `g = Github("${joined('gh', 'p_', made(36, 'any', 'notebook'))}")\n`] }], nbformat: 4 }, null, 1)}\n`,
    }),
    planted: [{ kind: 'secret', file: 'analysis/issues.ipynb', at: 'g = Github' }],
  },
  {
    name: 'password of a broker in a YAML list',
    files: python({
      'deploy/worker.yaml': file`
        containers:
          - name: worker
            image: acme/worker:1.8.2
            env:
              - name: BROKER_URL
                value: amqp://shop:${made(16, 'any', 'amqp')}@rabbit-1.acme-cloud.io:5672/shop
      `,
    }),
    planted: [{ kind: 'secret', file: 'deploy/worker.yaml', at: 'value: amqp' }],
  },
  {
    name: 'clean: a command line tool that asks and prints',
    files: node({
      'src/cli.js': file`
        import { readFileSync } from 'node:fs';
        import { parseArgs } from 'node:util';

        const { values } = parseArgs({ options: { config: { type: 'string' }, token: { type: 'string' } } });
        const config = JSON.parse(readFileSync(values.config ?? 'shop.json', 'utf8'));
        const response = await fetch(new URL('/v1/orders', config.url), {
          headers: { authorization: \`Bearer \${values.token ?? process.env.SHOP_TOKEN}\` },
          signal: AbortSignal.timeout(config.timeoutMs ?? 10_000),
        });
        for (const { id, total } of await response.json()) console.log(\`\${id}\\t\${total}\`);
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: a Django view with the ORM and a form',
    files: python(
      {
        'shop/views.py': file`
          from django.contrib.auth.decorators import login_required
          from django.http import JsonResponse
          from django.shortcuts import get_object_or_404, render

          from .models import Order


          @login_required
          def order(request, pk):
              found = get_object_or_404(Order, pk=pk, owner=request.user)
              if request.GET.get("format") == "json":
                  return JsonResponse({"id": found.pk, "note": request.GET.get("note", "")})
              return render(request, "order.html", {"order": found, "q": request.GET.get("q", "")})


          def search(request):
              term = request.GET.get("q", "")
              orders = Order.objects.filter(title__icontains=term).extra(where=["total > %s"], params=[0])
              return render(request, "orders.html", {"orders": orders})
        `,
      },
      ['Django==5.0.7'],
    ),
    planted: [],
  },
  {
    name: 'clean: a Go service with its middlewares',
    files: go({
      'cmd/api/main.go': file`
        package main

        import (
        \t"context"
        \t"database/sql"
        \t"encoding/json"
        \t"log/slog"
        \t"net/http"
        \t"os"
        \t"strconv"
        \t"time"
        )

        type api struct{ db *sql.DB }

        func (a *api) order(w http.ResponseWriter, r *http.Request) {
        \tid, err := strconv.Atoi(r.PathValue("id"))
        \tif err != nil {
        \t\thttp.Error(w, "no such order", http.StatusNotFound)
        \t\treturn
        \t}
        \tctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
        \tdefer cancel()
        \tvar total int
        \trow := a.db.QueryRowContext(ctx, "SELECT total FROM orders WHERE id = $1", id)
        \tif err := row.Scan(&total); err != nil {
        \t\tslog.Error("order", "id", id, "err", err)
        \t\thttp.Error(w, "try again", http.StatusInternalServerError)
        \t\treturn
        \t}
        \t_ = json.NewEncoder(w).Encode(map[string]int{"total": total})
        }

        func main() {
        \tdb, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
        \tif err != nil {
        \t\tslog.Error("open", "err", err)
        \t\tos.Exit(1)
        \t}
        \tmux := http.NewServeMux()
        \tmux.HandleFunc("GET /orders/{id}", (&api{db}).order)
        \tserver := &http.Server{
        \t\tAddr:              ":8080",
        \t\tHandler:           http.TimeoutHandler(mux, 5*time.Second, "too slow"),
        \t\tReadHeaderTimeout: 2 * time.Second,
        \t}
        \tslog.Info("ended", "err", server.ListenAndServe())
        }
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: release scripts of a shell',
    files: node({
      'scripts/release.sh': file`
        #!/usr/bin/env bash
        set -euo pipefail

        version=\${1:?usage: release.sh VERSION}
        eval "$(ssh-agent -s)"
        trap 'kill "$SSH_AGENT_PID"' EXIT
        ssh-add - <<<"$DEPLOY_KEY"
        git tag -s "v$version" -m "Release $version"
        curl --fail --max-time 30 -H "Authorization: Bearer $RELEASE_TOKEN" -d "version=$version" https://releases.acme.io/
        docker rm -f "shop-$version" 2>/dev/null || true
      `,
    }),
    planted: [],
  },
];
