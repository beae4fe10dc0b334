import type { Command } from './command.ts';

/** Options of commands that bring a plugin in. */
const bringing = [
  ['--force', 'replace a plugin of the same name'],
  ['--grant <grants...>', 'let it do this, as in net:example.com or env:TOKEN'],
  ['--yes', 'let it do all that it asks for'],
  ['--set <settings...>', 'write key=value into its configuration'],
] as const;

/** Every command. Help is made from this table; the code behind a command is loaded when it is called. */
export const commands: readonly Command[] = [
  {
    usage: 'demo',
    summary: 'Show it working: a sample project, good and bad plugins, no account',
    options: [
      ['--dir <folder>', 'where to make the sample project (default: a temporary folder)'],
      ['--keep', 'leave the sample project in place'],
    ],
    example: 'patchbay demo --keep',
    load: () => import('./commands/demo.ts'),
  },
  {
    usage: 'doctor',
    summary: 'What works here and what is missing, with what to do',
    example: 'patchbay doctor',
    load: () => import('./commands/doctor.ts'),
  },
  {
    usage: 'init [folder]',
    summary: 'Make a starter project',
    options: [['--template <name>', 'for which kind of runs: governed or pace (default: governed)']],
    example: 'patchbay init --template governed',
    load: () => import('./commands/init.ts'),
  },
  {
    usage: 'run',
    summary: 'Begin a run and follow it until it ends or waits for somebody',
    options: [
      ['--template <name>', 'which kind of run (default: governed)'],
      ['--input <text>', 'the goal, in words'],
      ['--by <who>', 'who starts it (default: you)'],
      ['--detach', 'only write down that it is wanted, for the host that is at work'],
    ],
    example: 'patchbay run --input "Make the tests pass"',
    load: () => import('./commands/run.ts'),
  },
  {
    usage: 'status [run]',
    summary: 'Where a run stands, or all of them',
    example: 'patchbay status --json',
    load: () => import('./commands/status.ts'),
  },
  {
    usage: 'approve <run>',
    summary: 'Approve the gate that a run waits at, and carry it on',
    options: [
      ['--by <who>', 'who approves (default: you)'],
      ['--comment <text>', 'what is to be remembered of it'],
    ],
    example: 'patchbay approve run-0190 --comment "Looks right"',
    load: () => import('./commands/approve.ts'),
  },
  {
    usage: 'refuse <run>',
    summary: 'Refuse the gate that a run waits at: it is held',
    options: [
      ['--by <who>', 'who refuses (default: you)'],
      ['--reason <text>', 'why'],
    ],
    example: 'patchbay refuse run-0190 --reason "Too early"',
    load: () => import('./commands/refuse.ts'),
  },
  {
    usage: 'resume [run]',
    summary: 'Carry on a run that was interrupted, or begin one anew that was held; all open ones without a name',
    options: [['--by <who>', 'who does (default: you)']],
    example: 'patchbay resume',
    load: () => import('./commands/resume.ts'),
  },
  {
    usage: 'abort <run>',
    summary: 'End a run',
    options: [
      ['--by <who>', 'who ends it (default: you)'],
      ['--reason <text>', 'why'],
    ],
    example: 'patchbay abort run-0190 --reason "Not needed any more"',
    load: () => import('./commands/abort.ts'),
  },
  {
    usage: 'events',
    summary: 'What happened, from the ledger',
    options: [
      ['--run <run>', 'of this run only'],
      ['--type <pattern>', 'of this kind only; * stands for any text, as in turn:*'],
      ['--since <time>', 'not before this time (ISO 8601)'],
      ['--until <time>', 'not after this time'],
      ['--limit <count>', 'only the last so many'],
      ['--follow', 'go on with what happens from now on'],
    ],
    example: 'patchbay events --type "gate:*" --follow',
    load: () => import('./commands/events.ts'),
  },
  {
    usage: 'ledger verify',
    summary: 'Whether anything in the ledger was changed afterwards',
    example: 'patchbay ledger verify --json',
    load: () => import('./commands/ledger-verify.ts'),
  },
  {
    usage: 'ledger prune',
    summary: 'Remove the oldest events; export them with `patchbay events --json` first if they are wanted',
    options: [['--before <time>', 'those from before this time (ISO 8601)']],
    example: 'patchbay ledger prune --before 2026-01-01',
    load: () => import('./commands/ledger-prune.ts'),
  },
  {
    usage: 'deliveries',
    summary: 'Each handler called for each event, and what came of it',
    options: [
      ['--event <pattern>', 'of this event only; * stands for any text'],
      ['--plugin <name>', 'of this plugin only'],
      ['--run <run>', 'of this run only'],
      ['--failed', 'only those that failed'],
      ['--owed', 'only those still to be made'],
      ['--limit <count>', 'only the last so many (default: 1000)'],
    ],
    example: 'patchbay deliveries --failed',
    load: () => import('./commands/deliveries.ts'),
  },
  {
    usage: 'deliveries replay <id>',
    summary: 'Make a delivery again, under the same key',
    example: 'patchbay deliveries replay 17.0',
    load: () => import('./commands/deliveries-replay.ts'),
  },
  {
    usage: 'hooks list',
    summary: 'All hooks: kind, how they fail, when they are called',
    example: 'patchbay hooks list --json',
    load: () => import('./commands/hooks-list.ts'),
  },
  {
    usage: 'hooks explain <hook>',
    summary: 'In which order the plugins of this project are called for a hook, and why',
    example: 'patchbay hooks explain turn:accepted',
    load: () => import('./commands/hooks-explain.ts'),
  },
  {
    usage: 'hooks test <plugin> <event>',
    summary: 'Call the handlers of a plugin with a sample of an event; nothing is written down',
    options: [['--payload <file>', 'JSON whose fields take the place of those of the sample']],
    example: 'patchbay hooks test plugin-slack-notify turn:accepted',
    load: () => import('./commands/hooks-test.ts'),
  },
  {
    usage: 'plugin install [source]',
    summary: 'Install a plugin: a folder, .tar.gz, .zip, npm name, git address or built-in; or all of the lock file',
    options: [
      ['--link', 'for development: link to a folder instead of copying it'],
      ['--frozen', 'without a source: refuse a project file that differs from the lock file'],
      ...bringing,
    ],
    example: 'patchbay plugin install ./my-plugins/slack-notify --set webhook_url=${SLACK_WEBHOOK_URL}',
    load: () => import('./commands/plugin-install.ts'),
  },
  {
    usage: 'plugin create <name>',
    summary: 'Make a new plugin in a folder of its name, with a test that passes',
    options: [['--kind <kind>', 'native (TypeScript) or script (AgentXchain) (default: native)']],
    example: 'patchbay plugin create my-plugin --kind script',
    load: () => import('./commands/plugin-create.ts'),
  },
  {
    usage: 'plugin list',
    summary: 'The plugins of this project',
    example: 'patchbay plugin list --json',
    load: () => import('./commands/plugin-list.ts'),
  },
  {
    usage: 'plugin upgrade <name>',
    summary: 'Replace a plugin by another version, or leave it as it is if that fails',
    options: [['--from <source>', 'take it from elsewhere'], ...bringing],
    example: 'patchbay plugin upgrade plugin-slack-notify --from ./plugin-slack-notify-1.3.0.tar.gz',
    load: () => import('./commands/plugin-upgrade.ts'),
  },
  {
    usage: 'plugin remove <name>',
    summary: 'Take a plugin out, with everything that is written down of it',
    example: 'patchbay plugin remove plugin-slack-notify',
    load: () => import('./commands/plugin-remove.ts'),
  },
  {
    usage: 'plugin enable <name>',
    summary: 'Switch a plugin on',
    example: 'patchbay plugin enable plugin-slack-notify',
    load: () => import('./commands/plugin-enable.ts'),
  },
  {
    usage: 'plugin disable <name>',
    summary: 'Switch a plugin off, leaving it installed',
    example: 'patchbay plugin disable plugin-slack-notify',
    load: () => import('./commands/plugin-disable.ts'),
  },
  {
    usage: 'plugin info <name>',
    summary: 'What a plugin is, may do and where it came from',
    example: 'patchbay plugin info plugin-slack-notify',
    load: () => import('./commands/plugin-info.ts'),
  },
  {
    usage: 'plugin verify [name]',
    summary: 'Whether the files of plugins are still those that were installed',
    example: 'patchbay plugin verify',
    load: () => import('./commands/plugin-verify.ts'),
  },
];
