import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { patchbay } from './command.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

function doctor(cwd: string): { checks: Check[]; status: number | null } {
  const { stdout, status } = patchbay(['doctor', '--json'], { cwd });
  return { ...(JSON.parse(stdout) as { checks: Check[] }), status };
}

const manifest = JSON.stringify({ name: 'p', version: '1.0.0', description: 'x', hooks: [] });

describe('doctor', () => {
  it('says where programs of the assistant run, and what is wrong with a runtime that is wanted', () => {
    const workspaces = 'workspaces: { home: {} }\n';
    const containers = (yaml: string) => {
      const { checks, status } = doctor(folder({ 'patchbay.yaml': yaml }));
      return { ...checks.find(({ name }) => name === 'containers'), status };
    };
    const fine = containers(`${workspaces}container: { runtime: none }\n`);
    expect(fine).toMatchObject({ ok: true, status: 0 });
    expect(fine.detail).toMatch(/^none is used; (?=.*bubblewrap is )(?=.*podman is )/);
    expect(containers(`${workspaces}container: { runtime: dokcer }\n`)).toMatchObject({ ok: false, status: 1 });
    expect(containers('').name).toBeUndefined();
  });

  it('finds nothing wrong outside of a project', () => {
    const { checks, status } = doctor(folder());
    expect(status).toBe(0);
    expect(checks.map(({ name }) => name)).toEqual([
      'node',
      'code generation',
      'git',
      'processes of plugins',
      'project',
    ]);
    expect(checks.every(({ ok }) => ok)).toBe(true);
  });

  it('finds plugins whose files were changed or are gone, and says what to do', () => {
    const cwd = folder({ 'patchbay.yaml': '', 'p/agentxchain-plugin.json': manifest });
    expect(patchbay(['plugin', 'install', './p'], { cwd }).status).toBe(0);
    expect(doctor(cwd).status).toBe(0);

    const installed = join(cwd, '.patchbay/plugins/p');
    writeFileSync(join(installed, 'more.txt'), 'x');
    const changed = doctor(cwd);
    expect(changed.status).toBe(1);
    expect(changed.checks).toContainEqual({
      name: 'plugin p',
      ok: false,
      detail: 'its files differ from the lock file',
      fix: 'run "patchbay plugin install" to restore what the lock file says',
    });

    rmSync(installed, { recursive: true });
    expect(doctor(cwd).checks).toContainEqual(
      expect.objectContaining({ name: 'plugin p', ok: false, detail: 'its folder is missing' }),
    );
  });

  it('tells of a project file that cannot be read', () => {
    const { checks, status } = doctor(folder({ 'patchbay.yaml': 'plugins: [' }));
    expect(status).toBe(1);
    expect(checks.at(-1)).toMatchObject({
      name: 'project',
      ok: false,
      detail: expect.stringContaining('patchbay.yaml'),
    });
  });

  it('tells what is doubtful about the plugins of PACE: configuration for nobody, dead events, folders without any', () => {
    const settings = 'plugins: { dirs: [plugins, gone], config: { slak_gate: {} } }\n';
    const cwd = folder({
      'pace/pace.config.yaml': settings,
      'plugins/index.mjs': `import { hook } from 'patchbay-sdk/pace';
        export const slackGate = hook(['AFTER_GATE', 'AFTER_GAT'], () => {});`,
    });
    const { checks, status } = doctor(cwd);
    expect(status).toBe(1);
    expect(checks.filter(({ name }) => name === 'PACE').map(({ ok, detail }) => [ok, detail])).toEqual([
      [true, expect.stringContaining('1 plugins are loaded')],
      [false, 'plugins.dirs: gone does not exist'],
      [false, expect.stringContaining('"AFTER_GAT", which nobody fires; did you mean "AFTER_GATE"?')],
      [false, expect.stringContaining('"plugins.config.slak_gate" is for no plugin')],
    ]);
    writeFileSync(join(cwd, 'pace/pace.config.yaml'), 'plugins: { dirz: [] }\n');
    expect(doctor(cwd).checks.find(({ name }) => name === 'PACE')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('did you mean "dirs"?'),
    });
  });
});
