import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The root of this repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A folder with these files, gone when the test is over. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-test-')));
  // What a test has ended may still be leaving.
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

/** The text of a plugin module, in JavaScript. */
export function pluginText(name: string, hooks = '', rest = ''): string {
  return `export default { name: '${name}', version: '1.0.0', hooks: { ${hooks} }, ${rest} };\n`;
}

/** A folder with a project file and these plugins, by name, loaded in this order. */
export function project(plugins: Readonly<Record<string, string>>): string {
  const lines = Object.keys(plugins).map((name) => `  ${name}:\n    path: plugins/${name}.mjs\n`);
  const modules = Object.entries(plugins).map(([name, text]) => [`plugins/${name}.mjs`, text]);
  return folder({ 'patchbay.yaml': `plugins:\n${lines.join('')}`, ...Object.fromEntries(modules) });
}

/**
 * Runs the text of a module in a Node of its own, with `patchbay-host` and `patchbay-sdk` from source. What the module
 * gives to `report` comes back.
 */
export function inNode(
  text: string,
  ...flags: string[]
): { reports: unknown[]; stderr: string; status: number | null } {
  const start = 'const report = (value) => process.stdout.write(JSON.stringify(value ?? null) + "\\n");\n';
  const done = spawnSync(
    process.execPath,
    ['--conditions=patchbay-source', ...flags, '--input-type=module', '--eval', start + text],
    { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' } },
  );
  const lines = done.stdout.split('\n').filter((line) => line !== '');
  return { reports: lines.map((line): unknown => JSON.parse(line)), stderr: done.stderr, status: done.status };
}
