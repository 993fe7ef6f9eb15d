/**
 * Limits on connections to the peer port, which anybody may open until the firewall forbids it. A
 * connection is pending until a member has sent a request on it:
 *
 * - Pending connections are few. Where they are at their limit, a newcomer replaces the oldest one
 *   of the client network that holds most, so that no network keeps others out.
 * - The networks of members have room of their own.
 * - TLS starts with the first bytes of a client; a silent one costs a socket.
 * - Handshakes of strangers have a rate, since each costs the main thread up to a millisecond, and
 *   turns by client network.
 * - A pending connection ends at its deadline.
 */
import { createServer, isIP, type Server, type Socket } from 'node:net';
import { FairQueue } from '../base/fair-queue.ts';
import type { Logger } from '../base/log/index.ts';
import { LogThrottle } from '../base/log/throttle.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import { clientNetwork } from '../net/address/ipv6.ts';
import { fromUrlHost } from '../net/address/url-host.ts';

/** Each takes some 100 KB once TLS has started: 32 MB in all. */
export const MAX_PENDING = 256;
/** Further ones, of networks of members. */
export const MAX_PENDING_OF_MEMBERS = 64;
/** Handshakes of strangers: at once, and in a second. */
export const HANDSHAKE_BURST = 50;
const HANDSHAKE_RATE = 50;
/** Milliseconds for the handshake and the first request: some round trips, one of them lost. */
const PENDING_TIME = 5000;
/** Of one node: one for each domain whose requests it watches, and some for everything else. */
export const MAX_PER_MEMBER = 1024;

interface PeerAdmissionOptions {
  /** Names and addresses (`host:port`) of the nodes of the cluster. */
  members(): Iterable<{ readonly name: string; readonly address: string }>;
  /** The process runs out of memory or descriptors: only networks of members connect. */
  isOverloaded?(): boolean;
  /** Receives each connection whose client has sent something. */
  readonly start: (socket: Socket) => void;
  readonly log?: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

interface Pending {
  readonly key: string;
  readonly socket: Socket;
  readonly network: string;
  readonly room: Room;
  readonly timer: NodeJS.Timeout;
}

/** The pending connections of one limit, in order of arrival. */
class Room {
  readonly limit: number;
  readonly pending = new Set<Pending>();
  readonly #held = new Map<string, number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  add(pending: Pending): void {
    this.pending.add(pending);
    this.#held.set(pending.network, (this.#held.get(pending.network) ?? 0) + 1);
  }

  remove(pending: Pending): void {
    if (!this.pending.delete(pending)) return;
    const held = this.#held.get(pending.network)! - 1;
    if (held === 0) this.#held.delete(pending.network);
    else this.#held.set(pending.network, held);
  }

  /** The oldest connection of the network with the most; null: there is a place. */
  leaver(): Pending | null {
    if (this.pending.size < this.limit) return null;
    const most = Math.max(...this.#held.values());
    for (const pending of this.pending) if (this.#held.get(pending.network) === most) return pending;
    return null;
  }
}

export class PeerAdmission {
  readonly #options: PeerAdmissionOptions;
  readonly #server: Server;
  readonly #strangers = new Room(MAX_PENDING);
  readonly #reserved = new Room(MAX_PENDING_OF_MEMBERS);
  /** By address and port of the client. */
  readonly #pending = new Map<string, Pending>();
  /** Connections of each node. */
  readonly #held = new Map<string, number>();
  readonly #admitted = new WeakSet<Socket>();
  /** The networks from which nodes connected last, by name: their addresses may be names. */
  readonly #networks = new Map<string, string>();
  readonly #throttle = new LogThrottle();
  /** Strangers that have sent something, by network. */
  readonly #arrived = new FairQueue<Pending>();
  /** Of strangers. */
  readonly #handshakes: TokenBucket;
  #timer: NodeJS.Timeout | null = null;
  readonly #now: () => number;

  constructor(options: PeerAdmissionOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#handshakes = new TokenBucket({ burst: HANDSHAKE_BURST, perSecond: HANDSHAKE_RATE }, this.#now());
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Listens as `net.Server`. */
  get server(): Server {
    return this.#server;
  }

  /** Connections on which no member has sent a request. */
  get pending(): number {
    return this.#pending.size;
  }

  /**
   * `node` has sent a request on the connection, which is no longer pending. False: the node has
   * too many connections.
   */
  admit(socket: Socket, node: string): boolean {
    if (this.#admitted.has(socket)) return true;
    const held = this.#held.get(node) ?? 0;
    if (held >= MAX_PER_MEMBER) return false;
    const pending = this.#pending.get(keyOf(socket));
    if (pending !== undefined) this.#settle(pending);
    this.#admitted.add(socket);
    this.#held.set(node, held + 1);
    this.#networks.set(node, clientNetwork(socket.remoteAddress ?? ''));
    socket.once('close', () => {
      const left = this.#held.get(node)! - 1;
      if (left === 0) this.#held.delete(node);
      else this.#held.set(node, left);
    });
    return true;
  }

  /** Stops listening and ends the pending connections; calls `done` when all others have ended. */
  close(done: () => void): void {
    this.#server.close(done);
    for (const { socket } of [...this.#pending.values()]) socket.destroy();
  }

  #accept(socket: Socket): void {
    // A reset before TLS listens.
    socket.on('error', () => {});
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy();
    const network = clientNetwork(remoteAddress);
    const isOfMember = this.#isOfMember(network);
    if (!isOfMember && this.#options.isOverloaded?.() === true) return void socket.destroy();
    const room = isOfMember ? this.#reserved : this.#strangers;
    const leaver = room.leaver();
    if (leaver !== null) this.#evict(leaver);
    const timer = setTimeout(() => socket.destroy(), PENDING_TIME).unref();
    const pending: Pending = { key: keyOf(socket), socket, network, room, timer };
    room.add(pending);
    this.#pending.set(pending.key, pending);
    socket.once('close', () => this.#settle(pending));
    socket.once('readable', () => {
      // None at the end of the stream.
      if (socket.readableLength === 0) socket.destroy();
      else if (isOfMember) this.#options.start(socket);
      else {
        this.#arrived.put(pending, network);
        this.#startHandshakes();
      }
    });
  }

  #startHandshakes(): void {
    const now = this.#now();
    while (this.#arrived.size > 0 && this.#handshakes.take(now)) this.#options.start(this.#arrived.take()!.socket);
    if (this.#arrived.size > 0)
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#startHandshakes();
      }, 1000 / HANDSHAKE_RATE).unref();
  }

  #evict(pending: Pending): void {
    this.#settle(pending);
    pending.socket.destroy();
    const { log } = this.#options;
    const count = this.#throttle.due('evicted');
    if (log === undefined || count === 0) return;
    log.warn('too many connections to the peer port without a certificate; closed the oldest', {
      count,
      network: pending.network,
    });
  }

  #settle(pending: Pending): void {
    pending.room.remove(pending);
    this.#arrived.remove(pending);
    clearTimeout(pending.timer);
    if (this.#pending.get(pending.key) === pending) this.#pending.delete(pending.key);
  }

  #isOfMember(network: string): boolean {
    for (const { name, address } of this.#options.members())
      if (this.#networks.get(name) === network || networkOf(address) === network) return true;
    return false;
  }
}

/** The same for a connection of TLS and for the socket that carries it. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Of `host:port`; empty for a name. */
function networkOf(address: string): string {
  const host = fromUrlHost(address.slice(0, address.lastIndexOf(':')));
  return isIP(host) === 0 ? '' : clientNetwork(host);
}
