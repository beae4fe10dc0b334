#!/usr/bin/env node
'use strict';
// Kept readable by any Node, however old, so that it gets a sentence instead of a stack trace. CommonJS, because the
// module loader costs a third of the time that `--version` may take.
const { existsSync } = require('node:fs');
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
  const main = join(dist, 'main.mjs');
  if (!existsSync(main)) {
    fail('NOT_BUILT', 'this checkout of Patchbay is not built yet', 'run "npm run build" in it first');
    return;
  }
  // In the user's own cache: a shared temporary folder could be written by others.
  const cache = join(process.env.XDG_CACHE_HOME || join(require('node:os').homedir(), '.cache'), 'patchbay');
  require('node:module').enableCompileCache(cache);
  const name = process.argv.slice(2, 4).join('-');
  const script = join(dist, 'quick', `${name}.js`);
  if (/^[a-z]+-[a-z]+$/.test(name) && existsSync(script)) require('./script.cjs').runScript(script, dist, cache);
  else import(require('node:url').pathToFileURL(main).href);
}

start();
