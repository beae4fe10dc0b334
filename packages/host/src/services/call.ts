import { createHash } from 'node:crypto';
import { messageOf, type ServiceResponse, suggestion } from 'patchbay-sdk';
import { v7 } from 'uuid';
import type { AssistantWorkspace, ServiceSettings } from '../config/assistant-settings.ts';
import type { Edition } from '../outbound/emitter.ts';
import type { Approvals } from './approvals.ts';
import type { Catalogue } from './catalogue.ts';
import { handled } from './handling.ts';
import { type Input, type Inputs, inputOf } from './input.ts';
import type { HourlyLimits, Room } from './limits.ts';
import { disabledBy, judge, settingsOf, traitsOf } from './policy.ts';
import { type CallRecord, type Recording, toolUse, trace } from './record.ts';
import { excerpt, shownInput } from './shown-input.ts';
import type { Taints } from './taints.ts';
import type { Tool } from './tool.ts';
import type { Trail } from './trail.ts';
import type { ToolUser } from './turn-tools.ts';

/** What calls are made with. */
export interface CallParts {
  readonly settings: ServiceSettings;
  readonly workspaceOf: (folder: string) => AssistantWorkspace | undefined;
  readonly catalogue: Catalogue;
  readonly inputs: Inputs;
  readonly trail: Trail;
  readonly limits: HourlyLimits;
  readonly taints: Taints;
  readonly approvals: Approvals;
  readonly recording: Recording;
  readonly hideOf: (plugin: string) => Edition['hide'];
}

/** How a call is waited for. */
export interface CallOptions {
  /** Aborted when nobody waits any more; the turn's own ends it too. */
  readonly signal?: AbortSignal;
  /** Hears that a person is asked, by the id of the approval. */
  readonly waiting?: (approval_id: string) => void;
}

/** What lets a call through, or does not. */
interface Verdict extends Pick<CallRecord, 'decision' | 'by' | 'approval_id' | 'request_id'> {
  /** Why not. */
  readonly error: string | null;
}

/** Of calls of one turn that are refused, so many are written down. */
const mostRefusals = 100;

/** The calls of one turn: request, limits, policy, handler, response, in this order. */
export class TurnCalls {
  readonly #parts: CallParts;
  readonly #user: ToolUser;
  #refusals = 0;

  constructor(parts: CallParts, user: ToolUser) {
    this.#parts = parts;
    this.#user = user;
  }

  /** The tools that the turn is told of. Never rejects. */
  async tools(): Promise<readonly Tool[]> {
    const tools = await this.#parts.catalogue.of(this.#user.workspace);
    return [...tools.values()].filter(({ name }) => this.#disabled(name) === undefined);
  }

  /** Calls a tool. What goes wrong is an answer. Never rejects. */
  async call(name: string, given: unknown, options: CallOptions = {}): Promise<ServiceResponse> {
    try {
      const tool = await this.#parts.catalogue.find(this.#user.workspace, name);
      if (tool === undefined) return { error: await this.#unknown(name) };
      const input = inputOf(given);
      const problem = this.#parts.inputs.problem(tool, input);
      if (problem !== undefined) return { error: problem };
      return await this.#request(tool, input, options);
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  async #unknown(name: string): Promise<string> {
    const known = (await this.tools()).map((tool) => tool.name);
    return `there is no tool "${name.slice(0, 200)}"; ${suggestion(name, known)}`;
  }

  async #request(tool: Tool, input: Input, { signal, waiting }: CallOptions): Promise<ServiceResponse> {
    const { settings, trail, limits } = this.#parts;
    const until = signal === undefined ? this.#user.signal : AbortSignal.any([this.#user.signal, signal]);
    until.throwIfAborted();
    await trail.ready();
    const most = settingsOf(settings, tool.name).perHour ?? settings.perToolPerHour;
    const room = limits.take(tool.name, { all: settings.perHour, tool: most });
    if (typeof room === 'string') return { error: room };
    try {
      return await this.#admit(tool, input, until, room, waiting);
    } catch (error) {
      room.giveBack();
      throw error;
    }
  }

  async #admit(
    tool: Tool,
    input: Input,
    until: AbortSignal,
    room: Room,
    waiting: CallOptions['waiting'],
  ): Promise<ServiceResponse> {
    const input_sha256 = createHash('sha256').update(input.json).digest('hex');
    const verdict = await this.#verdict(tool, input, input_sha256, until, waiting);
    if (verdict.error !== null) {
      room.giveBack();
      this.#refusals++;
      if (this.#refusals <= mostRefusals) await this.#record(tool, input, input_sha256, verdict, verdict, 0);
      return { error: verdict.error };
    }
    const start = performance.now();
    const { settings, hideOf } = this.#parts;
    // What stands in the input cannot say what is asked for, nor under which id.
    const request = { ...input.fields, type: tool.name, request_id: verdict.request_id };
    const hide = tool.source.kind === 'server' ? <T>(value: T) => value : hideOf(tool.source.name);
    const response = await handled(tool, request, { ms: settings.handlerMs, signal: until, hide });
    await this.#record(tool, input, input_sha256, verdict, response, performance.now() - start);
    return response;
  }

  async #verdict(
    tool: Tool,
    input: Input,
    input_sha256: string,
    until: AbortSignal,
    waiting: CallOptions['waiting'],
  ): Promise<Verdict> {
    const { settings, taints, approvals, hideOf } = this.#parts;
    const { workspace } = this.#user;
    const request_id = v7();
    const verdict = (decision: Verdict['decision'], by: string, error: string | null): Verdict => {
      return { decision, by, error, approval_id: null, request_id };
    };
    const refused = (by: string) => verdict('refused', by, `tool "${tool.name}" may not be called: ${by}`);
    const disabled = this.#disabled(tool.name);
    if (disabled !== undefined) return refused(disabled);
    const taint = await taints.of(this.#user);
    const { decision: ruling, by } = judge(settings, { tool, input: input.fields, workspace, taint });
    if (ruling === 'allow') return verdict('allowed', by, null);
    if (ruling === 'refuse') return refused(by);
    const shown = hideOf(tool.source.name)(shownInput(input.json));
    const call = { tool: tool.name, request_id, input_sha256, input: shown, why: by };
    const { decision, comment, ...heeded } = await approvals.ask(this.#user, call, until, waiting);
    if (decision === 'approved') return { decision, ...heeded, error: null };
    const why = comment === null ? '' : `: ${comment}`;
    return { decision, ...heeded, error: `tool "${tool.name}" was not called: ${heeded.by} refused it${why}` };
  }

  #disabled(name: string): string | undefined {
    const { settings, workspaceOf } = this.#parts;
    const { workspace } = this.#user;
    return disabledBy(settings, name, workspace === null ? undefined : workspaceOf(workspace));
  }

  async #record(
    tool: Tool,
    input: Input,
    input_sha256: string,
    { decision, by, approval_id, request_id }: Verdict,
    came: ServiceResponse | { readonly error: string | null },
    ms: number,
  ): Promise<void> {
    const { settings, recording, taints, hideOf } = this.#parts;
    const error = 'error' in came ? came.error : null;
    const traits = traitsOf(settings, tool);
    const data: CallRecord = {
      tool: tool.name,
      request_id,
      source: tool.source,
      workspace: this.#user.workspace,
      decision,
      by,
      approval_id,
      ok: error === null,
      error: error?.slice(0, 1000) ?? null,
      traits,
      ms: Math.round(ms),
      input_sha256,
      input: hideOf(tool.source.name)(excerpt(input.json)),
    };
    const summary = `${tool.name}: ${decision}${decision === 'refused' || error === null ? '' : ', failed'}`;
    // At once: one write makes both durable, before the agent sees what the tool has to show.
    await Promise.all([
      trace(recording, this.#user, { type: toolUse, data, summary }),
      data.ok ? taints.add(this.#user, traits) : undefined,
    ]);
  }
}
