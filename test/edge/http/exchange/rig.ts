/**
 * A server of one version of HTTP with a handler, and a client for it: what is said of an exchange
 * is said of all versions.
 */

import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Client, Handler } from '../../../../edge/http/exchange/exchange.ts';
import { Http1Counters } from '../../../../edge/http/http1/counters.ts';
import type { Http1Limits } from '../../../../edge/http/http1/limits.ts';
import { Http1 } from '../../../../edge/http/http1/server.ts';
import { Http2Counters } from '../../../../edge/http/http2/counters.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { Http2Session } from '../../../../edge/http/http2/session.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { unverified } from '../../../support/tls-client.ts';
import { DEFAULT_HTTP1_LIMITS } from '../limits.ts';
import { type Call, type CallOptions, http1Call, http2Call, type ResponseStart } from './client-call.ts';

export const VERSIONS = ['http/1.1', 'http/1.1 over TLS', 'h2', 'h2c'] as const;
export type Version = (typeof VERSIONS)[number];

/** A tunnel as the client has it, or the response that refused it. */
export interface TunnelReply extends ResponseStart {
  readonly tunnel: Duplex | undefined;
}

export interface Rig {
  readonly version: Version;
  readonly isEncrypted: boolean;
  readonly isHttp2: boolean;
  readonly port: number;
  call(options?: CallOptions): Call;
  /** Asks for a WebSocket. */
  tunnel(path: string): Promise<TunnelReply>;
  /** Errors that handlers threw. */
  readonly errors: unknown[];
  /** Connections that the server has open. */
  openConnections(): number;
}

const key = ecKey();
const pem = { key: pemOfKey(key), cert: certificate({ name: 'site.test', key, dnsNames: ['site.test'] }) };

const clientOf = (socket: Socket | TLSSocket): Client => ({
  address: socket.remoteAddress ?? '',
  port: socket.remotePort ?? 0,
  serverName: 'servername' in socket && typeof socket.servername === 'string' ? socket.servername : '',
  isEncrypted: 'encrypted' in socket,
});

export interface RigOptions {
  readonly http1?: Partial<Http1Limits>;
}

/** The server and its clients are gone when `use` has returned. */
export async function withRig(
  version: Version,
  handler: Handler,
  use: (rig: Rig) => Promise<void>,
  options: RigOptions = {},
): Promise<void> {
  const isEncrypted = version === 'h2' || version === 'http/1.1 over TLS';
  const isHttp2 = version === 'h2' || version === 'h2c';
  const errors: unknown[] = [];
  const open = new Set<Socket>();
  const serve = accepting(isHttp2, handler, errors, options);
  const accept = (socket: Socket): void => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    serve(socket, clientOf(socket));
  };
  const server: Server = isEncrypted
    ? createTlsServer({ ...pem, ALPNProtocols: [isHttp2 ? 'h2' : 'http/1.1'], allowHalfOpen: true }, accept)
    : createServer({ allowHalfOpen: true, noDelay: true }, accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let session: ClientHttp2Session | undefined;
  const http2 = (): ClientHttp2Session => {
    session ??= connectHttp2(
      `${isEncrypted ? 'https' : 'http'}://127.0.0.1:${port}`,
      unverified({ servername: 'site.test', settings: { initialWindowSize: 65_535 } }),
    ).on('error', () => {});
    return session;
  };
  try {
    await use({
      version,
      isEncrypted,
      isHttp2,
      port,
      errors,
      openConnections: () => open.size,
      call: (call = {}) =>
        isHttp2 ? http2Call(http2(), isEncrypted ? 'https' : 'http', call) : http1Call(port, isEncrypted, call),
      tunnel: (path) => (isHttp2 ? http2Tunnel(http2(), isEncrypted, path) : http1Tunnel(port, isEncrypted, path)),
    });
  } finally {
    session?.destroy();
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

function accepting(
  isHttp2: boolean,
  handler: Handler,
  errors: unknown[],
  options: RigOptions,
): (socket: Socket, client: Client) => void {
  if (isHttp2) {
    const counters = new Http2Counters();
    return (socket, client) => {
      new Http2Session(socket, {
        handler,
        client,
        scheme: client.isEncrypted ? 'https' : 'http',
        limits: DEFAULT_LIMITS,
        counters,
        onHandlerError: (error) => errors.push(error),
      });
    };
  }
  const http1 = new Http1({
    handler,
    limits: { ...DEFAULT_HTTP1_LIMITS, ...options.http1 },
    counters: new Http1Counters(),
    onHandlerError: (error) => errors.push(error),
  });
  return (socket, client) => http1.accept(socket, client);
}

async function http2Tunnel(session: ClientHttp2Session, isEncrypted: boolean, path: string): Promise<TunnelReply> {
  if (session.remoteSettings?.enableConnectProtocol !== true) await once(session, 'remoteSettings');
  const stream = session.request(
    {
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':scheme': isEncrypted ? 'https' : 'http',
      ':authority': 'site.test',
      ':path': path,
    },
    { endStream: false },
  );
  stream.on('error', () => {});
  const [{ ':status': status, ...headers }] = await once(stream, 'response');
  return { status, headers, tunnel: status === 200 ? stream : undefined };
}

/** By hand: node's client gives no half-open socket. */
async function http1Tunnel(port: number, isEncrypted: boolean, path: string): Promise<TunnelReply> {
  const options = { port, host: '127.0.0.1', allowHalfOpen: true };
  const socket = isEncrypted ? connectTls(unverified({ ...options, servername: 'site.test' })) : connect(options);
  socket.on('error', () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  let text = '';
  while (!text.includes('\r\n\r\n')) {
    const part: Buffer | null = socket.read();
    if (part === null) await once(socket, 'readable');
    else text += part.toString('latin1');
  }
  const end = text.indexOf('\r\n\r\n');
  const [line, ...lines] = text.slice(0, end).split('\r\n');
  const rest = text.slice(end + 4);
  if (rest !== '') socket.unshift(Buffer.from(rest, 'latin1'));
  const headers = Object.fromEntries(lines.map((word) => word.split(': ')));
  const status = Number(line.split(' ')[1]);
  return { status, headers, tunnel: status === 101 ? socket : undefined };
}
