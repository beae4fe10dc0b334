import { resolve } from 'node:path';
import { type EventName, type EventPayload, messageOf, PatchbayError } from 'patchbay-sdk';
import type { ManifestHandler } from '../install/manifest/manifest-type.ts';
import { hiding } from '../log/redact.ts';
import type { Ended, Job, Launcher } from '../sandbox/launcher.ts';
import { type Outcome, outcome } from './outcome.ts';
import { shippedPayload } from './script-payload.ts';
import { lastLines, verdictIn } from './verdict-text.ts';

/** What a call of a script or process needs besides the handler. */
export interface ScriptCall {
  readonly launcher: Launcher;
  readonly plugin: {
    readonly name: string;
    readonly version: string;
    /** Its folder. */
    readonly dir: string;
    /** With all references in it resolved. */
    readonly config: unknown;
    /** The variables it was granted. */
    readonly env: Readonly<Record<string, string>>;
  };
  /** Root of the project, where handlers run. */
  readonly project: string;
  readonly payload: EventPayload<EventName>;
  /** The same for every attempt to deliver the same thing. */
  readonly key: string;
  /** Ends the handler as its deadline does. */
  readonly signal?: AbortSignal | undefined;
  /** Values that no outcome may show. */
  readonly secrets: readonly string[];
}

/** Every handler sees these of the host's variables, and TMPDIR, which is its own. */
const base = ['PATH', 'HOME', 'LANG', 'TZ'];

/** Calls a script by the AgentXchain document's contract. Whatever goes wrong is told by the outcome: never rejects. */
export function runScript(handler: Extract<ManifestHandler, { type: 'script' }>, call: ScriptCall): Promise<Outcome> {
  const { plugin, payload, project, key } = call;
  const job: Job = {
    argv: [resolve(plugin.dir, handler.run)],
    cwd: project,
    env: environment(call, {
      AGENTXCHAIN_RUN_ID: payload.run_id,
      AGENTXCHAIN_TURN_ID: payload.turn_id,
      AGENTXCHAIN_ROLE: payload.role,
      AGENTXCHAIN_PHASE: payload.phase,
      AGENTXCHAIN_EVENT: payload.event,
      PATCHBAY_DELIVERY_KEY: key,
    }),
    files: {
      AGENTXCHAIN_PAYLOAD_FILE: JSON.stringify(payload),
      AGENTXCHAIN_PLUGIN_CONFIG: JSON.stringify(plugin.config ?? {}),
    },
    timeoutMs: handler.timeoutMs,
  };
  // The document's scripts say nothing but by their exit code, and a failure is a warning.
  return perform(job, call, 'warn', () => ({ status: 'ok', verdict: 'ok' }));
}

/** Calls a process by the shipped 0.1 contract. Whatever goes wrong is told by the outcome: never rejects. */
export function runProcess(handler: Extract<ManifestHandler, { type: 'process' }>, call: ScriptCall): Promise<Outcome> {
  const { plugin, payload, project, key } = call;
  const names = { hook_phase: handler.phase, hook_name: handler.name ?? `${plugin.name}:${handler.phase}` };
  const envelope = { ...names, run_id: payload.run_id ?? '', project_root: project, timestamp: payload.at };
  const job: Job = {
    argv: handler.command.map((word) => (/^\.\.?\//.test(word) ? resolve(plugin.dir, word) : word)),
    cwd: project,
    env: environment(call, {
      AGENTXCHAIN_HOOK_PHASE: names.hook_phase,
      AGENTXCHAIN_HOOK_NAME: names.hook_name,
      AGENTXCHAIN_RUN_ID: payload.run_id,
      AGENTXCHAIN_PROJECT_ROOT: project,
      AGENTXCHAIN_PLUGIN_NAME: plugin.name,
      AGENTXCHAIN_PLUGIN_VERSION: plugin.version,
      AGENTXCHAIN_PLUGIN_CONFIG: JSON.stringify(plugin.config ?? {}),
      PATCHBAY_DELIVERY_KEY: key,
    }),
    stdin: JSON.stringify({ ...envelope, payload: shippedPayload(payload) }),
    timeoutMs: handler.timeoutMs,
  };
  return perform(job, call, 'fail', (stdout, hide) => {
    const said = verdictIn(stdout);
    if (said !== undefined) {
      const { verdict, ...rest } = said;
      return { status: verdict === 'warn' ? 'warn' : 'ok', verdict, ...hide(rest) };
    }
    const message = `answered what is no verdict: ${lastLines(hide(stdout))}`;
    return { status: 'failed', verdict: 'fail', message };
  });
}

type Said = Pick<Outcome, 'status'> & Partial<Outcome>;
type Hide = ReturnType<typeof hiding>;

async function perform(
  job: Job,
  { launcher, signal, secrets }: ScriptCall,
  failure: 'warn' | 'fail',
  success: (stdout: string, hide: Hide) => Said,
): Promise<Outcome> {
  const hide = hiding(secrets);
  const failed = (message: string): Said => ({ status: 'failed', verdict: failure, message });
  let ended: Ended;
  try {
    ended = await launcher.run(job, signal);
  } catch (error) {
    const hint = error instanceof PatchbayError ? `. ${error.hint}` : '';
    return outcome({ ...failed(hide(`${messageOf(error)}${hint}`)), duration_ms: 0 });
  }
  const stderr = hide(ended.stderr.text);
  const problem = problemOf(ended, stderr, job.timeoutMs);
  return outcome({
    ...(problem === undefined ? success(ended.stdout.text, hide) : failed(problem)),
    exit_code: ended.exitCode,
    signal: ended.signal,
    timed_out: ended.timedOut,
    duration_ms: ended.durationMs,
    output: [hide(ended.stdout.text), stderr].filter((text) => text !== '').join('\n'),
  });
}

/** What went wrong, if something did. */
function problemOf(ended: Ended, stderr: string, timeoutMs: number): string | undefined {
  const { exitCode, signal, timedOut, aborted } = ended;
  const said = stderr.trim() === '' ? '' : `: ${lastLines(stderr)}`;
  if (timedOut) return `was ended after ${timeoutMs} ms${said}`;
  if (aborted) return `was stopped${said}`;
  if (signal !== null) return `was ended by ${signal}${said}`;
  return exitCode === 0 ? undefined : `exited with ${exitCode}${said}`;
}

function environment({ plugin }: ScriptCall, contract: Record<string, string | null>): Record<string, string> {
  const inherited = base.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const told = Object.entries(contract).map(([name, value]) => [name, value ?? ''] as const);
  return { ...Object.fromEntries(inherited), ...plugin.env, ...Object.fromEntries(told) };
}
