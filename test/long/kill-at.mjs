// Preloaded into the command by the crash test. Right before the file system is changed for the KILL_AT-th time the
// process kills itself, as a power cut would; at the FAIL_AT-th time the disk is full, once. Says on its way out how
// often it was changed.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const changing = [
  'writeFile',
  'rename',
  'rm',
  'mkdir',
  'mkdtemp',
  'open',
  'fsync',
  'rmdir',
  'copyFile',
  'chmod',
  'unlink',
  'symlink',
  'link',
];
const killAt = Number(process.env['KILL_AT']);
const failAt = Number(process.env['FAIL_AT']);
let count = 0;

function step() {
  count++;
  if (count === killAt) process.kill(process.pid, 'SIGKILL');
  if (count !== failAt) return;
  const full = { code: 'ENOSPC', errno: -28, syscall: 'write' };
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), full);
}

/** Opening a file to read it, as the loader does with every module, changes nothing. */
function writes(flags = 'r') {
  return typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(flags);
}

function patch(object, name) {
  const original = object[name];
  if (typeof original !== 'function') return;
  const isAsync = object === fs.promises;
  object[name] = function (...args) {
    try {
      if (!name.startsWith('open') || writes(args[1])) step();
    } catch (full) {
      if (isAsync) return Promise.reject(full);
      throw full;
    }
    return original.apply(this, args);
  };
}

for (const name of changing) {
  patch(fs, `${name}Sync`);
  patch(fs.promises, name);
}
const { createWriteStream } = fs;
fs.createWriteStream = (...args) => {
  step();
  return createWriteStream(...args);
};
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(`steps ${count}\n`));
