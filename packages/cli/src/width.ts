import { stripVTControlCharacters } from 'node:util';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** What takes two places: the wide blocks of East Asian Width, and what is drawn as a picture. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18fff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
/** What takes none by itself. */
const invisible = /^[\p{M}\p{Cf}]+$/u;

function widthOf(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** One line of a text, without anything that a terminal would obey. Of what was overwritten in place, the last state. */
export function plainLine(text: string): string {
  const shown = stripVTControlCharacters(text).replaceAll('\t', '  ');
  const states = shown.split('\r').filter((state) => state !== '');
  return (states.at(-1) ?? '').replace(/\p{Cc}+/gu, ' ').trimEnd();
}

/** As much of a line as fits into so many places of a terminal; a cut shows. */
export function cutTo(line: string, places: number): string {
  const kept: string[] = [];
  let used = 0;
  // Where the line can be cut so that the sign of the cut still fits.
  let cut = 0;
  for (const { segment } of graphemes.segment(line)) {
    used += widthOf(segment);
    if (used > places) return places < 1 ? '' : `${kept.slice(0, cut).join('')}…`;
    kept.push(segment);
    if (used < places) cut = kept.length;
  }
  return line;
}
