/**
 * One attempt to deliver to a customer's server: a POST to a public address. The connector checks
 * the address of each connection. Redirects are not followed. Only the status of the response
 * counts.
 */
import { Agent, type Dispatcher } from 'undici';
import type { ConnectRule } from '../address/index.ts';
import { createConnector, ForbiddenAddress, type Resolve, untilAborted } from '../dial/checked-connector.ts';

export interface Message {
  /** Each receiver has its own connection. */
  readonly receiverId: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface Attempt {
  /** Null: there was no response. */
  readonly status: number | null;
  /** Null: the message was delivered. */
  readonly error: string | null;
  readonly milliseconds: number;
}

export interface SenderOptions {
  readonly rule: ConnectRule;
  readonly resolve: Resolve;
  /** Timeout of an attempt, in milliseconds. */
  readonly deadline?: number;
}

const DEADLINE_MS = 10_000;
/** Maximum bytes of a response body that are read to reuse its connection. */
const MAX_BODY = 64 * 1024;
const MAX_HEADER = 16 * 1024;
const KEEP_ALIVE_MS = 10_000;
const MAX_ERROR = 200;

export class Sender {
  readonly #stop = new AbortController();
  /** By receiver. Receivers do not share connections. */
  readonly #agents = new Map<number, Agent>();

  constructor(private readonly options: SenderOptions) {}

  /** Never rejects. */
  async send(message: Message): Promise<Attempt> {
    const { deadline = DEADLINE_MS } = this.options;
    const start = performance.now();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`no response within ${deadline / 1000} seconds`)), deadline);
    const signal = AbortSignal.any([limit.signal, this.#stop.signal]);
    const end = (status: number | null, error: string | null): Attempt => ({
      status,
      error,
      milliseconds: Math.round(performance.now() - start),
    });
    try {
      const { statusCode, body } = await untilAborted(this.#post(message, signal), signal);
      const attempt = end(statusCode, faultOf(statusCode));
      await dropBody(body);
      return attempt;
    } catch (error) {
      return end(null, describe(signal.aborted ? signal.reason : error));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connections to a receiver. */
  release(receiverId: number): void {
    void this.#agents.get(receiverId)?.destroy();
    this.#agents.delete(receiverId);
  }

  /** Aborts all attempts. Later attempts fail. */
  close(): void {
    this.#stop.abort(new Error('the service is stopping'));
    for (const id of [...this.#agents.keys()]) this.release(id);
  }

  #post({ receiverId, url, headers, body }: Message, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = new URL(url);
    return this.#agent(receiverId).request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      signal,
    });
  }

  #agent(receiverId: number): Agent {
    let agent = this.#agents.get(receiverId);
    if (agent === undefined) {
      const { rule, resolve } = this.options;
      agent = new Agent({
        connect: createConnector({ resolve, rule, signal: this.#stop.signal }),
        connections: 1,
        pipelining: 1,
        maxHeaderSize: MAX_HEADER,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
      });
      this.#agents.set(receiverId, agent);
    }
    return agent;
  }
}

/**
 * Reads the body up to a limit, so that the connection can be reused. The status has been received,
 * so failures here are ignored.
 */
async function dropBody(body: Dispatcher.ResponseData['body']): Promise<void> {
  let left = MAX_BODY;
  try {
    for await (const chunk of body) {
      left -= (chunk as Uint8Array).length;
      // Leaving the loop closes the connection.
      if (left < 0) break;
    }
  } catch {
    // The deadline has passed, or the receiver has closed the connection.
  }
}

function faultOf(status: number): string | null {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return `status ${status}: redirects are not followed; change the URL`;
  return `status ${status}`;
}

function describe(error: unknown): string {
  if (error instanceof ForbiddenAddress) return `no public address: ${error.message}`.slice(0, MAX_ERROR);
  const { code, message } = error as { code?: string; message?: string };
  const text = message || (typeof code === 'string' ? code : 'the connection failed');
  return text.slice(0, MAX_ERROR);
}
