/**
 * Receives server-sent events of the API. Not by fetch: after an abort it opens a connection
 * without a request, for which a stopping daemon waits.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';
import type { Daemon } from '../daemon.ts';

export const EVENTS = '/api/v1/events';

export interface Received {
  readonly event: string;
  readonly id: string;
  readonly seq: number;
  readonly kind?: string;
  readonly target?: number | string;
}

export class EventClient {
  readonly events: Received[] = [];
  /** The id of the last block, also of one without an event. */
  lastId = '';
  comments = 0;
  isEnded = false;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.#read().finally(() => {
      this.isEnded = true;
    });
  }

  /** `name kind id` of each event `change`. */
  get changes(): string[] {
    return this.events.filter(({ event }) => event === 'change').map(({ kind, target }) => `${kind} ${target}`);
  }

  async has(change: string): Promise<void> {
    await until(
      () => this.changes.includes(change),
      () => `${change}, but there is ${this.changes}`,
    );
  }

  async ended(): Promise<void> {
    await until(() => this.isEnded, 'the end of the stream');
  }

  close(): void {
    this.#response.destroy();
  }

  async #read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.#response) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#receive(block);
      }
    } catch (error) {
      if (!this.#response.destroyed) throw error;
    }
  }

  #receive(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [name, value = ''] = line.split(/: ?(.*)/s);
      if (name === '') this.comments++;
      else fields.set(name, value);
    }
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    const { seq, kind, id } = JSON.parse(data);
    this.events.push({ event: fields.get('event') ?? '', id: this.lastId, seq, kind, target: id });
  }
}

export async function openEvents(
  daemon: Daemon,
  /** A token, or the cookie of a session. */
  secret: string,
  { lastEventId, query = '' }: { lastEventId?: string; query?: string } = {},
): Promise<EventClient> {
  const request = get(`${daemon.url}${EVENTS}${query}`, {
    agent: false,
    headers: {
      ...(secret.startsWith('wp_') ? { authorization: `Bearer ${secret}` } : { cookie: secret }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const [response]: IncomingMessage[] = await once(request, 'response');
  const { 'content-type': type, 'cache-control': caching } = response.headers;
  assert.equal([response.statusCode, type, caching], [200, 'text/event-stream', 'no-store']);
  const client = new EventClient(response);
  await until(() => client.lastId !== '', 'the first chunk');
  return client;
}
