import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin, type TurnWork } from 'patchbay-sdk';
import { review as conduit } from './conduit/conduit.ts';
import { review as gate } from './gate/gate.ts';
import type { Decision, ReviewInput, Verification } from './review.ts';
import { review as sentinel } from './sentinel/sentinel.ts';
import { type Card, textsOf } from './story.ts';

/** What every reviewer reports, whichever it is. */
interface Report {
  readonly blockers: readonly string[];
  readonly advisories?: readonly string[];
  readonly hold_reason: string;
}

/** What a reviewer's turn is about, as its bundle tells. */
interface Bundle {
  readonly reviews: {
    readonly result: { readonly files_changed: string[]; readonly verification: Verification } | null;
  } | null;
}

const statuses: Readonly<Record<Decision, string>> = { SHIP: 'approved', HOLD: 'rejected', ADVISORY: 'advisory' };

function core<R extends Report>(
  name: string,
  review: (input: ReviewInput) => Promise<R>,
  decision: (report: R) => Decision,
) {
  const run = async (turn: TurnWork) => {
    const report = await review(inputOf(turn));
    const decided = decision(report);
    const objections = report.blockers.map((statement, i) => ({ id: `OBJ-${i + 1}`, severity: 'high', statement }));
    const summary = report.hold_reason || report.advisories?.join('\n') || `${name}: ${decided}`;
    // Who does not judge a turn has work of its own, which is done when the report is.
    const status = turn.reviews === null ? 'completed' : statuses[decided];
    const result = { status, summary, objections, artifact: JSON.stringify(report), report };
    writeFileSync(turn.result_file, JSON.stringify(result));
  };
  return definePlugin({ name: `core-${name}`, version: '1.0.0', provides: { agentCore: () => ({ name, run }) } });
}

function inputOf(turn: TurnWork): ReviewInput {
  const { reviews } = JSON.parse(readFileSync(join(turn.bundle, 'turn.json'), 'utf8')) as Bundle;
  const story = storyIn(turn.bundle);
  const configured = Array.isArray(turn.config['criteria']) ? turn.config['criteria'].map(String) : [];
  const criteria = [...new Set([...configured, ...textsOf(story, 'acceptance_criteria')])];
  return {
    ...(story === undefined ? {} : { story }),
    workspace: turn.workspace,
    base: reviews?.result?.files_changed ?? [],
    criteria,
    verification: reviews?.result?.verification ?? { status: 'skipped', commands: [], machine_evidence: [] },
    run: async (command) => {
      const { exit_code, stdout, stderr } = await turn.exec(['sh', '-c', command]);
      return { exit_code: exit_code ?? 1, output: `${stdout}${stderr}` };
    },
  };
}

/** The story that the work is about; undefined if the bundle has none. */
function storyIn(bundle: string): Card {
  const file = join(bundle, 'story.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as NonNullable<Card>) : undefined;
}

/** The reviewers as agent cores: each plays a role by its report. */
export const gateCore = core('gate', gate, (report) => report.gate_decision);
/** See {@link gateCore}. */
export const sentinelCore = core('sentinel', sentinel, (report) => report.sentinel_decision);
/** See {@link gateCore}. */
export const conduitCore = core('conduit', conduit, (report) => report.conduit_decision);
