/** A project in which one run shows all that can happen to a run: the files, by name; those that begin with #! may be run. */
import type { Package } from '../crash/packages.ts';

/** Plays every role. Notes when it begins, and when its result is there; `right` gives none at first. */
const agent = `#!/bin/sh
set -e
echo "start $PATCHBAY_KEY" >> "$CRASH_NOTES/agents"
sleep 0.03
result='{"summary":"done","cost":{"input_tokens":10,"output_tokens":1,"usd":0.5}}'
case "$PATCHBAY_TURN_ID" in
  plan.planner)
    echo 'the plan' > PLAN.md
    result='{"summary":"planned","decisions":[{"id":"DEC-1","category":"design","statement":"Two halves","rationale":"x"}]}' ;;
  build.left) mkdir -p left; echo "attempt $PATCHBAY_ATTEMPT" > left/half ;;
  build.right)
    mkdir -p right
    echo 'right' > right/half
    [ "$PATCHBAY_ATTEMPT" = 1 ] && exit 0 ;;
  build.left.1.critic)
    result='{"status":"rejected","summary":"once more","objections":[{"id":"OBJ-1","severity":"low","statement":"too short"}]}' ;;
  build.left.2.critic) result='{"status":"advisory","summary":"good enough, for now"}' ;;
  ship.closer) cat left/half right/half > WHOLE.md ;;
esac
printf '%s' "$result" > "$PATCHBAY_RESULT.part"
mv "$PATCHBAY_RESULT.part" "$PATCHBAY_RESULT"
echo "done $PATCHBAY_KEY" >> "$CRASH_NOTES/agents"
`;

const template = `name: crash
roles:
  planner: { core: script, with: { command: [./agent.sh], env: [CRASH_NOTES] }, writes: [PLAN.md] }
  left: { core: script, with: { command: [./agent.sh], env: [CRASH_NOTES] }, writes: ["left/**"] }
  right: { core: script, with: { command: [./agent.sh], env: [CRASH_NOTES] }, writes: ["right/**"] }
  critic: { core: script, with: { command: [./agent.sh], env: [CRASH_NOTES] } }
  closer: { core: script, with: { command: [./agent.sh], env: [CRASH_NOTES] }, writes: [WHOLE.md] }
phases:
  - name: plan
    steps: [{ role: planner }]
    gate: people
  - name: build
    steps:
      - parallel:
          - { role: left, reviewers: [critic], verify: [test -s left/half] }
          - { role: right }
    gate: halves
  - name: ship
    steps: [{ role: closer, verify: [grep -q right WHOLE.md] }]
    gate: whole
gates:
  people: { approval: human }
  halves: { checks: [{ file: left/half, contains: attempt 2 }, { file: right/half }] }
  whole: { checks: [{ verification: pass }] }
`;

/** What is committed. */
export const committed: Package = {
  '.gitignore': '.patchbay/\nnotes/\n',
  'agent.sh': agent,
  'patchbay.yaml': '',
  'patchbay/templates/crash.yaml': template,
};

/** Plays every role of a day: GATE crashes first, then SENTINEL has a concern. */
const dayAgent = `#!/bin/sh
set -e
echo "start $PATCHBAY_KEY" >> "$CRASH_NOTES/agents"
sleep 0.03
review() { result="{\\"summary\\":\\"looked\\",\\"report\\":{$1,\\"blockers\\":[],\\"hold_reason\\":\\"\\"}}"; }
result='{"summary":"done"}'
case "$PATCHBAY_TURN_ID" in
  story.prime) result='{"summary":"card","report":{"title":"Halves","story":"Two.","acceptance_criteria":["two"]}}' ;;
  build.forge)
    echo "attempt $PATCHBAY_ATTEMPT" > half
    result='{"summary":"built","report":{"summary":"built","files_changed":["half"],"notes":""},"cost":{"input_tokens":1,"output_tokens":1,"usd":0.5}}' ;;
  build.forge.1.gate) exit 3 ;;
  build.forge.*.gate) review '"criteria_results":[],"deferred":[],"gate_decision":"SHIP"' ;;
  build.forge.*.sentinel) review '"findings":[],"advisories":["half:1: short"],"sentinel_decision":"ADVISORY"' ;;
  build.forge.*.conduit) review '"findings":[],"advisories":[],"conduit_decision":"SHIP"' ;;
  record.scribe) echo shipped > LOG.md ;;
esac
printf '%s' "$result" > "$PATCHBAY_RESULT.part"
mv "$PATCHBAY_RESULT.part" "$PATCHBAY_RESULT"
echo "done $PATCHBAY_KEY" >> "$CRASH_NOTES/agents"
`;

const dayRoles = ['prime', 'forge', 'gate', 'sentinel', 'conduit', 'scribe'].map(
  (role) => `    ${role}: { core: script, with: { command: [./agent.sh], env: [CRASH_NOTES] } }\n`,
);

/** What is committed where the run is a day. */
export const committedDay: Package = {
  '.gitignore': '.patchbay/\nnotes/\n',
  'agent.sh': dayAgent,
  'patchbay.yaml': `runs:\n  roles:\n${dayRoles.join('')}`,
  'plan.yaml': 'days: [{ target: Two halves }]\n',
};

const told = [
  'run:started',
  'turn:dispatched',
  'turn:accepted',
  'turn:rejected',
  'turn:failed',
  'gate:pending',
  'gate:transition',
  'gate:completion',
  'advisory:recorded',
  'run:completed',
];

/** A script that adds the key of each delivery to `notes/deliveries`. */
export const recording: Package = {
  'plugin.json': JSON.stringify({
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name: 'record',
    version: '1.0.0',
    extensions: {
      'dev.patchbay': {
        hooks: told.map((event) => ({ event, type: 'script', run: './record.sh' })),
        permissions: { files: { write: ['notes'] } },
      },
    },
  }),
  'record.sh': '#!/bin/sh\necho "$PATCHBAY_DELIVERY_KEY" >> notes/deliveries\n',
};
