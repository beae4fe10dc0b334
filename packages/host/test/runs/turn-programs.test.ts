import { writeFileSync } from 'node:fs';
import type { ProgramEnd, TurnWork } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { nap, running } from '../sandbox/fixture.ts';
import { begin, core } from './turn-fixture.ts';

/** Has a core work on a turn by a function, and hand in. */
function played(run: (turn: TurnWork) => Promise<void>, more = '') {
  const cores = [
    core(async (turn) => {
      await run(turn);
      writeFileSync(turn.result_file, '{"summary": "Done"}');
    }),
  ];
  return begin({ role: `core: test${more}`, cores });
}

describe('A program that a core runs', () => {
  it('may be given less time than the turn has, and the turn goes on', async () => {
    const seconds = nap();
    let end: ProgramEnd | undefined;
    const { ended } = await played(async ({ exec }) => {
      end = await exec(['sleep', seconds], { timeoutMs: 300 });
    });
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(end).toMatchObject({ timed_out: true, silent: false, signal: 'SIGTERM' });
    expect(running(seconds)).toEqual([]);
  });

  it('never has more time than the turn', async () => {
    const seconds = nap();
    let end: ProgramEnd | undefined;
    const { ended, failure } = await played(async ({ exec }) => {
      end = await exec(['sleep', seconds], { timeoutMs: 3_600_000 });
    }, ', timeout: 1s');
    await ended;
    expect(end).toMatchObject({ timed_out: true });
    expect(await failure()).toMatchObject({ error: { code: 'TIMEOUT' }, timed_out: true, signal: 'SIGTERM' });
    expect(running(seconds)).toEqual([]);
  });

  it('whose own time was over is not the fault of the turn, which may fail for another reason', async () => {
    const { ended, failure } = await played(async ({ exec }) => {
      await exec(['sleep', nap()], { timeoutMs: 100 });
      throw new Error('lost interest');
    });
    await ended;
    expect(await failure()).toMatchObject({
      error: { code: 'CORE_FAILED', message: 'lost interest' },
      timed_out: false,
    });
  });

  it('is ended when the core fails to hear what it prints, which is what the turn fails by', async () => {
    const seconds = nap();
    const onOutput = () => {
      throw new Error('cannot hear');
    };
    const { ended, failure } = await played(async ({ exec }) => {
      await exec(['sh', '-c', `echo begun; sleep ${seconds}`], { onOutput });
    });
    await ended;
    expect(await failure()).toMatchObject({ error: { message: 'cannot hear' } });
    expect(running(seconds)).toEqual([]);
  });

  it('is ended when the core does not wait for it', async () => {
    const [first, second] = [nap(), nap()];
    const { ended } = await played(async ({ exec, spawn }) => {
      exec(['sleep', first]).catch(() => {});
      await spawn(['sleep', second]);
    });
    expect(await ended).toMatchObject({ status: 'completed' });
    expect([...running(first), ...running(second)]).toEqual([]);
  });

  it('cannot be started once the turn is over', async () => {
    const kept = Promise.withResolvers<TurnWork>();
    const { ended } = await played(async (turn) => kept.resolve(turn));
    await ended;
    const { exec, spawn } = await kept.promise;
    expect(await exec(['sleep', nap()])).toMatchObject({ exit_code: null, signal: null });
    await expect(spawn(['sleep', nap()])).rejects.toThrow(/over/);
  });
});

describe('A program that a core talks with', () => {
  it('answers, sees the variables it is given, and tells how it ended', async () => {
    let said: unknown[] = [];
    const { ended } = await played(async ({ spawn }) => {
      const errors: string[] = [];
      const program = await spawn(['sh', '-c', 'read line; echo "$line $WHO"; echo bye >&2; exit 3'], {
        env: { WHO: 'there' },
        onStderr: (text) => errors.push(text),
      });
      await program.write('hello\n');
      said = [await program.read(), await program.read(), await program.ended(), errors];
    });
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(said).toMatchObject(['hello there\n', null, { exit_code: 3, stderr: 'bye\n' }, ['bye\n']]);
  });

  it('is ended when the turn is stopped, even if the core does nothing about it', async () => {
    const seconds = nap();
    const begun = Promise.withResolvers<void>();
    const { ended, stop } = await played(async ({ spawn }) => {
      const program = await spawn(['sleep', seconds]);
      begun.resolve();
      await program.ended();
    });
    await begun.promise;
    stop.abort();
    expect(await ended).toMatchObject({ status: 'active' });
    expect(running(seconds)).toEqual([]);
  });

  it('is ended when the core fails to hear its errors', async () => {
    const seconds = nap();
    const onStderr = () => Promise.reject(new Error('cannot hear')) as unknown as void;
    const { ended, failure } = await played(async ({ spawn }) => {
      const program = await spawn(['sh', '-c', `echo begun >&2; sleep ${seconds}`], { onStderr });
      await program.ended();
    });
    await ended;
    expect(await failure()).toMatchObject({ error: { message: 'cannot hear' } });
    expect(running(seconds)).toEqual([]);
  });

  it('that cannot be started is a failure with the reason', async () => {
    const { ended, failure } = await played(async ({ spawn }) => void (await spawn(['./nothing'])));
    await ended;
    expect(await failure()).toMatchObject({ error: { message: expect.stringMatching(/there is no file .*nothing/) } });
  });
});
