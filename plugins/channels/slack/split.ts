const fence = '```';

/**
 * A text in pieces of at most so many characters, cut where a line ends if it can be, else between words. A block of code that
 * is cut ends in its piece, and begins again in the next.
 */
export function split(text: string, most: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  let isCode = false;
  while (true) {
    const head = isCode ? `${fence}\n` : '';
    if (head.length + rest.length <= most) {
      if (rest.trim() !== '') pieces.push(head + rest);
      return pieces;
    }
    // So that a block can be ended in this piece.
    const cut = placeToCut(rest, most - head.length - fence.length - 1);
    const piece = rest.slice(0, cut).replace(/\n$/, '');
    rest = rest.slice(cut).replace(/^\n/, '');
    if (piece.split(fence).length % 2 === 0) isCode = !isCode;
    if (piece.trim() !== '') pieces.push(`${head}${piece}${isCode ? `\n${fence}` : ''}`);
  }
}

function placeToCut(text: string, most: number): number {
  const line = text.lastIndexOf('\n', most);
  if (line > 0) return line;
  const word = text.lastIndexOf(' ', most);
  if (word > most / 2) return word + 1;
  // Not through the middle of one character.
  return /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most;
}
