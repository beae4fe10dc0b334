/** Builds what is shipped: bundles by esbuild, types by tsc. Skips itself when nothing has changed since. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type BuildOptions, build } from 'esbuild';

const stamp = 'node_modules/.patchbay-built';
const packages = ['sdk', 'host', 'cli'];

function fingerprint(): string {
  const hash = createHash('sha256');
  const sources = [
    'packages/*/src/**/*.ts',
    'packages/*/package.json',
    'packages/host/templates/*',
    'plugins/**/*.{json,mjs,ts}',
    'examples/pace-*/pace_plugin.ts',
    'tsconfig*.json',
    'scripts/build.ts',
  ];
  for (const file of [...globSync(sources), 'package-lock.json'].sort()) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

const wanted = fingerprint();
const outputs = ['packages/sdk/dist/index.d.ts', 'packages/host/dist/index.d.ts', 'packages/cli/dist/main.js'];
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && outputs.every((file) => existsSync(file))) {
  process.exit(0);
}

console.error('Building …');
for (const name of packages) rmSync(`packages/${name}/dist`, { recursive: true, force: true });

const common = {
  bundle: true,
  platform: 'node',
  // Packages that have both ship their old form for require, which cannot always be bundled.
  mainFields: ['module', 'main'],
  target: 'node24',
  format: 'esm',
  splitting: true,
  legalComments: 'none',
  logLevel: 'warning',
  // For bundled packages that were written for require.
  banner: {
    js: [
      "import { createRequire as _createRequire } from 'node:module';",
      'const require = _createRequire(import.meta.url), __dirname = import.meta.dirname;',
    ].join(' '),
  },
} satisfies BuildOptions;

/** What the host starts as processes of their own. */
const processes = {
  'launcher-main': 'packages/host/src/sandbox/launcher-main.ts',
  'isolated-main': 'packages/host/src/sandbox/isolated-main.ts',
};

// The SDK stands alone: what it uses of others, the test host's kernel included, is bundled in.
await build({
  ...common,
  conditions: ['patchbay-source'],
  entryPoints: {
    index: 'packages/sdk/src/index.ts',
    errors: 'packages/sdk/src/errors.ts',
    pace: 'packages/sdk/src/pace/index.ts',
    pynchy: 'packages/sdk/src/pynchy/index.ts',
    testing: 'packages/sdk/src/testing/index.ts',
    zod: 'packages/sdk/src/zod.ts',
  },
  outdir: 'packages/sdk/dist',
  external: ['zod', 'zod/*'],
});
await build({
  ...common,
  entryPoints: {
    index: 'packages/host/src/index.ts',
    dialects: 'packages/host/src/dialects/index.ts',
    install: 'packages/host/src/install/index.ts',
    describe: 'packages/host/src/install/describe.ts',
    manage: 'packages/host/src/install/manage.ts',
    kernel: 'packages/host/src/kernel/index.ts',
    ledger: 'packages/host/src/ledger/index.ts',
    ...processes,
  },
  outdir: 'packages/host/dist',
  packages: 'external',
});
// One bundle for the command, split by command: start-up is a feature.
await build({
  ...common,
  conditions: ['patchbay-source'],
  entryPoints: { main: 'packages/cli/src/main.ts', ...processes },
  outdir: 'packages/cli/dist',
  // Names are kept by not touching them: esbuild's way to restore them costs 8 ms at every start.
  minifySyntax: true,
  minifyWhitespace: true,
});

// The built-in plugins go along with the command, without their tests.
for (const name of ['plugin-json-report', 'plugin-slack-notify']) {
  cpSync(`plugins/${name}`, `packages/cli/dist/builtins/${name}`, {
    recursive: true,
    filter: (path) => !path.endsWith('/test') && !path.endsWith('.md'),
  });
}
// The demo shows the examples, as anybody would use them.
for (const name of ['slack-gate', 'github-push', 'pagerduty-out']) {
  cpSync(`examples/pace-${name}/pace_plugin.ts`, `packages/cli/dist/examples/${name}/pace_plugin.ts`);
}
for (const name of ['cli', 'host'])
  cpSync('packages/host/templates', `packages/${name}/dist/templates`, { recursive: true });

for (const name of ['sdk', 'host']) {
  const tsc = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', `packages/${name}/tsconfig.build.json`],
    {
      stdio: 'inherit',
    },
  );
  if (tsc.status !== 0) process.exit(tsc.status ?? 1);
}
writeFileSync(stamp, wanted);
