import type { ServiceResponse } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { play } from './turn.ts';
import { anthropic, openai } from './wire.ts';

const done = { tool: 'submit_result', args: { status: 'completed', summary: 'saved' } };
const inputSchema = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] };
const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema });

describe.each([openai, anthropic])('A model that speaks $provider', (wire) => {
  it('is offered the tools of plugins and servers beside its own, and calls them', async () => {
    const called: unknown[] = [];
    const turn = {
      tools: async () => [tool('memory_save'), tool('read_file'), tool('x'.repeat(65))],
      callTool: async (...call: unknown[]): Promise<ServiceResponse> => {
        called.push(call);
        return called.length === 1 ? { result: { saved: true } } : { error: 'ann refused it' };
      },
    };
    const save = { tool: 'memory_save', args: { key: 'door' } };
    const { told, result, server, log } = await play(wire, [wire.calls(save), wire.calls(save), wire.calls(done)], {
      turn,
    });
    expect(called).toEqual(Array(2).fill(['memory_save', { key: 'door' }]));
    expect(told).toEqual(['{"saved":true}', expect.stringContaining('ann refused it')]);
    expect(result).toMatchObject({ summary: 'saved' });
    const sent = JSON.stringify(server.asked[0]?.body);
    expect(sent).toContain('Does memory_save');
    expect(sent).not.toContain('Does read_file');
    expect(log).toContain('the tool read_file cannot be offered to the model by this name');
  });
});
