/** What a client is answered. */
export interface Reply {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusals = {
  MALFORMED: [400, 'this is no HTTP request that could be understood'],
  BODY_INVALID: [400, 'the body is not JSON in UTF-8'],
  BODY_DEEP: [400, 'the body is nested too deeply'],
  UNVERIFIED: [401, 'the sender could not be verified'],
  STALE: [401, 'the request is too old, or from the future: check the clock'],
  NO_ROUTE: [404, 'nothing takes requests on this path'],
  METHOD: [405, 'only POST is taken here'],
  SLOW: [408, 'the request did not arrive in time'],
  IN_PROGRESS: [409, 'the same delivery is being handled right now'],
  BODY_LONG: [413, 'the body is too long'],
  MEDIA_TYPE: [415, 'only application/json in UTF-8, not encoded, is taken here'],
  RATE: [429, 'too many requests on this path'],
  HEADERS: [431, 'the headers are too long, or too many'],
  HANDLER: [500, 'the request is stored, but handling it failed'],
  INTERNAL: [500, 'something happened that should not be possible'],
  PAUSED: [503, 'this path is paused'],
  STOPPING: [503, 'the server is about to stop'],
  BUSY: [503, 'too much is under way'],
  STORAGE: [503, 'the request could not be stored'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** Why a request is not taken. */
export type Refusal = keyof typeof refusals;

/** So long, in seconds, a client should wait before it tries again, unless it is known better. */
const later: Partial<Record<Refusal, number>> = {
  IN_PROGRESS: 1,
  RATE: 1,
  PAUSED: 60,
  STOPPING: 5,
  BUSY: 1,
  STORAGE: 5,
};

/** The answer to a request that is not taken. */
export function refuse(why: Refusal, retryAfterS = later[why]): Reply {
  const [status, message] = refusals[why];
  return {
    status,
    body: JSON.stringify({ error: { code: why, message } }),
    headers: {
      ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
      ...(status === 401 ? { 'www-authenticate': 'Webhook' } : {}),
      ...(status === 405 ? { allow: 'POST' } : {}),
    },
  };
}

/** Thrown on the way of a request, to answer it. */
export class Refused extends Error {
  readonly reply: Reply;

  constructor(why: Refusal, retryAfterS?: number) {
    super(why);
    this.reply = refuse(why, retryAfterS);
  }
}
