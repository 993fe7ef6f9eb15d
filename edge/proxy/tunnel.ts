/**
 * Forwards tunnels: the handshake, then bytes in both directions. WebSocket (RFC 6455, RFC 8441) is
 * checked. Of other protocols (RFC 9110 section 7.8), such as those of Docker and Kubernetes, the
 * edge knows the name only.
 */
import { createHash, randomBytes } from 'node:crypto';
import { fieldValue, withoutFields } from '../cache/rules/fields.ts';
import type { Done } from '../cache/visit.ts';
import { NO_BODY } from '../http/exchange/body-queue.ts';
import type { Exchange, RequestBody } from '../http/exchange/exchange.ts';
import type { OriginBody, OriginResponse, OriginTunnel } from '../origin/origin.ts';
import { Gate } from './outflow.ts';
import { FAULT_PAGES, NO_WEBSOCKET_KEY } from './pages.ts';
import type { Passage } from './passage.ts';
import { bufferBodyStart, bufferTerms } from './request-body.ts';

/** RFC 6455 section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const HANDSHAKE_FIELDS: ReadonlySet<string> = new Set(['sec-websocket-key', 'sec-websocket-accept']);

export const serveTunnel = (passage: Passage): Done =>
  passage.exchange.protocol === 'websocket' ? serveWebSocket(passage) : serveUpgrade(passage);

async function serveUpgrade(passage: Passage): Promise<void> {
  const { exchange } = passage;
  const fields = passage.fieldsForOrigin('');
  if (fields === undefined) return;
  const length = Number(fieldValue(exchange.headers, 'content-length') ?? 0);
  const body = length === 0 ? NO_BODY : await wholeBody(exchange, length).catch(() => null);
  if (body === null) return passage.abandon();
  return passage.fetch(exchange.method, fields, body, exchange.protocol, {
    onResponse: (response) => openTunnel(passage, response, null),
    onFailure: (error) => passage.respondFailure(error),
  });
}

/** The body of a request before its tunnel. Rejects if it ends prematurely. */
async function wholeBody({ body, memory }: Exchange, length: number): Promise<RequestBody | null> {
  const whole = await bufferBodyStart({ body: new BodyPrefix(body, length), memory }, bufferTerms(length));
  return whole.length === length ? whole : null;
}

/** The first bytes of a body. The rest stays for the next reader. */
class BodyPrefix implements RequestBody {
  readonly length: number;
  readonly trailers = [];
  readonly #body: RequestBody;
  #left: number;

  /** No part of `body` goes past `length`. */
  constructor(body: RequestBody, length: number) {
    this.#body = body;
    this.length = length;
    this.#left = length;
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#left === 0) return null;
    const part = await this.#body.read();
    this.#left -= part?.length ?? 0;
    return part;
  }

  discard(): void {}
}

/**
 * Opens a WebSocket tunnel. For a visitor over HTTP/2, the edge acts as the client of the RFC 6455
 * handshake (RFC 8441 section 5).
 */
function serveWebSocket(passage: Passage): Done {
  const { exchange } = passage;
  const isHttp2 = exchange.version === '2';
  const key = isHttp2 ? webSocketKey() : (fieldValue(exchange.headers, 'sec-websocket-key') ?? '');
  if (!isWebSocketKey(key)) return passage.refuse(NO_WEBSOCKET_KEY);
  const fields = passage.fieldsForOrigin('');
  if (fields === undefined) return;
  const requestHeaders = isHttp2 ? [...withoutFields(fields, HANDSHAKE_FIELDS), 'sec-websocket-key', key] : fields;
  return passage.fetch('GET', requestHeaders, NO_BODY, 'websocket', {
    onResponse: (response) => openTunnel(passage, response, key),
    onFailure: (error) => passage.respondFailure(error),
  });
}

/** `key`: of WebSocket, the edge's own over HTTP/2, otherwise the visitor's; null: no WebSocket. */
async function openTunnel(passage: Passage, response: OriginResponse, key: string | null): Promise<void> {
  const { exchange } = passage;
  const { tunnel, body, headers } = response;
  const isHttp2 = exchange.version === '2';
  if (tunnel === null) return passWithoutUpgrade(passage, response, isHttp2);
  try {
    // RFC 6455 section 4.1: an origin without this proof may not support WebSocket and could parse
    // the following bytes as requests.
    const isAccepted = key === null || fieldValue(headers, 'sec-websocket-accept') === webSocketAccept(key);
    if (!isAccepted || exchange.isEnded) {
      tunnel.destroy();
      if (isAccepted) passage.report(499, false);
      else passage.refuse(FAULT_PAGES.malformed);
      return;
    }
    const responseHeaders = passage.visitorFields(headers);
    exchange.upgrade(isHttp2 ? withoutFields(responseHeaders, HANDSHAKE_FIELDS) : responseHeaders);
    const bytes = await pipeTunnel(exchange, body, tunnel);
    passage.report(isHttp2 ? 200 : 101, true, bytes);
  } catch (error) {
    passage.respondFailure(error);
  }
}

/**
 * In response to an extended CONNECT, a 2xx status would open a tunnel (RFC 9110 section 9.3.6).
 */
function passWithoutUpgrade(passage: Passage, response: OriginResponse, isHttp2: boolean): Done {
  const { status, headers, body } = response;
  if (status >= 300 || !isHttp2) return passage.respond(status, passage.visitorFields(headers), body);
  body.cancel();
  passage.refuse(FAULT_PAGES.malformed);
}

/** Shared by both directions of a tunnel. */
interface TunnelState {
  readonly exchange: Exchange;
  readonly body: OriginBody;
  readonly tunnel: OriginTunnel;
  /** Opens when the visitor's connection accepts more data. */
  readonly gate: Gate;
  /** Resumes sending upstream when the origin accepts more data. */
  resume: (() => void) | null;
  isBroken: boolean;
}

/**
 * Transfers bytes in both directions until both have ended. `exchange` has been upgraded. The end
 * of one side is forwarded; a failure of one side closes both. Returns the number of bytes sent to
 * the visitor. Never rejects.
 */
async function pipeTunnel(exchange: Exchange, body: OriginBody, tunnel: OriginTunnel): Promise<number> {
  const state = { exchange, body, tunnel, gate: new Gate(exchange), resume: null, isBroken: false };
  const onBreak = (): void => breakTunnel(state);
  exchange.onAbort(onBreak);
  await Promise.all([pipeUpstream(state).catch(onBreak), pipeDownstream(state).catch(onBreak)]);
  return state.gate.bytes;
}

function breakTunnel(state: TunnelState): void {
  if (state.isBroken) return;
  state.isBroken = true;
  state.tunnel.destroy();
  state.body.cancel();
  state.exchange.abort();
  state.gate.open();
  state.resume?.();
}

async function pipeUpstream(state: TunnelState): Promise<void> {
  const { exchange, tunnel } = state;
  tunnel.onDrain(() => state.resume?.());
  for (;;) {
    const part = await exchange.body.read();
    if (state.isBroken) return;
    if (part === null) break;
    if (tunnel.write(part)) continue;
    await new Promise<void>((resolve) => {
      state.resume = resolve;
    });
    if (state.isBroken) return;
  }
  tunnel.end();
}

async function pipeDownstream(state: TunnelState): Promise<void> {
  const { exchange, body } = state;
  for (;;) {
    const part = await body.read();
    if (state.isBroken) return;
    if (part === null) break;
    state.gate.bytes += part.length;
    if (!exchange.write(part)) await state.gate.wait();
  }
  exchange.end();
}

/**
 * 16 random bytes (RFC 6455 section 4.1). An extended CONNECT has no key (RFC 8441 section 5.1),
 * but an HTTP/1.1 origin requires one.
 */
const webSocketKey = (): string => randomBytes(16).toString('base64');

/** RFC 6455 section 4.2.1: one line with the base64 of 16 bytes. */
const isWebSocketKey = (key: string): boolean => /^[A-Za-z0-9+/]{22}==$/.test(key);

/** RFC 6455 section 4.2.2: the proof that a server supports WebSocket. */
export const webSocketAccept = (key: string): string => createHash('sha1').update(`${key}${GUID}`).digest('base64');
