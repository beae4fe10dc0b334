/** Something that is not as it was before a turn, as the host saw it. */
export interface Change {
  /** Relative to the workspace, with `/`; absolute if it is elsewhere. */
  readonly path: string;
  /** `mode`: only whether it can be run has changed. */
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed' | 'mode';
  /** What a renamed file was called. */
  readonly from: string | null;
  /**
   * Why it is in nobody's write scope, if so. `protected`: it belongs to git or to Patchbay; `link-out`: a link to
   * somewhere outside the workspace; `repository`: a git repository of its own, whose files are not looked at; `large`:
   * above the size that is kept; `unusable`: git cannot read it or does not allow its name.
   */
  readonly special: 'protected' | 'link-out' | 'repository' | 'large' | 'unusable' | null;
}
