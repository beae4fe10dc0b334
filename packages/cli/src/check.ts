/** One thing that `patchbay doctor` looked at. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null if nothing can be better. */
  readonly fix: string | null;
}
