import { definePlugin } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { openHost } from '../../src/host.ts';

const seen: unknown[] = [];
const bell = definePlugin({
  name: 'bell',
  version: '1.0.0',
  config: z.strictObject({ tone: z.optional(z.string()) }),
  hooks: { 'host:ready': (_, { config }) => void seen.push(config) },
});

async function readyWith(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<readonly unknown[]> {
  seen.length = 0;
  const host = await openHost({ cwd: folder({ 'patchbay.yaml': yaml }), version: '0.0.0', builtins: [bell], env });
  expect(host.quarantined).toEqual([]);
  await host.kernel.call('host:ready', { version: '0.0.0', project: null });
  await host.close();
  return [...seen];
}

describe('a plugin that comes with the program', () => {
  it('is there without a word in the project', async () => {
    expect(await readyWith('')).toEqual([{}]);
  });

  it('is set up by the project, with references to the environment looked up', async () => {
    const yaml = 'plugins:\n  bell:\n    config: { tone: "${TONE}" }\n';
    expect(await readyWith(yaml, { TONE: 'deep' })).toEqual([{ tone: 'deep' }]);
  });

  it('is left out where the project says so', async () => {
    expect(await readyWith('plugins:\n  bell: { enabled: false }\n')).toEqual([]);
  });

  it.each([
    ['plugins:\n  bel: { enabled: false }\n', 'PROJECT_INVALID', /"plugins\.bel" needs a "path".*did you mean "bell"/],
    ['plugins:\n  bell: { config: 7 }\n', 'PROJECT_INVALID', /"plugins\.bell\.config": must hold fields/],
    ['plugins:\n  bell: { enabled: maybe }\n', 'PROJECT_INVALID', /"plugins\.bell\.enabled": must be true or false/],
    ['plugins:\n  bell: { config: { tone: "${TONE}" } }\n', 'CONFIG_INVALID', /needs the variable TONE/],
    ['plugins:\n  bell: { config: { volume: 3 } }\n', 'CONFIG_INVALID', /bell/],
  ])('is refused where it cannot be set up so: %j', async (yaml, code, message) => {
    await expect(readyWith(yaml)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});
