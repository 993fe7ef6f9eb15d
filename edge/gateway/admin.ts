/**
 * Requests to the admin API (and DNS over HTTPS, which it serves) go to its own listener on this machine. Who asked is told it in a field that it believes only with the secret that main has
 * drawn for this run: rate limits, and who may read /metrics, hang on it.
 */

import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';

import { toUrlHost } from '../../core/address/url-host.ts';
import type { Exchange, Handler } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { answerError, type ErrorPage } from '../proxy/error-page.ts';
import { Gate } from '../proxy/gate.ts';
import { requestId } from '../proxy/request-id.ts';
import type { Observer } from './observer.ts';
import { ADMIN_UNAVAILABLE, NO_TUNNELS } from './pages.ts';

export interface AdminTarget {
  /** Where the admin API listens: an address that leads to this machine. */
  readonly address: string;
  readonly port: number;
  /** Name of the field that says who asked, and what stands before the address in it. */
  readonly field: string;
  readonly secret: string;
  /** Connections of this thread. */
  readonly connections: number;
}

export interface AdminForward {
  readonly handler: Handler;
  close(): Promise<void>;
}

/** What a client may not say of itself here, and what is the connection's own. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
  ...['expect', 'te', 'upgrade', 'http2-settings'],
]);
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'trailer', 'server'],
  'uwebsockets',
]);

export function createAdminForward(target: AdminTarget, observer: Observer): AdminForward {
  // Of a request that was sent nothing is known when its connection breaks: it is not sent again.
  const pool = new Pool(`http://${toUrlHost(target.address)}:${target.port}`, {
    connections: target.connections,
    pipelining: 1,
  });

  const refuse = (exchange: Exchange, page: ErrorPage): void => {
    const id = requestId();
    observer.answered(exchange, 'admin', page.status, answerError(exchange, page, id), id);
  };

  const forward = async (exchange: Exchange): Promise<void> => {
    if (exchange.protocol !== '' || !exchange.path.startsWith('/')) return refuse(exchange, NO_TUNNELS);
    const controller = new AbortController();
    const gate = new Gate(exchange);
    exchange.onAbort(() => {
      controller.abort();
      gate.open();
    });
    let response: Dispatcher.ResponseData;
    try {
      response = await pool.request({
        method: exchange.method as Dispatcher.HttpMethod,
        path: exchange.path,
        headers: requestHeaders(exchange, target),
        body: exchange.body.length === 0 ? null : Readable.from(parts(exchange), { objectMode: false }),
        responseHeaders: 'raw',
        signal: controller.signal,
      });
    } catch {
      if (!controller.signal.aborted) return refuse(exchange, ADMIN_UNAVAILABLE);
      return observer.answered(exchange, 'admin', 499, 0);
    }
    const { statusCode, body } = response;
    exchange.respond(statusCode, responseHeaders(response.headers as unknown as readonly unknown[]));
    await give(exchange, body, gate);
    observer.answered(exchange, 'admin', statusCode, gate.bytes);
  };

  return { handler: forward, close: () => pool.destroy() };
}

function requestHeaders({ headers, client, authority, version }: Exchange, { field, secret }: AdminTarget): string[] {
  const fields = ['host', authority, 'via', `${version} waypost`, field, `${secret} ${client.address}`];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (name !== field && !DROPPED.has(name)) fields.push(name, headers[i + 1]);
  }
  return fields;
}

function responseHeaders(raw: readonly unknown[]): FieldList {
  const fields: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = String(raw[i]).toLowerCase();
    if (!OF_CONNECTION.has(name)) fields.push(name, String(raw[i + 1]));
  }
  fields.push('server', 'waypost');
  return fields;
}

async function* parts({ body }: Exchange): AsyncGenerator<Uint8Array> {
  for (;;) {
    const part = await body.read();
    if (part === null) return;
    yield part;
  }
}

/** A body that breaks off ends the exchange where it is: its end must not look like one. */
async function give(exchange: Exchange, body: AsyncIterable<Uint8Array>, gate: Gate): Promise<void> {
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
