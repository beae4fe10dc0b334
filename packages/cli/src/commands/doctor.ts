import { spawnSync } from 'node:child_process';
import { listPlugins, verifyPlugins } from 'patchbay-host/install/manage';
import { messageOf, PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';

/** One thing that was looked at. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null if all is well. */
  readonly fix: string | null;
}

export const run: Run = async ({ cwd }) => {
  const checks = [node(), codegen(), git(), ...(await plugins(cwd))];
  const lines = checks.map(({ name, ok, detail, fix }) => [
    ok ? 'ok' : '!!',
    name,
    fix === null ? detail : `${detail}; ${fix}`,
  ]);
  return { json: { checks }, text: columns(lines), exitCode: checks.every(({ ok }) => ok) ? 0 : 1 };
};

function node(): Check {
  return { name: 'node', ok: true, detail: process.version, fix: null };
}

/** Not an error: hooks are only slower without it. */
function codegen(): Check {
  try {
    new Function('')();
    return { name: 'code generation', ok: true, detail: 'hot hooks get code of their own', fix: null };
  } catch {
    return { name: 'code generation', ok: true, detail: 'forbidden here; hooks are called by plain loops', fix: null };
  }
}

function git(): Check {
  const { status, stdout } = spawnSync('git', ['--version'], { encoding: 'utf8' });
  if (status === 0) return { name: 'git', ok: true, detail: stdout.trim(), fix: null };
  return { name: 'git', ok: false, detail: 'not found', fix: 'install git to install plugins from repositories' };
}

/** The project, and each of its plugins: whether it is written down everywhere, and its files are those installed. */
async function plugins(cwd: string): Promise<Check[]> {
  try {
    const listed = await listPlugins(cwd);
    const verified = new Map((await verifyPlugins(cwd)).map((result) => [result.name, result]));
    const fix = 'install it again, or remove it';
    return [
      { name: 'project', ok: true, detail: `${listed.length} plugins`, fix: null },
      ...listed.map(({ name, version, status }) => {
        const result = verified.get(name);
        const ok = status === 'ok' && result?.ok !== false;
        const detail =
          status !== 'ok' ? status : result?.ok === false ? result.detail : version || 'a module of the project';
        return { name: `plugin ${name}`, ok, detail, fix: ok ? null : fix };
      }),
    ];
  } catch (error) {
    if (!(error instanceof PatchbayError)) throw error;
    if (error.code === 'PROJECT_MISSING') return [{ name: 'project', ok: true, detail: 'none here', fix: null }];
    return [{ name: 'project', ok: false, detail: messageOf(error), fix: error.hint }];
  }
}
