import { databaseOf, findProject } from 'patchbay-host';
import { type DatabaseHealth, probePostgres } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk/errors';
import type { Check } from './check.ts';

const [nearMs, farMs] = [10, 100];
const [skewMs, wrongMs] = [1000, 5000];
/** So many sessions a host may have at once. */
const ofHost = 12;

/** Whether the database of a project can be used well; nothing if it has none, or cannot be opened: that is told of the ledger. */
export async function databaseChecks(cwd: string): Promise<Check[]> {
  try {
    const project = findProject(cwd);
    const url = project === undefined ? undefined : databaseOf(project, process.env);
    if (url === undefined) return [];
    const health = await probePostgres(url);
    return [server(health), latency(health), clock(health), connection(health), sessions(health)];
  } catch (error) {
    if (error instanceof PatchbayError) return [];
    throw error;
  }
}

function server({ shown, version }: DatabaseHealth): Check {
  const detail = `${shown}, PostgreSQL ${version}; the user has the rights that a ledger needs`;
  return { name: 'database', ok: true, detail, fix: null };
}

function latency({ roundTripMs }: DatabaseHealth): Check {
  const took = `a statement takes ${roundTripMs.toFixed(1)} ms`;
  const name = 'database latency';
  if (roundTripMs <= nearMs) return { name, ok: true, detail: `${took}: near`, fix: null };
  const fix = 'put hosts and database into the same network';
  if (roundTripMs <= farMs) return { name, ok: true, detail: `${took}: every step of a run waits several times`, fix };
  return { name, ok: false, detail: `${took}: too far away to work with`, fix };
}

function clock({ clockAheadMs }: DatabaseHealth): Check {
  const apart = Math.abs(clockAheadMs);
  const how = clockAheadMs < 0 ? 'behind' : 'ahead of';
  const detail = `the clock of the server is ${Math.round(apart)} ms ${how} this one`;
  const fix = 'let both machines follow a time server: events have the time of the host that they happen on';
  return { name: 'database clock', ok: apart <= wrongMs, detail, fix: apart <= skewMs ? null : fix };
}

function connection({ keepsSessions, passesWord }: DatabaseHealth): Check {
  const name = 'database connection';
  if (keepsSessions && passesWord) return { name, ok: true, detail: 'direct: locks and messages stay', fix: null };
  const lost = [
    keepsSessions ? [] : ['locks do not stay with their session'],
    passesWord ? [] : ['LISTEN hears nothing'],
  ];
  const fix = 'name the server itself in PATCHBAY_DATABASE_URL, or a pooler that pools sessions and not transactions';
  return { name, ok: false, detail: `through a pooler: ${lost.flat().join(', ')}`, fix };
}

function sessions({ sessionsLeft }: DatabaseHealth): Check {
  const hosts = Math.max(Math.floor(sessionsLeft / ofHost), 0);
  const detail = `the server lets ${sessionsLeft} more be opened, enough for ${hosts} more hosts`;
  const fix =
    hosts >= 2 ? null : `raise max_connections, or the limit of the user or the database: a host may have ${ofHost}`;
  return { name: 'database sessions', ok: hosts > 0, detail, fix };
}
