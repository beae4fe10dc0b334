import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../test/project.ts';
import { trialOf } from './fixture.ts';

// Releases of the ACP SDK since 2.0 come without its examples: the agent is that of 1.9.0, installed under a name of its own.
const agent = join(root, 'node_modules', 'acp-example-agent', 'dist', 'examples', 'agent.js');

describe('the example agent of the ACP SDK', () => {
  test('plays a turn to its end, and is refused to edit outside of the workspace', async () => {
    const { run, log, result } = trialOf([process.execPath, agent]);
    await run();
    expect(log).toContain('tool: Reading project files (/project/README.md)');
    expect(log).toContain('tool: Reading project files: completed');
    expect(log).toContainEqual(expect.stringMatching(/^refused: Modifying critical configuration file: \/home\/user/));
    expect(log.at(-1)).toMatch(/^agent: +I understand you prefer not to make that change/);
    expect(result()).toBeNull();
  });

  test('is stopped in the middle of its turn', async () => {
    const stop = new AbortController();
    const { run } = trialOf([process.execPath, agent], { signal: stop.signal, log: () => stop.abort() });
    await expect(run()).rejects.toThrow('was stopped');
  });
});
