const agent = `#!/bin/sh
# Plays a role of a run. Replace it by your agent: what to do is in $PATCHBAY_BUNDLE (goal.md, mandate.md, turn.json),
# the work is done in this folder, and at the end there must be a JSON file $PATCHBAY_RESULT.
cat "$PATCHBAY_BUNDLE/goal.md" "$PATCHBAY_BUNDLE/mandate.md"
echo "agents/agent.sh does nothing yet: edit it" >&2
exit 1
`;

const settings = (template: string) => `# Patchbay: the plugins of this project, and who plays the roles of its runs.
# patchbay run --template ${template} --input "what is to be done"
plugins: {}

runs:
  core: script                       # what "default" stands for in a template
  with: { command: [./agents/agent.sh] }
  # roles:
  #   reviewer: { core: manual }     # a person, who writes the result file
`;

const plan = `# What is to be done on which day of a PACE run.
days:
  - day: 1
    target: Describe here what the first day should bring.
`;

/** The files of each starter project, by name of template. */
export const starters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  governed: { 'patchbay.yaml': settings('governed'), 'agents/agent.sh': agent },
  pace: { 'patchbay.yaml': settings('pace'), 'agents/agent.sh': agent, 'pace/plan.yaml': plan },
};
