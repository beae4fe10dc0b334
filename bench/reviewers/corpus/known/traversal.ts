import { type Case, file } from '../case.ts';
import { made } from '../pieces.ts';
import { go, node, python } from '../repositories.ts';

const traversal = 'traversal' as const;
const express = { express: '^4.19.2' };

/** More paths that lead out. */
export const traversals: readonly Case[] = [
  {
    name: 'file of FastAPI by a parameter of its route',
    files: python(
      {
        'shop/files.py': file`
          from fastapi import FastAPI
          from fastapi.responses import FileResponse

          app = FastAPI()


          @app.get("/files/{name:path}")
          async def download(name: str):
              return FileResponse(f"/srv/files/{name}")
        `,
      },
      ['fastapi==0.111.0'],
    ),
    planted: [{ kind: traversal, file: 'shop/files.py', at: 'return FileResponse' }],
  },
  {
    name: 'file of Gin by its name',
    files: go({
      'go.mod': 'module example.com/shop\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.10.0\n',
      'go.sum': `github.com/gin-gonic/gin v1.10.0 h1:${made(43, 'base64', 'gin')}=\n`,
      'web/files.go': file`
        package web

        import "github.com/gin-gonic/gin"

        // Download sends an upload.
        func Download(c *gin.Context) {
        \tc.File("./uploads/" + c.Query("name"))
        }
      `,
    }),
    planted: [{ kind: traversal, file: 'web/files.go', at: 'c.File' }],
  },
  {
    name: 'entries of an archive written where they say',
    files: node(
      {
        'src/unpack.js': file`
          import { mkdirSync, writeFileSync } from 'node:fs';
          import path from 'node:path';
          import AdmZip from 'adm-zip';

          export function unpack(upload, target) {
            for (const entry of new AdmZip(upload).getEntries()) {
              const file = path.join(target, entry.entryName);
              mkdirSync(path.dirname(file), { recursive: true });
              writeFileSync(file, entry.getData());
            }
          }
        `,
      },
      { 'adm-zip': '^0.5.14' },
    ),
    planted: [
      {
        kind: traversal,
        file: 'src/unpack.js',
        at: 'const file = path.join(target, entry.entryName);\n    mkdirSync(path.dirname(file), { recursive: true });\n    writeFileSync(file',
      },
    ],
  },
  {
    name: 'entries of an archive written where they say, in Go',
    files: go({
      'unpack/unpack.go': file`
        package unpack

        import (
        \t"archive/zip"
        \t"io"
        \t"os"
        \t"path/filepath"
        )

        // Unpack writes what is in an archive.
        func Unpack(r *zip.Reader, target string) error {
        \tfor _, f := range r.File {
        \t\tout, err := os.Create(filepath.Join(target, f.Name))
        \t\tif err != nil {
        \t\t\treturn err
        \t\t}
        \t\tin, err := f.Open()
        \t\tif err != nil {
        \t\t\treturn err
        \t\t}
        \t\tif _, err := io.Copy(out, in); err != nil {
        \t\t\treturn err
        \t\t}
        \t}
        \treturn nil
        }
      `,
    }),
    planted: [{ kind: traversal, file: 'unpack/unpack.go', at: 'os.Create' }],
  },
  {
    name: 'file named in the query of a route of Next.js',
    files: node({
      'app/api/report/route.ts': file`
        import { readFile } from 'node:fs/promises';
        import path from 'node:path';

        export async function GET(request: Request): Promise<Response> {
          const { searchParams } = new URL(request.url);
          const name = searchParams.get('name') ?? 'latest';
          return new Response(await readFile(path.join(process.cwd(), 'reports', name)));
        }
      `,
    }),
    planted: [{ kind: traversal, file: 'app/api/report/route.ts', at: 'await readFile' }],
  },
  {
    name: 'file deleted by the name in a body',
    files: node(
      {
        'src/cleanup.js': file`
          import fs from 'node:fs';
          import { Router } from 'express';

          export const cleanup = Router();
          cleanup.delete('/uploads', (req, res) => {
            const { file } = req.body;
            fs.rmSync(\`uploads/\${file}\`);
            res.status(204).end();
          });
        `,
      },
      express,
    ),
    planted: [{ kind: traversal, file: 'src/cleanup.js', at: 'fs.rmSync' }],
  },
  {
    name: 'clean: names that are checked against a pattern or a list',
    files: node(
      {
        'src/reports.js': file`
          import { readFile } from 'node:fs/promises';
          import path from 'node:path';

          const reports = { daily: 'daily.html', weekly: 'weekly.html' };

          export async function report(req, res) {
            const { month } = req.params;
            if (!/^\\d{4}-\\d{2}$/.test(month)) return res.status(400).end();
            return res.send(await readFile(path.join('reports', \`\${month}.html\`), 'utf8'));
          }

          export async function named(req, res) {
            const name = reports[req.query.name];
            if (name === undefined) return res.status(404).end();
            return res.send(await readFile(path.join('reports', name), 'utf8'));
          }

          export const avatar = (req, res) => res.sendFile(\`\${Number(req.params.id)}.png\`, { root: 'avatars' });
        `,
      },
      express,
    ),
    planted: [],
  },
  {
    name: 'clean: paths that are resolved and compared, in Python and Go',
    files: python(
      {
        'shop/files.py': file`
          from pathlib import Path

          from flask import Blueprint, abort, request, send_file

          ROOT = Path("/srv/files").resolve()
          files = Blueprint("files", __name__)


          @files.get("/file")
          def get():
              path = (ROOT / request.args["name"]).resolve()
              if not path.is_relative_to(ROOT):
                  abort(400)
              return send_file(path)
        `,
        'shop/restore.py': file`
          import tarfile


          def restore(upload: str, target: str) -> None:
              with tarfile.open(upload) as archive:
                  archive.extractall(target, filter="data")
        `,
        'files/open.go': file`
          package files

          import (
          \t"net/http"
          \t"os"
          \t"path/filepath"
          )

          // Open opens an attachment.
          func Open(r *http.Request) (*os.File, error) {
          \tname := r.URL.Query().Get("name")
          \tif !filepath.IsLocal(name) {
          \t\treturn nil, os.ErrPermission
          \t}
          \treturn os.Open(filepath.Join("/srv/attachments", name))
          }
        `,
      },
      ['flask==3.0.3'],
    ),
    planted: [],
  },
  {
    name: 'clean: a tool that opens what its user names',
    files: python({
      'tools/convert.py': file`
        import argparse
        import json
        import sys

        parser = argparse.ArgumentParser()
        parser.add_argument("source")
        arguments = parser.parse_args()
        with open(arguments.source, encoding="utf-8") as stream:
            json.dump(json.load(stream), sys.stdout, indent=2)
      `,
    }),
    planted: [],
  },
];
