import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SlackServer } from '../../../plugins/channels/test/slack-server.ts';
import { cleanEnv } from './command.ts';
import { command } from './tmux.ts';

const env = { SLACK_APP_TOKEN: 'xapp-1', SLACK_BOT_TOKEN: 'xoxb-1', CRM_TOKEN: 'letmein' };

/** A fresh assistant with settings of channels. */
class Project {
  readonly dir = mkdtempSync(join(tmpdir(), 'patchbay-channels-'));
  #host: ChildProcess | undefined;

  constructor(plugins: string, chat: string) {
    execFileSync('sh', ['-c', `${command} init --template assistant`], { cwd: this.dir, env: cleanEnv() });
    const file = join(this.dir, 'patchbay.yaml');
    const text = readFileSync(file, 'utf8')
      .replace('plugins:\n', `plugins:\n${plugins}`)
      .replace('    core: script', `    chats: ["${chat}"]\n    core: script`);
    writeFileSync(file, text);
    onTestFinished(async () => {
      await this.kill();
      rmSync(this.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    });
  }

  /** Gives where webhooks are taken. */
  async serve(): Promise<string> {
    const host = spawn('sh', ['-c', `exec ${command} serve --port 0 --webhook-port 0 --json`], {
      cwd: this.dir,
      env: cleanEnv(env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#host = host;
    const [line] = (await once(host.stdout, 'data')) as [Buffer];
    return (JSON.parse(String(line)) as { webhooks: string }).webhooks;
  }

  async kill(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    if (host === undefined || host.exitCode !== null) return;
    host.kill('SIGKILL');
    await once(host, 'exit');
  }
}

describe('an assistant on Slack', () => {
  it('answers in the thread, asks before it calls a tool, and catches up after the host was killed', async () => {
    const slack = await SlackServer.start();
    onTestFinished(() => slack.close());
    const config = `app_token: "\${SLACK_APP_TOKEN}", bot_token: "\${SLACK_BOT_TOKEN}", api_url: "${slack.url}"`;
    const project = new Project(`  channel-slack: { config: { ${config} } }\n`, 'slack:C1');
    await project.serve();
    await slack.until(() => slack.connections === 1);
    const said = (ts: string, text: string, more: object = {}) => ({
      type: 'message',
      channel: 'C1',
      user: 'U1',
      ts,
      text,
      ...more,
    });
    const posted = async (n: number) => {
      await slack.until(() => slack.posted.length >= n);
      return slack.posted.slice(0, n).at(-1);
    };

    slack.event(said('1700000001.000100', 'remember that tea is at four', { thread_ts: '1700000000.000100' }));
    expect(await posted(1)).toMatchObject({ channel: 'C1', text: 'I will remember that tea is at four' });
    expect(slack.posted[0]?.['thread_ts']).toBe('1700000000.000100');
    slack.event(said('1700000002.000100', 'note buy milk'));
    const [, id] = /\/approve (\S+)/.exec((await posted(2))?.['text'] ?? '') ?? [];
    slack.event(said('1700000003.000100', `<@UBOT> /approve ${id}`));
    await slack.until(() => slack.posted.some(({ text }) => text === 'I wrote it down in NOTES.md: buy milk'));
    expect(readFileSync(join(project.dir, 'NOTES.md'), 'utf8')).toBe('- buy milk\n');

    // Its answer is sent when the ones before it are known to have arrived.
    slack.event(said('1700000003.500100', 'hello'));
    await slack.until(() => slack.posted.some(({ text }) => text?.startsWith('I know three sentences')));
    await project.kill();
    slack.history['C1'] = [said('1700000004.000100', 'when is tea?'), said('1700000002.000100', 'note buy milk')];
    await project.serve();
    await slack.until(() => slack.posted.some(({ text }) => text === 'You told me:\n• tea is at four'));
    expect(slack.posted.filter(({ text }) => text?.startsWith('I wrote it down'))).toHaveLength(1);
  });
});

describe('an assistant behind a webhook', () => {
  it('takes messages of whoever proves who it is, and posts its answers, signed', async () => {
    const got: { body: string; headers: Record<string, string> }[] = [];
    const receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      got.push({ body, headers: request.headers as Record<string, string> });
      // The first time it has other things to do.
      response.writeHead(got.length === 1 ? 503 : 200).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const crm = `proof: { scheme: bearer, secrets: ["\${CRM_TOKEN}"] }, url: "${url}", secret: "${secret}"`;
    const project = new Project(`  channel-webhook: { config: { endpoints: { crm: { ${crm} } } } }\n`, 'webhook:crm:7');
    const webhooks = await project.serve();
    const post = (token: string) =>
      fetch(`${webhooks}/channels/crm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ chat: '7', id: 'm1', sender: 'u1', text: 'remember that tea is at four' }),
      });
    expect((await post('wrong')).status).toBe(401);
    expect((await post('letmein')).status).toBe(202);
    // The same message again is the same message.
    expect((await post('letmein')).status).toBe(202);
    await expect.poll(() => got.length).toBe(2);
    const [first, second] = got.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
    expect(first).toMatchObject({ chat: '7', text: 'I will remember that tea is at four' });
    expect(second).toEqual(first);
  });
});
