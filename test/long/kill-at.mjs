// Preloaded into the command by the crash test: the process kills itself, as a power cut would, right before the file
// system is changed for the KILL_AT-th time. Says on its way out how often it was changed if that never came.
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
const at = Number(process.env['KILL_AT']);
let count = 0;

function step() {
  count++;
  if (count === at) process.kill(process.pid, 'SIGKILL');
}

function patch(object, name) {
  const original = object[name];
  if (typeof original !== 'function') return;
  object[name] = function (...args) {
    step();
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
