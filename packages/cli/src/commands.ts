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
