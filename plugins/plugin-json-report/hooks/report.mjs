#!/usr/bin/env node
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
  ...(diffs ? { file_diffs: payload.file_diffs ?? [] } : {}),
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
