import * as z from 'zod/mini';
import * as capability from './capabilities.ts';
import { type EventName, events } from './events.ts';
import type { AnswerOf, HookRow, PayloadOf, ResultOf, Schema } from './row.ts';
import { verdict } from './verdict.ts';

const nothing = z.strictObject({});

// These types are written out, not inferred, so that the published declarations stay small.
type Watched<E extends EventName> = HookRow & {
  readonly kind: 'notify';
  readonly failure: 'soft';
  readonly payload: (typeof events)[E];
  readonly answer: typeof verdict;
};
type Gated<E extends EventName> = Omit<Watched<E>, 'failure'> & { readonly failure: 'closed' };
type Provided<
  K extends 'collect' | 'first' | 'merge',
  A extends Schema,
  P extends Schema = typeof nothing,
> = HookRow & {
  readonly kind: K;
  readonly failure: 'soft';
  readonly payload: P;
  readonly answer: A;
};

/** An event that handlers only watch: they cannot stop it, and their failures stop nothing. */
function watched<const E extends EventName>(name: E, doc: string): Watched<E> {
  return {
    kind: 'notify',
    failure: 'soft',
    deadlineMs: 30_000,
    payload: events[name],
    answer: verdict,
    since: '0.1',
    doc,
  };
}

/** An event that waits for its handlers: any of them may refuse it, and a failing one does. */
function awaited<const E extends EventName>(name: E, doc: string): Gated<E> {
  return { ...watched(name, doc), failure: 'closed' };
}

/** A hook through which plugins provide something. */
function provided<const K extends 'collect' | 'first' | 'merge', A extends Schema>(
  kind: K,
  answer: A,
  doc: string,
): Provided<K, A> {
  return { kind, failure: 'soft', deadlineMs: 10_000, payload: nothing, answer, since: '0.1', doc };
}

const dispatch = z.union([verdict, events['turn:dispatched']]);

/** Rows of the events. Each has its schema in `events.ts`; one without a row here does not compile. */
export const eventHooks = {
  'run:started': awaited('run:started', 'A run begins, before any agent. May be refused.'),
  'turn:dispatched': {
    ...awaited('turn:dispatched', 'Before an agent is called for a turn. May be refused, or the dispatch rewritten.'),
    kind: 'waterfall',
    answer: dispatch,
  } as Omit<Gated<'turn:dispatched'>, 'kind' | 'answer'> & {
    readonly kind: 'waterfall';
    readonly answer: typeof dispatch;
  },
  'turn:submitted': watched('turn:submitted', 'A turn result is valid and stored; nobody has judged it yet.'),
  'turn:accepted': watched('turn:accepted', 'A turn result is judged good.'),
  'turn:rejected': watched('turn:rejected', 'A turn result is judged bad; the next attempt gets the reason.'),
  'turn:failed': watched('turn:failed', 'A turn gave no valid result: a crash, a timeout, an invalid answer.'),
  'gate:pending': awaited('gate:pending', 'A gate is about to wait or to open. May be refused.'),
  'gate:transition': watched('gate:transition', 'The way into the next phase is approved.'),
  'gate:completion': watched('gate:completion', 'The completion of the run is approved.'),
  'advisory:recorded': watched('advisory:recorded', 'A reviewer has a concern that is kept for later.'),
  'advisory:cleared': watched('advisory:cleared', 'Somebody decided that a concern need not be raised again.'),
  'run:completed': watched('run:completed', 'A run is done, all gates passed.'),
  'run:held': watched('run:held', 'A run stopped for a person to look at.'),
  'run:failed': watched('run:failed', 'A run could not go on.'),
  'run:aborted': watched('run:aborted', 'A run was ended by a person.'),
  'message:received': watched('message:received', 'A message from a person is stored.'),
  'message:sent': watched('message:sent', 'A message to a person is stored.'),
  'agent:activity': watched('agent:activity', 'An agent began or ended to work on a chat.'),
  'agent:trace': watched('agent:trace', 'A glimpse of an agent at work: thinking, tool use, text.'),
  'chat:cleared': watched('chat:cleared', 'The history of a chat was cleared.'),
  'webhook:received': watched(
    'webhook:received',
    'A request came in on a route of a plugin, and its sender was verified.',
  ),
  'delivery:failed': watched(
    'delivery:failed',
    'A handler could not be reached for an event and will not be tried again.',
  ),
  'plugin:installed': watched('plugin:installed', 'A plugin was installed.'),
  'plugin:upgraded': watched('plugin:upgraded', 'A plugin was replaced by another version.'),
  'plugin:removed': watched('plugin:removed', 'A plugin was removed.'),
  'plugin:enabled': watched('plugin:enabled', 'A plugin was switched on.'),
  'plugin:disabled': watched('plugin:disabled', 'A plugin was switched off.'),
  'plugin:quarantined': watched('plugin:quarantined', 'A plugin is kept from running, with the reason.'),
  'approval:requested': watched('approval:requested', 'Somebody is asked for a decision.'),
  'approval:decided': watched('approval:decided', 'The decision was given.'),
} satisfies Record<EventName, HookRow>;

/** Rows of the capabilities: what `provides` of a plugin may hold. */
export const capabilityHooks = {
  agentCore: provided('collect', capability.agentCore, 'An agent framework; config chooses among all.'),
  serviceTools: provided('merge', capability.serviceTools, 'Tools that agents may call and the host carries out.'),
  skills: provided('collect', capability.skills, 'Folders of skills that workspaces may select.'),
  channel: {
    ...provided('collect', capability.channel, 'A way to talk with people; null if it does not apply here.'),
    payload: capability.channelContext,
  } as Provided<'collect', typeof capability.channel, typeof capability.channelContext>,
  containerRuntime: provided('collect', capability.containerRuntime, 'Something that runs agents apart from the host.'),
  tunnel: provided('collect', capability.tunnel, 'A way for the outside to reach this machine.'),
  observer: {
    ...provided('collect', capability.observer, 'Something that keeps or forwards events.'),
    payload: capability.observerContext,
  } as Provided<'collect', typeof capability.observer, typeof capability.observerContext>,
  memory: {
    ...provided('first', capability.memory, 'Where agents keep what they learn; the first one wins.'),
    payload: capability.memoryContext,
  } as Provided<'first', typeof capability.memory, typeof capability.memoryContext>,
  mcpServers: provided('collect', capability.mcpServers, 'MCP servers that the host supervises.'),
  webhooks: {
    ...provided('collect', capability.webhooks, 'Routes on which the host takes requests for the plugin.'),
    payload: capability.webhookContext,
  } as Provided<'collect', typeof capability.webhooks, typeof capability.webhookContext>,
  llmProvider: provided('collect', capability.llmProvider, 'A language model that the core `llm` can use.'),
  platform: {
    ...provided('collect', capability.platform, 'Where the project is hosted: reviews, escalations, summaries.'),
    payload: capability.platformContext,
  } as Provided<'collect', typeof capability.platform, typeof capability.platformContext>,
  reporter: provided('collect', capability.reporter, 'Writes down what a run came to, for people or other programs.'),
  workspace: provided('collect', capability.workspace, 'A workspace that comes with the plugin.'),
  artifactStore: {
    ...provided('first', capability.artifactStore, 'Where several hosts keep the work of runs; the first one wins.'),
    payload: capability.artifactContext,
  } as Provided<'first', typeof capability.artifactStore, typeof capability.artifactContext>,
} satisfies Record<string, HookRow>;

/** Rows about the life of the host that are no durable facts. */
const lifeHooks = {
  'host:ready': {
    kind: 'notify',
    failure: 'soft',
    deadlineMs: 10_000,
    payload: z.strictObject({ version: z.string(), project: z.nullable(z.string()) }),
    answer: null,
    since: '0.1',
    historic: true,
    doc: 'The host has loaded its plugins. A plugin that comes later is called as soon as it is there.',
  },
} as const satisfies Record<string, HookRow>;

/** THE table of hooks. Types, docs, command line and tests are derived from it. */
export const hooks = { ...eventHooks, ...capabilityHooks, ...lifeHooks };

/** See {@link hooks}. */
export type Hooks = typeof hooks;
/** The name of a hook. */
export type HookName = keyof Hooks;
/** The name of a hook through which plugins provide something. */
export type CapabilityName = keyof typeof capabilityHooks;
/** What the handlers of hook `H` are given. */
export type Payload<H extends HookName> = PayloadOf<Hooks, H>;
/** What a handler of hook `H` may answer, apart from nothing at all. */
export type Answer<H extends HookName> = AnswerOf<Hooks, H>;
/** What calling hook `H` gives. */
export type Result<H extends HookName> = ResultOf<Hooks, H>;
