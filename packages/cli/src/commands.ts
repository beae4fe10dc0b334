import type { Command } from './command.ts';

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
];
