/** Connections over Node's streams: TCP on systems without the TCP loop, and TLS on all systems. */

import type { Socket } from 'node:net';
import { MAX_MESSAGE } from '../dns/wire/header.ts';
import { Client, TRANSPORT } from '../net/address/client.ts';
import { setClientAddress } from '../net/address/ipv6.ts';
import { BLOCK, proxyAddressSize, proxyBlockLength, readProxyClient } from '../net/address/proxy-block.ts';
import { CLIENT_FULL, type ConnectionLimits, FULL } from '../os/connection-limits.ts';
import { COLUMN } from './counters.ts';
import type { QueryHandler } from './query-handler.ts';
import type { PrefixList } from './rate-limit-prefixes.ts';
import { QUIET_MS, TcpConnection } from './tcp-connection.ts';
import type { TcpLimits } from './worker.ts';

/** Connections that are compared to find the one that is closed for a newcomer. */
const MAX_COMPARED = 1024;
/** The first byte of a TLS handshake (RFC 8446 section 5.1). */
const TLS_HANDSHAKE = 22;

interface Entry {
  bucket: number;
  /** Time of arrival, by `performance.now()`. */
  readonly since: number;
  /** The header of the PROXY protocol was not received yet. */
  expectsHeader: boolean;
  /** Null during the TLS handshake. */
  connection: TcpConnection | null;
}

export class Streams {
  readonly #handler: QueryHandler;
  readonly #limits: TcpLimits;
  readonly #connections: ConnectionLimits;
  readonly #transport: number;
  readonly #entries = new Map<Socket, Entry>();
  /** Messages are answered one at a time, so one buffer serves all connections. */
  readonly #packet = new Uint8Array(MAX_MESSAGE + 1);

  /** `transport`: a value of TRANSPORT. `proxies`: as in TcpLoopOptions. */
  constructor(
    handler: QueryHandler,
    limits: TcpLimits,
    connections: ConnectionLimits,
    transport: number,
    private readonly proxies: PrefixList | null = null,
  ) {
    this.#handler = handler;
    this.#limits = limits;
    this.#connections = connections;
    this.#transport = transport;
    handler.deferred?.listen();
  }

  /**
   * Counts a new connection. Returns the client for `serve`, or null if the connection was closed
   * because of a limit.
   */
  admit(socket: Socket): Client | null {
    const { counters } = this.#handler;
    const connections = this.#connections;
    const entries = this.#entries;
    const client = new Client();
    // A socket whose client has already disconnected has no address.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return null;
    }
    setClientAddress(client, socket.remoteAddress, socket.remotePort ?? 0);
    client.transport = this.#transport;
    let bucket = connections.enter(client);
    if (bucket === FULL && this.#makeRoom(connections.heldBy(client))) bucket = connections.enter(client);
    if (bucket === FULL || bucket === CLIENT_FULL) {
      counters.count(bucket === FULL ? COLUMN.tcpRefused : COLUMN.tcpRefusedClient);
      socket.destroy();
      return null;
    }
    const expectsHeader = this.proxies?.includes(client) === true;
    entries.set(socket, { bucket, since: performance.now(), expectsHeader, connection: null });
    counters.count(COLUMN.tcpAccepted);
    counters.set(COLUMN.tcpOpen, connections.open);
    socket.once('close', () => this.#leave(socket));
    return client;
  }

  /**
   * Calls `onReady` for a connection, after the header of the PROXY protocol if it comes from a
   * proxy. A connection without a valid header is closed. The header is before the TLS handshake,
   * or the first data after it: `start` is then called again. `admitted`: as in `serve`.
   */
  start(socket: Socket, client: Client, onReady: () => void, admitted: Socket = socket): void {
    const entry = this.#entries.get(admitted);
    if (entry?.expectsHeader !== true) {
      onReady();
      return;
    }
    const mayShakeHands = this.#transport === TRANSPORT.TLS && socket === admitted;
    const fail = (): void => {
      this.#handler.counters.count(COLUMN.badProxyHeader);
      socket.destroy();
    };
    const timer = setTimeout(fail, this.#limits.queryTimeout);
    let first = Buffer.alloc(0);
    const onData = (bytes: Buffer): void => {
      first = Buffer.concat([first, bytes]);
      const isHandshake = mayShakeHands && first[0] === TLS_HANDSHAKE;
      const length = isHandshake ? 0 : proxyBlockLength(first, 0, first.length);
      if (length === BLOCK.INCOMPLETE && !isHandshake) return;
      clearTimeout(timer);
      socket.off('data', onData).off('end', fail).off('error', fail).pause();
      if (length === BLOCK.MALFORMED) fail();
      else if (length > 0 && !this.#takeClient(entry, client, first)) socket.destroy();
      else {
        entry.expectsHeader = isHandshake;
        if (first.length > length) socket.unshift(first.subarray(length));
        onReady();
      }
    };
    socket.on('data', onData).on('end', fail).on('error', fail);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Counts a connection for the client that a header states. False: that has too many. */
  #takeClient(entry: Entry, client: Client, header: Buffer): boolean {
    if (proxyAddressSize(header, 0) === 0) return true;
    readProxyClient(header, 0, client);
    const bucket = this.#connections.enter(client);
    if (bucket < 0) {
      this.#handler.counters.count(bucket === FULL ? COLUMN.tcpRefused : COLUMN.tcpRefusedClient);
      return false;
    }
    this.#connections.leave(entry.bucket);
    entry.bucket = bucket;
    return true;
  }

  /**
   * Serves an admitted connection. `admitted`: the socket passed to `admit`, if it is the transport
   * below `socket`.
   */
  serve(socket: Socket, client: Client, admitted: Socket = socket): void {
    const handler = this.#handler;
    const packet = this.#packet;
    const connection = new TcpConnection({ socket, client, handler, packet }, this.#limits, (reason) =>
      handler.counters.count(reason === 'idle' ? COLUMN.tcpIdle : COLUMN.tcpSlow),
    );
    const entry = this.#entries.get(admitted);
    if (entry !== undefined) entry.connection = connection;
  }

  close(): void {
    for (const socket of this.#entries.keys()) socket.destroy();
  }

  #leave(socket: Socket): void {
    const entry = this.#entries.get(socket);
    if (entry === undefined) return;
    this.#entries.delete(socket);
    this.#connections.leave(entry.bucket);
    this.#handler.counters.set(COLUMN.tcpOpen, this.#connections.open);
  }

  /** Closes a connection that waits for its client: see TcpSlots.findLeastUseful. */
  #makeRoom(held: number): boolean {
    const entries = this.#entries;
    const connections = this.#connections;
    const chosen = { socket: null as Socket | null, since: performance.now() - QUIET_MS, rank: held + 1 };
    let compared = 0;
    for (const [socket, entry] of entries) {
      if (compared++ === MAX_COMPARED) break;
      const since = entry.connection?.waitingSince ?? entry.since;
      const ofClient = connections.held(entry.bucket);
      const rank = Math.max(ofClient, held + 1);
      const isLess = ofClient < held || since === Number.POSITIVE_INFINITY;
      if (!isLess && (rank > chosen.rank || (rank === chosen.rank && since <= chosen.since)))
        Object.assign(chosen, { socket, since, rank });
      // The next comparison begins with others.
      if (entries.size <= MAX_COMPARED) continue;
      entries.delete(socket);
      entries.set(socket, entry);
    }
    const { socket } = chosen;
    const entry = socket === null ? undefined : entries.get(socket);
    if (socket === null || entry === undefined) return false;
    if (entry.connection !== null) entry.connection.makeRoom();
    else {
      this.#handler.counters.count(COLUMN.tcpSlow);
      socket.destroy();
    }
    this.#leave(socket);
    return true;
  }
}
