import type { Files } from './scaffold.ts';

/** A plugin in TypeScript, as an Agent Plugins 1.0 package; `sdk` is the version of the SDK it is for. */
export function nativeFiles(name: string, sdk: string): Files {
  const manifest = {
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name,
    version: '0.1.0',
    description: 'Greets whoever had a turn accepted',
    extensions: {
      'dev.patchbay': {
        module: './plugin.ts',
        hooks: ['turn:accepted'],
        config_schema: {
          type: 'object',
          properties: { greeting: { type: 'string', default: 'Well done' } },
          additionalProperties: false,
        },
      },
    },
  };
  const packageJson = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { test: 'node --test' },
    '//': 'The host lends patchbay-sdk to plugins. For the test it must be in node_modules; see README.md.',
    peerDependencies: { 'patchbay-sdk': `^${sdk}` },
  };
  return {
    'plugin.json': json(manifest),
    'plugin.ts': plugin(name),
    'plugin.test.ts': test(name),
    'package.json': json(packageJson),
    'README.md': readme(name),
    '.gitignore': 'node_modules\n',
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function plugin(name: string): string {
  return `import { definePlugin } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

export default definePlugin({
  name: '${name}',
  version: '0.1.0',
  // The same as config_schema in plugin.json, which is read without running this.
  config: z.object({ greeting: z.string().default('Well done') }),
  hooks: {
    'turn:accepted': ({ role, summary }, { config, log }) => {
      log.info(\`\${config.greeting}, \${role}: \${summary}\`);
    },
  },
});
`;
}

function test(name: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestHost } from 'patchbay-sdk/testing';
import plugin from './plugin.ts';

test('greets whoever had a turn accepted', async () => {
  await using host = createTestHost(plugin);
  const fired = await host.fire('turn:accepted', { role: 'reviewer', summary: 'All good' });
  fired.assertOk().assertCalled('${name}');
  assert.deepEqual(host.logs.map(({ message }) => message), ['Well done, reviewer: All good']);
});

test('greets as it is configured', async () => {
  await using host = createTestHost();
  host.load(plugin, { greeting: 'Thank you' });
  await host.fire('turn:accepted', { role: 'author', summary: 'Done' });
  assert.deepEqual(host.logs.map(({ message }) => message), ['Thank you, author: Done']);
});
`;
}

function readme(name: string): string {
  return `# ${name}

A plugin for Patchbay: \`plugin.ts\` is the code, \`plugin.json\` tells about it without running it.

    patchbay plugin install ./${name} --link   # work on it in a project; without --link, a copy
    node --test                                # Node 24 or later

The test needs \`patchbay-sdk\`, which the host lends to installed plugins. It is not in the npm registry yet; link it:

    mkdir -p node_modules && ln -s /path/to/patchbay/packages/sdk node_modules/patchbay-sdk

\`patchbay hooks list\` shows what a plugin can do. List each hook in \`plugin.json\` too.
`;
}
