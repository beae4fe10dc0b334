import { findProject, holderOf, hostsOf, type ListedHost, stateDir } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { elapsed } from '../elapsed.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ cwd }) => {
  const project = findProject(cwd);
  if (project === undefined) throw new PatchbayError('PROJECT_MISSING', `there is no project in ${cwd} nor above it`);
  const hosts = await hostsOf(project, process.env);
  if (hosts === undefined) return { json: [], text: aloneText(project.dir) };
  const text = hosts.length === 0 ? 'No host is at work. Start one with: patchbay serve' : columns(hosts.map(lineOf));
  return { json: hosts, text };
};

function aloneText(dir: string): string {
  const holder = holderOf(stateDir(dir));
  const who = holder === undefined ? 'none is at work' : `process ${holder.pid} is`;
  return `The ledger of this project is in a file, which one host works on: ${who}.\nSeveral need a database: docs/hosts.md.`;
}

function lineOf(host: ListedHost): string[] {
  const { name, version, labels, serving, api, runs, at_once, plugins, duties } = host;
  const does = [
    serving ? `${runs.length} of ${at_once} runs` : `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`,
    ...(plugins.length === 0 ? [] : [`${plugins.length} ${plugins.length === 1 ? 'plugin' : 'plugins'}`]),
    ...duties,
  ];
  return [name, stateOf(host), does.join(', '), labels.join(' '), api ?? '', `v${version}`];
}

function stateOf({ silent_ms, fenced_at, reason }: ListedHost): string {
  if (fenced_at !== null) return `dead since ${fenced_at} (${reason})`;
  return silent_ms === null ? 'not connected' : `heard of ${elapsed(silent_ms)} ago`;
}
