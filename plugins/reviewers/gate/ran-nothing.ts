/** How runners say that there was no test. */
const none =
  /no tests? (?:ran|found|specified)|collected 0 items|^(?:#|ℹ) tests 0$|^Tests:\s+0 total|^\s*0 passing|No test files found|^Ran 0 tests/im;

/** How runners count: that some passed, and that all were skipped. */
const counts: readonly { readonly passed: RegExp; readonly skipped: RegExp }[] = [
  { passed: /^(?:#|ℹ) pass [1-9]/m, skipped: /^(?:#|ℹ) (?:skipped|todo) [1-9]/m },
  { passed: /\b\d+ passed\b/, skipped: /^(?:=+ )?\d+ skipped(?:, \d+ \w+)* in /m },
  { passed: /\b\d+ passed\b/, skipped: /^(?:\s*Tests:?\s+)\d+ (?:skipped|todo)/m },
];

/** Whether an output tells that not one test was run to its end: there was none, or each was skipped. */
export function ranNothing(output: string): boolean {
  if (none.test(output) || allSkippedByUnittest(output)) return true;
  if (counts.some(({ passed, skipped }) => skipped.test(output) && !passed.test(output))) return true;
  if (/\[no test files\]/.test(output)) return !/^(?:ok|FAIL)\s/m.test(output);
  return /^running 0 tests$/m.test(output) && !/^running [1-9]/m.test(output);
}

function allSkippedByUnittest(output: string): boolean {
  const ran = /^Ran (\d+) tests? in /m.exec(output)?.[1];
  return ran !== undefined && new RegExp(`^OK \\(skipped=${ran}\\)$`, 'm').test(output);
}
