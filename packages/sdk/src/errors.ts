/** How bad it is for the command line: 1 the operation failed, 2 what was given is wrong, 4 refused. */
type Exit = 1 | 2 | 4;

interface ErrorRow {
  readonly exit: Exit;
  /** What it means. */
  readonly means: string;
  /** What to do about it. */
  readonly hint: string;
}

function row(exit: Exit, means: string, hint: string): ErrorRow {
  return { exit, means, hint };
}

/**
 * Every error code. A code is never renamed nor used again for something else. A test provokes each one, and
 * `docs/errors.md` is made from this table.
 */
export const errorCodes = {
  HOOK_UNKNOWN: row(
    2,
    'A plugin implements, or a caller names, a hook that is not in the table.',
    'Correct the name; `patchbay hooks list` shows all.',
  ),
  HOOK_ARGUMENT_UNKNOWN: row(
    2,
    'A handler reads a payload field that the hook does not have.',
    'Correct the field; `docs/hooks.md` lists the fields of each hook.',
  ),
  HOOK_TABLE_INVALID: row(
    2,
    'A row of a hook table contradicts itself.',
    'Change the row: a historic hook is soft, and not of kind first or waterfall.',
  ),
  HOOK_REFUSED: row(
    4,
    'A closed hook was refused, by a verdict or because a handler failed.',
    'Read the message of the plugin it names; if the plugin is at fault, mend or disable it.',
  ),
  HANDLER_INVALID: row(
    2,
    'What a plugin registers for a hook is not a handler.',
    'Give a function (payload, context), or an object with `handler` and options.',
  ),
  HANDLER_FAILED: row(1, 'A handler threw, or its promise was rejected.', 'See the cause; the plugin is at fault.'),
  HANDLER_TIMEOUT: row(
    1,
    'A handler did not answer before its deadline.',
    'Make it faster, let it heed `context.signal`, or give it a longer `deadlineMs`.',
  ),
  HANDLER_ANSWER: row(
    1,
    'A handler answered something the hook does not allow.',
    'Answer what `docs/hooks.md` says, or nothing.',
  ),
  HANDLER_ASYNC: row(1, 'A handler answered a promise to a caller that cannot wait.', 'Answer at once, without async.'),
  HANDLER_PAUSED: row(
    1,
    'A handler failed so often in a row that it is not called for a while.',
    'Mend what made it fail; it is tried again by itself after the pause.',
  ),
  HANDLER_START: row(
    1,
    'A script of a plugin could not be started: it is missing, may not be run, or lacks its interpreter.',
    'Do what the message says to the file it names.',
  ),
  ORDER_CYCLE: row(
    2,
    'Before and after constraints of plugins contradict each other.',
    'Drop one of the constraints of the plugins it names.',
  ),
  ORDER_IMPOSSIBLE: row(
    2,
    'A before or after constraint contradicts tryfirst or trylast.',
    'Drop the constraint, or put both plugins into the same phase.',
  ),
  PLUGIN_INVALID: row(
    2,
    'A plugin definition has a wrong or unknown field.',
    'Correct the field; `definePlugin` in TypeScript shows them as you type.',
  ),
  PLUGIN_DUPLICATE: row(
    2,
    'A plugin of this name is already registered.',
    'Give one of them another name, or load it once.',
  ),
  PLUGIN_BLOCKED: row(2, 'The operator has blocked a plugin of this name.', 'Unblock it, or leave it out.'),
  PLUGIN_UNKNOWN: row(2, 'No plugin of this name is registered.', 'Correct the name.'),
  PLUGIN_LOAD: row(
    1,
    'The module of a plugin could not be loaded.',
    'See the cause: the file must exist and export a plugin as default.',
  ),
  MANIFEST_MISSING: row(
    2,
    'A folder or archive is no plugin package: it has no manifest.',
    'Add agentxchain-plugin.json, plugin.json, or package.json with a key "pace" or "pynchy".',
  ),
  MANIFEST_INVALID: row(
    2,
    'The manifest of a plugin package is wrong; every problem is told at once.',
    'Correct what it names; the schemas are in docs/schemas.',
  ),
  CONFIG_INVALID: row(2, 'The configuration of a plugin does not fit its schema.', 'Correct the field it names.'),
  PROJECT_INVALID: row(2, 'The project file cannot be read or has a wrong field.', 'Correct the line it names.'),
  PROJECT_MISSING: row(
    2,
    'There is no project here: no project file in this folder or above it.',
    'Make an empty patchbay.yaml where the project is, or name the folder with --cwd.',
  ),
  PROJECT_BUSY: row(1, 'Somebody else is changing the project at the same time.', 'Try again; nothing was changed.'),
  PROJECT_HELD: row(
    1,
    'Another process is the host of this project; there can be one at a time.',
    'Use it, or stop the process it names.',
  ),
  PROJECT_WRITE: row(
    1,
    'The project could not be changed; it is as it was before.',
    'See the cause: the disk may be full, or the folder not writable.',
  ),
  LOCK_INVALID: row(2, 'The lock file cannot be read.', 'Restore patchbay.lock from your version control.'),
  PLUGIN_INSTALLED: row(
    2,
    'A plugin of this name is installed already.',
    'Use `patchbay plugin upgrade`, or --force to replace it.',
  ),
  LOCK_DIFFERS: row(
    1,
    'What the lock file says and what is there, or what a source gives now, are not the same.',
    'Install what it names again, or restore the files from your version control.',
  ),
  GRANT_MISSING: row(
    2,
    'A plugin asks for something that it was not given.',
    'Pass --grant for each thing it names, or --yes for all of them.',
  ),
  SOURCE_INVALID: row(
    2,
    'The source of a plugin is not understood, does not exist, or is not a package.',
    'Give a folder, a .tar.gz, .tgz, .tar or .zip file, an npm name with a range, or a git URL.',
  ),
  SOURCE_UNAVAILABLE: row(
    1,
    'A plugin could not be brought here: the registry, the network or git failed.',
    'See the cause, then try again.',
  ),
  PACKAGE_UNSAFE: row(
    2,
    'The archive or folder of a plugin contains something that is refused.',
    'Have its author take out what is named; nothing was installed.',
  ),
  EVENT_INVALID: row(
    2,
    'An event does not fit the schema of its name.',
    'Correct the field it names; `docs/hooks.md` lists the fields of each event.',
  ),
  TEMPLATE_INVALID: row(
    2,
    'A template of runs is wrong; every problem is told at once.',
    'Correct what it names; docs/templates.md shows the form.',
  ),
  TEMPLATE_UNKNOWN: row(
    2,
    'There is no template of this name.',
    'Correct the name; it may be one of the project or shipped.',
  ),
  WORKSPACE_DIRTY: row(
    2,
    'The repository has changes that are not committed: a run would not see them.',
    'Commit or stash them first.',
  ),
  WORKSPACE_UNKNOWN: row(
    2,
    'There is no workspace of that name in the project.',
    'List them with `patchbay workspace list`; name it in patchbay.yaml under `workspaces`.',
  ),
  MCP_UNKNOWN: row(
    2,
    'There is no MCP server of this name.',
    'List those there are with `patchbay mcp list`; name it in patchbay.yaml under `mcp_servers`.',
  ),
  MCP_FAILED: row(
    1,
    'An MCP server could not be started, or cannot be used.',
    'See what it says of itself with `patchbay mcp logs NAME`; `patchbay mcp start NAME` tries it at once.',
  ),
  RUNTIME_UNAVAILABLE: row(
    2,
    'The container runtime that is wanted is not known, or cannot be used on this machine.',
    'Name another one in patchbay.yaml under `container.runtime`, or leave it out; `patchbay doctor` says which there are.',
  ),
  MOUNT_REFUSED: row(
    2,
    'A workspace asks for a mount that no container may have.',
    'Correct `mounts` of the workspace in patchbay.yaml: a folder inside the project, or an absolute one that holds no secrets.',
  ),
  WORKSPACE_FAILED: row(
    1,
    'The folder that a run works in could not be made, looked at or changed.',
    'See the cause; the run can be resumed.',
  ),
  RUN_TRANSITION: row(
    1,
    'Something was to happen to a run that cannot happen to it as it stands.',
    'Look at it with `patchbay status RUN` and `patchbay events --run RUN`.',
  ),
  RUN_UNKNOWN: row(2, 'There is no run of this id.', 'See `patchbay status` for those there are.'),
  RUN_REFUSED: row(
    2,
    'A run cannot be begun as it is wanted.',
    'Correct what the message names, in the template or in the project file.',
  ),
  APPROVAL_INVALID: row(
    2,
    'An approval cannot be given: nothing waits for one, or not for this person.',
    'See what the run waits for with `patchbay status RUN`.',
  ),
  APPROVAL_UNPROVEN: row(
    2,
    'Whoever decides on a credentialed gate must prove who they are, and has not.',
    'Put the token that `patchbay approver add` printed into PATCHBAY_APPROVER_TOKEN, or type it when asked.',
  ),
  PLAN_INVALID: row(
    2,
    'The plan of the days is wrong or not there; every problem is told at once.',
    'Correct what it names; docs/pace-day.md shows the three shapes.',
  ),
  DAY_UNKNOWN: row(2, 'The plan has no day of this number.', 'Name one of those it has, or `next`.'),
  DAY_HELD: row(
    4,
    'A day is held, and no other is begun until a person has decided about it.',
    'Release it with `patchbay resume RUN`, or give it up with `patchbay abort RUN`.',
  ),
  BUDGET_SPENT: row(
    4,
    'The days have cost as much as all of them together may.',
    'Raise `cost.total_usd` in pace/pace.config.yaml.',
  ),
  ADVISORY_UNKNOWN: row(2, 'There is no advisory of this id.', 'See `patchbay advisories` for those there are.'),
  RUN_MOVED: row(
    1,
    'A run has gone on while somebody was about to change it.',
    'Look at it again with `patchbay status`; nothing was changed.',
  ),
  LEDGER_WRITE: row(
    1,
    'The ledger could not be opened, read or written; what was to be written was not acknowledged.',
    'See the cause: the disk may be full, or the folder not writable.',
  ),
  LEDGER_CORRUPT: row(
    1,
    'The file of the ledger is damaged, or is no ledger.',
    'Move the file it names away and restore it from a backup.',
  ),
  LEDGER_NEWER: row(1, 'The ledger was written by a newer version of Patchbay.', 'Use that version, or a newer one.'),
  LEDGER_MOVED: row(
    1,
    'The ledger of this project was moved into a database; what is left here is not used any more.',
    'Set PATCHBAY_DATABASE_URL to the database it names; `patchbay migrate --to URL` finishes a move that was interrupted.',
  ),
  MIGRATION_REFUSED: row(
    2,
    'The ledger cannot be moved: there is none, or the database is not free for it.',
    'Name an empty database that nobody uses yet.',
  ),
  MIGRATION_UNFINISHED: row(
    1,
    'A ledger is being moved into this database, or was to be and something came in between.',
    'Run `patchbay migrate --to URL` again in the project that it comes from.',
  ),
  DATABASE_URL: row(
    2,
    'The URL of the database is missing, or is none.',
    'Set PATCHBAY_DATABASE_URL to postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
  ),
  DATABASE_UNREACHABLE: row(
    1,
    'The server of the database does not answer, or has no such database.',
    'Check the host, the port and the name of the database, and whether the server runs.',
  ),
  DATABASE_LOGIN: row(
    1,
    'The server of the database does not accept the user or the password.',
    'Check the user and the password in the URL, and pg_hba.conf on the server.',
  ),
  DATABASE_UNSUITABLE: row(
    1,
    'The database cannot hold a ledger.',
    'Use PostgreSQL 14 or newer, not a standby, with a database in the encoding UTF8.',
  ),
  DATABASE_RIGHTS: row(
    1,
    'The user of the database lacks rights that a ledger needs.',
    'Let the user own the schema: CREATE SCHEMA patchbay AUTHORIZATION the_user.',
  ),
  HOST_FENCED: row(
    1,
    'Other hosts have taken this one for dead, and its work over: it may write nothing more under its old name.',
    'Nothing: it joins again by itself.',
  ),
  RUN_ELSEWHERE: row(
    1,
    'Another host carries this run on.',
    'See `patchbay hosts` for those there are; `patchbay status` tells how the run goes.',
  ),
  HOST_LABELS: row(
    1,
    'A role of a run is played on hosts with certain labels only, and this one lacks them.',
    'Start a host that has them, with `patchbay serve --label NAME`: the run goes on there.',
  ),
  ARTIFACT_LARGE: row(
    1,
    'What a run has made is larger than the database takes, so no other host could go on with it.',
    'Have git ignore what need not be kept, or name a shared folder under "artifacts" in patchbay.yaml (docs/hosts.md).',
  ),
  ARTIFACT_CORRUPT: row(
    1,
    'What another host stored of a run is gone, or is not what was stored.',
    'Somebody has touched it: abort the run, or release it on a host that has its branch, and find out who.',
  ),
  ARTIFACT_FAILED: row(
    1,
    'What a run has made could not be stored where other hosts find it, or not be read from there.',
    'See the cause; the run is tried again.',
  ),
  DELIVERY_UNKNOWN: row(2, 'There is no delivery of this id.', 'See `patchbay deliveries` for those there are.'),
  WEBHOOK_INVALID: row(
    2,
    'A plugin wants requests on a path that is none, or names no usable secret.',
    'Correct the path or the secrets; docs/webhooks.md says what they look like.',
  ),
  WEBHOOK_DUPLICATE: row(
    2,
    'Two plugins want the requests on the same path.',
    'Give one of them another path, or disable it.',
  ),
  WEBHOOK_UNPROVEN: row(
    2,
    'Anybody could send to a route that asks for no proof of who sends.',
    'Give the route a proof, or listen on 127.0.0.1.',
  ),
  WEBHOOK_UNKNOWN: row(2, 'There is no webhook on this path.', 'See `patchbay webhooks list` for those there are.'),
  PORT_TAKEN: row(
    1,
    'The host cannot listen where it was told to.',
    'Name another port, or end the process that has this one.',
  ),
  REQUEST_INVALID: row(
    2,
    'A request to the API is not one that it takes: its address, headers or body.',
    'Compare it with `docs/api.md`, or with /api/v1/openapi.json of the host.',
  ),
  REQUEST_DENIED: row(
    4,
    'A request to the API lacks the token, or comes from a page, or by a name, that is not its own.',
    'Send the token of `.patchbay/api-token` in the header "Authorization: Bearer …", from no other page.',
  ),
  REQUEST_UNKNOWN: row(
    2,
    'A request to the API asks for something that there is not.',
    'Look it up in `docs/api.md`, or in /api/v1/openapi.json of the host.',
  ),
  REQUEST_LIMITED: row(
    1,
    'The API was asked too often, or too much at once.',
    'Ask again after the time that the header Retry-After says.',
  ),
  HOST_GONE: row(
    1,
    'The host that was to carry a run on has ended.',
    'Start it again with `patchbay serve`, or carry the run on with `patchbay resume`.',
  ),
  USAGE: row(2, 'The command line was not understood.', 'See `patchbay --help`, or `patchbay COMMAND --help`.'),
  NODE_TOO_OLD: row(
    1,
    'Patchbay was started with a Node.js older than 24.',
    'Run it with `npx patchbay` where the `node` package is installed, or install Node.js 24.',
  ),
  NOT_BUILT: row(1, 'The command was started in a checkout that is not built.', 'Run `npm run build` there.'),
  INTERNAL: row(
    1,
    'Something happened that should not be possible.',
    'Please report it, with the command and the message.',
  ),
} as const satisfies Record<string, ErrorRow>;

/** A code of the registry. */
export type ErrorCode = keyof typeof errorCodes;

/** Who and what an error is about. */
export interface Blame {
  readonly plugin?: string | undefined;
  readonly hook?: string | undefined;
  /** Which handler of the plugin, where it has several. */
  readonly handler?: string | undefined;
  readonly run?: string | undefined;
  readonly file?: string | undefined;
  readonly field?: string | undefined;
  /** Where several things are wrong: all of them. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[] | undefined;
}

/** The only error that leaves Patchbay: it has a code of the registry, names the culprit and says what to do. */
export class PatchbayError extends Error {
  override readonly name = 'PatchbayError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly plugin: string | undefined;
  readonly hook: string | undefined;
  readonly handler: string | undefined;
  readonly run: string | undefined;
  readonly file: string | undefined;
  readonly field: string | undefined;
  readonly problems: Blame['problems'];

  /** The message should name what is wrong and where; the hint defaults to the registry's. */
  constructor(code: ErrorCode, message: string, blame: Blame & { hint?: string; cause?: unknown } = {}) {
    super(message, blame.cause === undefined ? undefined : { cause: blame.cause });
    this.code = code;
    this.hint = blame.hint ?? errorCodes[code].hint;
    this.plugin = blame.plugin;
    this.hook = blame.hook;
    this.handler = blame.handler;
    this.run = blame.run;
    this.file = blame.file;
    this.field = blame.field;
    this.problems = blame.problems;
  }

  /** The exit code of a command that ends with this error. */
  get exitCode(): number {
    return errorCodes[this.code].exit;
  }

  /** What `--json` prints under `error`. */
  toJSON(): Record<string, unknown> {
    const { code, message, hint, plugin, hook, handler, run, file, field, problems } = this;
    return { code, message, hint, plugin, hook, handler, run, file, field, problems };
  }
}

/** The message of anything that was thrown, errors or not. Never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    return typeof thrown === 'string' ? thrown : `threw ${JSON.stringify(thrown) ?? String(thrown)}`;
  } catch {
    return 'threw something that cannot be shown';
  }
}
