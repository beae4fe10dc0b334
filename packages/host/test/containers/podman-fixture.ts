import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The image that `podmanHere` has built: a static busybox on nothing. */
export const image = 'localhost/patchbay-test:1';

const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((file) => existsSync(file));
const runc = ['/usr/sbin/runc', '/usr/bin/runc'].find((file) => existsSync(file));
const programs = ['sh', 'cat', 'cut', 'echo', 'env', 'id', 'ls', 'nc', 'sleep', 'sort', 'touch', 'true', 'wc', 'tr'];

/**
 * Has podman of this process, and of those it starts, keep all it has in a folder of the test, with an image. Debian's crun
 * does not work where two kinds of control groups are mounted: runc does. Nor can podman raise limits that root may not.
 * Gives the undo.
 */
export function podmanHere(): () => void {
  if (busybox === undefined || runc === undefined) {
    throw new Error('the tests of podman need: apt-get install podman runc busybox-static');
  }
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-podman-'));
  for (const name of ['root', 'run', 'tmp', 'image/bin']) mkdirSync(join(dir, name), { recursive: true });
  const settings = [
    '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n',
    `[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "none"\ntmp_dir = "${dir}/tmp"\n`,
    `[engine.runtimes]\nrunc = ["${runc}"]\n`,
  ];
  const storage = `[storage]\ndriver = "vfs"\ngraphroot = "${dir}/root"\nrunroot = "${dir}/run"\n`;
  writeFileSync(join(dir, 'containers.conf'), settings.join(''));
  writeFileSync(join(dir, 'storage.conf'), storage);
  writeFileSync(join(dir, 'image/Containerfile'), 'FROM scratch\nCOPY bin /bin\nENV FROM_IMAGE=yes\n');
  copyFileSync(busybox, join(dir, 'image/bin/busybox'));
  for (const name of programs) symlinkSync('busybox', join(dir, 'image/bin', name));
  const variables = {
    CONTAINERS_CONF: join(dir, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(dir, 'storage.conf'),
  };
  Object.assign(process.env, variables);
  podman('build', '--quiet', '--tag', image, join(dir, 'image'));
  return () => {
    podman('rm', '--all', '--force', '--time', '0');
    for (const name of Object.keys(variables)) delete process.env[name];
    // What watched its containers may still be leaving.
    rmSync(dir, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  };
}

/** What podman says. Throws if it fails. */
export function podman(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('podman', args, { encoding: 'utf8', timeout: 60_000 });
  if (status === 0) return stdout.trim();
  throw new Error(`podman ${args.join(' ')}: ${stderr}`);
}
