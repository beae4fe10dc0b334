import { expect, it } from 'vitest';
import { sentinel } from '../index.ts';
import { clean } from './clean.ts';
import { input } from './fixture.ts';

const child = "import { exec, execSync, spawn } from 'node:child_process';\n";

/** Name, file, text, the check that finds it, the line, the decision. */
const planted: readonly (readonly [string, string, string, string, number, 'HOLD' | 'ADVISORY'])[] = [
  [
    'a command with a query in it',
    'a.ts',
    `${child}app.get('/', (req, res) => exec(\`ls \${req.query.dir}\`));`,
    'command injection',
    2,
    'HOLD',
  ],
  [
    'a command put together from a parameter',
    'a.ts',
    `${child}export function tag(name: string) {\n  execSync('git tag ' + name);\n}`,
    'command injection',
    3,
    'HOLD',
  ],
  [
    'a command put together before',
    'a.js',
    "const cp = require('child_process');\nfunction f(dir) {\n  const cmd = `du ${dir}`;\n  cp.exec(cmd);\n}",
    'command injection',
    4,
    'HOLD',
  ],
  [
    'a promise of a command',
    'a.mjs',
    `${child}import { promisify } from 'node:util';\nconst run = promisify(exec);\nexport const f = (x) => run(\`cat \${x}\`);`,
    'command injection',
    4,
    'HOLD',
  ],
  [
    'a program started through a shell',
    'a.ts',
    `${child}export const f = (x: string) => spawn(\`echo \${x}\`, { shell: true });`,
    'command injection',
    2,
    'HOLD',
  ],
  [
    'a command in a file with an enum',
    'a.ts',
    `${child}enum Kind { A, B }\nexport const f = (x: string) => exec(\`echo \${x}\`);`,
    'command injection',
    3,
    'HOLD',
  ],
  [
    'eval of the body',
    'a.js',
    "app.post('/calc', (req, res) => {\n  res.json(eval(req.body.expression));\n});",
    'code injection',
    2,
    'HOLD',
  ],
  [
    'a function of a text',
    'a.js',
    'export const f = (body) => new Function("x", body);',
    'code injection',
    1,
    'ADVISORY',
  ],
  [
    'a query by template',
    'a.ts',
    "export async function find(db: any, name: string) {\n  return db.query(`SELECT * FROM users WHERE name = '${name}'`);\n}",
    'SQL injection',
    2,
    'HOLD',
  ],
  [
    'a query by addition',
    'a.js',
    "const find = (req) => {\n  const sql = 'SELECT * FROM users WHERE id = ' + req.params.id;\n  return db.all(sql);\n};",
    'SQL injection',
    3,
    'HOLD',
  ],
  [
    'markup from the address',
    'a.js',
    "const name = new URLSearchParams(location.search).get('name');\ndocument.body.innerHTML = `<b>${name}</b>`;",
    'cross-site scripting',
    2,
    'HOLD',
  ],
  [
    'markup in an answer',
    'a.js',
    "app.get('/', (req, res) => {\n  res.send('<h1>' + req.query.name + '</h1>');\n});",
    'cross-site scripting',
    2,
    'HOLD',
  ],
  [
    'markup in a component',
    'a.tsx',
    'export const Post = ({ body }: { body: string }) => (\n  <div dangerouslySetInnerHTML={{ __html: body }} />\n);',
    'cross-site scripting',
    2,
    'HOLD',
  ],
  [
    'a path from a request',
    'a.ts',
    "import path from 'node:path';\napp.get('/f', (req, res) => {\n  res.sendFile(path.join('/srv', req.query.file));\n});",
    'path traversal',
    3,
    'HOLD',
  ],
  [
    'a path taken apart before',
    'a.js',
    "app.get('/f/:name', (req, res) => {\n  const { name } = req.params;\n  fs.readFile(`/srv/${name}`, (e, text) => res.end(text));\n});",
    'path traversal',
    3,
    'HOLD',
  ],
  [
    'tokens signed with a literal',
    'a.js',
    "import jwt from 'jsonwebtoken';\nexport const sign = (user) => jwt.sign({ user }, 'hunter2');",
    'secrets',
    2,
    'HOLD',
  ],
  [
    'certificates that nobody checks',
    'a.js',
    "import https from 'node:https';\nexport const agent = new https.Agent({ rejectUnauthorized: false });",
    'certificates',
    2,
    'HOLD',
  ],
  [
    'fetch without a limit',
    'a.ts',
    'export const load = async (id: string) =>\n  fetch(`https://api.example.com/${id}`);',
    'timeouts',
    2,
    'ADVISORY',
  ],
  [
    'fetch with other options',
    'a.ts',
    "export const load = (url: string) => fetch(url, { method: 'POST' });",
    'timeouts',
    1,
    'ADVISORY',
  ],
  [
    'axios without a limit',
    'a.js',
    "import axios from 'axios';\nexport const f = (u) => axios.post(u, { a: 1 });",
    'timeouts',
    2,
    'ADVISORY',
  ],
  [
    'http.get without a limit',
    'a.js',
    "const http = require('http');\nhttp.get('http://example.com', (answer) => answer.resume());",
    'timeouts',
    2,
    'ADVISORY',
  ],
  [
    'a shell in Python',
    'a.py',
    'import subprocess\n\ndef show(name):\n    subprocess.run(f"cat {name}", shell=True)\n',
    'command injection',
    4,
    'HOLD',
  ],
  [
    'a shell over several lines',
    'a.py',
    'import subprocess\nsubprocess.check_output(\n    "ls " + path,\n    shell=True,\n)\n',
    'command injection',
    2,
    'HOLD',
  ],
  ['os.system', 'a.py', 'import os\nos.system("ping " + host)\n', 'command injection', 2, 'HOLD'],
  ['eval in Python', 'a.py', 'def calc():\n    return eval(request.args["q"])\n', 'code injection', 2, 'HOLD'],
  [
    'a formatted query',
    'a.py',
    'def find(cur, name):\n    cur.execute(f"SELECT * FROM users WHERE name = \'{name}\'")\n',
    'SQL injection',
    2,
    'HOLD',
  ],
  [
    'a query with a percent sign',
    'a.py',
    'def find(cur, name):\n    sql = "DELETE FROM users WHERE name = \'%s\'" % name\n    cur.execute(sql)\n',
    'SQL injection',
    3,
    'HOLD',
  ],
  [
    'a path from a request in Python',
    'a.py',
    'def get():\n    name = request.args.get("name")\n    return send_file(os.path.join(ROOT, name))\n',
    'path traversal',
    3,
    'HOLD',
  ],
  ['yaml.load', 'a.py', 'import yaml\nyaml.load(open("x.yaml"))\n', 'unsafe loading', 2, 'HOLD'],
  ['pickle from outside', 'a.py', 'import pickle\npickle.loads(request.data)\n', 'unsafe loading', 2, 'HOLD'],
  [
    'a template from outside',
    'a.py',
    'def hi():\n    return render_template_string("Hi " + request.args["n"])\n',
    'cross-site scripting',
    2,
    'HOLD',
  ],
  [
    'requests without a limit',
    'a.py',
    'import requests\nrequests.get(\n    "https://example.com",\n)\n',
    'timeouts',
    2,
    'ADVISORY',
  ],
  [
    'certificates unchecked in Python',
    'a.py',
    'import requests\nrequests.get(u, verify=False, timeout=3)\n',
    'certificates',
    2,
    'HOLD',
  ],
  [
    'a shell in Go',
    'a.go',
    'package a\n\nfunc f(name string) {\n\texec.Command("sh", "-c", "cat "+name).Run()\n}\n',
    'command injection',
    4,
    'HOLD',
  ],
  [
    'a query in Go',
    'a.go',
    'package a\n\nfunc f(name string) {\n\tdb.Query(fmt.Sprintf("SELECT * FROM u WHERE n = \'%s\'", name))\n}\n',
    'SQL injection',
    4,
    'HOLD',
  ],
  [
    'a query put together before, in Go',
    'a.go',
    'package a\n\nfunc f(n string) {\n\tq := "SELECT id FROM u WHERE n = \'" + n + "\'"\n\tdb.QueryRow(q)\n}\n',
    'SQL injection',
    5,
    'HOLD',
  ],
  [
    'https.request without a limit',
    'a.ts',
    "import * as https from 'https';\nexport const f = (cb: any) => https.request({ host: 'x.y' }, cb);",
    'timeouts',
    2,
    'ADVISORY',
  ],
  [
    'a path in Go',
    'a.go',
    'package a\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tname := r.URL.Query().Get("f")\n\tos.ReadFile("/srv/" + name)\n}\n',
    'path traversal',
    5,
    'HOLD',
  ],
  [
    'http.Get in Go',
    'a.go',
    'package a\n\nfunc f() {\n\thttp.Get("https://example.com")\n}\n',
    'timeouts',
    4,
    'ADVISORY',
  ],
  ['a client without limit in Go', 'a.go', 'package a\n\nvar c = &http.Client{}\n', 'timeouts', 3, 'ADVISORY'],
  ['no lock file', 'package.json', '{"dependencies": {"left-pad": "^1.0.0"}}', 'dependencies', 1, 'ADVISORY'],
  ['any version', 'requirements.txt', 'flask==3.0.0\nrequests\n', 'dependencies', 2, 'ADVISORY'],
];

it.each(planted)('finds %s', async (_, file, text, check, line, decision) => {
  const report = await sentinel(input({ ...clean.rustCrate, [`app/${file}`]: text }));
  const told = report.findings.filter(({ result }) => result !== 'PASS');
  expect(told).toEqual([expect.objectContaining({ check, evidence: expect.stringMatching(`^app/${file}:${line}: `) })]);
  expect(report.sentinel_decision).toBe(decision);
  expect(report.hold_reason).toBe(report.blockers.join('\n'));
});

it.each([
  ['a runner of whole commands', 'a.ts', `${child}export const run = (command: string) => exec(command);`],
  ['exec of a pattern', 'a.ts', 'export const f = (a: string) => /x/.exec(`a${a}`);'],
  [
    'a command of constants',
    'a.ts',
    `${child}const DIR = 'dist';\nfor (const one of ['a', 'b']) execSync(\`rm -rf \${DIR}/\${one}\`);`,
  ],
  ['a tagged query', 'a.ts', 'export const f = (sql: any, id: string) => sql`SELECT * FROM t WHERE id = ${id}`;'],
  [
    'a sentence that begins like a query',
    'a.ts',
    'export const f = (log: any, a: string) => log.info(`Select ${a} in the list`);',
  ],
  ['markup without values', 'a.js', "el.innerHTML = '<br>';"],
  ['fetch of one’s own', 'a.ts', "import { fetch } from './fetch.ts';\nexport const f = (u: string) => fetch(u);"],
  ['fetch with options from elsewhere', 'a.ts', 'export const f = (u: string, o: RequestInit) => fetch(u, { ...o });'],
  [
    'a path that a command is given',
    'a.ts',
    "import { readFileSync } from 'node:fs';\nreadFileSync(process.argv[2] ?? 'x');",
  ],
  [
    'axios with a default',
    'a.js',
    "import axios from 'axios';\naxios.defaults.timeout = 5000;\nexport const f = (u) => axios.get(u);",
  ],
  ['a safe loader', 'a.py', 'import yaml\nyaml.load(text, Loader=yaml.SafeLoader)\n'],
  ['a quoted command', 'a.py', 'import os, shlex\nos.system("ls " + shlex.quote(name))\n'],
  ['eval of a model', 'a.py', 'model.eval()\nast.literal_eval(text)\n'],
  ['code in a comment', 'a.py', '# os.system("rm " + x)\n"""\neval(x)\n"""\n'],
  [
    'a base name in Go',
    'a.go',
    'package a\n\nfunc f(r *http.Request) {\n\tname := filepath.Base(r.FormValue("f"))\n\tos.ReadFile(filepath.Join("/srv", name))\n}\n',
  ],
  ['a file that is no code', 'a.js', 'this is not { JavaScript'],
])('has nothing against %s', async (_, file, text) => {
  const report = await sentinel(input({ [file]: text }));
  expect(report.findings.filter(({ result }) => result !== 'PASS')).toEqual([]);
});

it('weighs what was there before one degree less', async () => {
  const files = { 'old.py': 'os.system("rm " + x)\nrequests.get(u)\n', 'new.py': 'requests.get(u)\n' };
  const report = await sentinel(input(files, { base: ['./new.py'] }));
  expect(report).toMatchObject({ sentinel_decision: 'ADVISORY', blockers: [] });
  expect(report.advisories).toEqual([
    expect.stringContaining('new.py:1: requests.get has no time limit'),
    expect.stringContaining('old.py:1: os.system runs a shell'),
  ]);
});
