import { problemsOf, turnResult } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { play } from './turn.ts';
import { anthropic, openai } from './wire.ts';

const files = {
  'src/sum.js': 'export const sum = (a, b) => a - b;\n',
  'test/sum.test.js': "import { sum } from '../src/sum.js';\nif (sum(1, 2) !== 3) throw new Error('wrong sum');\n",
  'package.json': '{"type": "module"}',
};
const done = { tool: 'submit_result', args: { status: 'completed', summary: 'sum adds' } };

describe.each([openai, anthropic])('A turn on a model that speaks $provider', (wire) => {
  it('reads, searches, edits, runs a command and hands in a result with its cost', async () => {
    const decision = { id: 'DEC-1', category: 'code', statement: 'sum adds', rationale: 'as its name says' };
    const turn = await play(
      wire,
      [
        wire.calls({ tool: 'list_files', args: {} }, { tool: 'search', args: { text: 'a - b' } }),
        wire.calls({ tool: 'read_file', args: { path: 'src/sum.js' } }),
        wire.calls({ tool: 'edit_file', args: { path: 'src/sum.js', old_text: 'a - b', new_text: 'a + b' } }),
        wire.calls({ tool: 'write_file', args: { path: 'src/deep/new.js', content: '// $& new\n' } }),
        wire.calls({ tool: 'exec', args: { command: 'node test/sum.test.js && echo fine' } }),
        wire.calls({ tool: 'submit_result', args: { ...done.args, decisions: [decision] } }),
      ],
      { files, config: { exec: true, price: { input: 10, output: 50 } } },
    );
    expect(turn.error).toBeUndefined();
    expect(turn.told).toEqual([
      'package.json\nsrc/sum.js\ntest/sum.test.js',
      'src/sum.js:1: export const sum = (a, b) => a - b;',
      files['src/sum.js'],
      'src/sum.js is changed',
      'src/deep/new.js is written',
      'exit code 0\nstandard output:\nfine\n',
    ]);
    expect(turn.file('src/sum.js')).toBe('export const sum = (a, b) => a + b;\n');
    expect(turn.file('src/deep/new.js')).toBe('// $& new\n');
    expect(turn.result).toEqual({
      status: 'completed',
      summary: 'sum adds',
      decisions: [decision],
      cost: { input_tokens: 600, output_tokens: 120, usd: 0.012 },
    });
    const unsaid = { objections: [], files_changed: [], artifact: null, proposed_next_role: null };
    const verification = { status: 'skipped', commands: [], machine_evidence: [] };
    expect(problemsOf(turnResult, { ...unsaid, verification, ...turn.result })).toEqual([]);
    expect(turn.log).toContain('edit_file src/sum.js');
    expect(turn.log).toContain('exec node test/sum.test.js && echo fine');
  });

  it('hands in the document that is asked for', async () => {
    const report = { title: 'Sums', acceptance_criteria: ['sum adds'] };
    const bundle = { 'goal.md': 'Sums\n', 'report.schema.json': '{"type": "object"}' };
    const turn = await play(wire, [wire.calls({ ...done, args: { ...done.args, report } })], { bundle });
    expect(turn.result).toMatchObject({ report });
  });

  it('tells the model the goal, the mandate and what it may write', async () => {
    const bundle = { 'goal.md': 'Add numbers\n', 'mandate.md': 'You fix sums\n', 'more/feedback.md': 'wrong sum\n' };
    const { server } = await play(wire, [wire.calls(done)], { bundle });
    const sent = JSON.stringify(server.asked[0]?.body);
    for (const text of ['Add numbers', 'You fix sums', 'more/feedback.md', 'wrong sum', 'src/**']) {
      expect(sent).toContain(text);
    }
  });

  it('tells the model about an unknown tool and about a wrong argument', async () => {
    const turn = await play(wire, [
      wire.calls({ tool: 'delete_everything', args: {} }, { tool: 'read_file', args: { file: 'x' } }),
      wire.calls(done),
    ]);
    expect(turn.told[0]).toMatch(/unavailable tool 'delete_everything'/);
    expect(turn.told[1]).toMatch(/Invalid input for tool read_file/);
    expect(turn.result).toMatchObject({ summary: 'sum adds' });
  });

  it('lets the model correct a result that is not one', async () => {
    const wrong = { tool: 'submit_result', args: { status: 'great', summary: '' } };
    const turn = await play(wire, [wire.calls(wrong), wire.calls(done)]);
    expect(turn.told[0]).toMatch(/Invalid input for tool submit_result/);
    expect(turn.result).toMatchObject({ status: 'completed' });
  });

  it('does not take a result beside a call that failed', async () => {
    const gone = { tool: 'read_file', args: { path: 'gone' } };
    const final = { tool: 'submit_result', args: { status: 'completed', summary: 'after all' } };
    const turn = await play(wire, [wire.calls(gone, done), wire.calls(final)]);
    expect(turn.server.asked).toHaveLength(2);
    expect(turn.result).toMatchObject({ summary: 'after all' });
  });

  it('reminds a model once that ends without a result', async () => {
    const turn = await play(wire, [wire.says('I am done'), wire.calls(done)]);
    expect(JSON.stringify(turn.server.asked[1]?.body)).toContain('You have not handed in a result');
    expect(turn.result).toMatchObject({ summary: 'sum adds' });
  });

  it('fails if the model never hands in a result', async () => {
    const turn = await play(wire, [wire.says('I am done')]);
    expect(turn.error).toBe('m ended without handing in a result: I am done');
    expect(turn.server.asked).toHaveLength(2);
    expect(turn.result).toBeUndefined();
  });

  it('fails at the limit of steps', async () => {
    const turn = await play(wire, [wire.calls({ tool: 'list_files', args: {} })], { config: { max_steps: 4 } });
    expect(turn.error).toBe('m handed in no result in 4 steps (max_steps)');
    expect(turn.server.asked).toHaveLength(4);
  });

  it('fails if the model refuses', async () => {
    const turn = await play(wire, [wire.refuses('I will not do that')]);
    expect(turn.error).toBe('m refused to go on: I will not do that');
    expect(turn.result).toBeUndefined();
  });
});

describe('A turn', () => {
  it('tells the model about arguments that are not JSON', async () => {
    const broken = { tool: 'write_file', args: '{"path": "src/a.js", "content": "cut off' };
    const turn = await play(openai, [openai.calls(broken), openai.calls(done)], { files });
    expect(turn.told[0]).toMatch(/Invalid input for tool write_file.*JSON/s);
    expect(turn.result).toMatchObject({ status: 'completed' });
  });

  it('gives a reviewer nothing to write with, and a verdict to hand in', async () => {
    const verdict = { tool: 'submit_result', args: { status: 'rejected', summary: 'sum subtracts' } };
    const change = { tool: 'write_file', args: { path: 'src/sum.js', content: '' } };
    const turn = await play(openai, [openai.calls(change), openai.calls(done), openai.calls(verdict)], {
      files,
      turn: { reviews: 'turn-1' },
    });
    expect(turn.told[0]).toMatch(/unavailable tool 'write_file'/);
    expect(turn.told[1]).toMatch(/Invalid input for tool submit_result/);
    expect(turn.file('src/sum.js')).toBe(files['src/sum.js']);
    expect(turn.result).toMatchObject({ status: 'rejected', summary: 'sum subtracts' });
  });

  it('does what one answer calls for in order, one after the other', async () => {
    const slow = { tool: 'exec', args: { command: 'sleep 0.2; echo late > src/late.txt' } };
    const read = { tool: 'read_file', args: { path: 'src/late.txt' } };
    const turn = await play(openai, [openai.calls(slow, read), openai.calls(done)], { files, config: { exec: true } });
    expect(turn.told[1]).toBe('late\n');
  });

  it('runs no commands unless its settings say so', async () => {
    const turn = await play(openai, [openai.calls({ tool: 'exec', args: { command: 'touch x' } }), openai.calls(done)]);
    expect(turn.told[0]).toMatch(/unavailable tool 'exec'/);
  });
});
