import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { findProject } from '../../src/config/project.ts';
import { homeOf } from '../../src/install/home.ts';

const toml = `# ours
[agent]
core = "ollama"

[container]
runtime = "podman"

[workspaces.my-workspace]
skills = ["core", "dev"]
schedule = "0 4 * * *"

[mcp_servers.gdrive.anyscale]
chrome_profile = "anyscale"

[plugins.notes]
path = "notes.mjs"
colour = "red"

[plugins.calendar]
enabled = false
trusted = true
grants = ["net:example.com"]

[logging]
level = "debug"
`;

describe('config.toml', () => {
  it('makes a project, and says what it says', () => {
    const dir = folder({ 'config.toml': toml, 'notes.mjs': '' });
    const project = findProject(join(dir));
    expect(project).toMatchObject({
      dir,
      file: join(dir, 'config.toml'),
      runs: { core: { core: 'ollama', with: {} } },
      plugins: [{ name: 'notes', path: join(dir, 'notes.mjs'), enabled: true, config: { colour: 'red' } }],
      pynchy: { calendar: { enabled: false, trusted: true, path: null, grants: ['net:example.com'], config: {} } },
      assistant: {
        container: { runtime: 'podman', image: null },
        workspaces: { 'my-workspace': { skills: ['core', 'dev'], schedule: '0 4 * * *' } },
        mcpServers: { gdrive: { anyscale: { chrome_profile: 'anyscale' } } },
      },
    });
    expect(homeOf(dir).configFile).toBe(join(dir, 'patchbay.yaml'));
  });

  it('lies below patchbay.yaml, field by field', () => {
    const yaml =
      'workspaces:\n  my-workspace:\n    skills: [all]\nruns:\n  core: script\ncontainer: { image: small }\n';
    const project = findProject(folder({ 'config.toml': toml, 'patchbay.yaml': yaml }));
    expect(project?.assistant.workspaces['my-workspace']).toEqual({ skills: ['all'], schedule: '0 4 * * *' });
    expect(project?.assistant.container).toEqual({ runtime: 'podman', image: 'small' });
    expect(project?.runs.core?.core).toBe('script');
  });

  it('of another program is none of ours', () => {
    expect(findProject(folder({ 'config.toml': '[server]\nport = 1\n' }))).toBeUndefined();
    expect(findProject(folder({ 'config.toml': 'not = TOML = at all' }))).toBeUndefined();
    const beside = folder({ 'config.toml': '[server]\nport = 1\n', 'patchbay.yaml': '' });
    expect(findProject(beside)?.pynchy).toBeNull();
  });

  it.each([
    ['[workspaces.a]\nskills = \n', /config\.toml:2:\d+: /],
    ['[workspaces]\na = 7\n', /config\.toml: "workspaces\.a": must hold fields/],
    ['[plugins.a]\nenabled = "yes"\n', /"plugins\.a\.enabled": must be true or false/],
    ['[plugins.a]\ntrusted = 1\n', /"plugins\.a\.trusted": must be true or false/],
    ['[plugins.a]\npath = 1\n', /"plugins\.a\.path": must be the path of a module/],
    ['[plugins.a]\npath = "../../evil.mjs"\n', /"plugins\.a\.path": must stay inside the project/],
    ['[plugins.a]\ngrants = "all"\n', /"plugins\.a\.grants": must be a list/],
    ['[agent]\ncore = 3\n', /"agent\.core": must be the name of an agent core/],
    ['[container]\nrun_time = "x"\n', /"container\.run_time": unknown field, did you mean "runtime"/],
  ])('that is wrong is an error that names the place: %j', (text, message) => {
    const found = () => findProject(folder({ 'config.toml': text }));
    expect(found).toThrow(
      expect.objectContaining({ code: 'PROJECT_INVALID', message: expect.stringMatching(message) }),
    );
  });
});
