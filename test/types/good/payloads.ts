import { definePlugin, type HookContext, type Log } from 'patchbay-sdk';
import { expectTypeOf } from 'vitest';

/** Payloads and contexts get their types from the table: no parameter below says what it is. */
export default definePlugin({
  name: 'payloads',
  version: '1.0.0',
  hooks: {
    'run:started': (run, context) => {
      expectTypeOf(run.event).toEqualTypeOf<'run:started'>();
      expectTypeOf(run.goal).toEqualTypeOf<string | null>();
      expectTypeOf(run.attempt).toEqualTypeOf<number | null>();
      expectTypeOf(run.roles).toEqualTypeOf<string[]>();
      expectTypeOf(run.config_summary).toEqualTypeOf<Record<string, unknown>>();
      expectTypeOf(run.resumes).toEqualTypeOf<string | undefined>();
      expectTypeOf(context).toEqualTypeOf<HookContext<Record<string, never>>>();
      expectTypeOf(context.log).toEqualTypeOf<Log>();
      expectTypeOf(context.run).toEqualTypeOf<string | null>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
    },
    'turn:submitted': ({ result, verification, cost, role }) => {
      expectTypeOf(result.proposed_next_role).toEqualTypeOf<string | null>();
      expectTypeOf(result.run_completion_request).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(result.decisions).items.toEqualTypeOf<{
        id: string;
        category: string;
        statement: string;
        rationale: string;
      }>();
      expectTypeOf(verification.status).toEqualTypeOf<'pass' | 'fail' | 'skipped'>();
      expectTypeOf(cost).toEqualTypeOf<{ input_tokens: number; output_tokens: number; usd: number }>();
      expectTypeOf(role).toEqualTypeOf<string | null>();
    },
    'approval:decided': async ({ decision, approver }) => {
      expectTypeOf(decision).toEqualTypeOf<'approved' | 'refused'>();
      expectTypeOf(approver).toEqualTypeOf<string>();
    },
    'agent:activity': {
      trylast: true,
      after: ['other'],
      deadlineMs: 50,
      handler: ({ active, chat_jid }, { defer }) => {
        expectTypeOf(active).toEqualTypeOf<boolean>();
        expectTypeOf(chat_jid).toEqualTypeOf<string>();
        expectTypeOf(defer).toEqualTypeOf<(undo: () => void | Promise<void>) => void>();
      },
    },
    'turn:failed': [
      { id: 'one', handler: ({ exit_code }) => expectTypeOf(exit_code).toEqualTypeOf<number | null>() && undefined },
      { id: 'two', handler: ({ error }) => expectTypeOf(error.code).toEqualTypeOf<string>() && undefined },
    ],
    'host:ready': ({ version, project }) => {
      expectTypeOf(version).toEqualTypeOf<string>();
      expectTypeOf(project).toEqualTypeOf<string | null>();
    },
  },
});
