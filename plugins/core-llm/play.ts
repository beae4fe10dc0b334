import { writeFileSync } from 'node:fs';
import { experimental_createSteering, generateText, isStepCount, type StepResult, type ToolSet } from 'ai';
import { messageOf, type TurnWork } from 'patchbay-sdk';
import { costOf } from './cost.ts';
import { explain } from './failure.ts';
import { Journal } from './journal.ts';
import { modelOf } from './model.ts';
import { instructionsOf, promptOf, reminder } from './prompt.ts';
import { builtIn, keyOf, type Settings, settingsOf } from './settings.ts';
import { changeTools } from './tools/change.ts';
import { execTools } from './tools/exec.ts';
import { lookTools } from './tools/look.ts';
import { serviceTools } from './tools/service.ts';
import { submitTools } from './tools/submit.ts';
import { Workspace } from './workspace.ts';

type Steps = readonly StepResult<ToolSet>[];

/**
 * Lets a model work on a turn until it hands in a result, which is then in the result file. Rejects with an error that can be shown if
 * it does not come to that.
 */
export async function play(turn: TurnWork): Promise<void> {
  const settings = settingsOf(turn);
  const key = keyOf(settings);
  const journal = new Journal(turn, key);
  let steps: Steps;
  try {
    steps = await converse(turn, settings, key, journal);
  } catch (error) {
    throw new Error(turn.signal.aborted ? 'was stopped' : journal.shown(explain(error, settings)));
  }
  // Whoever stopped the turn may have gone on without it.
  if (turn.signal.aborted) throw new Error('was stopped');
  const result = submitted(steps);
  if (result === undefined) throw new Error(journal.shown(unfinished(steps, settings)));
  writeFileSync(turn.result_file, `${JSON.stringify({ ...result, cost: costOf(steps, settings) }, null, 2)}\n`);
}

async function converse(turn: TurnWork, settings: Settings, key: string | undefined, journal: Journal): Promise<Steps> {
  // A reviewer may change nothing, whatever its role may in turns of its own.
  const writes = turn.reviews === null ? turn.writes : [];
  const workspace = await Workspace.open(turn);
  const own: ToolSet = {
    ...lookTools(workspace, turn.signal),
    ...(writes.length === 0 ? {} : changeTools(workspace)),
    ...(settings.exec ? execTools(turn) : {}),
    ...submitTools(turn.reviews !== null),
  };
  const tools = { ...(await serviceTools(turn, new Set(Object.keys(own)))), ...own };
  const steering = experimental_createSteering();
  void steering.queue(reminder);
  const { steps } = await generateText({
    model: await modelOf(turn, settings, key),
    instructions: instructionsOf(turn, writes),
    prompt: promptOf(turn),
    tools,
    // Calls of one answer may build on each other.
    toolCallConcurrency: 1,
    stopWhen: [isStepCount(settings.max_steps), ({ steps }) => submitted(steps) !== undefined],
    experimental_steering: steering,
    abortSignal: turn.signal,
    ...(settings.max_tokens === undefined ? {} : { maxOutputTokens: settings.max_tokens }),
    onToolExecutionStart: ({ toolCall }) => journal.called(toolCall),
    onStepEnd: (step) => {
      journal.stepped(step);
      turn.spent(costOf([step], settings));
    },
  });
  return steps;
}

/** The result that was handed in by the last step. It does not count beside a call that failed: the model had not seen that yet. */
function submitted(steps: Steps): object | undefined {
  const last = steps.at(-1);
  if (last === undefined || last.content.some(({ type }) => type === 'tool-error')) return undefined;
  return last.toolResults.findLast(({ toolName }) => toolName === 'submit_result')?.input as object | undefined;
}

function unfinished(steps: Steps, { max_steps, provider, model }: Settings): string {
  const last = steps.at(-1);
  const who = builtIn.includes(provider) ? model : `${model} of provider "${provider}"`;
  const said = last?.text.trim() ? `: ${last.text.trim()}` : '';
  if (last?.finishReason === 'content-filter') return `${who} refused to go on${said}`;
  if (last?.finishReason === 'length') return `${who} had more to say than it may at a time (max_tokens)${said}`;
  if (steps.length < max_steps) return `${who} ended without handing in a result${said}`;
  const wrong = last?.content.find((part) => part.type === 'tool-error');
  const why = wrong === undefined ? '' : `; at last ${wrong.toolName} failed: ${messageOf(wrong.error)}`;
  return `${who} handed in no result in ${max_steps} steps (max_steps)${why}`;
}
