/**
 * Forwards requests for the admin API and for DNS over HTTPS to the API's listener on this machine.
 *
 * A header field carries the client's address. The API uses it for rate limits and for access to
 * /metrics, so it accepts the field only with a secret that the main thread creates for each run.
 *
 *     request ─► buffer its body, up to 64 KB ─► a slot, fair to client networks ─► the API
 *
 * Event streams and monitoring probes have separate slots.
 */

import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { FairSlots, type Slot } from '../../core/base/fair-slots.ts';
import { strangerAt } from '../../core/net/address/ipv6.ts';
import { toUrlHost } from '../../core/net/address/url-host.ts';
import type { Exchange, Handler, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { requestId } from '../origin/origin.ts';
import type { RequestTraces } from '../origin/traces/request-traces.ts';
import { Gate } from '../proxy/outflow.ts';
import { BUFFER_BYTES, bufferBodyStart, bufferTerms } from '../proxy/request-body.ts';
import type { AddressOf } from '../proxy/visitor.ts';
import { answerError, type ErrorPage } from '../sites/error-page.ts';
import type { Observer } from './observer.ts';
import { ADMIN_BUSY, ADMIN_TOO_SLOW, ADMIN_UNAVAILABLE, NO_TUNNELS, TOO_MANY_STREAMS } from './pages.ts';

/** Bytes a second in either direction; the API enforces the same rate for long bodies. */
const MINIMUM_RATE = 64 * 1024;

const WINDOW_MS = 5000;

interface AdminLaneOptions {
  /** URL of the API. */
  readonly origin: string;
  readonly connections: number;
  /** Maximum number of queued requests. */
  readonly queue: number;
  /** False for streams: they last for hours and send few bytes. */
  readonly hasMinimumRate?: boolean;
}

/**
 * A thread's connection pool to the admin API for one kind of requests. A request holds a slot for
 * as long as it uses a connection. Client networks take turns (core/base/fair-slots.ts). While
 * other requests are queued, a client must send or read at a minimum rate.
 */
class AdminLane {
  readonly slots: FairSlots;
  readonly #pool: Pool;

  constructor({ origin, connections, queue, hasMinimumRate = true }: AdminLaneOptions) {
    // As many connections as slots, so requests never queue in the pool, which is not fair.
    this.#pool = new Pool(origin, { connections, pipelining: 1 });
    this.slots = new FairSlots({
      slots: connections,
      queue,
      ...(hasMinimumRate && { minimumRate: { perSecond: MINIMUM_RATE, windowMs: WINDOW_MS } }),
    });
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#pool.request(options);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

export interface AdminTarget {
  /** Address of the admin API's listener, on this machine. */
  readonly address: string;
  readonly port: number;
  /** Name of the field with the client's address. In its value, the secret precedes the address. */
  readonly field: string;
  readonly secret: string;
  /** Maximum number of connections of this thread. */
  readonly connections: number;
  /** Maximum number of additional connections for event streams. */
  readonly streams: number;
}

/** The target, as a thread uses it. */
interface AdminForwardTarget extends AdminTarget {
  readonly addressOf: AddressOf;
}

export interface AdminForward {
  readonly handler: Handler;
  close(): Promise<void>;
}

/** Fields that a client must not set itself, and fields of its connection. */
const DROPPED_FIELDS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
  ...['expect', 'te', 'upgrade', 'http2-settings'],
]);
/** Responses that last for hours, each with its own connection. Tested on the decoded path. */
const STREAM = /^\/api\/v1\/(?:events|domains\/[^/]+\/requests\/tail)$/;
/** Paths of monitoring probes, which must work while the API is busy. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
/** Connections of a thread for probes. */
const PROBE_CONNECTIONS = 4;
/** Maximum queued requests of a thread. Each buffers at most 64 KB of its body. */
const MAX_WAITING = 1024;
const MAX_WAITING_PROBES = 64;
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'trailer', 'server'],
  'uwebsockets',
]);

/** `traces`: null if traces are off. */
export function createAdminForward(
  target: AdminForwardTarget,
  observer: Observer,
  traces: RequestTraces | null = null,
): AdminForward {
  // Requests are never retried: after a connection breaks, it is unknown whether the API handled
  // them.
  const origin = `http://${toUrlHost(target.address)}:${target.port}`;
  const requests = new AdminLane({ origin, connections: target.connections, queue: MAX_WAITING });
  // Separate pools: streams cannot exhaust the connections of other requests, and neither can
  // exhaust those of probes.
  const streams = new AdminLane({ origin, connections: target.streams, queue: 0, hasMinimumRate: false });
  const probes = new AdminLane({ origin, connections: PROBE_CONNECTIONS, queue: MAX_WAITING_PROBES });

  const refuse = (exchange: Exchange, page: ErrorPage): void => {
    const id = requestId();
    observer.recordAnswer(exchange, 'admin', page.status, answerError(exchange, page, id), id);
  };
  const recordLeft = (exchange: Exchange): void => observer.recordAnswer(exchange, 'admin', 499, 0);

  const laneOf = ({ path, body }: Exchange): AdminLane => {
    if (isStream(path)) return streams;
    return body.length === 0 && PROBES.has(path.split('?', 1)[0]) ? probes : requests;
  };

  const forward = async (exchange: Exchange): Promise<void> => {
    if (exchange.protocol !== '' || !exchange.path.startsWith('/')) return refuse(exchange, NO_TUNNELS);
    const lane = laneOf(exchange);
    const controller = new AbortController();
    const gate = new Gate(exchange);
    exchange.onAbort(() => {
      controller.abort();
      gate.open();
    });
    // Read the body before acquiring a slot, so that a client that stalls does not hold one.
    const body =
      exchange.body.length === 0
        ? exchange.body
        : await bufferBodyStart(exchange, bufferTerms(BUFFER_BYTES)).catch(() => null);
    if (body === null) return recordLeft(exchange);
    const owner = strangerAt(target.addressOf(exchange));
    const slot = exchange.isEnded ? 'aborted' : await lane.slots.acquire(owner, controller.signal);
    if (slot === 'full' || slot === 'aborted') {
      body.discard();
      return slot === 'aborted'
        ? recordLeft(exchange)
        : refuse(exchange, lane === streams ? TOO_MANY_STREAMS : ADMIN_BUSY);
    }
    slot.signal.addEventListener('abort', () => {
      controller.abort();
      gate.open();
    });
    try {
      await send({ exchange, body, slot, gate, signal: controller.signal }, lane);
    } finally {
      body.discard();
      slot.release();
    }
  };

  const send = async ({ exchange, body, slot, gate, signal }: Sending, lane: AdminLane): Promise<void> => {
    const fields = requestHeaders(exchange, target);
    let response: Dispatcher.ResponseData;
    slot.pause();
    try {
      response = await lane.request({
        method: exchange.method as Dispatcher.HttpMethod,
        path: exchange.path,
        headers: traces === null ? fields : traces.apiFields(exchange, fields),
        body: body.length === 0 ? null : Readable.from(readParts(body, slot), { objectMode: false }),
        responseHeaders: 'raw',
        signal,
      });
    } catch {
      if (exchange.isEnded) return recordLeft(exchange);
      return refuse(exchange, slot.signal.aborted ? ADMIN_TOO_SLOW : ADMIN_UNAVAILABLE);
    }
    const { statusCode, body: responseBody } = response;
    exchange.respond(statusCode, responseHeaders(response.headers as unknown as readonly unknown[]));
    await forwardBody(exchange, responseBody, gate, slot);
    observer.recordAnswer(exchange, 'admin', statusCode, gate.bytes);
  };

  return {
    handler: forward,
    async close() {
      await Promise.all([requests.close(), streams.close(), probes.close()]);
    },
  };
}

/** A request with a slot. */
interface Sending {
  readonly exchange: Exchange;
  readonly body: RequestBody;
  readonly slot: Slot;
  readonly gate: Gate;
  readonly signal: AbortSignal;
}

function isStream(path: string): boolean {
  try {
    return STREAM.test(decodeURIComponent(path.split('?', 1)[0]));
  } catch {
    return false;
  }
}

function requestHeaders(exchange: Exchange, { field, secret, addressOf }: AdminForwardTarget): string[] {
  const { headers, authority, version } = exchange;
  const fields = ['host', authority, 'via', `${version} waypost`, field, `${secret} ${addressOf(exchange)}`];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (name !== field && !DROPPED_FIELDS.has(name)) fields.push(name, headers[i + 1]);
  }
  return fields;
}

function responseHeaders(raw: readonly unknown[]): FieldList {
  const fields: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = String(raw[i]).toLowerCase();
    if (!CONNECTION_FIELDS.has(name)) fields.push(name, String(raw[i + 1]));
  }
  fields.push('server', 'waypost');
  return fields;
}

async function* readParts(body: RequestBody, slot: Slot): AsyncGenerator<Uint8Array> {
  for (;;) {
    slot.resume();
    const part = await body.read();
    slot.pause();
    if (part === null) return;
    slot.addProgress(part.length);
    yield part;
  }
}

/**
 * Forwards the response body. If the body is truncated, or the client is too slow while others
 * wait, the exchange is aborted, so that the response does not look complete.
 */
async function forwardBody(exchange: Exchange, body: AsyncIterable<Uint8Array>, gate: Gate, slot: Slot): Promise<void> {
  try {
    for await (const part of body) {
      gate.bytes += part.length;
      slot.addProgress(part.length);
      if (!exchange.write(part)) {
        slot.resume();
        await gate.wait();
        slot.pause();
      }
      if (slot.signal.aborted) return exchange.abort();
      if (exchange.isEnded) return;
    }
    exchange.end();
  } catch {
    exchange.abort();
  }
}
