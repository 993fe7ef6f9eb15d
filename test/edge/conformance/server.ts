/**
 * The engine under test, on sockets of this process: cleartext, node's TLS, and that of
 * edge/http/tls.
 */
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { DescriptorLoop } from '../../../core/os/descriptor-loop.ts';
import { loadLibc } from '../../../core/os/libc.ts';
import { nextTicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import type { Client } from '../../../edge/http/exchange/exchange.ts';
import { Http2Counters } from '../../../edge/http/http2/counters.ts';
import { DEFAULT_LIMITS, type Http2Limits } from '../../../edge/http/http2/limits.ts';
import { Http2Session } from '../../../edge/http/http2/session.ts';
import { TlsLoop } from '../../../edge/http/tls/loop.ts';
import { sharePlaces } from '../../../edge/http/tls/places.ts';
import type { Transport } from '../../../edge/http/transport/transport.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { listen } from '../../support/listen.ts';
import { freePort } from '../../support/ports.ts';
import type { Address, RawClient } from './client.ts';
import { site } from './site.ts';

/** Small enough to be reached by a row, and each unlike the defaults of RFC 9113. */
export const LIMITS: Http2Limits = { ...DEFAULT_LIMITS, streamWindow: 40_000, sessionWindow: 100_000 };

export interface ConformanceServer {
  readonly cleartext: Address;
  readonly tls: Address;
  readonly nativeTls: Address;
  readonly counters: Http2Counters;
  /** Connections that are open. */
  readonly open: number;
  /** What handlers threw, but for bodies that ended before their time. */
  readonly failures: readonly unknown[];
  /** The session of a client. */
  sessionOf(client: RawClient): Http2Session;
  /** Resolves when no connection is open; rejects when some stay. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** How long connections may outlive their clients. */
const EMPTY_MS = 10_000;
/**
 * The system may give one client port to two connections at a time, when these go to different
 * servers.
 */
const sessionKey = (serverPort: number | undefined, clientPort: number | undefined): string =>
  `${serverPort} ${clientPort}`;
/** Connections at one time. */
const PLACES = 4096;

export async function startServer(): Promise<ConformanceServer> {
  const counters = new Http2Counters();
  /** By `sessionKey`. */
  const sessions = new Map<string, Http2Session>();
  const failures: unknown[] = [];
  const serve = (
    socket: Socket | Transport,
    scheme: 'http' | 'https',
    serverPort: number | undefined,
    port: number,
  ): void => {
    const key = sessionKey(serverPort, port);
    const client: Client = { address: '127.0.0.1', port, serverName: '', isEncrypted: scheme === 'https' };
    const session = new Http2Session(socket, {
      handler: site,
      client,
      scheme,
      limits: LIMITS,
      counters,
      onClose: () => {
        if (sessions.get(key) === session) sessions.delete(key);
      },
      onHandlerError: (error) => failures.push(error),
    });
    sessions.set(key, session);
  };
  const key = ecKey();
  const cert = certificate({ name: 'conformance.test', key, dnsNames: ['conformance.test'] });
  const pem = { key: pemOfKey(key), cert };
  const plain = createServer({ noDelay: true }, (socket) =>
    serve(socket, 'http', socket.localPort, socket.remotePort ?? 0),
  );
  const tls = createTlsServer({ ...pem, ALPNProtocols: ['h2'] }, (socket: TLSSocket) =>
    serve(socket, 'https', socket.localPort, socket.remotePort ?? 0),
  );
  const [cleartextPort, tlsPort] = [await listen(plain), await listen(tls)];
  const places = sharePlaces(PLACES, PLACES);
  const loop = new DescriptorLoop(places.fds);
  const nativePort = await freePort();
  const native = new TlsLoop({
    ...{ loop, places },
    ticketLifetime: 3600,
    tickets: nextTicketKeys(null),
    accept: ({ port }) => ({
      begun() {},
      admit: () => true,
      share: null,
      policy: null,
      awaitsProxyHeader: false,
      admitSource: () => true,
      certificateFor: () => pem,
      certificateFailed: (error) => failures.push(error),
      handOver: () => failures.push(new Error('A connection was handed over.')),
      secured: (connection) => serve(connection, 'https', nativePort, port),
      failed() {},
      closed() {},
    }),
  });
  native.listen(loadLibc().openTcp({ address: '127.0.0.1', port: nativePort, family: 4 }, { sharesPort: false }));
  return {
    cleartext: { port: cleartextPort, isTls: false },
    tls: { port: tlsPort, isTls: true },
    nativeTls: { port: nativePort, isTls: true },
    counters,
    failures,
    get open() {
      return sessions.size;
    },
    sessionOf(client) {
      const session = sessions.get(sessionKey(client.socket.remotePort, client.socket.localPort));
      if (session === undefined) throw new Error('The client has no session.');
      return session;
    },
    async empty() {
      const deadline = Date.now() + EMPTY_MS;
      while (sessions.size > 0) {
        if (Date.now() > deadline) throw new Error(`${sessions.size} sessions are left.`);
        await sleep(10);
      }
    },
    async close() {
      for (const session of sessions.values()) session.destroy(0);
      native.stopListening();
      const deadline = Date.now() + EMPTY_MS;
      while (native.open > 0 && Date.now() < deadline) await sleep(10);
      native.close();
      loop.close();
      await Promise.all([plain, tls].map((server) => new Promise((done) => server.close(done))));
    },
  };
}
