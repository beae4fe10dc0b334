import { assistantProject } from './assistant.ts';
import { pace } from './pace.ts';

const agent = `#!/bin/sh
# Plays a role of a run. Replace it by your agent: what to do is in $PATCHBAY_BUNDLE (goal.md, mandate.md, turn.json),
# the work is done in this folder, and at the end there must be a JSON file $PATCHBAY_RESULT.
cat "$PATCHBAY_BUNDLE/goal.md" "$PATCHBAY_BUNDLE/mandate.md"
echo "agents/agent.sh does nothing yet: edit it" >&2
exit 1
`;

const settings = `# Patchbay: the plugins of this project, and who plays the roles of its runs.
# patchbay run --input "what is to be done"
plugins: {}

runs:
  core: script                       # what "default" stands for in a template
  with: { command: [./agents/agent.sh] }
  # roles:
  #   reviewer: { core: manual }     # a person, who writes the result file
`;

/** A starter project. */
interface Starter {
  readonly files: Readonly<Record<string, string>>;
  /** What to do in it first. */
  readonly next: string;
}

/** The starter projects, by name of template. */
export const starters: Readonly<Record<string, Starter>> = {
  governed: {
    files: { 'patchbay.yaml': settings, 'agents/agent.sh': agent },
    next: 'Edit agents/agent.sh, then: patchbay run --input "…"',
  },
  pace: {
    files: pace,
    next: 'Then: patchbay run --day next. The plan is in pace/plan.yaml, who plays which role in patchbay.yaml.',
  },
  assistant: {
    files: assistantProject,
    next: 'Then: patchbay chat, and say "remember that …". Who answers is in patchbay.yaml.',
  },
};
