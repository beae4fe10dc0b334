'use strict';
const fs = require('node:fs');
const { basename, join } = require('node:path');
const { Script, constants } = require('node:vm');

/**
 * Runs a command that was built as a script of its own, with the code that V8 had made of it when it first ended well.
 * Node's cache has only what is compiled before the first line runs; to compile the rest takes longer than the command.
 */
function runScript(file, dist, cache) {
  const source = fs.readFileSync(file, 'utf8');
  // What the build wrote into its first line: V8 takes any two scripts of the same length for the same.
  const id = source.slice(2, source.indexOf('\n'));
  const saved = join(cache, `${basename(file, '.js')}-${id}-${process.version}-${process.arch}`);
  const script = new Script(source, {
    filename: file,
    cachedData: load(saved),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  // Help, or a command that failed early, has run too little of it.
  const isHelp = process.argv.some((word) => word === '--help' || word === '-h');
  if (script.cachedDataRejected !== false && !isHelp) {
    process.once('exit', (code) => code === 0 && save(saved, script.createCachedData()));
  }
  script.runInThisContext()(require, dist);
}

function digest(data) {
  return require('node:crypto').hash('sha256', data, 'buffer');
}

/** What was saved, if nothing has happened to it since: V8 believes whatever it is given. */
function load(file) {
  let saved;
  try {
    saved = fs.readFileSync(file);
  } catch {
    return undefined;
  }
  const data = saved.subarray(32);
  return digest(data).equals(saved.subarray(0, 32)) ? data : undefined;
}

/** Not in one go: one that is half written, by whomever, is not whole. */
function save(file, data) {
  try {
    fs.writeFileSync(file, Buffer.concat([digest(data), data]), { mode: 0o600 });
  } catch {
    // It is only a cache: where it cannot be written, everything takes a little longer.
  }
}

module.exports = { runScript };
