import { createHmac } from 'node:crypto';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadRun, openHost, type RunState } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { builtins } from '../builtins.ts';
import type { Input } from '../command.ts';
import { stepLine } from '../run-output.ts';
import { writeFiles } from '../write-files.ts';

/** The plugins of the PACE document, as they stand in the examples. */
const examples = ['slack-gate', 'github-push', 'pagerduty-out'];
/** Longer than the day takes, by far. */
const patienceMs = 120_000;
const secret = 'only-for-the-demo';

/** Adds a day of PACE to the sample project. `receiver` stands for Slack and PagerDuty. */
export function writeDay(dir: string, receiver: string): void {
  const { host, origin } = new URL(receiver);
  writeFiles(dir, {
    ...files,
    'pace/pace.config.yaml': `attempts: 3
plugins:
  dirs:
    - "pace/plugins/"
  config:
    slack_gate:
      webhook_url: "${origin}/slack"
    github_push:
      secret: ${secret}
    pagerduty_out:
      routing_key: demo
      endpoint: "${origin}/pagerduty"
  grants:
    pagerduty_out: ["net:${host}"]
`,
  });
  for (const name of examples) {
    const from = join(import.meta.dirname, 'examples', name);
    if (!existsSync(from)) throw new PatchbayError('INTERNAL', `${from} is missing: the build is not whole`);
    mkdirSync(join(dir, 'pace/plugins', name), { recursive: true });
    cpSync(from, join(dir, 'pace/plugins', name), { recursive: true });
  }
}

/** Serves the project, pushes to it as GitHub would, and waits until the day that this begins has settled. */
export async function runDay(dir: string, { version, progress }: Input): Promise<RunState> {
  const host = await openHost({ cwd: dir, version, builtins });
  try {
    const { webhooks, service } = await host.serve({ port: 0, webhookPort: 0 });
    const settled = Promise.withResolvers<string>();
    service.ledger.on('appended', ({ event }) => {
      const line = stepLine(event);
      if (line !== undefined) progress(line);
      if (/^run:(?:completed|held|failed|aborted)$/.test(event.type)) settled.resolve(event.run_id ?? '');
    });
    const status = await push(`${webhooks}/github/push`);
    progress(`  POST /github/push, signed: ${status}`);
    const late = setTimeout(() => settled.reject(new Error('the day did not come to an end')), patienceMs);
    const run_id = await settled.promise.finally(() => clearTimeout(late));
    await service.rest();
    const { state } = await loadRun(service.ledger, run_id);
    if (state === undefined) throw new PatchbayError('RUN_UNKNOWN', `there is no run ${run_id}`);
    return state;
  } finally {
    await host.close();
  }
}

async function push(url: string): Promise<string> {
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-delivery': 'demo-1',
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
    signal: AbortSignal.timeout(10_000),
  });
  return `${answer.status} ${await answer.text()}`;
}

const files = {
  'pace/plan.yaml': `days:
  - day: 1
    target: Tell how many pages there are
`,
  'agents/prime.sh': `#!/bin/sh
# PRIME turns the target of the day into a story card.
cat > "$PATCHBAY_RESULT" <<END
{"summary": "Count the pages", "report": {
  "title": "Count the pages", "story": "Readers see how many pages there are.",
  "acceptance_criteria": ["the last page may be partly filled", "page one begins with the first item"],
  "deferred": ["the page size can be chosen"]}}
END
`,
  'agents/forge.sh': `#!/bin/sh
# FORGE builds it. First carelessly: GATE holds the day. Then without a time limit: SENTINEL advises. Then well.
set -e
round=Math.ceil; limit=', { signal: AbortSignal.timeout(5000) }'
[ "$PATCHBAY_ATTEMPT" -gt 1 ] || round=Math.floor
[ "$PATCHBAY_ATTEMPT" -gt 2 ] || limit=''
cat > src/pages.js <<END
/** How many pages there are. */
export function pages(items, size) {
  return $round(items / size);
}
END
cat > test/pages.test.js <<END
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pages } from '../src/pages.js';

test('the last page may be partly filled', () => assert.equal(pages(11, 10), 2));
END
cat > src/remote.js <<END
/** The items of a page, from wherever they are. */
export async function load(url) {
  const answer = await fetch(url$limit);
  return answer.json();
}
END
# The bug that was there before: no test may fail at the end of a day.
sed -i.bak 's/return page \\* size/return (page - 1) * size/' src/pager.js && rm -f src/pager.js.bak
cat > "$PATCHBAY_RESULT" <<END
{"summary": "Pages are counted", "report": {"summary": "Pages are counted", "notes": "",
  "files_changed": ["src/pages.js", "src/pager.js", "src/remote.js", "test/pages.test.js"]},
  "cost": {"input_tokens": 900, "output_tokens": 210, "usd": 0.01}}
END
`,
  'agents/scribe.sh': `#!/bin/sh
echo '- Pages are counted.' >> CHANGES.md
echo '{"summary": "CHANGES.md tells of it"}' > "$PATCHBAY_RESULT"
`,
};
