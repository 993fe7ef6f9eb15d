/**
 * The whole edge (server, gateway, proxy, origin client) with an origin that records each byte it
 * receives.
 */
import { createServer, type Socket } from 'node:net';
import { parseExemptions } from '../../../core/net/address/index.ts';
import { GATEWAY_COLUMNS, GatewayCounters } from '../../../edge/gateway/counters.ts';
import { createGateway } from '../../../edge/gateway/gateway.ts';
import { Observer } from '../../../edge/gateway/observer.ts';
import { createOriginClient } from '../../../edge/origin/client.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { listen } from '../../support/listen.ts';
import { until } from '../../support/until.ts';
import { HOST, startServer } from '../http/server/rig.ts';

export type Scheme = 'http' | 'https';

export interface Edge {
  readonly port: number;
  readonly scheme: Scheme;
  /** All bytes that the origin received, one character each. Request ids are replaced by `ID`. */
  arrived(): string;
  /** Resolves when the proxy has finished a request. */
  ended(): Promise<void>;
}

interface RecordingOrigin {
  readonly port: number;
  readonly connections: readonly string[];
  close(): void;
}

/** An origin that parses strictly, answers each request and records all bytes. */
async function recordingOrigin(): Promise<RecordingOrigin> {
  const connections: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const index = connections.push('') - 1;
    let answered = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      connections[index] += chunk.toString('latin1');
      for (const method of requestsIn(connections[index]).slice(answered)) {
        answered++;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${method === 'HEAD' ? '' : 'ok'}`);
      }
    });
  });
  const port = await listen(server);
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, connections, close };
}

/** The methods of the complete requests in a text. */
export function requestsIn(text: string): string[] {
  const methods: string[] = [];
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return methods;
    const head = text.slice(at, end + 2).toLowerCase();
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(head);
    const method = text.slice(at, text.indexOf(' ', at));
    at = end + 4;
    if (length !== null) at += Number(length[1]);
    else if (head.includes('\r\ntransfer-encoding: chunked\r\n')) at = chunksEnd(text, at);
    if (at > text.length) return methods;
    methods.push(method);
  }
}

/** Infinity: the body has no end. */
function chunksEnd(text: string, from: number): number {
  for (let at = from; ; ) {
    const size = /^[0-9a-f]+\r\n/.exec(text.slice(at, at + 18))?.[0];
    if (size === undefined) return Number.POSITIVE_INFINITY;
    const length = Number.parseInt(size, 16);
    at += size.length;
    if (length > 0) at += length + 2;
    else {
      const end = text.startsWith('\r\n', at) ? at : text.indexOf('\r\n\r\n', at) + 2;
      return end < at ? Number.POSITIVE_INFINITY : end + 2;
    }
  }
}

export interface SharedEdge {
  /** Runs `use` with the edge and an origin of its own. One after another. */
  withEdge(scheme: Scheme, use: (edge: Edge) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export async function startEdge(): Promise<SharedEdge> {
  const client = createOriginClient({ exemptions: parseExemptions(['127.0.0.1']) });
  /** Of the current user. */
  let site: Site | undefined;
  let proxy: ReturnType<typeof createSiteProxy>['serve'] | undefined;
  const observer = new Observer(new GatewayCounters(new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8)), null, () => {});
  const handler = createGateway({
    siteOf: (host) => (host === HOST ? site : undefined),
    isShared: (serverName, host) => serverName === host,
    proxy: (...request) => proxy?.(...request),
    adminHosts: new Set(),
    admin: () => {},
    challenge: () => undefined,
    httpPorts: new Set(),
    load: null,
    peers: null,
    httpsPort: null,
    trusts: () => false,
    observer,
  });
  const { tlsPort, clearPort, stop } = await startServer({ handler });
  return {
    async withEdge(scheme, use) {
      const origin = await recordingOrigin();
      let records = 0;
      site = {
        ...{ domainId: 'd', domain: HOST, hasCertificate: false, hsts: '', documents: null },
        origin: { host: '127.0.0.1', port: origin.port, protocol: 'http' as const },
      };
      proxy = createSiteProxy({ fetch: client.fetch, send: client.send, onDone: () => records++ }).serve;
      try {
        await use({
          port: scheme === 'https' ? tlsPort : clearPort,
          scheme,
          arrived: () => origin.connections.join('').replace(/^x-request-id: .*$/gm, 'x-request-id: ID'),
          ended: () => until(() => records > 0, 'the proxy has finished a request'),
        });
      } finally {
        origin.close();
      }
    },
    async stop() {
      await stop();
      await client.close();
    },
  };
}

/**
 * A request as the origin receives it: the fields of the visitor, the fields of the edge, and the
 * framing.
 */
export interface Arrival {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly fields?: string;
  /** The body, preceded by its framing field. */
  readonly framed?: string;
}

const GIVES_CONTENT_A_MEANING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The bytes of an arrival. `version`: HTTP version of the visitor. */
export function arrival(
  { method = 'GET', path = '/', host: named = HOST, fields = '', framed = '\r\n' }: Arrival,
  version: string,
  scheme: Scheme,
): string {
  const defaultPort = scheme === 'https' ? ':443' : ':80';
  const host = named.endsWith(defaultPort) ? named.slice(0, -defaultPort.length) : named;
  // An origin that does not read this content would parse it as the next request (RFC 9110 section
  // 9.3.1).
  const hasContent = /^(?:content-length|transfer-encoding): /.test(framed);
  const isLast = hasContent && !GIVES_CONTENT_A_MEANING.has(method);
  const port = /:(\d+)$/.exec(host)?.[1] ?? defaultPort.slice(1);
  const made =
    `x-forwarded-for: 127.0.0.1\r\nx-forwarded-proto: ${scheme}\r\nx-forwarded-host: ${host}\r\n` +
    `x-forwarded-port: ${port}\r\n` +
    `forwarded: for=127.0.0.1;host=${/^[a-z0-9.-]+$/.test(host) ? host : `"${host}"`};proto=${scheme}\r\n` +
    `via: ${version} waypost\r\ncdn-loop: waypost\r\nx-request-id: ID\r\n${isLast ? 'connection: close\r\n' : ''}`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${fields}${made}${framed}`;
}

export const posted = (framed: string, fields = ''): Arrival => ({ method: 'POST', fields, framed });
export const length = (body: string): string => `content-length: ${body.length}\r\n\r\n${body}`;
/** A chunked body is sent to the origin in new chunks. */
export const coded = (...parts: readonly string[]): string => codedWith('', ...parts);
/** The same with trailers. */
export const codedWith = (trailers: string, ...parts: readonly string[]): string =>
  `transfer-encoding: chunked\r\n\r\n${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n${trailers}\r\n`;

export const H = `Host: ${HOST}\r\n`;
export const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${H}\r\n`;
