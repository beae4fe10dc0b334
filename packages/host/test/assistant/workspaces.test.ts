import { describe, expect, it } from 'vitest';
import { folder, pluginText } from '../../../../test/project.ts';
import { collectWorkspaces } from '../../src/assistant/workspaces.ts';
import { openHost } from '../../src/host.ts';
import { Bench, moduleForm } from '../host/fixture.ts';

const spec = (config: string, name = 'code-improver') =>
  `provides: { workspace: () => ({ folder: '${name}', config: ${config} }) }`;

/** The workspaces of a project with this file and these plugins, in this order. */
async function workspacesOf(yaml: string, plugins: Readonly<Record<string, string>> = {}) {
  const lines = Object.keys(plugins).map((name) => `  ${name}:\n    path: plugins/${name}.mjs\n`);
  const modules = Object.entries(plugins).map(([name, rest]) => {
    const its = rest.startsWith('workspace:') ? pluginText(name, rest) : pluginText(name, '', rest);
    return [`plugins/${name}.mjs`, its];
  });
  const cwd = folder({
    'patchbay.yaml': `plugins:\n${lines.join('')}\n${yaml}`,
    ...Object.fromEntries(modules),
  });
  await using host = await opened(cwd);
  return await collectWorkspaces(host.kernel, host.assistant);
}

async function opened(cwd: string) {
  const host = await openHost({ cwd, version: '0.0.0' });
  if (host.project === undefined) throw new Error('there is no project');
  return { ...host, assistant: host.project.assistant, [Symbol.asyncDispose]: () => host.close() };
}

describe('a workspace', () => {
  it('is its folder, with all else at its default', async () => {
    const { workspaces } = await workspacesOf('workspaces:\n  home:\n');
    expect(workspaces).toEqual([
      {
        said: {},
        workspace: {
          folder: 'home',
          name: 'home',
          chats: ['terminal:home'],
          senders: null,
          core: null,
          skills: null,
          mcpServers: [],
          disabledTools: [],
          contextMode: 'shared',
          schedule: null,
          repoAccess: false,
          container: {
            runtime: null,
            image: null,
            network: 'host',
            mounts: [],
            cpus: null,
            memoryMb: null,
            pids: null,
          },
        },
      },
    ]);
  });

  it('comes from a plugin as the document has it', async () => {
    const config = `{ pynchy_repo_access: true, schedule: '0 4 * * *',
      prompt: 'Run scheduled code improvements', context_mode: 'isolated' }`;
    const { workspaces, problems } = await workspacesOf('', { improver: spec(config) });
    expect(problems).toEqual([]);
    expect(workspaces).toMatchObject([
      {
        workspace: {
          folder: 'code-improver',
          repoAccess: true,
          schedule: { cron: '0 4 * * *', prompt: 'Run scheduled code improvements', contextMode: 'isolated' },
        },
      },
    ]);
  });

  it('ignores claude_md, and takes names as TypeScript writes them', async () => {
    const { workspaces, problems } = await workspacesOf('', { a: spec(`{ claude_md: 'x', contextMode: 'isolated' }`) });
    expect(problems).toEqual([]);
    expect(workspaces[0]?.workspace.contextMode).toBe('isolated');
  });

  it('of the project wins over that of a plugin, field by field, and says what it stands in place of', async () => {
    const yaml = 'workspaces:\n  code-improver:\n    prompt: Ours\n';
    const plugin = spec(`{ schedule: '0 4 * * *', prompt: 'Theirs' }`);
    const { workspaces } = await workspacesOf(yaml, { improver: plugin });
    expect(workspaces[0]?.workspace.schedule).toMatchObject({ cron: '0 4 * * *', prompt: 'Ours' });
    expect(workspaces[0]?.said).toEqual({
      schedule: [{ value: '0 4 * * *', plugin: 'improver' }],
      prompt: [
        { value: 'Ours', plugin: null },
        { value: 'Theirs', plugin: 'improver' },
      ],
    });
  });

  it('of two plugins is that of the last one registered, field by field', async () => {
    const { workspaces } = await workspacesOf('', {
      one: spec(`{ prompt: '1', name: 'One' }`),
      two: spec(`{ prompt: '2' }`),
    });
    expect(workspaces).toHaveLength(1);
    expect(workspaces[0]?.said).toEqual({
      prompt: [
        { value: '2', plugin: 'two' },
        { value: '1', plugin: 'one' },
      ],
      name: [{ value: 'One', plugin: 'one' }],
    });
  });

  it('of an installed plugin, in a process of its own, takes part', async () => {
    const bench = new Bench('patchbay');
    const text = pluginText('far', '', spec(`{ prompt: 'From afar' }`, 'far'));
    await bench.install('far', moduleForm('far', ['workspace'], text));
    const host = await bench.open();
    const { workspaces } = await collectWorkspaces(host.kernel, host.project?.assistant as never);
    expect(workspaces[0]?.said).toEqual({ prompt: [{ value: 'From afar', plugin: 'far' }] });
  });
});

describe('a plugin that brings a bad workspace takes nothing from the others', () => {
  const good = { good: spec(`{ prompt: 'Good' }`, 'good') };
  const handler = (text: string) => `workspace: { deadlineMs: 300, handler: ${text} }`;
  it.each([
    ['throws', handler('() => { throw new Error("out of paper"); }'), /out of paper/],
    ['never answers', handler('() => new Promise(() => {})'), /300 ms|in time|deadline/],
    ['answers a number', handler('() => 7'), /must|expected|answered/i],
    ['answers no folder', handler('() => ({ config: {} })'), /folder/],
    ['leads out with its folder', spec('{}', '../../etc'), /plain name/],
    ['names a field that there is not', spec(`{ promt: 'x' }`), /"promt": unknown field, did you mean "prompt"/],
    ['has a schedule that is none', spec(`{ schedule: 'at noon' }`), /"schedule": must be a cron expression/],
    ['has a time zone that is none', spec(`{ timezone: 'Mars' }`), /"timezone": must be the name of a time zone/],
    ['has a value of another kind', spec(`{ skills: 'all' }`), /"skills": must be a list/],
  ])('where it %s', async (_, bad, message) => {
    const { workspaces, problems } = await workspacesOf('', { ...good, bad });
    expect(workspaces.map(({ workspace }) => workspace.folder)).toContain('good');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ plugin: 'bad', message: expect.stringMatching(message) });
  });
});

describe('what is wrong in the file of the project', () => {
  it.each([
    ['workspaces:\n  home:\n    promt: x\n', /workspace "home": "promt": unknown field/],
    ['workspaces:\n  a/b: {}\n', /workspace "a\/b": its folder must be a plain name/],
    ['workspaces:\n  home:\n    schedule: never\n', /"schedule": must be a cron expression/],
    ['workspaces: []\n', /"workspaces": must hold fields/],
    ['workspaces:\n  home: 7\n', /patchbay\.yaml:4: "workspaces\.home": must hold fields/],
    ['assistant:\n  at_once: 0\n', /"assistant\.at_once": must be at least 1/],
    ['assistant:\n  nam: x\n', /"assistant\.nam": unknown field, did you mean "name"/],
    ['services:\n  tier: perhaps\n', /"services\.tier": must be always-approve, rules-engine or human-approval/],
    ['services:\n  tools:\n    a:\n      tiers: x\n', /"services\.tools\.a\.tiers": unknown field/],
    ['services:\n  rules:\n    - decision: maybe\n', /"services\.rules\.0\.decision": must be allow, ask or refuse/],
    [
      'services:\n  rules:\n    - { args: { to: "(" }, decision: allow }\n',
      /"services\.rules\.0\.args\.to": must be a regular/,
    ],
    ['services:\n  approval_timeout: soon\n', /"services\.approval_timeout": must be a duration/],
    ['container:\n  runtimes: podman\n', /"container\.runtimes": unknown field/],
  ])('is an error that names the place: %j', async (yaml, message) => {
    await expect(workspacesOf(yaml)).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      message: expect.stringMatching(message),
    });
  });
});
