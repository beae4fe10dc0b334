import { AFTER_DAY, AFTER_GATE, BEFORE_DAY, HookBase, hook, type PaceContext, WebhookOutBase } from 'patchbay-sdk/pace';

export const typo = hook([AFTER_GATE], (_, context) => context.gate_report.gate_desicion); // wrong: Did you mean 'gate_decision'

export const early = hook([BEFORE_DAY], (_, context) => context.day_decision); // wrong: Property 'day_decision' does not exist

export const unknown = hook(['AFTER_GAT'], () => {}); // wrong: Type '"AFTER_GAT"' is not assignable

export const frozen = hook([AFTER_GATE], (_, context) => {
  context.story_title = 'another'; // wrong: read-only property
});

export class Other extends HookBase<{ url: string }, typeof AFTER_GATE> {
  events = [AFTER_DAY]; // wrong: not assignable to the same property in base type
  run(_: string, context: PaceContext<typeof AFTER_GATE>) {
    return [context.hold_reason, this.config.ulr]; // wrong: Property 'ulr' does not exist
  }
}

export class Nowhere extends WebhookOutBase {} // wrong: is missing implementations

export class Wrong extends HookBase<object, typeof AFTER_GATE> {
  events = [AFTER_GATE];
  run(_: string, _context: PaceContext<typeof AFTER_DAY>): void {} // wrong: Property 'run' in type 'Wrong' is not assignable
}
