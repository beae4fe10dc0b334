import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { confinements, eventually, nap, running } from '../sandbox/fixture.ts';
import { ScriptPlugin } from './script-fixture.ts';

describe.each(confinements)('the contract of scripts, confined by %s', (confinement) => {
  let plugin: ScriptPlugin;
  beforeAll(() => {
    plugin = new ScriptPlugin(confinement);
  });
  afterEach(() => expect(plugin.leftovers()).toEqual([]));
  afterAll(() => plugin.close());

  it.each([
    ['AGENTXCHAIN_RUN_ID', 'run-1'],
    ['AGENTXCHAIN_TURN_ID', 'turn-2'],
    ['AGENTXCHAIN_ROLE', 'developer'],
    ['AGENTXCHAIN_PHASE', 'implementation'],
    ['AGENTXCHAIN_EVENT', 'turn:accepted'],
    ['PATCHBAY_DELIVERY_KEY', 'delivery-7'],
  ])('%s is %j', async (name, value) => {
    expect((await plugin.callScript(`printf %s "$${name}"`)).output).toBe(value);
  });

  it('AGENTXCHAIN_PAYLOAD_FILE is the path of a JSON file with the full payload, for its owner only', async () => {
    const { output } = await plugin.callScript(
      'cat "$AGENTXCHAIN_PAYLOAD_FILE"; stat -c %a "$AGENTXCHAIN_PAYLOAD_FILE" >&2',
    );
    const [json = '', mode] = output.split('\n');
    expect(JSON.parse(json)).toEqual(plugin.payload());
    expect(mode).toBe('600');
  });

  it('AGENTXCHAIN_PLUGIN_CONFIG is the path of a JSON file with the configuration, for its owner only', async () => {
    const script = 'cat "$AGENTXCHAIN_PLUGIN_CONFIG"; stat -c %a "$AGENTXCHAIN_PLUGIN_CONFIG" >&2';
    const { output } = await plugin.callScript(script, { config: { url: 'http://x/', deep: { ü: [1] } } });
    expect(output).toBe('{"url":"http://x/","deep":{"ü":[1]}}\n600\n');
  });

  it('what an event does not have is an empty variable', async () => {
    const { output } = await plugin.callScript(
      'printf "<%s>" "${AGENTXCHAIN_TURN_ID-unset}" "${AGENTXCHAIN_ROLE-unset}"',
      {
        event: 'run:started',
        payload: { turn_id: null, role: null },
      },
    );
    expect(output).toBe('<><>');
  });

  it('the environment has these names, the base and what was granted, and no others', async () => {
    process.env['PATCHBAY_TEST_SECRET'] = 'of the host';
    const { output } = await plugin.callScript('env -0 | cut -z -d= -f1 | tr "\\0" "\\n"', { env: { GRANTED: '1' } });
    delete process.env['PATCHBAY_TEST_SECRET'];
    const ofTheShell = ['PWD', 'SHLVL', '_'];
    const base = ['PATH', 'HOME', 'LANG', 'TZ'].filter((name) => process.env[name] !== undefined);
    const contract = ['RUN_ID', 'TURN_ID', 'ROLE', 'PHASE', 'EVENT', 'PAYLOAD_FILE', 'PLUGIN_CONFIG'];
    expect(output.trim().split('\n').sort()).toEqual(
      [
        ...contract.map((name) => `AGENTXCHAIN_${name}`),
        ...['GRANTED', 'PATCHBAY_DELIVERY_KEY', 'TMPDIR'],
        ...base,
        ...ofTheShell,
      ].sort(),
    );
  });

  it('what was granted cannot take the place of what the contract says', async () => {
    const env = { AGENTXCHAIN_RUN_ID: 'forged', TMPDIR: '/forged' };
    const { output } = await plugin.callScript('echo "$AGENTXCHAIN_RUN_ID $TMPDIR"', { env });
    expect(output).toMatch(/^run-1 \/.*patchbay-job-.*\n$/);
    expect(output).not.toContain('forged');
  });

  it('it runs in the folder of the project, with no input', async () => {
    expect((await plugin.callScript('pwd; cat')).output).toBe(`${plugin.project}\n`);
  });

  it('exit code 0 is success', async () => {
    expect(await plugin.callScript('echo done; echo note >&2')).toMatchObject({
      status: 'ok',
      verdict: 'ok',
      message: null,
      exit_code: 0,
      signal: null,
      timed_out: false,
      output: 'done\n\nnote\n',
    });
  });

  it('another exit code is a failure that is logged as a warning, with what it said last', async () => {
    const script = 'for i in 1 2 3 4 5 6 7; do echo "line $i" >&2; done; exit 3';
    expect(await plugin.callScript(script)).toMatchObject({
      status: 'failed',
      verdict: 'warn',
      message: 'exited with 3: line 3\nline 4\nline 5\nline 6\nline 7',
      exit_code: 3,
    });
  });

  it('a script that is not done within timeout_ms is ended with SIGTERM, which is logged as a warning', async () => {
    const seconds = nap();
    expect(await plugin.callScript(`exec sleep ${seconds}`, { timeoutMs: 150 })).toMatchObject({
      status: 'failed',
      verdict: 'warn',
      message: 'was ended after 150 ms',
      timed_out: true,
      signal: 'SIGTERM',
      exit_code: null,
    });
    expect(running(seconds)).toEqual([]);
  });

  it('a script that ends well on SIGTERM has failed all the same', async () => {
    const script = `trap 'echo tidied; exit 0' TERM; sleep ${nap()} & wait`;
    const outcome = await plugin.callScript(script, { timeoutMs: 150 });
    expect(outcome).toMatchObject({ status: 'failed', timed_out: true, exit_code: 0, output: 'tidied\n' });
  });

  it('death by a signal is recorded', async () => {
    const message = 'was ended by SIGKILL: oh no';
    const outcome = await plugin.callScript('echo oh no >&2; kill -9 $$');
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'warn', message, signal: 'SIGKILL', exit_code: null });
  });

  it('a script that is no longer wanted is stopped', async () => {
    const seconds = nap();
    const abort = new AbortController();
    const call = plugin.callScript(`exec sleep ${seconds}`, { signal: abort.signal });
    await eventually(() => expect(running(`sleep\0${seconds}`)).not.toEqual([]));
    abort.abort();
    expect(await call).toMatchObject({ status: 'failed', message: 'was stopped', timed_out: false });
  });

  it('a script that cannot be started is a failure that says what to do', async () => {
    plugin.script('echo hi', { name: 'hooks/no-run-bit.sh', mode: 0o644 });
    const outcome = await plugin.call('./hooks/no-run-bit.sh');
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'warn', exit_code: null, output: '' });
    expect(outcome.message).toMatch(/no-run-bit\.sh has no run bit\. Run: chmod \+x '.*no-run-bit\.sh'/);
  });

  it('two scripts on one event do not see each other’s files', async () => {
    const list = 'ls -1 "$(dirname "$AGENTXCHAIN_PAYLOAD_FILE")" | tr "\\n" " "';
    plugin.script(list, { name: 'hooks/a.sh' });
    plugin.script(list, { name: 'hooks/b.sh' });
    const both = await Promise.all([plugin.call('hooks/a.sh'), plugin.call('hooks/b.sh')]);
    const own = 'AGENTXCHAIN_PAYLOAD_FILE.json AGENTXCHAIN_PLUGIN_CONFIG.json ';
    expect(both.map(({ output }) => output)).toEqual([own, own]);
  });

  it('secrets do not appear in anything that is kept', async () => {
    const secrets = ['hunter22', 'hunter22-and-more', 'qu"ote\nd', 'on'];
    const script = `echo "on hunter22 hunter22-and-more"; printf '%s' '{"x":"qu\\"ote\\nd"}'; echo failed with hunter22 >&2; exit 1`;
    const { output, message } = await plugin.callScript(script, { secrets });
    expect(output).toBe('on *** ***\n{"x":"***"}\nfailed with ***\n');
    expect(message).toBe('exited with 1: failed with ***');
  });

  it.runIf(spawnSync('jq', ['--version']).status === 0)(
    'a script in the manner of the document, with jq and curl, posts to a web hook',
    async () => {
      const server = createServer((request, response) => {
        request
          .setEncoding('utf8')
          .toArray()
          .then((body) => response.end(body.join('')));
      }).listen(0, '127.0.0.1');
      try {
        await new Promise((resolve) => server.once('listening', resolve));
        const script = `set -euo pipefail
        url=$(jq -r .webhook_url < "$AGENTXCHAIN_PLUGIN_CONFIG")
        jq '{channel: "#agents", text: ("Accepted from " + .role + ": " + .summary)}' < "$AGENTXCHAIN_PAYLOAD_FILE" |
          curl -s --json @- "$url" | jq -r .text`;
        const config = { webhook_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
        expect(await plugin.callScript(script, { config })).toMatchObject({
          status: 'ok',
          output: 'Accepted from developer: Fixed the off-by-one in the pager\n',
        });
      } finally {
        server.close();
      }
    },
  );
});
