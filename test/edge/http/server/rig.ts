/** A server of one thread in this process, and a pool; clients of both. */

import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import * as assert from 'uvu/assert';
import { ConnectionLimits, shareLimits } from '../../../../core/os/connection-limits.ts';
import { DescriptorLoop } from '../../../../core/os/descriptor-loop.ts';
import { nextTicketKeys, type TicketKeys } from '../../../../core/site/tls/ticket-keys.ts';
import type { Handler } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { Http1Counters } from '../../../../edge/http/http1/counters.ts';
import { Http2Counters } from '../../../../edge/http/http2/counters.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import type { Application } from '../../../../edge/http/server/application.ts';
import { ServerCounters } from '../../../../edge/http/server/counters.ts';
import type { EdgeLimits, ServerLimits } from '../../../../edge/http/server/limits.ts';
import { EdgeServer } from '../../../../edge/http/server/server.ts';
import { createBaseContext } from '../../../../edge/http/server/tls-context.ts';
import type { TlsCertificate } from '../../../../edge/http/tls/certificate.ts';
import type { Openssl } from '../../../../edge/http/tls/native/library.ts';
import { clearPlaces, sharePlaces } from '../../../../edge/http/tls/places.ts';
import { certificate, ecKey, pemOfKey, rsaKey } from '../../../support/certificate.ts';
import { wholeResponse } from '../../../support/http2-response.ts';
import { freePort } from '../../../support/ports.ts';
import { unverified } from '../../../support/tls-client.ts';
import { DEFAULT_HTTP1_LIMITS, SERVER_LIMITS } from '../limits.ts';

export const HOST = 'site.test';
/** Of the same certificate. */
export const OTHER_HOST = 'other.test';
/** Its context cannot be made. */
export const BROKEN_HOST = 'broken.test';
const key = ecKey();
/** Of the same name, with an RSA key. */
const rsa = rsaKey(2048);
export const RSA_PEM = { key: pemOfKey(rsa), cert: certificate({ name: HOST, key: rsa, dnsNames: [HOST] }) };
export const PEM = { key: pemOfKey(key), cert: certificate({ name: HOST, key, dnsNames: [HOST, OTHER_HOST] }) };

export function limitsOf(server: Partial<ServerLimits> = {}): EdgeLimits {
  return { server: { ...SERVER_LIMITS, ...server }, http1: DEFAULT_HTTP1_LIMITS, http2: DEFAULT_LIMITS };
}

export interface Rig {
  readonly server: EdgeServer;
  readonly counters: ServerCounters;
  /** Of contexts; a handler's are thrown. */
  readonly errors: unknown[];
  readonly tlsPort: number;
  readonly clearPort: number;
}

export const hello: Handler = (exchange) =>
  exchange.answer(
    new ReadyAnswer(200, ['x-version', exchange.version, 'x-name', exchange.client.serverName], Buffer.from('hello')),
  );

export interface RigOptions {
  readonly handler?: Handler;
  readonly limits?: Partial<ServerLimits>;
  readonly tls?: 'auto' | 'node';
  /** OpenSSL that fails its self-test. */
  readonly openssl?: Openssl;
  readonly tickets?: TicketKeys;
  readonly certificate?: TlsCertificate;
  /** For clients without a server name, or with another one. */
  readonly defaultCertificate?: TlsCertificate;
  readonly load?: { readonly refusesConnections: boolean };
  readonly gateFor?: Application['gateFor'];
  readonly sendsProxyHeader?: Application['sendsProxyHeader'];
  /** Called first; null: the thread has node's loop only. */
  readonly onLoop?: (loop: DescriptorLoop | null) => void;
}

/** Serves `site.test` until `use` has returned. */
export async function withServer(use: (rig: Rig) => Promise<void>, options: RigOptions = {}): Promise<void> {
  const { stop, ...rig } = await startServer(options);
  try {
    await use(rig);
  } finally {
    await stop();
  }
}

/** Serves `site.test` until `stop` is called. */
export async function startServer({
  handler = hello,
  limits = {},
  tls = 'auto',
  openssl,
  tickets = nextTicketKeys(null),
  certificate: shown = PEM,
  defaultCertificate,
  load,
  gateFor,
  sendsProxyHeader,
  onLoop,
}: RigOptions = {}): Promise<Rig & { stop(): Promise<void> }> {
  const base = createBaseContext();
  const places = sharePlaces(1000, 1000);
  const loop = tls === 'node' ? null : new DescriptorLoop(places.fds);
  onLoop?.(loop);
  const counters = new ServerCounters();
  const errors: unknown[] = [];
  const all = limitsOf({ drainTimeout: 2000, ...limits });
  const server = new EdgeServer({
    application: {
      handler,
      gateFor,
      sendsProxyHeader,
      certificateFor(name) {
        if (name === BROKEN_HOST) throw new Error(name);
        return name === HOST || name === OTHER_HOST ? shown : defaultCertificate;
      },
    },
    limits: all,
    base,
    connections: new ConnectionLimits(shareLimits(1), 0, all.server.maxConnections, all.server.maxPerAddress),
    load,
    counters,
    http1Counters: new Http1Counters(),
    http2Counters: new Http2Counters(),
    onHandlerError: (error) => {
      if ((error as Error).message !== BROKEN_HOST) throw error;
      errors.push(error);
    },
    native: loop === null ? undefined : { loop, places, tickets, ticketLifetime: 3600, openssl },
  });
  server.setTickets(tickets);
  if (openssl === undefined) assert.is(server.nativeFailure, '');
  const [tlsPort, clearPort] = [await freePort(), await freePort()];
  const endpoint = { address: '127.0.0.1', family: 4 } as const;
  await server.listen({ ...endpoint, isTls: true, port: tlsPort });
  await server.listen({ ...endpoint, isTls: false, port: clearPort });
  const stop = async (): Promise<void> => {
    if (!server.isDraining) await server.drain();
    loop?.close();
    assert.is(clearPlaces(places), 0, 'nothing of the system is left');
  };
  return { server, counters, errors, tlsPort, clearPort, stop };
}

/** After the handshake; rejects with its error. */
export async function dialTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls(
    unverified({ port, host: '127.0.0.1', servername: HOST, ALPNProtocols: ['http/1.1'], ...options }),
  );
  await once(socket, 'secureConnect');
  socket.on('error', () => {});
  return socket;
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** All that comes until the other side ends. */
export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (part: string) => {
    text += part;
  });
  if (!socket.readableEnded && !socket.closed) await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  return text;
}

export const GET = `GET / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`;

export interface Reply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | number | undefined };
  readonly body: string;
}

/** One request over a session of its own. */
export async function getHttp2(url: string, port: number, path = '/'): Promise<Reply> {
  const session = connectHttp2(url, unverified({ host: '127.0.0.1', port, servername: HOST }));
  try {
    const failed = new Promise<never>((_, reject) => {
      session.on('error', reject);
      session.on('close', () => reject(new Error('the session was closed')));
    });
    const request = session.request({ ':path': path });
    const { status, headers, body } = await Promise.race([wholeResponse(request), failed]);
    return { status, headers, body: String(body) };
  } finally {
    session.close();
  }
}
