import { existsSync, lstatSync, readlinkSync } from 'node:fs';

/** The folders that hold the programs of a system and what they need, wherever it is a Linux. */
const folders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/etc', '/nix', '/snap'],
  // What /etc/resolv.conf is a link to on many.
  ...['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf'],
];
/** What only root can read there, and a program that root runs need not. */
const secrets = ['/etc/shadow', '/etc/gshadow', '/etc/shadow-', '/etc/gshadow-', '/etc/sudoers'];
const secretFolders = ['/etc/ssh', '/etc/ssl/private'];

/** The arguments of bubblewrap that show a program the system of the host, as it is, and nothing of its people. */
export function systemFlags(): string[] {
  return [
    ...folders.flatMap(shown),
    ...secrets.filter((file) => existsSync(file)).flatMap((file) => ['--ro-bind', '/dev/null', file]),
    ...secretFolders.filter((folder) => existsSync(folder)).flatMap((folder) => ['--tmpfs', folder]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--dir', '/var/tmp'],
  ];
}

function shown(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder];
}
