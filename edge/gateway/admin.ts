/**
 * Forwards requests for the admin API and for DNS over HTTPS to the API's listener on this machine.
 *
 * A header field carries the client's address. The API uses it for rate limits and for access to
 * /metrics, so it accepts the field only with a secret that the main thread creates for each run.
 */

import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';

import { toUrlHost } from '../../core/address/url-host.ts';
import type { Exchange, Handler } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { answerError, type ErrorPage } from '../proxy/error-page.ts';
import { Gate } from '../proxy/gate.ts';
import type { AddressOf } from '../proxy/request-fields.ts';
import { requestId } from '../proxy/request-id.ts';
import type { RequestTraces } from '../traces/request-traces.ts';
import type { Observer } from './observer.ts';
import { ADMIN_UNAVAILABLE, NO_TUNNELS, TOO_MANY_STREAMS } from './pages.ts';

export interface AdminTarget {
  /** Address of the admin API's listener. It leads to this machine. */
  readonly address: string;
  readonly port: number;
  /** Name of the field with the client's address. In its value, the secret precedes the address. */
  readonly field: string;
  readonly secret: string;
  /** Maximum number of connections of this thread. */
  readonly connections: number;
  /** Further ones, for streams of events. */
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
/** Responses that last for hours: each holds its connection. The API decodes segments too. */
const STREAM = /^\/api\/v1\/(?:events|domains\/[^/]+\/requests\/tail)$/;
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'trailer', 'server'],
  'uwebsockets',
]);

/** `traces`: null: they are off. */
export function createAdminForward(
  target: AdminForwardTarget,
  observer: Observer,
  traces: RequestTraces | null = null,
): AdminForward {
  // Requests are never retried: after a connection breaks, it is unknown whether the API handled
  // them.
  const origin = `http://${toUrlHost(target.address)}:${target.port}`;
  const pool = new Pool(origin, { connections: target.connections, pipelining: 1 });
  // Streams cannot use up the connections of other requests.
  const streamPool = new Pool(origin, { connections: Math.max(1, target.streams), pipelining: 1 });
  let streams = 0;

  const refuse = (exchange: Exchange, page: ErrorPage): void => {
    const id = requestId();
    observer.recordAnswer(exchange, 'admin', page.status, answerError(exchange, page, id), id);
  };

  const forward = async (exchange: Exchange): Promise<void> => {
    if (exchange.protocol !== '' || !exchange.path.startsWith('/')) return refuse(exchange, NO_TUNNELS);
    if (!isStream(exchange.path)) return send(exchange, pool);
    if (streams >= target.streams) return refuse(exchange, TOO_MANY_STREAMS);
    streams++;
    try {
      await send(exchange, streamPool);
    } finally {
      streams--;
    }
  };

  const send = async (exchange: Exchange, connections: Pool): Promise<void> => {
    const controller = new AbortController();
    const gate = new Gate(exchange);
    exchange.onAbort(() => {
      controller.abort();
      gate.open();
    });
    const fields = requestHeaders(exchange, target);
    let response: Dispatcher.ResponseData;
    try {
      response = await connections.request({
        method: exchange.method as Dispatcher.HttpMethod,
        path: exchange.path,
        headers: traces === null ? fields : traces.apiFields(exchange, fields),
        body: exchange.body.length === 0 ? null : Readable.from(readParts(exchange), { objectMode: false }),
        responseHeaders: 'raw',
        signal: controller.signal,
      });
    } catch {
      if (!controller.signal.aborted) return refuse(exchange, ADMIN_UNAVAILABLE);
      return observer.recordAnswer(exchange, 'admin', 499, 0);
    }
    const { statusCode, body } = response;
    exchange.respond(statusCode, responseHeaders(response.headers as unknown as readonly unknown[]));
    await forwardBody(exchange, body, gate);
    observer.recordAnswer(exchange, 'admin', statusCode, gate.bytes);
  };

  return {
    handler: forward,
    async close() {
      await Promise.all([pool.destroy(), streamPool.destroy()]);
    },
  };
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

async function* readParts({ body }: Exchange): AsyncGenerator<Uint8Array> {
  for (;;) {
    const part = await body.read();
    if (part === null) return;
    yield part;
  }
}

/**
 * Forwards the response body. If it breaks off, the exchange is aborted, so that the response does
 * not look complete.
 */
async function forwardBody(exchange: Exchange, body: AsyncIterable<Uint8Array>, gate: Gate): Promise<void> {
  try {
    for await (const part of body) {
      gate.bytes += part.length;
      if (!exchange.write(part)) await gate.wait();
      if (exchange.isEnded) return;
    }
    exchange.end();
  } catch {
    exchange.abort();
  }
}
