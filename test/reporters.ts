import type { Reporter, TestModule } from 'vitest/node';

/** Ends with one plain line that any machine can read: `Tests: 12 passed, 0 failed`. */
class PlainTotal implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string) => states.filter((one) => one === state).length;
    process.stdout.write(`Tests: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`);
  }
}

export const reporters: (string | Reporter)[] = ['default', new PlainTotal()];
