import { expect, it } from 'vitest';
import { cutTo, plainLine } from '../src/width.ts';

it.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['one too many', 11, 'one too ma…'],
  ['漢字漢字', 8, '漢字漢字'],
  ['漢字漢字', 7, '漢字漢…'],
  ['漢字漢字', 6, '漢字…'],
  ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ['👩‍👩‍👧 family', 5, '👩‍👩‍👧 f…'],
  ['✔\ufe0f fine', 4, '✔\ufe0f …'],
  ['한국어', 4, '한…'],
  ['anything', 1, '…'],
  ['anything', 0, ''],
  ['', 0, ''],
])('%j in %i places is %j', (line, places, shown) => {
  expect(cutTo(line, places)).toBe(shown);
});

it.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['10%\r20%\r30%', '30%'],
  ['done\r', 'done'],
  ['bell\u0007 and \u001b]0;title\u0007more', 'bell  and more'],
  ['a\tb', 'a  b'],
  ['c1 \u009b2J', 'c1'],
])('of %j a terminal is shown %j', (text, shown) => {
  expect(plainLine(text)).toBe(shown);
});
