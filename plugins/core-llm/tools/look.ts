import { tool } from 'ai';
import { z } from 'patchbay-sdk/zod';
import { cut } from '../cut.ts';
import { filesIn } from '../walk.ts';
import type { Workspace } from '../workspace.ts';

const most = { bytes: 48 * 1024, files: 1000, searched: 1024 * 1024, matches: 200, line: 300 };

const path = z.string().describe('relative to the workspace');
const below = z.string().default('.').describe('a folder or a file; the whole workspace if left out');

/** The tools by which a model looks at the workspace. What they reject with is told to the model. */
export function lookTools(workspace: Workspace, signal: AbortSignal) {
  return {
    read_file: tool({
      description: 'Reads a text file, long ones piece by piece.',
      inputSchema: z.object({
        path,
        offset: z.int().nonnegative().default(0).describe('the byte to begin at, as the piece before said'),
      }),
      execute: ({ path, offset }) => readPiece(workspace, path, offset),
    }),
    list_files: tool({
      description: 'Lists the files of a folder and all folders in it, the near ones first.',
      inputSchema: z.object({ path: below }),
      execute: ({ path }) => list(workspace, path, signal),
    }),
    search: tool({
      description: 'Finds the lines that contain a text, exactly as it is given.',
      inputSchema: z.object({ text: z.string().min(1), path: below }),
      execute: ({ text, path }) => search(workspace, text, path, signal),
    }),
  };
}

async function readPiece(workspace: Workspace, path: string, offset: number): Promise<string> {
  await using handle = await workspace.read(path);
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(most.bytes), 0, most.bytes, offset);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) throw new Error(`${path} is not a text file (${size} bytes)`);
  const isLast = offset + bytesRead >= size;
  // Whole lines, so that no character is cut in two.
  const end = isLast ? bytesRead : bytes.lastIndexOf(10) + 1 || bytesRead;
  const text = bytes.subarray(0, end).toString('utf8');
  if (isLast) return text === '' ? `(${path} has ${size} bytes; there is nothing from ${offset} on)` : text;
  return `${text}\n(bytes ${offset} to ${offset + end} of ${size}; go on with offset ${offset + end})`;
}

async function list(workspace: Workspace, path: string, signal: AbortSignal): Promise<string> {
  const found: string[] = [];
  for await (const file of filesIn(workspace, await workspace.find(path), signal)) {
    if (found.length === most.files) {
      return `${found.join('\n')}\n(there are more than ${most.files} files; name a folder to see those in it)`;
    }
    found.push(file);
  }
  return found.join('\n') || '(no files)';
}

async function search(workspace: Workspace, text: string, path: string, signal: AbortSignal): Promise<string> {
  const found: string[] = [];
  for await (const file of filesIn(workspace, await workspace.find(path), signal)) {
    const lines = (await textOf(workspace, file))?.split('\n') ?? [];
    for (const [at, line] of lines.entries()) {
      if (!line.includes(text)) continue;
      if (found.length === most.matches) return `${found.join('\n')}\n(there are more than ${most.matches} lines)`;
      found.push(`${file}:${at + 1}: ${cut(line.trim(), most.line)}`);
    }
  }
  return found.join('\n') || '(nothing found)';
}

/** Undefined for what is no text, too large to search, or gone by now. */
async function textOf(workspace: Workspace, file: string): Promise<string | undefined> {
  try {
    await using handle = await workspace.read(file);
    if ((await handle.stat()).size > most.searched) return undefined;
    const bytes = await handle.readFile();
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
