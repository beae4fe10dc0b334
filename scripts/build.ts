/** Builds what is shipped: bundles by esbuild, types by tsc. Skips itself when nothing has changed since. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

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
const outputs = ['packages/sdk/dist/index.d.ts', 'packages/host/dist/index.d.ts', 'packages/cli/dist/main.mjs'];
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
  'core-main': 'packages/host/src/sandbox/core-main.ts',
  'mcp-stdio': 'packages/host/src/services/mcp-stdio.ts',
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
    listing: 'packages/host/src/install/listing.ts',
    manage: 'packages/host/src/install/manage.ts',
    kernel: 'packages/host/src/kernel/index.ts',
    ledger: 'packages/host/src/ledger/index.ts',
    ...processes,
  },
  outdir: 'packages/host/dist',
  packages: 'external',
});
/** All of Zod has a file of its own: in one chunk with `zod/mini`, everything that uses that would load all of it. */
const zodApart: Plugin = {
  name: 'zod-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^zod(\/v4)?$/ }, () => ({ path: './zod.mjs', external: true }));
  },
};

/**
 * Node's modules as `require` gives them. Importing one asks it for all its names, even those that load another part of
 * Node when they are asked for: 8 ms at every start.
 */
const builtinsByName: Plugin = {
  name: 'builtins-by-name',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, kind, importer }) => {
      if (kind !== 'import-statement' || !isBuiltin(path)) return undefined;
      // One for each importer: what they share would be one more file to load.
      return { path, suffix: `?${importer}`, namespace: 'builtin', sideEffects: false };
    });
    onLoad({ filter: /./, namespace: 'builtin' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      // Marked as pure, the names that nobody imports are left out.
      const lines = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`);
      const builtin = `const builtin = process.getBuiltinModule(${JSON.stringify(path)});`;
      return { contents: [builtin, 'export default builtin;', ...lines].join('\n') };
    });
  },
};

/** For the parts of the host that need nothing else of the SDK. One that does will not build. */
const sdkBasics: Plugin = {
  name: 'sdk-basics',
  setup({ onResolve }) {
    onResolve({ filter: /^patchbay-sdk$/ }, ({ importer }) =>
      /[\\/]host[\\/]src[\\/](?:config|install)[\\/]/.test(importer)
        ? { path: resolve('packages/sdk/src/basics.ts'), sideEffects: false }
        : undefined,
    );
  },
};

/** Commander starts programs for commands that are files of their own. There are none, and the module is a large one. */
const noPrograms: Plugin = {
  name: 'no-programs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path, namespace: 'no-programs' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'no-programs' }, () => ({ contents: 'export default {};' }));
  },
};

const { banner, ...withoutBanner } = common;
const command = {
  ...withoutBanner,
  conditions: ['patchbay-source'],
  outdir: 'packages/cli/dist',
  // So that Node need not look for a package.json to know what the files are.
  outExtension: { '.js': '.mjs' },
  // Names are kept by not touching them: esbuild's way to restore them costs 8 ms at every start.
  minifySyntax: true,
  minifyWhitespace: true,
} satisfies BuildOptions;
const bundled = {
  plugins: [sdkBasics, zodApart, noPrograms, builtinsByName],
  // Its modules for bundlers, which are the same but can be put into one; those for Node are some seventy functions.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
} satisfies BuildOptions;
/** What of npm is loaded when it is needed, by file. */
const npm: Readonly<Record<string, string>> = { arborist: '@npmcli/arborist', pacote: 'pacote' };
// One bundle for the command, split by command: start-up is a feature.
const { outputFiles } = await build({
  ...command,
  ...bundled,
  entryPoints: { main: 'packages/cli/src/main.ts', ...npm, ...processes },
  write: false,
});
mkdirSync('packages/cli/dist');
for (const { path, text } of outputFiles) {
  // Few need it, and esbuild would put it into all.
  writeFileSync(path, /\btypeof require\b|\b__dirname\b/.test(text) ? `${banner.js}\n${text}` : text);
}
await build({ ...command, entryPoints: { zod: 'zod' } });

/** Commands that promise to be quick, each a script of its own: bin/patchbay.cjs keeps the code that V8 makes of them. */
const quick = ['plugin-install', 'plugin-list', 'plugin-verify'];

/** Of the commands only this one; and npm's own parts, which are large, from where the others have them. */
function only(name: string): Plugin {
  return {
    name: 'only',
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ path, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = Object.keys(npm).find((one) => npm[one] === path);
        if (file !== undefined) return { path: `../${file}.mjs`, external: true };
        return /^\.\/commands\//.test(path) && path !== `./commands/${name}.ts` ? { path, external: true } : undefined;
      });
    },
  };
}

mkdirSync('packages/cli/dist/quick');
for (const name of quick) {
  const { outputFiles } = await build({
    ...command,
    ...bundled,
    entryPoints: ['packages/cli/src/main.ts'],
    plugins: [only(name), ...bundled.plugins],
    format: 'cjs',
    splitting: false,
    // Where the other files are.
    define: { 'import.meta.dirname': '__dirname' },
    write: false,
  });
  const text = `(function (require, __dirname) {${outputFiles[0]?.text}})`;
  // Its name for the cache: V8 itself takes two scripts of the same length for the same.
  const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
  writeFileSync(`packages/cli/dist/quick/${name}.js`, `//${id}\n${text}`);
}

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
