import { clientRuntime, each, mountArgument } from './client.ts';

/** Apple's containers: each a small virtual machine, on macOS. They have a network of their own, never that of the host. */
export const apple = clientRuntime({
  name: 'apple',
  cli: 'container',
  probe: ['system', 'status'],
  hint: 'Install it, and run: container system start',
  start: ['system', 'start'],
  list: ['list', '--quiet'],
  remove: (name) => ['delete', '--force', name],
  gone: /not found|notFound|no such/i,
  run: ({ name, labels, limits, network, mounts, cwd, variables, argv: [program = '', ...args], image }) => [
    ...['run', '--rm', '--interactive', '--progress', 'none', '--name', name],
    ...each(
      '--label',
      Object.entries(labels).map(([label, value]) => `${label}=${value}`),
    ),
    ...(network === 'none' ? ['--network', 'none'] : []),
    // Of a virtual machine whole ones only.
    ...(limits.cpus === undefined ? [] : ['--cpus', String(Math.ceil(limits.cpus))]),
    ...(limits.memoryMb === undefined ? [] : ['--memory', `${limits.memoryMb}M`]),
    ...each('--mount', mounts.map(mountArgument)),
    ...['--workdir', cwd, ...variables, '--entrypoint', program, image, ...args],
  ],
  heeds: ['CONTAINER_'],
  limits: () => ({ cpus: true, memoryMb: true, pids: false }),
});
