import { describe, expect, it } from 'vitest';
import { toMrkdwn } from '../slack/mrkdwn.ts';
import { split } from '../slack/split.ts';

describe('Markdown for Slack', () => {
  it.each([
    ['bold', '**a b** and __c__', '*a b* and *c*'],
    ['italic', '*a* and _b_', '_a_ and _b_'],
    ['both', '**a *b* c**', '*a _b_ c*'],
    ['struck out', '~~a~~', '~a~'],
    ['a heading', '## What **now**?', '*What now?*'],
    ['a list', '- a\n  * b\n+ c\n1. d', '• a\n  • b\n• c\n1. d'],
    ['a quote', '> a **b**', '> a *b*'],
    ['a link', '[the plan](https://x.test/a_(b)?c=1&d=2)', '<https://x.test/a_(b)?c=1&amp;d=2|the plan>'],
    ['a picture', '![alt](https://x.test/p.png)', '<https://x.test/p.png|alt>'],
    ['what Slack would obey', '<!channel> <@U1> a & b', '&lt;!channel&gt; &lt;@U1&gt; a &amp; b'],
    ['code', '`**a** <b>`', '`**a** &lt;b&gt;`'],
    ['a block of code', '```ts\nconst a = b ** c; // [x](y)\n```\n**d**', '```\nconst a = b ** c; // [x](y)\n```\n*d*'],
    ['a block without an end', '```\n**a**', '```\n**a**'],
    ['names with underscores', 'snake_case_name, _a_b', 'snake_case_name, _a_b'],
    ['stars that mean nothing', '2 * 3 * 4 and a*b', '2 * 3 * 4 and a*b'],
    ['nothing special', 'plain, text.', 'plain, text.'],
  ])('%s', (_, markdown, mrkdwn) => expect(toMrkdwn(markdown)).toBe(mrkdwn));
});

describe('a long text', () => {
  it('that is short enough stays whole', () => expect(split('a\nb', 10)).toEqual(['a\nb']));

  it('that is empty is nothing', () => expect(split(' \n', 10)).toEqual([]));

  it('is cut at the ends of lines, then between words, then anywhere', () => {
    expect(split('aaaa\nbbbb\ncccc', 14)).toEqual(['aaaa\nbbbb\ncccc']);
    expect(split('aaaa\nbbbb\ncccc', 13)).toEqual(['aaaa\nbbbb', 'cccc']);
    expect(split('aaa bbb ccc ddd eee', 14)).toEqual(['aaa bbb ', 'ccc ddd eee']);
    expect(split('a'.repeat(25), 14).map((piece) => piece.length)).toEqual([10, 10, 5]);
  });

  it('is never cut through one character', () => {
    for (const piece of split(`a${'😀'.repeat(30)}`, 20)) expect(piece.isWellFormed()).toBe(true);
  });

  it('keeps code as code in every piece, and no piece is too long', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i}`).join('\n');
    const pieces = split(`before\n\`\`\`\n${lines}\n\`\`\`\nafter`, 40);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(40);
      expect(piece.split('```').length % 2).toBe(1);
    }
    expect(pieces.join('\n').replaceAll(/\n?```\n?/g, '\n')).toContain('line 11');
  });
});
