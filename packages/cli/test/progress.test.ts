import { WriteStream } from 'node:tty';
import { afterEach, expect, it, vi } from 'vitest';
import { Stage } from '../../../test/flows/stage.ts';
import { findTemplate } from '../../host/src/runs/template/find.ts';
import { agentLines, showing } from '../src/progress.ts';
import { Screen } from './terminal.ts';

afterEach(() => vi.unstubAllEnvs());

const forPeople = { json: false, signal: new AbortController().signal };

/** Carries a run out and gives what was shown of it. */
async function shown(screen: Screen, input = forPeople, term = 'xterm') {
  vi.stubEnv('TERM', term);
  const stage = new Stage('rejection');
  const { service } = await stage.start();
  const run_id = await service.runs.request({ template: findTemplate('flow', stage.dir), goal: 'Try', by: 'pat' });
  await showing(service.ledger, run_id, input, () => service.runs.advance(run_id), screen.stream);
  return screen;
}

it('shows the phase, the time, the cost and who works on what, and is gone at the end', async () => {
  const { states, lines } = await shown(new Screen(200));
  expect(states).toContainEqual(
    expect.stringMatching(/^ {2}building · \d+ s · 0 USD · building\.developer \(developer\), attempt 1$/),
  );
  expect(lines).toEqual(['']);
});

it('shows nothing to programs, to pipes and to terminals that cannot', async () => {
  const program = await shown(new Screen(80), { ...forPeople, json: true });
  const piped = new Screen(80);
  Object.assign(piped.stream, { isTTY: false });
  await shown(piped);
  const dumb = await shown(new Screen(80), forPeople, 'dumb');
  expect([program, piped, dumb].map(({ states }) => states)).toEqual([[], [], []]);
});

it('indents what agents print; on a terminal it is cut, and cannot do anything to it', () => {
  const { stream } = new Screen(20);
  vi.stubEnv('TERM', 'xterm');
  const text = 'plain\n\u001b[2Jclear\n10%\r20%\nmuch too long for it';
  expect(agentLines(text, forPeople, stream).split('\n')).toEqual([
    '    | plain',
    '    | clear',
    '    | 20%',
    '    | much too lon…',
  ]);
  Object.assign(stream, { isTTY: false });
  expect(agentLines(text, forPeople, stream)).toBe(
    '    | plain\n    | \u001b[2Jclear\n    | 10%\r20%\n    | much too long for it',
  );
});

it('dims what agents print, unless colours are not wanted', () => {
  const { stream } = new Screen(80);
  Object.assign(stream, { getColorDepth: () => WriteStream.prototype.getColorDepth() });
  vi.stubEnv('TERM', 'xterm-256color');
  for (const name of ['FORCE_COLOR', 'CI', 'TEAMCITY_VERSION', 'TF_BUILD', 'TMUX']) vi.stubEnv(name, undefined);
  vi.stubEnv('NO_COLOR', undefined);
  expect(agentLines('quiet', forPeople, stream)).toBe('\u001b[2m    | quiet\u001b[22m');
  vi.stubEnv('NO_COLOR', '1');
  expect(agentLines('quiet', forPeople, stream)).toBe('    | quiet');
});
