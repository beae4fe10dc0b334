import type { InboundRequest, WebhookProof } from '../capabilities.ts';
import { PatchbayError } from '../errors.ts';
import type { PaceContext } from './context.ts';
import type { PaceEvent } from './events.ts';

/** Where a class says which of the bases it extends: known to hosts that have another copy of this module. */
export const paceKind: unique symbol = Symbol.for('patchbay.pace.kind') as never;
/** Where the host puts what `triggerPipeline` calls. */
export const paceStart: unique symbol = Symbol.for('patchbay.pace.start') as never;

/** The configuration of a plugin that does not say what it is. */
export type AnyConfig = Record<string, unknown>;

abstract class Configured<Config extends object> {
  /** Called this in the configuration and in reports. @default the name of the class in snake_case */
  static readonly pluginName?: string;
  /** What stands under `plugins.config` for this plugin, variables of the environment looked up. Frozen. */
  readonly config: Readonly<Config>;

  constructor(config: Config = {} as Config) {
    this.config = config;
  }
}

/** Runs code at events of a day. What it throws is told under its name; it never stops the day. */
export abstract class HookBase<
  Config extends object = AnyConfig,
  Event extends PaceEvent = PaceEvent,
> extends Configured<Config> {
  static readonly [paceKind]: string = 'hooks';
  abstract readonly events: readonly Event[];
  /** Before-events wait for it; what it answers is not looked at. */
  abstract run(event: Event, context: PaceContext<Event>): unknown;
}

/** Which day is to be run. */
export interface Trigger {
  /** Of the plan. @default null, the next one that is pending */
  readonly day?: number | null;
}

/** Takes requests that come in on a path of the webhook server. */
export abstract class WebhookInBase<Config extends object = AnyConfig> extends Configured<Config> {
  static readonly [paceKind]: string = 'webhook_in';
  /** As in `/github/push`; unique in a host. */
  abstract readonly path: string;
  /** How senders prove who they are. @default not at all, which only a server on loopback takes */
  declare readonly proof?: WebhookProof;
  declare [paceStart]?: (trigger: Trigger) => Promise<string>;

  /**
   * Handles a request; what it answers is the body of the reply. What it throws fails the request, which is kept and can
   * be replayed. Names of headers are lower-cased; `request.raw` is the body as it came.
   */
  abstract handle(
    // biome-ignore lint/suspicious/noExplicitAny: what comes in is JSON of somebody else
    payload: any,
    headers: Readonly<Record<string, string>>,
    request: InboundRequest,
  ): unknown;

  /**
   * Has a day run. Resolves with the id of the run when it is durable; the reply waits for that in any case. The same
   * request never begins it twice. Rejects outside of a host.
   */
  triggerPipeline(trigger: Trigger = {}): Promise<string> {
    const start = this[paceStart];
    // Not async: the host sees to the very promise that it gives, also if the author does not.
    if (start !== undefined) return start(trigger);
    return Promise.reject(new PatchbayError('HANDLER_FAILED', 'only a host can have a day run'));
  }

  /** The same, as the document of PACE spells it. */
  trigger_pipeline(trigger: Trigger = {}): Promise<string> {
    return this.triggerPipeline(trigger);
  }
}

/** Has the host send a request at events of a day: signed, tried again until it arrives, kept over a restart. */
export abstract class WebhookOutBase<
  Config extends object = AnyConfig,
  Event extends PaceEvent = PaceEvent,
> extends Configured<Config> {
  static readonly [paceKind]: string = 'webhook_out';
  abstract readonly events: readonly Event[];
  /** Whether anything is sent. @default always */
  shouldFire?(event: Event, context: PaceContext<Event>): boolean | Promise<boolean>;
  /** What is sent, as JSON. This or `build_payload` must be there. */
  buildPayload?(event: Event, context: PaceContext<Event>): unknown;
  /** Where it is sent to. */
  abstract endpoint(): string | Promise<string>;
  /** Headers beside those of the host. @default none */
  headers?(): Readonly<Record<string, string>>;
  /** `shouldFire`, as the document of PACE spells it. */
  should_fire?(event: Event, context: PaceContext<Event>): boolean | Promise<boolean>;
  /** `buildPayload`, as the document of PACE spells it. */
  build_payload?(event: Event, context: PaceContext<Event>): unknown;
}

/** Combines hooks and web handlers; everything in it is optional, but something must be there. */
export abstract class PluginBase<
  Config extends object = AnyConfig,
  Event extends PaceEvent = PaceEvent,
> extends Configured<Config> {
  static readonly [paceKind]: string = 'plugins';
  /** With `run`: see `HookBase`. */
  declare readonly events?: readonly Event[];
  run?(event: Event, context: PaceContext<Event>): unknown;
  /** Inbound handlers; asked for once. */
  routes?(): readonly WebhookInBase<never>[];
  /** Outbound handlers; asked for once. */
  deliveries?(): readonly WebhookOutBase<never, never>[];
  /** Called when the host has loaded its plugins. */
  start?(): void | Promise<void>;
  /** Called when the plugin goes, if it was started. */
  stop?(): void | Promise<void>;
}

/** A class of hooks, as the host makes an instance of it. */
export type HookClass<Config extends object, Event extends PaceEvent> = new (
  config?: Config,
) => HookBase<Config, Event>;

/**
 * A hook as a function: `export const slackGate = hook([AFTER_GATE], (event, context) => …)` is the plugin `slack_gate`.
 * Types come from the events; that of `config` from the annotation of the third parameter.
 */
export function hook<const Event extends PaceEvent, Config extends object = AnyConfig>(
  events: readonly Event[],
  run: (event: Event, context: PaceContext<Event>, config: Readonly<Config>) => unknown,
): HookClass<Config, Event> {
  return class extends HookBase<Config, Event> {
    readonly events = events;
    run(event: Event, context: PaceContext<Event>): unknown {
      return run(event, context, this.config);
    }
  };
}
