import { Buffer } from 'node:buffer';
import { sample } from 'patchbay-sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, pluginText } from '../../../../../test/project.ts';
import { keptText, storeEnv } from '../../../../../test/store.ts';
import { openHost } from '../../../src/index.ts';
import { installPlugin } from '../../../src/install/index.ts';
import { answer, handler as receiver } from '../http-fixture.ts';
import { key, oldKey } from './fixture.ts';

/** A host at work in a project, until the test is over. */
async function work(cwd: string, env: Record<string, string> = {}) {
  const host = await openHost({ cwd, version: '0.0.0', env: { ...storeEnv(), ...env } });
  onTestFinished(() => host.close());
  return { host, service: await host.start() };
}

describe('A module of the project', () => {
  it('has its requests signed with the keys of the project file, and sent where that lets it', async () => {
    const post = await receiver(answer(200));
    const cwd = folder({
      'patchbay.yaml': `plugins:
  p:
    path: p.mjs
    grants: ['net:127.0.0.1:${post.port}']
    signing: ['\${NEW_KEY}', '\${OLD_KEY}']
`,
      'p.mjs': pluginText(
        'p',
        `'turn:accepted': () => ({ verdict: 'ok', send: { url: '${post.url}', body: { text: 'hi' } } })`,
      ),
    });
    const { service } = await work(cwd, { NEW_KEY: key, OLD_KEY: oldKey });
    await service.emit('turn:accepted', sample('turn:accepted'));
    await service.rest();
    const [{ headers, body } = {} as never] = post.received;
    expect(new Webhook(oldKey).verify(body, headers as Record<string, string>)).toEqual({ text: 'hi' });
    expect(await service.ledger.delivery('1.1')).toMatchObject({ status: 'ok', http_status: 200 });
  });

  it.each([
    ['is not set', "'${NO_KEY}'", /NO_KEY/],
    ['is too short', 'whsec_c2hvcnQ=', /key 1 must be/],
    ['is no text', '[42]', /key 1 must be/],
  ])('whose key %s is not loaded', async (_, signing, message) => {
    const cwd = folder({
      'patchbay.yaml': `plugins: { p: { path: p.mjs, signing: ${signing} } }`,
      'p.mjs': pluginText('p'),
    });
    const error = { code: 'CONFIG_INVALID', plugin: 'p', message: expect.stringMatching(message) };
    await expect(openHost({ cwd, version: '0.0.0', env: {} })).rejects.toMatchObject(error);
  });
});

describe('An installed plugin, in its own process', () => {
  it('has its requests sent where it was let, with its secrets, which the ledger does not know', async () => {
    const post = await receiver(answer(200));
    const secret = 'sk-live-0123456789';
    const permissions = { net: [`127.0.0.1:${post.port}`], env: ['TOKEN'] };
    const source = folder({
      'plugin.json': JSON.stringify({
        $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
        name: 'caller',
        version: '1.0.0',
        extensions: { 'dev.patchbay': { module: './plugin.js', hooks: ['turn:accepted'], permissions } },
      }),
      'plugin.js': `
        const headers = { authorization: 'Basic ' + Buffer.from('ada:' + process.env.TOKEN).toString('base64') };
        const send = { url: '${post.url}', body: { token: process.env.TOKEN }, headers };
        export default { name: 'caller', version: '1.0.0', hooks: { 'turn:accepted': () => ({ verdict: 'ok', send }) } };`,
    });
    const cwd = folder({ 'patchbay.yaml': '' });
    await installPlugin(source, { cwd, yes: true });
    const { service, host } = await work(cwd, { TOKEN: secret, PATH: process.env['PATH'] ?? '' });
    expect(host.quarantined).toEqual([]);
    await service.emit('turn:accepted', sample('turn:accepted'));
    await service.rest();
    const [{ headers, body } = {} as never] = post.received;
    expect([headers.authorization, JSON.parse(body)]).toEqual([
      `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`,
      { token: secret },
    ]);
    await host.close();
    const kept = await keptText(cwd);
    expect(kept).toContain('"env":"TOKEN"');
    for (const text of [secret, Buffer.from(`ada:${secret}`).toString('base64')]) expect(kept).not.toContain(text);
  });
});
