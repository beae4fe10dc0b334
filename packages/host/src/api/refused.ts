import { type ErrorCode, errorCodes, messageOf, PatchbayError } from 'patchbay-sdk';

/** The codes of requests that the API does not take. */
type RefusalCode = Extract<ErrorCode, `REQUEST_${string}`>;

/** A request that is refused before anything is done for it. */
export class Refused extends PatchbayError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: RefusalCode,
    message: string,
    more: { headers?: Record<string, string>; problems?: PatchbayError['problems'] } = {},
  ) {
    super(code, message, { problems: more.problems });
    this.status = status;
    this.headers = more.headers ?? {};
  }
}

/** Codes that say more over HTTP than how the command would exit. */
const statuses: { readonly [C in ErrorCode]?: number } = {
  RUN_UNKNOWN: 404,
  DELIVERY_UNKNOWN: 404,
  PLUGIN_UNKNOWN: 404,
  HOOK_UNKNOWN: 404,
  WEBHOOK_UNKNOWN: 404,
  WORKSPACE_UNKNOWN: 404,
  MCP_UNKNOWN: 404,
  MCP_FAILED: 502,
  DAY_UNKNOWN: 404,
  DAY_HELD: 409,
  BUDGET_SPENT: 409,
  RUN_TRANSITION: 409,
  RUN_MOVED: 409,
  APPROVAL_INVALID: 409,
  APPROVAL_UNPROVEN: 403,
  PROJECT_BUSY: 409,
};

/** How a failure is answered, whatever it is: with a status, headers, and what `--json` would print. Never throws. */
export function answerOf(thrown: unknown): Response {
  const error =
    thrown instanceof PatchbayError ? thrown : new PatchbayError('INTERNAL', messageOf(thrown), { cause: thrown });
  const headers = { 'content-type': 'application/json', ...(error instanceof Refused ? error.headers : {}) };
  return new Response(JSON.stringify({ error }), { status: statusOf(error), headers });
}

function statusOf(error: PatchbayError): number {
  if (error instanceof Refused) return error.status;
  const byExit = { 1: 500, 2: 400, 4: 403 }[errorCodes[error.code].exit];
  return statuses[error.code] ?? byExit;
}
