import { type Case, file } from '../case.ts';
import { go, node, python } from '../repositories.ts';

const traversal = 'traversal' as const;

/** Paths made of what strangers say. */
export const traversals: readonly Case[] = [
  {
    name: 'file of an upload folder sent by its name',
    files: node(
      {
        'src/uploads.ts': file`
          import path from 'node:path';
          import { Router } from 'express';

          const uploads = path.resolve('uploads');
          export const router = Router();

          router.get('/uploads/:name', (req, res) => {
            const file = path.join(uploads, req.params.name);
            res.download(file);
          });
        `,
      },
      { express: '^4.19.2' },
    ),
    planted: [
      {
        kind: traversal,
        file: 'src/uploads.ts',
        at: 'const file = path.join(uploads, req.params.name);\n  res.download(file);',
      },
    ],
  },
  {
    name: 'static server that trusts the address',
    files: node({
      'src/static.js': file`
        import { createReadStream } from 'node:fs';
        import { createServer } from 'node:http';

        createServer((req, res) => {
          const stream = createReadStream('./public' + decodeURIComponent(req.url));
          stream.on('error', () => res.writeHead(404).end());
          stream.pipe(res);
        }).listen(8080);
      `,
    }),
    planted: [{ kind: traversal, file: 'src/static.js', at: "createReadStream('" }],
  },
  {
    name: 'report opened by the name in the query, in Flask',
    files: python(
      {
        'shop/reports.py': file`
          import os

          from flask import Blueprint, request

          REPORTS = "/var/lib/shop/reports"
          reports = Blueprint("reports", __name__)


          @reports.get("/report")
          def report():
              path = os.path.join(REPORTS, request.args["name"])
              with open(path, encoding="utf-8") as stream:
                  return stream.read()
        `,
      },
      ['flask==3.0.3'],
    ),
    planted: [
      {
        kind: traversal,
        file: 'shop/reports.py',
        at: 'path = os.path.join(REPORTS, request.args["name"])\n    with open(path',
      },
    ],
  },
  {
    name: 'attachment read by a query parameter, in Go',
    files: go({
      'files/files.go': file`
        package files

        import (
        \t"net/http"
        \t"os"
        \t"path/filepath"
        )

        // Handler gives an attachment.
        func Handler(w http.ResponseWriter, r *http.Request) {
        \tname := r.URL.Query().Get("name")
        \tdata, err := os.ReadFile(filepath.Join("/srv/attachments", name))
        \tif err != nil {
        \t\thttp.NotFound(w, r)
        \t\treturn
        \t}
        \t_, _ = w.Write(data)
        }
      `,
    }),
    planted: [{ kind: traversal, file: 'files/files.go', at: 'os.ReadFile' }],
  },
  {
    name: 'archive of a customer unpacked as it is',
    files: python({
      'shop/restore.py': file`
        import tarfile


        def restore(upload: str, target: str) -> None:
            with tarfile.open(upload) as archive:
                archive.extractall(target)
      `,
    }),
    planted: [{ kind: traversal, file: 'shop/restore.py', at: 'archive.extractall' }],
  },
  {
    name: 'upload stored under the name its sender gave',
    files: node(
      {
        'src/avatar.js': file`
          import { writeFile } from 'node:fs/promises';
          import multer from 'multer';
          import { Router } from 'express';

          const upload = multer({ storage: multer.memoryStorage() });
          export const avatars = Router();

          avatars.post('/avatar', upload.single('avatar'), async (req, res) => {
            await writeFile(\`avatars/\${req.file.originalname}\`, req.file.buffer);
            res.status(201).end();
          });
        `,
      },
      { express: '^4.19.2', multer: '^1.4.5-lts.1' },
    ),
    planted: [{ kind: traversal, file: 'src/avatar.js', at: 'await writeFile' }],
  },
  {
    name: 'clean: path joined and then checked to be inside',
    files: node(
      {
        'src/uploads.ts': file`
          import path from 'node:path';
          import { Router } from 'express';

          const uploads = path.resolve('uploads');
          export const router = Router();

          router.get('/uploads/:name', (req, res) => {
            const file = path.resolve(uploads, req.params.name);
            if (!file.startsWith(uploads + path.sep)) {
              res.status(400).end();
              return;
            }
            res.download(file);
          });
        `,
      },
      { express: '^4.19.2' },
    ),
    planted: [],
  },
  {
    name: 'clean: only the base name is used, in Python and Go',
    files: python(
      {
        'shop/reports.py': file`
          from flask import Blueprint, request, send_from_directory
          from werkzeug.utils import secure_filename

          reports = Blueprint("reports", __name__)


          @reports.get("/report")
          def report():
              return send_from_directory("reports", request.args["name"])


          @reports.post("/report")
          def store():
              upload = request.files["report"]
              upload.save("reports/" + secure_filename(upload.filename))
              return "", 201
        `,
        'files/files.go': file`
          package files

          import (
          \t"net/http"
          \t"path/filepath"
          )

          // Handler gives an attachment.
          func Handler(w http.ResponseWriter, r *http.Request) {
          \tname := filepath.Base(r.URL.Query().Get("name"))
          \thttp.ServeFile(w, r, filepath.Join("/srv/attachments", name))
          }
        `,
      },
      ['flask==3.0.3'],
    ),
    planted: [],
  },
  {
    name: 'clean: a build script that joins paths of its own',
    files: node({
      'scripts/build.mjs': file`
        import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
        import path from 'node:path';

        const out = path.join(import.meta.dirname, '..', 'dist');
        await mkdir(out, { recursive: true });
        for (const name of await readdir('pages')) {
          const page = await readFile(path.join('pages', name), 'utf8');
          await writeFile(path.join(out, name), page.replaceAll('@VERSION@', process.argv[2] ?? 'dev'));
        }
        await cp('../shared/assets', path.join(out, 'assets'), { recursive: true });
      `,
    }),
    planted: [],
  },
];
