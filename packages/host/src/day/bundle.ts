import * as z from 'zod/mini';
import type { RunState } from '../runs/state.ts';
import { type DocumentName, documentNames, fileNames, documents as forms } from './documents.ts';

/**
 * What the bundle of a turn holds of documents, by file: every one that was handed in before, the form of the one that is
 * asked for, and for who writes the story card the criteria that other days have left.
 */
export function documentsIn({ documents, inputs }: RunState, asked: DocumentName | null): Record<string, unknown> {
  const files: Record<string, unknown> = {};
  if (asked !== null) files['report.schema.json'] = z.toJSONSchema(forms[asked]);
  if (asked === 'story_card') files['deferred.json'] = inputs['deferred'] ?? [];
  for (const name of documentNames) {
    const { report } = documents[name] ?? {};
    if (report === undefined) continue;
    files[`${fileNames[name]}.json`] = name === 'story_card' ? { ...report, cleared: clearedIn(inputs) } : report;
  }
  return files;
}

/** Concerns that reviewers need not raise again, in words. */
function clearedIn(inputs: RunState['inputs']): string[] {
  const cleared = Array.isArray(inputs['cleared']) ? (inputs['cleared'] as { advisory?: unknown }[]) : [];
  return cleared.map(({ advisory }) => String(advisory));
}
