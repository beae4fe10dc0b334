/** A test that somebody wrote. */
export interface TestCase {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Why it shows nothing although it is there, as the end of a sentence; null if it may. */
  readonly flaw: string | null;
  readonly words: ReadonlySet<string>;
  /** Words of name and body. */
  readonly allWords: ReadonlySet<string>;
}
