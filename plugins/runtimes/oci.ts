import { ask } from './ask.ts';
import { type Client, clientRuntime, each, type ImageSpec, mountArgument } from './client.ts';

/** The arguments by which docker and podman run a container alike. */
function runArguments({ limits, ...spec }: ImageSpec, more: readonly string[]): string[] {
  const [program = '', ...args] = spec.argv;
  return [
    ...['run', '--rm', '--interactive', '--pull=never', '--name', spec.name],
    ...each(
      '--label',
      Object.entries(spec.labels).map(([name, value]) => `${name}=${value}`),
    ),
    ...['--network', spec.network, '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...(limits.cpus === undefined ? [] : ['--cpus', String(limits.cpus)]),
    ...(limits.memoryMb === undefined ? [] : ['--memory', `${limits.memoryMb}m`]),
    ...(limits.pids === undefined ? [] : ['--pids-limit', String(limits.pids)]),
    ...each('--mount', spec.mounts.map(mountArgument)),
    ...more,
    ...['--workdir', spec.cwd, ...spec.variables],
    // What an image begins with by itself would get the program as an argument.
    ...['--entrypoint', program, spec.image, ...args],
  ];
}

const common = {
  list: ['ps', '--format', '{{.Names}}'],
  gone: /no such container|no container with (?:name|ID)/i,
} satisfies Partial<Client>;

/** Podman, which needs no service. */
export const podman = clientRuntime({
  ...common,
  name: 'podman',
  cli: 'podman',
  probe: ['info', '--format', '{{.Version.Version}}'],
  hint: 'Install it (on Debian: apt-get install podman), or have "podman info" succeed',
  remove: (name) => ['rm', '--force', '--ignore', '--time', '0', name],
  // Without root, the root of a container is whoever started it.
  run: (spec) => runArguments(spec, []),
  heeds: ['CONTAINERS_', 'CONTAINER_', 'REGISTRY_', 'STORAGE_', '_CONTAINERS_', 'BUILDAH_', 'PODMAN_'],
});

/** Docker, by its service. */
export const docker = clientRuntime({
  ...common,
  name: 'docker',
  cli: 'docker',
  probe: ['info', '--format', '{{.ServerVersion}}'],
  hint: 'Start the service (systemctl start docker, or Docker Desktop), and see that "docker info" succeeds',
  remove: (name) => ['rm', '--force', name],
  run: async (spec) => runArguments(spec, await userArguments()),
  heeds: ['DOCKER_', 'BUILDX_', 'BUILDKIT_'],
});

/** Whose files a container writes: ours. A service without root does that by itself. */
async function userArguments(): Promise<string[]> {
  const uid = process.getuid?.() ?? 0;
  if (uid === 0) return [];
  const { stdout } = await ask('docker', ['info', '--format', '{{json .SecurityOptions}}']);
  return stdout.includes('name=rootless') ? [] : ['--user', `${uid}:${process.getgid?.() ?? uid}`];
}
