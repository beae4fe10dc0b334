import type { SocketModeClient } from '@slack/socket-mode';
import { type Log, messageOf } from 'patchbay-sdk';
import { slackLog } from './log.ts';
import type { SlackSettings } from './settings.ts';

/** Slack greets within seconds, or does not. */
const helloMs = 20_000;
const goodbyeMs = 2_000;

/** Something that Slack sends, and wants to be told that it was taken: else it sends it again. */
export interface Envelope {
  readonly type: string;
  readonly envelope_id?: string;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly ack: () => Promise<void>;
}

/** What a socket tells. */
interface Listener {
  hear(envelope: Envelope): void;
  /** It has ended, and nobody here wanted it to. */
  lost(): void;
}

/** A connection to Slack in Socket Mode. Once it has ended, another one is to be opened. */
export class SlackSocket {
  readonly #client: SocketModeClient;
  #isOpen = false;
  #isWanted = true;

  private constructor(client: SocketModeClient) {
    this.#client = client;
  }

  /** Rejects if Slack does not take it, or does not greet in time. */
  static async open({ app_token, api_url }: SlackSettings, log: Log, listener: Listener): Promise<SlackSocket> {
    // Most projects never need it.
    const { SocketModeClient } = await import('./clients.ts');
    class Client extends SocketModeClient {
      protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
        // Nobody gets hold of what it throws at a message that is none.
        await super.onWebSocketMessage(data, isBinary).catch((error) => log.warn(`unreadable: ${messageOf(error)}`));
      }
    }
    const client = new Client({
      appToken: app_token,
      logger: slackLog(log),
      // When it connects again by itself and cannot, nobody gets hold of what it throws.
      autoReconnectEnabled: false,
      clientOptions: {
        ...(api_url === undefined ? {} : { slackApiUrl: api_url }),
        retryConfig: { retries: 0 },
        timeout: helloMs,
      },
    });
    const socket = new SlackSocket(client);
    client.on('slack_event', (envelope: Envelope) => listener.hear(envelope));
    client.on('disconnected', () => {
      const wasOpen = socket.#isOpen;
      socket.#isOpen = false;
      if (wasOpen && socket.#isWanted) listener.lost();
    });
    await socket.#start();
    return socket;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#isWanted = false;
    // Said twice, it does not wait for an answer of the other side.
    const timer = setTimeout(() => void this.#client.disconnect().catch(() => {}), goodbyeMs);
    await this.#client.disconnect().catch(() => {});
    clearTimeout(timer);
  }

  async #start(): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`Slack did not greet within ${helloMs / 1000} s`)), helloMs);
    const started = this.#client.start();
    try {
      await Promise.race([started, late]);
      this.#isOpen = true;
    } catch (error) {
      // It may still come up, when nobody waits for it any more.
      started.then(() => this.close()).catch(() => {});
      await this.close();
      throw error ?? new Error('Slack ended the connection before it greeted');
    } finally {
      clearTimeout(timer);
    }
  }
}
