import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StatusLine } from '../src/status-line.ts';
import { Screen } from './terminal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = () => vi.advanceTimersByTime(100);

function started(columns = 40) {
  const screen = new Screen(columns);
  return { screen, line: new StatusLine(screen.stream) };
}

it('stays below what others print', () => {
  const { screen, line } = started();
  line.show('working');
  screen.stream.write('first\n');
  screen.stream.write(Buffer.from('second\nthird\n'));
  pass();
  expect(screen.lines).toEqual(['first', 'second', 'third', 'working']);
});

it('does not stand in a line that somebody has begun', () => {
  const { screen, line } = started();
  line.show('working');
  screen.stream.write('half a ');
  pass();
  expect(screen.lines).toEqual(['half a ']);
  screen.stream.write('line\n');
  pass();
  expect(screen.lines).toEqual(['half a line', 'working']);
});

it('is cut where the terminal is narrow, with a place to spare', () => {
  const { screen, line } = started(10);
  line.show('漢字 working on it');
  expect(screen.lines).toEqual(['漢字 wor…']);
});

it('is drawn at most ten times a second, however often it changes', () => {
  const { screen, line } = started();
  for (let n = 0; n < 500; n++) {
    line.show(`state ${n}`);
    vi.advanceTimersByTime(2);
  }
  pass();
  const drawn = new Set(screen.states.filter((state) => state !== ''));
  expect(drawn.size).toBeLessThanOrEqual(11);
  expect(screen.lines).toEqual(['state 499']);
});

it('leaves nothing behind, and lets go of the terminal', () => {
  const { screen, line } = started();
  const { write } = screen.stream;
  line.show('working');
  screen.stream.write('done\n');
  line.close();
  expect(screen.lines).toEqual(['done', '']);
  expect(screen.stream.write).not.toBe(write);
  pass();
  screen.stream.write('more\n');
  expect(screen.lines).toEqual(['done', 'more', '']);
});
