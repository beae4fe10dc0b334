/** Reads what every agent needs; each is a program of its own, to be replaced by a real one. */
const turn = `import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the bundle: what this turn should know. */
export const bundle = (name) => JSON.parse(readFileSync(join(process.env.PATCHBAY_BUNDLE, name), 'utf8'));
/** Hands in the result, with the document that the role is asked for. */
export const submit = (result) => writeFileSync(process.env.PATCHBAY_RESULT, JSON.stringify(result));
`;

const prime = `#!/usr/bin/env node
// PRIME: turns the target of the day into a story card. A real one would be an agent; this one has its cards ready.
import { bundle, submit } from './turn.mjs';

const cards = {
  1: {
    title: 'Greet somebody by name',
    story: 'Whoever gives a name is greeted with it.',
    acceptance_criteria: ['greets a person by name', 'greets the world if no name is given'],
    deferred: ['greets in the language of the person'],
  },
  2: {
    title: 'Say goodbye',
    story: 'Whoever leaves hears goodbye, by name.',
    acceptance_criteria: ['says goodbye to a person by name'],
  },
};
const { inputs, goal } = bundle('turn.json');
const card = cards[inputs.day] ?? { title: goal, story: goal, acceptance_criteria: [goal] };
submit({ summary: card.title, report: card });
`;

const forge = `#!/usr/bin/env node
// FORGE: builds the story, with tests. What was wrong with the attempt before is in turn.json: feedback and hold_reason.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { bundle, submit } from './turn.mjs';

const test = (name, body) => \`import assert from 'node:assert/strict';
import { test } from 'node:test';
import { \${name} } from '../src/\${name}.js';

\${body}\`;
const work = {
  1: {
    'src/greet.js': \`/** A greeting. */
export function greet(name = 'world') {
  return 'Hello, ' + name + '!';
}
\`,
    'test/greet.test.js': test('greet', \`test('greets a person by name', () => assert.equal(greet('Ada'), 'Hello, Ada!'));
test('greets the world if no name is given', () => assert.equal(greet(), 'Hello, world!'));
\`),
  },
  2: {
    'src/leave.js': \`/** A goodbye. */
export function leave(name) {
  return 'Goodbye, ' + name + '!';
}
\`,
    'test/leave.test.js': test('leave', \`test('says goodbye to a person by name', () => assert.equal(leave('Ada'), 'Goodbye, Ada!'));
\`),
  },
};
const files = work[bundle('turn.json').inputs.day] ?? {};
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(name, text);
}
const { title } = bundle('story.json');
const names = Object.keys(files);
const tests_added = names.filter((name) => name.startsWith('test/'));
submit({ summary: title, report: { summary: title, files_changed: names, tests_added, notes: '' } });
`;

const scribe = `#!/usr/bin/env node
// SCRIBE: writes down what was shipped.
import { appendFileSync } from 'node:fs';
import { bundle, submit } from './turn.mjs';

const { inputs } = bundle('turn.json');
const { title } = bundle('story.json');
appendFileSync('CHANGES.md', '- Day ' + inputs.day + ': ' + title + '\\n');
submit({ summary: 'CHANGES.md tells of day ' + inputs.day });
`;

const settings = `# Who plays the roles of a day: here scripts that need no account. GATE, SENTINEL and CONDUIT come with Patchbay.
# With an agent: prime: { core: acp, with: { command: [my-agent, --acp] } }
runs:
  roles:
    prime: { core: script, with: { command: [./agents/prime.mjs] } }
    forge: { core: script, with: { command: [./agents/forge.mjs] } }
    scribe: { core: script, with: { command: [./agents/scribe.mjs] } }
`;

const config = `# Settings of the days.
attempts: 3              # of FORGE, before a day is held
cost:
  day_usd: 5             # a day is held when it has cost this
  total_usd: 50          # no day is begun when all of them have
# gates:                 # where a person decides
#   story: human         # before anything is built
#   ship: human          # before it is shipped
plugins:
  dirs: []               # folders with plugins of your own
`;

const plan = `# What is to be done on which day: patchbay run --day next
days:
  - day: 1
    target: Greet somebody by name
  - day: 2
    target: Say goodbye to whoever leaves
`;

/** The files of a project whose first day can be run at once. */
export const pace: Readonly<Record<string, string>> = {
  'patchbay.yaml': settings,
  'pace/pace.config.yaml': config,
  'pace/plan.yaml': plan,
  'agents/turn.mjs': turn,
  'agents/prime.mjs': prime,
  'agents/forge.mjs': forge,
  'agents/scribe.mjs': scribe,
  'package.json': `${JSON.stringify({ name: 'greeter', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'CHANGES.md': '# Changes\n\n',
};
