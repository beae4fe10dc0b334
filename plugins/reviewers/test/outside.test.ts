import { expect, it } from 'vitest';
import { sentinel } from '../index.ts';
import { input } from './fixture.ts';

const fs = "import { readFile, writeFileSync } from 'node:fs';\nimport path from 'node:path';\n";
const flask = 'from flask import request, send_file\n';
const gofn = (body: string, imports = '') =>
  `package a\n\n${imports}func f(w http.ResponseWriter, r *http.Request) {\n${body}\n}\n`;

/** Name, file, text, the check that finds it, the line. */
const planted: readonly (readonly [string, string, string, string, number])[] = [
  [
    'a query that grows',
    'a.js',
    "async function f(req) {\n  let sql = 'SELECT id FROM t';\n  sql += ' ORDER BY ' + req.query.sort;\n  return db.all(sql);\n}",
    'SQL injection',
    3,
  ],
  [
    'a request taken apart',
    'a.js',
    `${fs}export const f = ({ query }, res) => readFile(path.join('a', query.name), res.end);`,
    'path traversal',
    3,
  ],
  ['eval by a detour', 'a.js', 'export const f = (req) => (0, eval)(req.body.code);', 'code injection', 1],
  [
    'a shell with -c',
    'a.ts',
    "import { spawn } from 'node:child_process';\nexport const f = (d: string) => spawn('bash', ['-c', `pg_dump ${d} | gzip`]);",
    'command injection',
    2,
  ],
  [
    'a template of a request',
    'a.js',
    "import Handlebars from 'handlebars';\nexport const f = (req) => Handlebars.compile(req.body.template)({});",
    'template injection',
    2,
  ],
  [
    'a template of a request, by EJS',
    'a.js',
    "const ejs = require('ejs');\nmodule.exports = (req, res) => {\n  res.json(ejs.render(req.query.t, {}));\n};",
    'template injection',
    3,
  ],
  [
    'an object of a cookie',
    'a.js',
    "import { unserialize } from 'node-serialize';\nexport const f = (req) => unserialize(Buffer.from(req.cookies.a, 'base64').toString());",
    'unsafe loading',
    2,
  ],
  [
    'entries of an archive',
    'a.js',
    `${fs}import AdmZip from 'adm-zip';\nfor (const entry of new AdmZip('a.zip').getEntries())\n  writeFileSync(path.join('out', entry.entryName), entry.getData());`,
    'path traversal',
    5,
  ],
  [
    'entries of a tar archive',
    'a.js',
    `${fs}import tar from 'tar-stream';\ntar.extract().on('entry', (header, stream) => {\n  stream.pipe(open(path.join('out', header.name)));\n});`,
    'path traversal',
    5,
  ],
  [
    'a text that becomes a query',
    'a.py',
    'def f(s, c):\n    q = f"SELECT a FROM t WHERE c = \'{c}\'"\n    return s.execute(text(q))\n',
    'SQL injection',
    3,
  ],
  [
    'a shell with -c in Python',
    'a.py',
    'def f(d):\n    subprocess.run(["bash", "-c", f"pg_dump {d} | gzip"], timeout=9)\n',
    'command injection',
    2,
  ],
  [
    'a template of a form',
    'a.py',
    `${flask}from jinja2 import Environment\nenv = Environment()\ndef f():\n    return env.from_string(request.form["t"]).render()\n`,
    'template injection',
    5,
  ],
  [
    'a page with a term in it',
    'a.py',
    `${flask}def f():\n    term = request.args.get("q")\n    return f"<h1>{term}</h1>"\n`,
    'cross-site scripting',
    4,
  ],
  [
    'a message that becomes an object',
    'a.py',
    'import pickle\ndef f(queue):\n    _, message = queue.blpop("jobs")\n    return pickle.loads(message)\n',
    'unsafe loading',
    4,
  ],
  [
    'a file of a route of FastAPI',
    'a.py',
    'from fastapi import FastAPI\n@app.get("/f/{name:path}")\nasync def f(name: str):\n    return FileResponse(f"/srv/{name}")\n',
    'path traversal',
    4,
  ],
  [
    'a file of a route of Flask',
    'a.py',
    `${flask}@app.route("/f/<path:name>")\n@login_required\ndef f(name):\n    return send_file("/srv/" + name)\n`,
    'path traversal',
    5,
  ],
  [
    'a query of a route of FastAPI',
    'a.py',
    'from fastapi import FastAPI\n@app.get("/run")\ndef f(code: str = ""):\n    return eval(code)\n',
    'code injection',
    4,
  ],
  [
    'an archive unpacked as it is',
    'a.py',
    'import tarfile\nwith tarfile.open(u) as a:\n    a.extractall(to)\n',
    'path traversal',
    3,
  ],
  ['arguments that become a command', 'a.sh', '#!/bin/sh\nset -eu\neval "$@"\n', 'command injection', 3],
  [
    'an argument that a shell is given',
    'bin/run',
    '#!/usr/bin/env bash\nbash -c "cd app && $1"\n',
    'command injection',
    2,
  ],
  [
    'a file of Gin',
    'a.go',
    'package a\n\nfunc f(c *gin.Context) {\n\tc.File("./uploads/" + c.Query("name"))\n}\n',
    'path traversal',
    4,
  ],
  [
    'entries of an archive in Go',
    'a.go',
    'package a\n\nimport "archive/zip"\n\nfunc f(r *zip.Reader, to string) {\n\tfor _, f := range r.File {\n\t\tos.Create(filepath.Join(to, f.Name))\n\t}\n}\n',
    'path traversal',
    7,
  ],
  [
    'a page with a term in it, in Go',
    'a.go',
    gofn('\tterm := r.URL.Query().Get("q")\n\tfmt.Fprintf(w, "<h1>%s</h1>", term)'),
    'cross-site scripting',
    5,
  ],
  [
    'a guard in another function, in Go',
    'a.go',
    `${gofn('\tos.Open("/srv/" + r.FormValue("f"))')}\nfunc g(name string) string {\n\treturn filepath.Base(name)\n}\n`,
    'path traversal',
    4,
  ],
];

it.each(planted)('finds %s', async (_, file, text, check, line) => {
  const { findings } = await sentinel(input({ [file]: text }));
  expect(findings.filter(({ result }) => result !== 'PASS')).toEqual([
    expect.objectContaining({ check, evidence: expect.stringMatching(`^${file}:${line}: `) }),
  ]);
});

it.each([
  [
    'a query that grows by what is fixed',
    'a.js',
    "let sql = 'SELECT id FROM t';\nconst parts = ['a = ?'];\nsql += ' WHERE ' + parts.join(' AND ');\ndb.all(sql, [1]);",
  ],
  [
    'parts of an object that is no request',
    'a.js',
    `${fs}export const f = ({ query }) => readFile(path.join('a', query.name), done);`,
  ],
  [
    'a shell with a fixed command',
    'a.ts',
    "import { spawn } from 'node:child_process';\nexport const f = () => spawn('sh', ['-c', 'npm ci && npm test']);",
  ],
  [
    'a template of one’s own',
    'a.js',
    "import Handlebars from 'handlebars';\nexport const f = (values) => Handlebars.compile('<b>{{name}}</b>')(values);",
  ],
  [
    'names of a folder',
    'a.js',
    `${fs}import AdmZip from 'adm-zip';\nfor (const entry of readdirSync('a', { withFileTypes: true })) readFile(path.join('a', entry.name));`,
  ],
  [
    'a name of a pattern',
    'a.js',
    `${fs}export const f = (req, res) => {\n  if (!/^[\\w-]+$/.test(req.params.name)) return res.status(400).end();\n  return readFile(path.join('a', req.params.name), res.end);\n};`,
  ],
  [
    'a name of a list',
    'a.js',
    `${fs}const allowed = new Set(['a', 'b']);\nexport const f = (req, res) => {\n  if (!allowed.has(req.params.name)) return res.end();\n  return readFile(path.join('a', req.params.name), res.end);\n};`,
  ],
  [
    'a path that is compared, in Python',
    'a.py',
    `${flask}def f():\n    path = (ROOT / request.args["n"]).resolve()\n    if not path.is_relative_to(ROOT):\n        abort(400)\n    return send_file(path)\n`,
  ],
  [
    'a number of a route',
    'a.py',
    'from fastapi import FastAPI\n@app.get("/f/{id}")\ndef f(id: int):\n    return FileResponse(f"/srv/{id}.png")\n',
  ],
  [
    'a parameter of no route',
    'a.py',
    'from fastapi import FastAPI\n@app.get("/f/{name}")\ndef f(name: str):\n    return {"name": name}\ndef g(name):\n    return open(f"/srv/{name}")\n',
  ],
  [
    'a page that is escaped',
    'a.py',
    `${flask}from markupsafe import escape\ndef f():\n    return f"<h1>{escape(request.args['q'])}</h1>"\n`,
  ],
  ['a copy of an object', 'a.py', 'import pickle\ndef f(a):\n    return pickle.loads(pickle.dumps(a))\n'],
  [
    'entries of an archive that stay inside, in Go',
    'a.go',
    'package a\n\nimport "archive/zip"\n\nfunc f(r *zip.Reader, to string) {\n\tfor _, f := range r.File {\n\t\tif !filepath.IsLocal(f.Name) {\n\t\t\tcontinue\n\t\t}\n\t\tos.Create(filepath.Join(to, f.Name))\n\t}\n}\n',
  ],
  ['an archive that is filtered', 'a.py', 'import tarfile\ntarfile.open(u).extractall(to, filter="data")\n'],
  [
    'a safe loader of one’s own',
    'a.py',
    'import yaml\nclass Ordered(yaml.SafeLoader):\n    pass\ndef f(s):\n    loader = Ordered\n    yaml.load(s, Ordered)\n    return yaml.load(s, loader)\n',
  ],
  ['an archive of another kind', 'a.py', 'import zipfile\nzipfile.ZipFile(u).extractall(to)\n'],
  [
    'marks for as many values',
    'a.ts',
    "export const f = (db: any, ids: string[]) => {\n  const marks = ids.map((_, i) => `$${i + 1}`).join(', ');\n  return db.query(`SELECT id FROM t WHERE id IN (${marks})`, ids);\n};",
  ],
  [
    'eval of what a program says',
    'a.sh',
    '#!/bin/sh\neval "$(ssh-agent -s)"\n# eval "$1"\nexec "$@"\nbash -c "echo fixed"\n',
  ],
  [
    'a page that is escaped, in Go',
    'a.go',
    gofn(
      '\tfmt.Fprintf(w, "<h1>%s</h1>", html.EscapeString(r.FormValue("q")))\n\tfmt.Fprintf(w, "hello %s", r.FormValue("q"))',
    ),
  ],
])('has nothing against %s', async (_, file, text) => {
  const { findings } = await sentinel(input({ [file]: text }));
  expect(findings.filter(({ result }) => result !== 'PASS')).toEqual([]);
});
