import { expect, test } from 'vitest';
import { isAlive, type Trial, trial, trialOf } from './fixture.ts';

/** Runs a turn and stops it when the agent has said, or printed, something like this; gives what matched. */
async function stoppedAt(pattern: RegExp, make: (signal: AbortSignal, log: (line: string) => void) => Trial) {
  const stop = new AbortController();
  const said = Promise.withResolvers<RegExpExecArray>();
  const running = make(stop.signal, (line) => {
    const match = pattern.exec(line);
    if (match !== null) said.resolve(match);
  }).run();
  const match = await Promise.race([said.promise, running.then(() => Promise.reject(new Error('it ended')))]);
  stop.abort(new Error('took too long'));
  await expect(running).rejects.toThrow('was stopped');
  return match;
}

test('a turn that is stopped is cancelled with the agent first', async () => {
  let made: Trial | undefined;
  await stoppedAt(/begun/, (signal, log) => {
    made = trial('heeds the cancel', { signal, log });
    return made;
  });
  expect(made?.file('src/cancelled.txt')).toBe('yes');
});

test('an agent that neither stops nor ends is killed, with what it has started', async () => {
  const [, pid, child] = await stoppedAt(/pids (\d+) (\d+)/, (signal, log) => trial('hangs for good', { signal, log }));
  expect([pid, child].map((id) => isAlive(Number(id)))).toEqual([false, false]);
});

test('an agent that never answers is killed when the turn is stopped', async () => {
  const script = 'process.stderr.write(`pids ${process.pid}\\n`); setTimeout(() => {}, 60_000)';
  const command = [process.execPath, '-e', script];
  const [, pid] = await stoppedAt(/pids (\d+)/, (signal, log) => trialOf(command, { signal, log }));
  expect(isAlive(Number(pid))).toBe(false);
});

test('nothing is started for a turn that is over', async () => {
  const { run, log } = trial('works by itself', { signal: AbortSignal.abort(new Error('over')) });
  await expect(run()).rejects.toThrow('over');
  expect(log).toEqual([]);
});

test('what an agent leaves running after a good turn is ended', async () => {
  const { run, result, log } = trial('leaves a child');
  await run();
  expect(result()?.['summary']).toBe('left a child');
  const pids = /pids (\d+) (\d+)/.exec(log.join('\n'))?.slice(1) ?? [];
  expect(pids.map((pid) => isAlive(Number(pid)))).toEqual([false, false]);
});

test('an agent that dies is told of with its exit code and its last words', async () => {
  const { run, log } = trial('dies in between');
  await expect(run()).rejects.toThrow(/exited with 3 before it was done: the model \[31m is gone$/);
  expect(log).toContain('stderr: the model [31m is gone');
});

test('a banner, and messages that nobody knows, do not disturb', async () => {
  const { run, result } = trial('prints a banner');
  await run();
  expect(result()?.['summary']).toBe('after the banner');
});

test('a program that speaks something else is told of with what it printed', async () => {
  const { run } = trial('prints only garbage');
  await expect(run()).rejects.toThrow(/exited with 2 before it was done: usage: agent \[--acp\]$/);
});

test('an agent that talks without end fills no disk, and its result is found', async () => {
  const { run, log, result } = trial('talks without end');
  await run();
  expect(log.length).toBe(2001);
  expect(log.at(-1)).toContain('no more than 2000 lines');
  expect(Math.max(...log.map((line) => line.length))).toBeLessThan(500);
  expect(result()).toEqual({ summary: 'at last' });
});

test('an agent that floods its output is stopped', async () => {
  const { run } = trial('floods its output');
  await expect(run()).rejects.toThrow('said more than 67108864 bytes');
});

test('an agent that sends a message without end is stopped', async () => {
  const { run } = trial('sends one huge message');
  await expect(run()).rejects.toThrow('8388608 byte limit');
});

test.each([
  ['refuses', 'refused the turn'],
  ['runs out of tokens', 'ran out of tokens before it was done'],
  ['fails inside', 'the model is overloaded'],
  ['speaks another version', 'speaks version 7 of the Agent Client Protocol, not 1'],
  ['gives no session', 'answered session/new with something else than the protocol says: sessionId'],
])('an agent that %s fails the turn and says why', async (scene, why) => {
  const { run, result } = trial(scene);
  await expect(run()).rejects.toThrow(why);
  expect(result()).toBeNull();
});
