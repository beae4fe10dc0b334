import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { folder, root } from '../../../test/project.ts';
import { cleanEnv, type Ended, expectError, expectJsonError, patchbay } from './command.ts';

// From source: the build may be older.
const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
const script = join(root, 'packages/cli/src/main.ts');
const call = (cwd: string, ...args: string[]) => patchbay(['mcp', ...args], { cwd, flags, script });
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

const real = { command: process.execPath, args: [everything, 'stdio'], transport: 'stdio' };
const project = (mcp_servers: object) => folder({ 'patchbay.yaml': JSON.stringify({ mcp_servers }) });

function text({ stdout, stderr, status }: Ended): string {
  expect([stderr, status]).toEqual(['', 0]);
  return stdout;
}

it('servers are listed, tried, called and read where no host serves, and nothing goes on running', () => {
  const cwd = project({ real });
  expect(text(call(cwd, 'list'))).toBe('real  script  stopped\n');
  expect(text(call(cwd, 'start', 'real'))).toMatch(/^real answers\. Its tools: echo, .*\nNo host serves this project/);
  expect(text(call(cwd, 'call', 'real', 'echo', '{"message":"hi"}'))).toBe('Echo: hi\n');
  expect(JSON.parse(text(call(cwd, 'call', 'real', 'echo', '{"message":"hi"}', '--json')))).toEqual({
    result: 'Echo: hi',
  });
  expect(text(call(cwd, 'logs', 'real', '--lines', '1'))).toMatch(/^\S+Z (?:patchbay|stderr): .*\n$/);
  expect(text(call(cwd, 'stop', 'real'))).toContain('real does not run');
  expect(JSON.parse(text(call(cwd, 'list', '--json')))).toMatchObject([{ name: 'real', state: 'stopped', pid: null }]);
  expect(text(call(project({}), 'list'))).toBe('There are no MCP servers.\n');
});

it('what is wrong is told: the input, the name, the tool, the project', () => {
  const cwd = project({ real });
  expectError(call(cwd, 'call', 'real', 'echo', '{'), 2, 'USAGE', /the input is not JSON/);
  expectError(call(cwd, 'call', 'real', 'echo', '[]'), 2, 'USAGE', /must be a JSON object/);
  expectError(call(cwd, 'start', 'reel'), 2, 'MCP_UNKNOWN', /did you mean "real"/);
  expect(call(cwd, 'call', 'real', 'nope')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^error: .*nope/),
  });
  const wrong = project({ a: { comand: 'x', command: 'x' }, b: { transport: 'stdio' } });
  expectJsonError(call(wrong, 'list', '--json'), 2, 'PROJECT_INVALID', /a\.comand.*b\.command/);
  expectJsonError(call(folder(), 'list', '--json'), 2, 'PROJECT_MISSING', /no project/);
});

it('where a host serves, its servers are meant, and they go on running', async () => {
  const cwd = project({ real });
  const args = [...flags, script, 'serve', '--port', '0', '--webhook-port', '0', '--json'];
  const host = spawn(process.execPath, args, { cwd, env: cleanEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    host.kill('SIGTERM');
    if (host.exitCode === null) await once(host, 'exit');
  });
  await once(createInterface({ input: host.stdout }), 'line');
  expect(text(call(cwd, 'start', 'real'))).toMatch(/^real answers\. Its tools: echo, .*\n$/);
  const [first] = JSON.parse(text(call(cwd, 'list', '--json'))) as [{ pid: number }];
  expect(first).toMatchObject({ state: 'running', pid: expect.any(Number) });
  expect(text(call(cwd, 'call', 'real', 'echo', '{"message":"hi"}'))).toBe('Echo: hi\n');
  expect(JSON.parse(text(call(cwd, 'list', '--json')))).toMatchObject([{ pid: first.pid, restarts: 0 }]);
  expect(text(call(cwd, 'stop', 'real'))).toContain('real does not run');
  expect(JSON.parse(text(call(cwd, 'list', '--json')))).toMatchObject([{ state: 'stopped', pid: null }]);
});
