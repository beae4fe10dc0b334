import type { Reporter, TestModule } from 'vitest/node';

/**
 * How often a test that failed is tried again where nobody watches: hundreds of processes, clocks and sockets share two cores with
 * others. Which ones needed it is told, and to be looked into.
 */
export const retry = process.env['CI'] === undefined ? 0 : 1;

/** Ends with one plain line that any machine can read: `Tests: 12 passed, 0 failed`. */
class PlainTotal implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const states = tests.map((test) => test.result().state);
    const again = tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0);
    const count = (state: string) => states.filter((one) => one === state).length;
    for (const { module, fullName } of again) process.stdout.write(`Second attempt: ${module.moduleId}: ${fullName}\n`);
    process.stdout.write(`Tests: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`);
  }
}

export const reporters: (string | Reporter)[] = ['default', new PlainTotal()];
