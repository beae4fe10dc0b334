#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (variable) => JSON.parse(readFileSync(process.env[variable], 'utf8'));
const {
  output_dir: dir = '.agentxchain/reports',
  include_decisions: decisions = true,
  include_objections: objections = true,
  include_file_diffs: diffs = false,
} = read('AGENTXCHAIN_PLUGIN_CONFIG');
const payload = read('AGENTXCHAIN_PAYLOAD_FILE');
const { run_id, template, goal, at, run_summary: summary = {} } = payload;

const report = {
  run: { run_id, template, goal, completed_at: at, turns: summary.turns },
  phases: summary.phases ?? [],
  ...(decisions ? { decisions: payload.decisions ?? [] } : {}),
  ...(objections ? { objections: payload.objections ?? [] } : {}),
  ...(diffs ? { file_diffs: fileDiffs(String(run_id)) } : {}),
  verification: summary.verification ?? null,
  cost: summary.cost ?? null,
};

// A run's name becomes the name of a file: nothing in it may lead elsewhere.
const name = String(run_id)
  .replace(/[^\w.-]/g, '_')
  .replace(/^\.+/, '_');
mkdirSync(dir, { recursive: true });
const file = join(dir, `${name}.json`);
writeFileSync(`${file}.tmp`, `${JSON.stringify(report, null, 2)}\n`);
renameSync(`${file}.tmp`, file);

/**
 * What each accepted turn changed: a commit on the branch of the run, which no other branch has yet. Null where that cannot be
 * told: the project is no repository, or the branch is gone or merged.
 */
function fileDiffs(run) {
  const branch = `refs/heads/patchbay/${run}`;
  const others = ['--not', 'HEAD', '--exclude=patchbay/*', '--branches'];
  // A commit and what it says of itself end with zeros, so that nothing in them can be taken for something else.
  const form = '--format=%x00%H%x00%an%x00%B%x00';
  const args = ['log', '--reverse', '--no-merges', '--patch', '--no-ext-diff', '--no-textconv', '--no-color', form];
  try {
    const output = execFileSync('git', ['-c', 'log.showSignature=false', '--no-pager', ...args, branch, ...others], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, ...parts] = output.split('\0');
    const found = [];
    for (let i = 0; i + 3 < parts.length; i += 4) {
      const [commit, role, message, patch] = parts.slice(i, i + 4);
      const turn = /^Turn: (.*), attempt (\d+)$/m.exec(message);
      // Those of a run that it resumes are not its own.
      if (turn === null || !message.includes(`\nRun: ${run}\n`)) continue;
      found.push({ turn_id: turn[1], attempt: Number(turn[2]), role, commit, patch: patch.trimStart() });
    }
    return found.length === 0 ? null : found;
  } catch {
    return null;
  }
}
