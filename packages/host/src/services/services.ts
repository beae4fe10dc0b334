import { setTimeout as sleep } from 'node:timers/promises';
import type { Hooks } from 'patchbay-sdk';
import type { OpenMemory } from '../capabilities/index.ts';
import type { AssistantWorkspace, ServiceSettings } from '../config/assistant-settings.ts';
import type { Kernel } from '../kernel/index.ts';
import type { LedgerStore } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { Approvals, type Decision, type PendingCall, pendingCalls } from './approvals.ts';
import { type CallOptions, type CallParts, TurnCalls } from './call.ts';
import { Catalogue } from './catalogue.ts';
import { Inputs } from './input.ts';
import { HourlyLimits } from './limits.ts';
import { TurnMcp } from './mcp-server.ts';
import { Taints } from './taints.ts';
import type { ServerTools } from './tool.ts';
import { Trail } from './trail.ts';
import type { OpenTurnTools, ToolUser, TurnTools } from './turn-tools.ts';

/** What the tools of a project are run with. */
export interface ServicesParts {
  readonly kernel: Kernel<Hooks>;
  readonly ledger: LedgerStore;
  readonly emitter: Pick<Emitter, 'owes' | 'edition'>;
  readonly settings: ServiceSettings;
  /** The workspace of a folder; undefined if there is none. */
  readonly workspaceOf: (folder: string) => AssistantWorkspace | undefined;
  /** The memory of the project, made ready at the first call; undefined if there is none. */
  readonly memory: () => Promise<OpenMemory | undefined>;
  /** The tools of MCP servers. @default there are none */
  readonly servers?: ServerTools;
  /** Hears what should be put in order, each thing once. @default nobody does */
  readonly warn?: (message: string) => void;
  /** @default the clock of the machine */
  readonly now?: () => number;
}

/** The tools that agents may call: which there are, whether they may, and what came of it. */
export class Services {
  readonly #parts: ServicesParts;
  readonly #calls: CallParts;
  readonly #approvals: Approvals;
  readonly #trail: Trail;
  readonly #open = new Set<TurnTools>();
  readonly #now: () => number;
  #unhear: readonly (() => void)[] = [];

  constructor(parts: ServicesParts) {
    const { kernel, ledger, emitter, settings, workspaceOf, memory, servers, warn = () => {}, now = Date.now } = parts;
    this.#parts = parts;
    this.#now = now;
    const limits = new HourlyLimits(now);
    const recording = { ledger, emitter };
    const taints = new Taints(ledger, recording);
    this.#trail = new Trail({ ledger, limits, taints, now });
    this.#approvals = new Approvals({ ledger, emitter, now, approvalMs: settings.approvalMs });
    this.#calls = {
      ...{ settings, workspaceOf, limits, taints, trail: this.#trail, approvals: this.#approvals },
      catalogue: new Catalogue({ kernel, memory, servers, warn }),
      inputs: new Inputs(),
      recording,
      hideOf: (plugin) => emitter.edition(plugin).hide,
    };
  }

  /** Begins to hear of decisions, and takes up what was asked before. Rejects if the ledger cannot be read. */
  async start(): Promise<void> {
    const { ledger, warn = () => {} } = this.#parts;
    this.#unhear = [
      ledger.on('appended', ({ event }) => {
        this.#trail.heard(event);
        this.#approvals.heard(event);
      }),
      ledger.on('elsewhere', (what) => {
        this.#approvals.heardElsewhere();
        const mayBeCleared = what?.types.includes('chat:cleared') ?? true;
        if (!mayBeCleared) return;
        this.#trail.heardElsewhere().catch((error) => warn(`what was cleared cannot be read: ${String(error)}`));
      }),
    ];
    await this.#approvals.start();
  }

  /** Gives a turn its tools. */
  readonly open: OpenTurnTools = (user) => {
    const over = new AbortController();
    const tools = new OpenTools(this.#calls, { ...user, signal: AbortSignal.any([user.signal, over.signal]) }, () => {
      over.abort(new Error('the turn is over'));
      this.#open.delete(tools);
    });
    this.#open.add(tools);
    return tools;
  };

  /** The calls that wait for a person, the oldest first. */
  pending(): Promise<readonly PendingCall[]> {
    return pendingCalls(this.#parts.ledger, this.#now());
  }

  /** Decides on a call that waits. Throws APPROVAL_INVALID if it does not, or not any more. */
  decide(approval_id: string, decision: Decision): Promise<PendingCall> {
    return this.#approvals.decide(approval_id, decision);
  }

  /** Ends what is under way; what people were asked stays asked, for the next host. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((tools) => tools.close()));
    for (const undo of this.#unhear) undo();
  }
}

/** How long calls have to end when their turn is over. */
const leaveMs = 1000;

/** The tools of one turn, from when it begins until it is over. */
class OpenTools implements TurnTools {
  readonly #calls: TurnCalls;
  readonly #user: ToolUser;
  readonly #ended: () => void;
  readonly #underWay = new Set<Promise<unknown>>();
  #mcp: TurnMcp | undefined;

  constructor(parts: CallParts, user: ToolUser, ended: () => void) {
    this.#calls = new TurnCalls(parts, user);
    this.#user = user;
    this.#ended = ended;
  }

  async list() {
    const tools = await this.#calls.tools();
    return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  call(name: string, input: Readonly<Record<string, unknown>>, options?: CallOptions) {
    const call = this.#calls.call(name, input, options);
    this.#underWay.add(call);
    void call.then(() => this.#underWay.delete(call));
    return call;
  }

  mcp() {
    if (this.#user.signal.aborted) return Promise.reject(new Error('the turn is over'));
    this.#mcp ??= new TurnMcp(this, this.#user.dir);
    return this.#mcp.open();
  }

  async close() {
    this.#ended();
    // Whoever waits for one is still told that it was ended.
    await Promise.race([Promise.all(this.#underWay), sleep(leaveMs, undefined, { ref: false })]);
    await this.#mcp?.close();
  }
}
