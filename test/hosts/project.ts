import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { folder } from '../project.ts';

/** The steps of a run, by phase; between the phases there is a gate at which it waits for somebody. */
export const phases = { plan: ['goal', 'facts', 'draft'], build: ['parts', 'whole'] } as const;
export const template = 'relay';

/** All steps, in order. */
export const roles = Object.values(phases).flat();

/** The turn of a step. */
export const turnIds = Object.entries(phases).flatMap(([phase, steps]) => steps.map((role) => `${phase}.${role}`));

const roleLines = roles.map((role) => `  ${role}: { core: relay, writes: ["work/${role}"] }\n`);
const phaseLines = Object.entries(phases).map(([name, steps]) => {
  return `  - { name: ${name}, steps: [${steps.map((role) => `{ role: ${role} }`).join(', ')}], gate: ${name} }\n`;
});
const templateText = `name: ${template}
roles:
${roleLines.join('')}phases:
${phaseLines.join('')}gates:
  plan: { approval: human }
  build: { checks: [{ file: work/whole }] }
`;

/**
 * A core that notes in a file outside the project when it begins with a turn, when it has been stopped, and when the turn is done.
 * That it has begun is the effect on the world which must not be repeated for nothing. Wants to find the work of the turns before.
 */
const core = `import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const roles = ${JSON.stringify(roles)};
const { EFFECTS, HOST_NAME, LONGEST_MS } = process.env;
const note = (key, what) => appendFileSync(EFFECTS, \`\${key} \${what} host=\${HOST_NAME} pid=\${process.pid} at=\${Date.now()}\\n\`);

async function run({ key, role, workspace, result_file, signal }) {
  note(key, 'begin');
  const missing = roles.slice(0, roles.indexOf(role)).filter((one) => !existsSync(join(workspace, 'work', one)));
  if (missing.length > 0) throw new Error(\`there is no work of \${missing.join(', ')}\`);
  try {
    await sleep(Number(LONGEST_MS) * (0.2 + 0.8 * Math.random()), undefined, { signal });
  } catch (error) {
    note(key, 'stopped');
    throw error;
  }
  mkdirSync(join(workspace, 'work'), { recursive: true });
  writeFileSync(join(workspace, 'work', role), \`\${key}\\n\`);
  note(key, 'end');
  writeFileSync(result_file, JSON.stringify({ summary: \`\${role} is done\` }));
}

export default { name: 'relay', version: '1.0.0', hooks: {}, provides: { agentCore: () => ({ name: 'relay', run }) } };
`;

/** The repository that every host has a clone of. */
export function makeProject(): string {
  const dir = folder({
    '.gitignore': '.patchbay/\n',
    'patchbay.yaml': 'engine: postgres\nplugins:\n  relay:\n    path: plugins/relay.mjs\n',
    'plugins/relay.mjs': core,
    [`patchbay/templates/${template}.yaml`]: templateText,
  });
  git(dir, 'init', '--quiet', '--initial-branch=main');
  git(dir, 'add', '--all');
  git(dir, '-c', 'user.name=ada', '-c', 'user.email=ada@example.invalid', 'commit', '--quiet', '--message=begin');
  return dir;
}

/** A clone of it for one host. */
export function cloneOf(project: string): string {
  const dir = join(folder(), 'project');
  git('/', 'clone', '--quiet', project, dir);
  return dir;
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
