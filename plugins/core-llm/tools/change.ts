import { tool } from 'ai';
import { z } from 'patchbay-sdk/zod';
import type { Workspace } from '../workspace.ts';

/** A file larger than this is not edited as text. */
const mostBytes = 4 * 1024 * 1024;

const path = z.string().describe('relative to the workspace');

/** The tools by which a model changes files. What they reject with is told to the model. */
export function changeTools(workspace: Workspace) {
  return {
    write_file: tool({
      description: 'Writes a whole file; it and its folders are made if they are missing.',
      inputSchema: z.object({ path, content: z.string() }),
      execute: async ({ path, content }) => {
        await workspace.write(path, content);
        return `${path} is written`;
      },
    }),
    edit_file: tool({
      description: 'Replaces a piece of a file. The old text must be in the file exactly once.',
      inputSchema: z.object({ path, old_text: z.string().min(1), new_text: z.string() }),
      execute: async ({ path, old_text, new_text }) => {
        const text = await textOf(workspace, path);
        const at = text.indexOf(old_text);
        if (at === -1) throw new Error(`the old text is not in ${path}; read the file again`);
        if (text.includes(old_text, at + 1))
          throw new Error(`the old text is in ${path} more than once; give more of it`);
        await workspace.write(path, text.slice(0, at) + new_text + text.slice(at + old_text.length));
        return `${path} is changed`;
      },
    }),
  };
}

/** Rejects for what would not be the same when it is written back. */
async function textOf(workspace: Workspace, path: string): Promise<string> {
  await using handle = await workspace.read(path);
  const { size } = await handle.stat();
  if (size > mostBytes) throw new Error(`${path} has ${size} bytes; at most ${mostBytes} can be edited`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
  } catch {
    throw new Error(`${path} is not a text file`);
  }
}
