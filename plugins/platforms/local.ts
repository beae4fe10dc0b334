import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Platform, PlatformThing } from 'patchbay-sdk';

/** A project that is on this machine only: what people should look at are files in `.patchbay/platform`. */
export function localPlatform(project: string): Platform {
  const dir = join(project, '.patchbay', 'platform');
  return {
    name: 'local',
    openReview: async ({ key, branch, title, body }) =>
      keep(dir, 'reviews', key, `# ${title}\n\nBranch: \`${branch}\`\n\n${body}\n`),
    escalate: async ({ key, title, body }) => keep(dir, 'escalations', key, `# ${title}\n\n${body}\n`),
    setVariable: async (name, value) => {
      const file = join(dir, 'variables.json');
      write(file, `${JSON.stringify({ ...readJson(file), [name]: value }, undefined, 2)}\n`);
    },
    writeSummary: async (markdown) => {
      mkdirSync(dir, { recursive: true });
      appendFileSync(join(dir, 'summary.md'), `${markdown}\n`);
    },
    waitForChecks: async (commit) => {
      // Nobody checks commits here, unless somebody says so by hand.
      const state = readJson(join(dir, 'checks.json'))[commit] ?? 'success';
      return state === 'success' || state === 'failure' ? state : 'timeout';
    },
  };
}

function keep(dir: string, kind: string, key: string, text: string): PlatformThing {
  const readable = key.replaceAll(/[^\w.-]+/g, '-').slice(0, 60);
  // Two keys never share a file, however alike they read.
  const id = `${readable}-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
  const file = join(dir, kind, `${id}.md`);
  write(file, text);
  return { id, url: pathToFileURL(file).href };
}

/** The file is as before or as it should be, whatever happens. */
function write(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

function readJson(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
