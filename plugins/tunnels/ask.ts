import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const timeoutMs = 5000;
const mostBytes = 4 * 1024 * 1024;

/** Whether there is such a program to run. */
export function has(program: string, path = process.env['PATH'] ?? ''): boolean {
  return path.split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, program), constants.X_OK);
      return dir !== '';
    } catch {
      return false;
    }
  });
}

/** What a program prints, read as JSON, or why that cannot be had. Never rejects, and never takes long. */
export function ask(
  program: string,
  args: readonly string[],
): Promise<{ readonly json: unknown } | { readonly problem: string }> {
  const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: mostBytes } as const;
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error?.killed) return resolve({ problem: `did not answer within ${timeoutMs / 1000} s` });
      try {
        // It may say "not running" by its exit code, and still say so in JSON.
        resolve({ json: JSON.parse(stdout) });
      } catch {
        const said = stderr.trim().split('\n')[0] || stdout.trim().split('\n')[0] || 'nothing';
        resolve({ problem: error === null ? `printed no JSON: ${said}` : `ended with ${String(error.code)}: ${said}` });
      }
    });
    child.stdin?.end();
  });
}
