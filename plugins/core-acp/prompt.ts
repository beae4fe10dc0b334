import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnWork } from 'patchbay-sdk';

/** Of what is longer, the agent is told where all of it is. */
const mostChars = 64 * 1024;

/** The fields of `turn.json` in a bundle that are put into words. */
interface TurnFile {
  readonly title?: string;
  readonly verify?: readonly string[];
  readonly feedback?: readonly unknown[];
  readonly reviews?: { readonly role?: string } | null;
}

/** All that an agent should know for its turn, in one text. Throws if the bundle cannot be read. */
export function promptOf(turn: TurnWork): string {
  const file = JSON.parse(readFileSync(join(turn.bundle, 'turn.json'), 'utf8')) as TurnFile;
  const sections: readonly (readonly [string, string])[] = [
    ['Goal of the run', turn.goal],
    ['Your mandate', part(turn, 'mandate.md')],
    ['Why your last attempt was rejected: do better', list(file.feedback)],
    ['Decisions so far, which bind you', nonEmpty(part(turn, 'decisions.json'))],
    ['Objections so far', nonEmpty(part(turn, 'objections.json'))],
    ['What others have handed in', documents(turn)],
    ['What you judge', judged(turn, file)],
    ['What you may change', allowed(turn)],
    ['Commands that must exit with 0 when you are done; the host runs them again', list(file.verify)],
    ['How to hand in', handIn(turn)],
    ['What "report" must be, as JSON Schema', part(turn, 'report.schema.json')],
  ];
  const who = `You are "${file.title ?? turn.role}" (role ${turn.role}) in the phase "${turn.phase}", attempt ${turn.attempt}.`;
  const where = `Work in the folder ${turn.workspace}. All you were given is also in ${turn.bundle}, read-only.`;
  const told = sections.filter(([, text]) => text !== '').map(([title, text]) => `## ${title}\n\n${cut(turn, text)}`);
  return [`${who} ${where} Nobody can answer questions.`, ...told].join('\n\n');
}

function part({ bundle }: TurnWork, name: string): string {
  try {
    return readFileSync(join(bundle, name), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function cut({ bundle }: TurnWork, text: string): string {
  return text.length > mostChars ? `${text.slice(0, mostChars)}\n… cut here: all of it is in ${bundle}` : text;
}

function nonEmpty(json: string): string {
  return json === '[]' ? '' : json;
}

function list(items: readonly unknown[] = []): string {
  return items.map((item) => `- ${typeof item === 'string' ? item : JSON.stringify(item)}`).join('\n');
}

/** The files of a bundle with what roles were asked for. */
const handedIn = ['story.json', 'deferred.json', 'handoff.json', 'gate.json', 'sentinel.json', 'conduit.json'];

function documents(turn: TurnWork): string {
  const told = handedIn.map((name) => [name, nonEmpty(part(turn, name))] as const).filter(([, text]) => text !== '');
  return told.map(([name, text]) => `${name}:\n\n${text}`).join('\n\n');
}

function judged(turn: TurnWork, { reviews }: TurnFile): string {
  if (turn.reviews === null) return '';
  const result = `The turn ${turn.reviews}, with this result:\n\n${JSON.stringify(reviews ?? null, null, 2)}`;
  const patch = part(turn, 'changes.patch');
  return patch === '' ? `${result}\n\nIt changed no files.` : `${result}\n\nIt changed:\n\n${patch}`;
}

function allowed({ writes, reviews }: TurnWork): string {
  if (reviews !== null || writes.length === 0) return 'Nothing but the result file.';
  const rule = 'Only files that match one of these, relative to the workspace. A change elsewhere fails the turn:';
  return `${rule}\n\n${list(writes)}`;
}

function handIn(turn: TurnWork): string {
  const { result_file, reviews } = turn;
  const status =
    reviews === null
      ? '"completed"'
      : '"approved", "rejected" (say in the summary what must change), or "advisory" (good enough, with a concern)';
  return [
    `Write one JSON object to ${result_file}; if you cannot, end your last message with it in a \`\`\`json block.`,
    'Without it the turn has failed. Its fields:',
    `- status: ${status}`,
    '- summary: what you did and why, in a few sentences',
    '- decisions: [{ id: "DEC-n", category, statement, rationale }] that bind those after you, or []',
    '- objections: [{ id: "OBJ-n", severity, statement }] against what is planned or done, or []',
    '- files_changed: paths relative to the workspace',
    '- verification: { status: "pass" | "fail" | "skipped", commands: [], machine_evidence: [{ command, exit_code }] }',
    '- needs_human_reason: only if a person has to decide something',
    ...(part(turn, 'report.schema.json') === '' ? [] : ['- report: the document that is asked of you, see below']),
  ].join('\n');
}
