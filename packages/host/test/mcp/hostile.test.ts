import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { usualPatience } from '../../src/mcp/failures.ts';
import { serverLogFile } from '../../src/mcp/server-log.ts';
import { eventually, freePort, now, overHttp, overStdio, running, scripted, supervise, usual } from './fixture.ts';

const echo = `${usual} if (method === 'tools/call') say({ id, result: text(params.arguments.message) });`;
const good = scripted(echo);
const servers = async (mcp: Awaited<ReturnType<typeof supervise>>['mcp']) => [
  ...new Set((await mcp.list('home')).map(({ server }) => server)),
];

it.each([
  ['never answers', scripted(''), /cannot be used: .*timed out/i],
  [
    'prints nothing but garbage',
    { ...good, args: ['-e', `setInterval(() => console.log('garbage {'), 10)`] },
    /timed out/i,
  ],
  [
    'exits at once',
    { ...good, args: ['-e', `console.error('no licence'); process.exit(3)`] },
    /ended \(exit code 3\) before it was ready; it said: no licence/,
  ],
  ['is not there', { ...good, command: 'no-such-program' }, /no-such-program/],
  [
    'answers initialize with an error',
    scripted(`say({ id, error: { code: -32000, message: 'not today' } })`),
    /not today/,
  ],
  ['answers initialize with nonsense', scripted('say({ id, result: { protocolVersion: 7 } })'), /cannot be used/],
  [
    'lists tools that are none',
    scripted(
      `if (method === 'initialize') hello(id); if (method === 'tools/list') say({ id, result: { tools: [{ name: 7 }] } })`,
    ),
    undefined,
  ],
  [
    'does not listen on its port',
    { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
    /cannot be used: fetch failed.*set transport: stdio/,
  ],
])('a server that %s is left out, and takes nothing from the others', async (_, bad, why) => {
  const { mcp, warnings } = await supervise({ bad, good }, { probeMs: 3_000 });
  expect(await servers(mcp)).toEqual(['good']);
  expect(await mcp.call('good', 'echo', { message: 'fine' }, now)).toEqual({ result: 'fine' });
  if (why === undefined) return;
  expect(warnings).toEqual([expect.stringMatching(why)]);
  expect(warnings[0]).toMatch(/^MCP server "bad" /);
  expect(mcp.status()).toMatchObject([{ name: 'bad', pid: null, last_error: warnings[0] }, { name: 'good' }]);
  expect(mcp.logs('bad').join('\n')).toContain('has failed');
});

it('a server that does not list its tools is told of, and its calls are still made', async () => {
  const mute = scripted(
    `if (method === 'initialize') hello(id); if (method === 'tools/call') say({ id, result: text('ok') });`,
  );
  const { mcp, warnings } = await supervise({ mute }, { probeMs: 2_000 });
  expect(await servers(mcp)).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('MCP server "mute" does not list its tools')]);
  expect(await mcp.call('mute', 'echo', {}, now)).toEqual({ result: 'ok' });
});

it('a server that does not answer is not waited for again and again', async () => {
  const { mcp } = await supervise({ slow: scripted('') }, { probeMs: 4_000 });
  expect(await servers(mcp)).toEqual([]);
  expect(await mcp.call('slow', 'echo', {}, now)).toEqual({
    error: expect.stringMatching(/has failed, and it is tried again in \d+ s/),
  });
});

it('a server that prints garbage between its answers is understood all the same', async () => {
  const noisy = scripted(`process.stdout.write('loading…\\n{"json": true}\\n'); ${echo}`);
  const { mcp } = await supervise({ noisy });
  expect(await mcp.call('noisy', 'echo', { message: 'hi' }, now)).toEqual({ result: 'hi' });
  expect(mcp.logs('noisy').join('\n')).toContain('something is wrong');
});

it('a server that floods its standard error answers, and its log stays bounded', async () => {
  const flooding = scripted(
    `if (method === 'initialize') for (let i = 0; i < 200; i++) process.stderr.write('x'.repeat(65535) + '\\n'); ${echo}`,
  );
  const { mcp, project } = await supervise({ flooding });
  expect(await mcp.call('flooding', 'echo', { message: 'hi' }, now)).toEqual({ result: 'hi' });
  const file = serverLogFile(project, 'flooding');
  expect(statSync(file).size + (existsSync(`${file}.1`) ? statSync(`${file}.1`).size : 0)).toBeLessThan(
    3 * 1024 * 1024,
  );
});

it('an answer that is too long fails the call and costs the server, not the host', async () => {
  const huge = scripted(
    `${usual} if (method === 'tools/call') say({ id, result: text('x'.repeat(params.arguments.length)) });`,
  );
  const { mcp } = await supervise({ huge });
  expect(await mcp.call('huge', 'echo', { length: 1_000_000 }, now)).toEqual({ result: 'x'.repeat(1_000_000) });
  expect(await mcp.call('huge', 'echo', { length: 20_000_000 }, now)).toEqual({
    error: expect.stringContaining('huge'),
  });
  expect(await mcp.call('huge', 'echo', { length: 3 }, now)).toEqual({ result: 'xxx' });
});

it('an answer over HTTP that is too long fails the call', async () => {
  const program = `require('node:http').createServer((request, answer) => {
    let body = '';
    request.on('data', (chunk) => body += chunk).on('end', () => {
      if (request.method !== 'POST') return answer.writeHead(405).end();
      const { id, method } = JSON.parse(body);
      if (id === undefined) return answer.writeHead(202).end();
      answer.setHeader('content-type', 'application/json');
      const result = method === 'initialize' ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
        : { content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] };
      answer.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  }).listen(process.env.PORT, '127.0.0.1');`;
  const { mcp } = await supervise({
    huge: { command: process.execPath, args: ['-e', program.replaceAll(/\{(\w+)\}/g, '{{$1}}')] },
  });
  expect(await mcp.call('huge', 'echo', {}, now)).toEqual({ error: expect.stringMatching(/more than \d+ bytes/) });
});

it('a call that hangs ends when it is given up, and others go on meanwhile', async () => {
  const hanging = scripted(
    `${usual} if (method === 'tools/call' && params.arguments.message !== 'hang') say({ id, result: text('done') });`,
  );
  const { mcp } = await supervise({ hanging });
  const giveUp = new AbortController();
  const hung = mcp.call('hanging', 'echo', { message: 'hang' }, giveUp.signal);
  expect(await mcp.call('hanging', 'echo', { message: 'x' }, now)).toEqual({ result: 'done' });
  giveUp.abort();
  expect(await hung).toEqual({ error: 'the call of echo was given up' });
  expect(await mcp.call('hanging', 'echo', { message: 'x' }, now)).toEqual({ result: 'done' });
  expect(mcp.status()).toMatchObject([{ restarts: 0 }]);
});

it('a server that is still starting is not waited for by whoever has given up', async () => {
  const { mcp } = await supervise({ slow: scripted('') }, { probeMs: 60_000 });
  const giveUp = new AbortController();
  const asked = mcp.call('slow', 'echo', {}, giveUp.signal);
  giveUp.abort();
  expect(await asked).toEqual({ error: 'the call of echo was given up' });
});

it('a server that lies about its schemas is taken at its answers', async () => {
  const lying = scripted(`if (method === 'initialize') hello(id);
    if (method === 'tools/list') say({ id, result: { tools: [{ ...tool('echo'), outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } }] } });
    if (method === 'tools/call') say({ id, result: { ...text('t'), structuredContent: { a: 'a'.repeat(60) + '!' } } });`);
  const { mcp } = await supervise({ lying });
  await mcp.list('home');
  expect(await mcp.call('lying', 'echo', {}, now)).toEqual({ result: { a: `${'a'.repeat(60)}!` } });
});

it('a call during which the server dies is not made again: it may have been carried out', async () => {
  const file = join(folder(), 'calls');
  const dying = scripted(
    `${usual} if (method === 'tools/call') { require('node:fs').appendFileSync(${JSON.stringify(file)}, 'x'); process.exit(1); }`,
  );
  const { mcp } = await supervise({ dying });
  expect(await mcp.call('dying', 'echo', {}, now)).toEqual({ error: expect.stringContaining('did not answer echo') });
  await eventually(() => expect(mcp.status()).toMatchObject([{ state: 'running', restarts: 1 }]));
  expect(readFileSync(file, 'utf8')).toBe('x');
});

it('a server that crashes again and again is left alone for a while, and then tried once', async () => {
  const dying = scripted(`${usual} if (method === 'notifications/initialized') process.exit(7);`);
  const patience = { ...usualPatience, firstMs: 1, most: 3, pauseMs: 1_000_000 };
  const { mcp } = await supervise({ dying }, { patience });
  // One that ends before it was ready is only started again when somebody asks.
  await eventually(async () => {
    await mcp.list('home');
    expect(mcp.status()).toMatchObject([{ state: 'failed', last_error: expect.stringContaining('"dying"') }]);
  });
  expect(await mcp.call('dying', 'echo', {}, now)).toEqual({
    error: expect.stringMatching(/has failed, and it is tried again in \d+ s/),
  });
  const { restarts } = mcp.status()[0] ?? {};
  await mcp.start('dying').catch(() => undefined);
  await eventually(() => expect(mcp.status()[0]?.restarts).toBeGreaterThan(restarts ?? 0));
});

it('a url server that was away is reached again, for a call that it cannot have heard', async () => {
  const far = await supervise({ far: overHttp });
  const { port } = await far.mcp.start('far');
  const { mcp } = await supervise({ near: { type: 'url', url: `http://127.0.0.1:${port}/mcp` } });
  expect(await mcp.call('near', 'echo', { message: '1' }, now)).toEqual({ result: 'Echo: 1' });
  await far.mcp.stop('far');
  expect(await mcp.call('near', 'echo', { message: '2' }, now)).toEqual({ error: expect.stringContaining('near') });
  const again = await supervise({ far: { ...overHttp, port } });
  await again.mcp.start('far');
  expect(await mcp.call('near', 'echo', { message: '3' }, now)).toEqual({ result: 'Echo: 3' });
});

it('a server over HTTP that has forgotten the session gets another one', async () => {
  const port = await freePort();
  const far = await supervise({ far: { ...overHttp, port } });
  await far.mcp.start('far');
  const { mcp } = await supervise({ near: { type: 'url', url: `http://127.0.0.1:${port}/mcp` } });
  expect(await mcp.call('near', 'echo', { message: '1' }, now)).toEqual({ result: 'Echo: 1' });
  await far.mcp.stop('far');
  await far.mcp.start('far');
  expect(far.mcp.status()[0]?.port).toBe(port);
  expect(await mcp.call('near', 'echo', { message: '2' }, now)).toEqual({ result: 'Echo: 2' });
});

it('tools are listed once while the server runs, and again when it says that they are others', async () => {
  const changing = scripted(`if (method === 'initialize') hello(id);
    if (method === 'tools/list') say({ id, result: { tools: [tool('t' + ++calls)] } });
    if (method === 'tools/call') { say({ id, result: text('ok') }); say({ method: 'notifications/tools/list_changed' }); }`);
  const { mcp } = await supervise({ changing });
  const names = async () => (await mcp.list('home')).map(({ name }) => name);
  expect([await names(), await names()]).toEqual([['t1'], ['t1']]);
  await mcp.call('changing', 't1', {}, now);
  await eventually(async () => expect(await names()).toEqual(['t2']));
  expect(await names()).toEqual(['t2']);
});

it('many calls at once start the server once and share its session', async () => {
  const file = join(folder(), 'starts');
  const counted = scripted(
    `if (method === 'initialize') require('node:fs').appendFileSync(${JSON.stringify(file)}, 'x'); ${echo}`,
  );
  const { mcp } = await supervise({ counted });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => mcp.call('counted', 'echo', { message: `m${n}` }, now)),
  );
  expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => ({ result: `m${n}` })));
  expect(readFileSync(file, 'utf8')).toBe('x');
});

it('values of variables do not get into the log, the warnings or the answers about failures', async () => {
  const env = { ...process.env, TOKEN: 'forwarded-secret' };
  const leaking = {
    ...good,
    args: [
      '-e',
      `process.stderr.write('my key is said-'); setTimeout(() => { console.error('secret and ' + process.env.TOKEN); process.exit(1); }, 50)`,
    ],
  };
  const { mcp, project, warnings } = await supervise(
    { leaking: { ...leaking, env: { KEY: 'said-secret' }, env_forward: ['TOKEN'] } },
    { env },
  );
  const answer = await mcp.call('leaking', 'echo', {}, now);
  const all = JSON.stringify([answer, warnings, mcp.status(), readFileSync(serverLogFile(project, 'leaking'), 'utf8')]);
  expect(all).toContain('my key is ***');
  expect(all).not.toMatch(/said-secret|forwarded-secret/);
});

it('what a server has started ends with it, wherever it has gone', async () => {
  const nap = `${90_000 + process.pid}.${Date.now() % 1_000_000}`;
  const parent = scripted(
    `if (method === 'initialize') require('node:child_process').spawn('setsid', ['sleep', '${nap}'], { detached: true, stdio: 'ignore' }).unref(); ${echo}`,
  );
  const { mcp, close } = await supervise({ parent });
  await mcp.list('home');
  await eventually(() => expect(running(nap).length).toBeGreaterThan(1));
  await close();
  expect(running(`sleep\0${nap}`)).toEqual([]);
});

it('a host that is killed leaves no server running', async () => {
  const mark = `HOST-${process.pid}-${Date.now()}`;
  const settings = { stdio: { ...overStdio, env: { MARK: mark } }, http: { ...overHttp, env: { MARK: mark } } };
  const fixture = join(import.meta.dirname, 'host.fixture.ts');
  const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
  const host = spawn(process.execPath, [...flags, fixture, folder(), JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  const [line] = await once(host.stdout.setEncoding('utf8'), 'data');
  const pids = (JSON.parse(line) as { pid: number }[]).map(({ pid }) => pid);
  expect(pids).toEqual([expect.any(Number), expect.any(Number)]);
  host.kill('SIGKILL');
  await once(host, 'exit');
  await eventually(() => expect(running(`MARK=${mark}`)).toEqual([]));
});

it('a supervisor that is closed while servers start leaves nothing', async () => {
  const mark = `CLOSED-${process.pid}-${Date.now()}`;
  const { mcp, close } = await supervise({ slow: { ...scripted(''), env: { MARK: mark } } }, { probeMs: 60_000 });
  const asked = mcp.call('slow', 'echo', {}, now);
  await eventually(() => expect(running(mark).length).toBeGreaterThan(0));
  await close();
  expect(await asked).toEqual({ error: expect.stringContaining('stopped') });
  expect(running(mark)).toEqual([]);
  expect(await mcp.call('slow', 'echo', {}, now)).toEqual({ error: expect.stringContaining('the host ends') });
});

it('plugins that throw, hang or say nonsense of servers take nothing from the others', async () => {
  const { mcp, warnings } = await supervise(
    { orphan: { idle_timeout: 5 } },
    {
      plugins: [
        {
          name: 'throws',
          servers: () => {
            throw new Error('no');
          },
        },
        { name: 'rejects', servers: () => Promise.reject(new Error('no')) },
        { name: 'nonsense', servers: () => 'a server' },
        {
          name: 'half',
          servers: () => [
            { name: '../../etc', command: 'x' },
            { name: 'empty' },
            { name: 'odd', command: 'x', colour: 'red' },
            { name: 'half', ...good },
          ],
        },
        { name: 'fine', servers: () => ({ name: 'fine', ...good }) },
      ],
    },
  );
  expect((await servers(mcp)).sort()).toEqual(['fine', 'half']);
  const states = Object.fromEntries(mcp.status().map(({ name, state }) => [name, state]));
  expect(states).toMatchObject({
    '../../etc': 'invalid',
    empty: 'invalid',
    orphan: 'invalid',
    half: 'running',
    fine: 'running',
  });
  expect(warnings).toEqual(
    expect.arrayContaining([
      expect.stringContaining('MCP server "../../etc" of plugin "half" cannot be used'),
      expect.stringContaining('MCP server "empty" of plugin "half" cannot be used'),
      expect.stringContaining('MCP server "orphan" cannot be used'),
    ]),
  );
  await expect(mcp.start('empty')).rejects.toMatchObject({ code: 'MCP_FAILED' });
  await expect(mcp.start('unheard-of')).rejects.toMatchObject({ code: 'MCP_UNKNOWN' });
});

it('a plugin whose promise never settles costs its own servers', { timeout: 60_000 }, async () => {
  const { mcp } = await supervise(
    {},
    {
      plugins: [
        { name: 'hangs', servers: () => new Promise(() => {}) },
        { name: 'fine', servers: () => ({ name: 'fine', ...good }) },
      ],
    },
  );
  expect(await servers(mcp)).toEqual(['fine']);
});
