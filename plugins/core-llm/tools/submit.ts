import { tool } from 'ai';
import { turnResult } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

const { decisions, objections, artifact, report, proposed_next_role } = turnResult.shape;
const { phase_transition_request, run_completion_request, needs_human_reason } = turnResult.shape;

/** What the model says of its turn. What it changed, what was verified and what it cost is not for it to say. */
function resultOf(statuses: readonly [string, ...string[]]) {
  return z.object({
    status: z.enum(statuses),
    summary: z.string().min(1).describe('what was done or found, for people and for the next agent'),
    decisions: z.optional(decisions).describe('decisions taken in this turn, with ids DEC-1, DEC-2 … not used before'),
    objections: z
      .optional(objections)
      .describe('what is wrong and stays so, with ids OBJ-1, OBJ-2 … and severity low, medium, high or blocking'),
    artifact: z.optional(artifact),
    report: z.optional(report).describe('the document that report.schema.json describes, if that is among your files'),
    proposed_next_role: z.optional(proposed_next_role),
    phase_transition_request,
    run_completion_request,
    needs_human_reason,
  });
}

/** The tool that ends a turn. */
export function submitTools(isReview: boolean) {
  return {
    submit_result: tool({
      description: 'Hands in the result and ends the turn. Call it by itself, when everything is done.',
      inputSchema: resultOf(isReview ? ['approved', 'rejected', 'advisory'] : ['completed', 'blocked']),
      execute: () => 'The result is taken, unless another call beside it has failed.',
    }),
  };
}
