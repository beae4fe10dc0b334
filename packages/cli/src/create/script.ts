import type { Files } from './scaffold.ts';

/** A plugin whose handler is a script, with a manifest as the AgentXchain document describes it. */
export function scriptFiles(name: string): Files {
  const manifest = {
    name,
    version: '0.1.0',
    description: 'Says which turn was accepted',
    hooks: [{ event: 'turn:accepted', type: 'script', run: './hooks/on-accept.sh', timeout_ms: 10_000 }],
    config_schema: {
      type: 'object',
      properties: { greeting: { type: 'string', default: 'Well done' } },
    },
  };
  const packageJson = { name, version: '0.1.0', private: true, scripts: { test: 'node --test' } };
  return {
    'agentxchain-plugin.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'hooks/on-accept.sh': script,
    'test/on-accept.test.mjs': test,
    'package.json': `${JSON.stringify(packageJson, null, 2)}\n`,
    'README.md': readme(name),
  };
}

const script = `#!/bin/sh
set -eu

# Both are files with JSON. Where jq is installed: jq -r .summary "$AGENTXCHAIN_PAYLOAD_FILE"
field() {
  node -e 'const [file, name, usual] = process.argv.slice(1);
    process.stdout.write(String(JSON.parse(require("fs").readFileSync(file, "utf8"))[name] ?? usual));' "$@"
}
greeting=$(field "$AGENTXCHAIN_PLUGIN_CONFIG" greeting 'Well done')
summary=$(field "$AGENTXCHAIN_PAYLOAD_FILE" summary '')

echo "$greeting, $AGENTXCHAIN_ROLE: $summary ($AGENTXCHAIN_EVENT, run $AGENTXCHAIN_RUN_ID, turn $AGENTXCHAIN_TURN_ID)"
`;

const test = `import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

/** Runs the script as the host does. */
function run(payload, config) {
  const dir = mkdtempSync(join(tmpdir(), 'plugin-test-'));
  try {
    writeFileSync(join(dir, 'payload.json'), JSON.stringify(payload));
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
    return spawnSync(join(import.meta.dirname, '../hooks/on-accept.sh'), {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        AGENTXCHAIN_RUN_ID: payload.run_id,
        AGENTXCHAIN_TURN_ID: payload.turn_id,
        AGENTXCHAIN_ROLE: payload.role,
        AGENTXCHAIN_PHASE: payload.phase,
        AGENTXCHAIN_EVENT: payload.event,
        AGENTXCHAIN_PAYLOAD_FILE: join(dir, 'payload.json'),
        AGENTXCHAIN_PLUGIN_CONFIG: join(dir, 'config.json'),
      },
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const payload = {
  event: 'turn:accepted',
  run_id: 'run-1',
  turn_id: 'turn-2',
  role: 'reviewer',
  phase: 'review',
  summary: 'All good',
};

test('says which turn was accepted, and succeeds', () => {
  const { stdout, stderr, status } = run(payload, {});
  assert.equal(stderr, '');
  assert.equal(stdout, 'Well done, reviewer: All good (turn:accepted, run run-1, turn turn-2)\\n');
  assert.equal(status, 0);
});

test('greets as it is configured', () => {
  assert.match(run(payload, { greeting: 'Thank you' }).stdout, /^Thank you, reviewer/);
});
`;

function readme(name: string): string {
  return `# ${name}

A plugin for Patchbay and AgentXchain: \`agentxchain-plugin.json\` names the events, \`hooks/\` has the scripts.

    patchbay plugin install ./${name} --link   # work on it in a project; without --link, a copy
    node --test                                # Node 24 or later

A script is told of the event by variables \`AGENTXCHAIN_*\` and two files with JSON; it succeeds by ending with 0.
`;
}
