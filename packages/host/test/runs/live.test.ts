import { describe, expect, it } from 'vitest';
import { signOfLife } from '../../src/runs/heartbeat.ts';
import { eventually, nap, running } from '../sandbox/fixture.ts';
import { begin } from './turn-fixture.ts';

const script = 'core: script, with: { command: [./agent.sh] }';
const turn = { turn_id: 'building.developer', attempt: 1 };
/** Waits until it is let go, then hands in. */
const waits = `
go=\${PATCHBAY_BUNDLE%/.patchbay/*}/sources/go
until [ -e "$go" ]; do sleep 0.05; done
echo '{"summary": "Done"}' > "$PATCHBAY_RESULT"
`;

describe('What a script prints', () => {
  it('is told line by line while it works, and what it printed last without a line end too', async () => {
    const agent = `echo one; printf 'tw'; sleep 0.3; echo o; echo oops >&2; ${waits} printf three`;
    const { stage, told, log, ended, run_id } = await begin({ role: script, agent });
    await told(/one\n(?:oops\n)?two/);
    await told(/oops/);
    expect(log).not.toContain('tw');
    stage.write('sources/go', '');
    expect(await ended).toMatchObject({ status: 'completed' });
    const lines = log.join('\n').split('\n');
    expect(lines.filter((line) => line !== 'oops')).toEqual(['one', 'two', 'three']);
    expect(stage.read(`.patchbay/runs/${run_id}/turns/building.developer-1/log.txt`)).toBe(`${log.join('\n')}\n`);
  });

  it('is cut where it is far too much: neither the log nor what people see grows without bound', async () => {
    const agent = `echo first; yes flood | head -c 200000000; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last; ${waits}`;
    const { stage, told, log, ended, run_id } = await begin({ role: script, agent });
    await told(/last/);
    stage.write('sources/go', '');
    await ended;
    const all = log.join('\n');
    expect(all).toMatch(/^first\nflood\n/);
    expect(all).toMatch(/\[\d+ bytes left out\]/);
    expect(all.length).toBeLessThan(20_000_000);
    const kept = stage.read(`.patchbay/runs/${run_id}/turns/building.developer-1/log.txt`) ?? '';
    expect(kept).toMatch(/\nlast\n$/);
    expect(kept.length).toBeLessThan(1_100_000);
  });
});

describe('A role that may not be silent for long', () => {
  const role = (silence: string) => `core: script, with: { command: [./agent.sh], silence: ${silence} }`;

  it('fails with its program ended when it prints nothing for so long', async () => {
    const seconds = nap();
    const { ended, failure } = await begin({ role: role('1s'), agent: `echo begun; sleep ${seconds}` });
    expect(await ended).toMatchObject({ status: 'held' });
    expect(await failure()).toMatchObject({
      error: { code: 'CORE_FAILED', message: './agent.sh was ended: it printed nothing for 1s' },
      timed_out: false,
    });
    expect(running(seconds)).toEqual([]);
  });

  it('goes on for as long as it says something', async () => {
    const agent = `for i in 1 2 3; do sleep 0.8; echo $i; done; echo '{"summary": "Done"}' > "$PATCHBAY_RESULT"`;
    const { ended } = await begin({ role: role('2s'), agent });
    expect(await ended).toMatchObject({ status: 'completed' });
  });

  it.each(['soon', '0s', '5'])('fails with what is wrong where the setting is %s', async (silence) => {
    const { ended, failure } = await begin({ role: role(silence), agent: 'touch src/begun' });
    expect(await ended).toMatchObject({ status: 'held' });
    expect(await failure()).toMatchObject({
      error: {
        message: expect.stringMatching(/^the setting silence: .* is no length of time; write it as 30s or 5m$/),
      },
    });
  });
});

describe('A turn that is worked on', () => {
  it('gives signs of life, and none when it is done', async () => {
    const { stage, ended, run_id, told } = await begin({ role: script, agent: `echo here; ${waits}` });
    expect(signOfLife(stage.dir, run_id, { ...turn, attempt: 2 })).toBeUndefined();
    await told(/here/);
    // The first may have come before anything was printed.
    await eventually(() => expect(signOfLife(stage.dir, run_id, turn)?.last_output_at).toEqual(expect.any(String)));
    const { at = '', pid, last_output_at = '' } = signOfLife(stage.dir, run_id, turn) ?? {};
    expect(pid).toBe(process.pid);
    expect(Date.parse(last_output_at ?? '')).toBeLessThanOrEqual(Date.parse(at));
    await eventually(() => expect(signOfLife(stage.dir, run_id, turn)?.at).not.toBe(at));
    expect(signOfLife(stage.dir, run_id, turn)?.last_output_at).toBe(last_output_at);
    stage.write('sources/go', '');
    await ended;
    expect(signOfLife(stage.dir, run_id, turn)).toBeUndefined();
  });
});
