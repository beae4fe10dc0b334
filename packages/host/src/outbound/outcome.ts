/** What became of calling one handler for one event: what `deliveries` shows of it. */
export interface Outcome {
  /** `failed`: it could not do its work, or says so. */
  readonly status: 'ok' | 'warn' | 'failed';
  /** What it said, or what its failure comes to; null where it said nothing. */
  readonly verdict: 'ok' | 'warn' | 'fail' | 'block' | null;
  /** For people. Never holds a secret. */
  readonly message: string | null;
  readonly annotations: Readonly<Record<string, unknown>> | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly http_status: number | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  /** How often it was tried. */
  readonly attempts: number;
  /** What it printed, bounded, for the log of the plugin. */
  readonly output: string;
}

/** An outcome in which nothing is known yet but what is given. */
export function outcome(given: Partial<Outcome> & Pick<Outcome, 'status' | 'duration_ms'>): Outcome {
  return {
    verdict: null,
    message: null,
    annotations: null,
    exit_code: null,
    signal: null,
    http_status: null,
    timed_out: false,
    attempts: 1,
    output: '',
    ...given,
  };
}
