import { expect, it } from 'vitest';
import { sentinel } from '../index.ts';
import { input } from './fixture.ts';

/** Name, file, text, the check that finds it, the line. */
const planted: readonly (readonly [string, string, string, string, number])[] = [
  [
    'an instance of axios without a limit',
    'a.ts',
    "import axios from 'axios';\nexport const crm = axios.create({ baseURL: 'https://crm.shop.io' });",
    'timeouts',
    2,
  ],
  ['fetch of the global object', 'a.ts', 'export const f = (u: string) => globalThis.fetch(u);', 'timeouts', 1],
  [
    'got without a limit',
    'a.js',
    "import got from 'got';\nexport const f = (u) => got(u, { retry: { limit: 2 } }).json();",
    'timeouts',
    2,
  ],
  [
    'got.post without a limit',
    'a.js',
    "import got from 'got';\nexport const f = (u) => got.post(u, { json: {} });",
    'timeouts',
    2,
  ],
  [
    'a session without a limit',
    'a.py',
    'import requests\ns = requests.Session()\ndef f(u):\n    return s.get(u)\n',
    'timeouts',
    4,
  ],
  [
    'a session of an object without a limit',
    'a.py',
    'import requests\nclass A:\n    def __init__(self):\n        self.http = requests.Session()\n    def f(self, u):\n        return self.http.post(u, json={})\n',
    'timeouts',
    6,
  ],
  [
    'a session of a block without a limit',
    'a.py',
    'import requests\nwith requests.Session() as s:\n    s.put(u)\n',
    'timeouts',
    3,
  ],
  ['mail without a limit', 'a.py', 'import smtplib\nserver = smtplib.SMTP("mail.shop.io", 587)\n', 'timeouts', 2],
  ['a socket without a limit', 'a.py', 'import socket\ns = socket.create_connection(("shop.io", 80))\n', 'timeouts', 2],
  [
    'a server in Go without a limit',
    'a.go',
    'package a\n\nfunc main() {\n\tlog.Fatal(http.ListenAndServe(":80", nil))\n}\n',
    'timeouts',
    4,
  ],
  [
    'a server of one’s own in Go without a limit',
    'a.go',
    'package a\n\nvar s = &http.Server{Addr: ":80", Handler: h}\n',
    'timeouts',
    3,
  ],
  ['certificates of nobody', 'a.js', "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';", 'certificates', 1],
  ['certificates of nobody by name', 'a.js', "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = 0;", 'certificates', 1],
  ['a context that checks nothing', 'a.py', 'import ssl\nc = ssl._create_unverified_context()\n', 'certificates', 2],
  [
    'a context told to check nothing',
    'a.py',
    'import ssl\nc = ssl.create_default_context()\nc.verify_mode = ssl.CERT_NONE\n',
    'certificates',
    3,
  ],
  [
    'a session that trusts anybody',
    'a.py',
    'import requests\ns = requests.Session()\ns.verify = False\n',
    'certificates',
    3,
  ],
  [
    'a call of a session that trusts anybody',
    'a.py',
    'import requests\ns = requests.Session()\ns.get(u, verify=False, timeout=3)\n',
    'certificates',
    3,
  ],
  [
    'a connector that trusts anybody',
    'a.py',
    'import aiohttp\nc = aiohttp.TCPConnector(ssl=False)\n',
    'certificates',
    2,
  ],
  ['curl -k', 'a.sh', '#!/bin/sh\ncurl -fsSLk https://get.shop.io -o a\n', 'certificates', 2],
  [
    'curl --insecure in an image',
    'Dockerfile',
    'FROM a:1\nRUN curl --insecure https://get.shop.io | tar xz\n',
    'certificates',
    2,
  ],
  [
    'wget in CI',
    '.github/workflows/a.yml',
    'a:\n  - run: wget --no-check-certificate https://get.shop.io\n',
    'certificates',
    2,
  ],
  ['npm that trusts anybody', '.npmrc', 'strict-ssl=false\n', 'certificates', 1],
  ['git that trusts anybody', 'a.sh', 'git config --global http.sslVerify false\n', 'certificates', 1],
  ['node told to trust anybody', '.env', 'PORT=1\nNODE_TLS_REJECT_UNAUTHORIZED=0\n', 'certificates', 2],
];

it.each(planted)('finds %s', async (_, file, text, check, line) => {
  const { findings } = await sentinel(input({ [file]: text }));
  expect(findings.filter(({ result }) => result !== 'PASS')).toEqual([
    expect.objectContaining({ check, evidence: expect.stringMatching(`^${file.replaceAll('.', '\\.')}:${line}: `) }),
  ]);
});

it.each([
  [
    'instances with a limit',
    'a.ts',
    "import axios from 'axios';\nimport got from 'got';\nexport const a = axios.create({ timeout: 5 });\nexport const b = got.extend({ timeout: { request: 5 } });\nexport const f = (u: string) => b(u);",
  ],
  [
    'options of elsewhere',
    'a.ts',
    "import axios from 'axios';\nimport { settings } from './settings.ts';\nexport const a = axios.create(settings);",
  ],
  [
    'a session with a limit for all',
    'a.py',
    'import functools\nimport requests\ns = requests.Session()\ns.request = functools.partial(s.request, timeout=5)\ns.get(u)\n',
  ],
  ['a get of something else', 'a.py', 'import requests\ns = {}\ns.get("a")\nself.cache.get("b")\n'],
  ['mail with a limit', 'a.py', 'import smtplib\nsmtplib.SMTP("a", 25, timeout=5)\nsmtplib.SMTP()\n'],
  ['sockets with a limit', 'a.py', 'import socket\nsocket.create_connection(("a", 80), 5)\n'],
  [
    'a limit for every socket',
    'a.py',
    'import smtplib\nimport socket\nsocket.setdefaulttimeout(5)\nsmtplib.SMTP("a", 25)\n',
  ],
  ['a server in Go with a limit', 'a.go', 'package a\n\nvar s = &http.Server{Addr: ":80", ReadHeaderTimeout: 5}\n'],
  [
    'a server in Go that gets its limit later',
    'a.go',
    'package a\n\nfunc f() {\n\ts := &http.Server{Addr: ":80"}\n\ts.ReadTimeout = 5\n}\n',
  ],
  ['verify of something else', 'a.py', 'form.verify = False\nstore.save(verify=False)\n'],
  ['curl to this machine', 'a.sh', 'curl -k https://localhost:8443/health\n'],
  ['curl with a k in it', 'a.sh', 'curl --keepalive-time 5 -o k https://shop.io\ngit config http.sslVerify true\n'],
  ['words about curl -k', 'README.md', 'Never use `curl -k`.\n'],
  ['certificates that are checked', '.npmrc', 'strict-ssl=true\n'],
])('has nothing against %s', async (_, file, text) => {
  const { findings } = await sentinel(input({ [file]: text }));
  expect(findings.filter(({ result }) => result !== 'PASS')).toEqual([]);
});
