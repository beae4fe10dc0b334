#!/usr/bin/env node
'use strict';
// Kept readable by any Node, however old, so that it gets a sentence instead of a stack trace. CommonJS, because the
// module loader costs a third of the time that `--version` may take.
const fs = require('node:fs');
const { join } = require('node:path');
const { version } = require('../package.json');

function fail(code, message, hint) {
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
  else process.stderr.write(`error ${code}: ${message}; ${hint}\n`);
  process.exitCode = 1;
}

function start() {
  if (Number(process.versions.node.split('.')[0]) < 24) {
    fail(
      'NODE_TOO_OLD',
      `Patchbay needs Node.js 24 or newer, this is ${process.versions.node}`,
      'run it as "npx patchbay" in a project that has the npm package "node", or install Node.js 24',
    );
    return;
  }
  if (process.argv.length === 3 && /^(--version|-V)$/.test(process.argv[2])) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const dist = join(__dirname, '..', 'dist');
  if (!fs.existsSync(dist)) {
    fail('NOT_BUILT', 'this checkout of Patchbay is not built yet', 'run "npm run build" in it first');
    return;
  }
  // In the user's own cache: a shared temporary folder could be written by others.
  const cache = join(process.env.XDG_CACHE_HOME || join(require('node:os').homedir(), '.cache'), 'patchbay');
  require('node:module').enableCompileCache(cache);
  if (!runScript(dist, cache)) import(require('node:url').pathToFileURL(join(dist, 'main.mjs')).href);
}

/**
 * Runs a command that was built as a script of its own, with the code that V8 had made of it when it last ended well.
 * Node's cache has only what is compiled before the first line runs; to compile the rest takes longer than the command.
 */
function runScript(dist, cache) {
  const name = process.argv.slice(2, 4).join('-');
  const file = join(dist, 'quick', `${name}.js`);
  const source = /^[a-z]+-[a-z]+$/.test(name) && read(file, 'utf8');
  if (!source) return false;
  const { Script, constants } = require('node:vm');
  // What the build wrote into its first line: V8 takes any two scripts of the same length for the same.
  const id = source.slice(2, source.indexOf('\n'));
  const saved = join(cache, `${name}-${id}-${process.version}-${process.arch}`);
  const cachedData = read(saved);
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(source, { filename: file, cachedData, importModuleDynamically });
  if (script.cachedDataRejected !== false) {
    process.once('exit', (code) => code === 0 && save(saved, script.createCachedData()));
  }
  script.runInThisContext()(require, dist);
  return true;
}

function read(file, encoding) {
  try {
    return fs.readFileSync(file, encoding);
  } catch {
    return undefined;
  }
}

/** Whole or not at all: V8 believes what it finds. */
function save(file, data) {
  const prepared = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(prepared, data, { mode: 0o600, flush: true });
    fs.renameSync(prepared, file);
  } catch {
    // It is only a cache; where it cannot be written, everything takes a little longer.
    fs.rmSync(prepared, { force: true });
  }
}

start();
