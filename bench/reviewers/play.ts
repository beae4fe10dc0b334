import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { AgentCore, TurnWork } from 'patchbay-sdk';
import { findProgram } from '../../packages/host/src/sandbox/bubblewrap.ts';
import { Launcher } from '../../packages/host/src/sandbox/launcher.ts';
import { conduitCore, gateCore, sentinelCore } from '../../plugins/reviewers/index.ts';
import { inFolder, write } from '../deliveries/project.ts';
import type { Case } from './corpus/case.ts';
import { type Reviewer, reviewers } from './kinds.ts';

/** Something that a reviewer has against a repository. */
export interface Said {
  readonly check: string;
  /** The place and the reason; of a criterion, the criterion. */
  readonly evidence: string;
}

interface Report {
  readonly criteria_results?: readonly { criterion: string; result: string; evidence: string }[];
  readonly findings?: readonly (Said & { result: string })[];
  readonly hold_reason: string;
}

const cores = { gate: gateCore, sentinel: sentinelCore, conduit: conduitCore };
const timeoutMs = 60_000;
/** What a program is given, as turns of a run are; `node` is the one that runs this. */
const env = {
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  HOME: process.env['HOME'] ?? '/',
};

/** Has each reviewer work on a case as the core of a turn; gives what they have against it. */
export function play(one: Case): Promise<Record<Reviewer, readonly Said[]>> {
  return inFolder(async (dir) => {
    const launcher = new Launcher({ project: dir });
    try {
      const said = { gate: [], sentinel: [], conduit: [] } as Record<Reviewer, readonly Said[]>;
      for (const reviewer of reviewers.filter((name) => canReview(name, one)))
        said[reviewer] = saidIn(await reportOn(one, reviewer, join(dir, reviewer), launcher));
      return said;
    } finally {
      await launcher.close();
    }
  });
}

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

/** Whether the tests of a case can be run here: those in Go cannot without it, nor those in Python without pytest. */
export function canReview(reviewer: Reviewer, { files }: Case): boolean {
  if (reviewer !== 'gate') return true;
  const isPython = Object.keys(files).some((name) =>
    /(?:^|\/)(?:pyproject\.toml|requirements.*\.txt|.*\.py)$/.test(name),
  );
  return (files['go.mod'] === undefined || findProgram('go') !== undefined) && (!isPython || hasPytest);
}

async function reportOn(one: Case, reviewer: Reviewer, dir: string, launcher: Launcher): Promise<Report> {
  const { files, criteria = [] } = one;
  const verification = { status: 'skipped', commands: [], machine_evidence: [] };
  const result = { files_changed: Object.keys(files), verification };
  write(join(dir, 'workspace'), files);
  write(join(dir, 'bundle'), { 'turn.json': JSON.stringify({ reviews: { result } }) });
  const provided = cores[reviewer].provides?.agentCore as () => AgentCore;
  const turn = turnIn(dir, reviewer, { criteria }, launcher);
  await provided().run?.(turn);
  return (JSON.parse(readFileSync(turn.result_file, 'utf8')) as { report: Report }).report;
}

function turnIn(dir: string, role: Reviewer, config: TurnWork['config'], launcher: Launcher): TurnWork {
  const workspace = join(dir, 'workspace');
  const { signal } = new AbortController();
  return {
    key: `run-1/turn-2/${role}`,
    run_id: 'run-1',
    turn_id: 'turn-2',
    attempt: 1,
    phase: 'review',
    role,
    goal: 'the work',
    reviews: 'turn-1',
    bundle: join(dir, 'bundle'),
    workspace,
    result_file: join(dir, 'result.json'),
    writes: [],
    config,
    signal,
    log: () => {},
    spent: () => {},
    mayWrite: () => false,
    spawn: () => Promise.reject(new Error('reviewers talk with no program')),
    llmProviders: async () => [],
    chat: null,
    trace: () => {},
    tools: async () => [],
    callTool: async (name) => ({ error: `there is no tool "${name}"` }),
    mcp: () => Promise.reject(new Error('there are no tools here')),
    exec: async (argv, options = {}) => {
      const { stdin } = options;
      const job = { argv, cwd: workspace, env: { ...env, ...options.env }, timeoutMs };
      const end = await launcher.run(stdin === undefined ? job : { ...job, stdin }, signal);
      const { exitCode: exit_code, timedOut: timed_out, stdout, stderr } = end;
      const { silent } = end;
      return { exit_code, timed_out, silent, signal: end.signal, stdout: stdout.text, stderr: stderr.text };
    },
  };
}

function saidIn({ criteria_results: results = [], findings = [], hold_reason }: Report): Said[] {
  const criteria = results
    .filter(({ result }) => result !== 'PASS')
    .map(({ criterion, result, evidence }) => ({
      check: 'criterion',
      evidence: `${criterion} (${result}: ${evidence})`,
    }));
  const concerns = findings.filter(({ result }) => result !== 'PASS');
  // What `gate` holds for besides criteria stands in its reason only.
  const isGate = findings.length === 0;
  const others = isGate ? hold_reason.split('\n').filter((line) => aboutTests.test(line)) : [];
  return [...criteria, ...concerns, ...others.map((evidence) => ({ check: 'tests', evidence }))];
}

const aboutTests =
  /^(?!not met: |not certain: ).*(?: exited with \d+| could not be run| without running a test|nothing was run)/;
