/**
 * Limits on connections to the peer port, which is open to anyone unless a firewall blocks it. A
 * connection is pending until a member has sent a request on it:
 *
 * - The number of pending connections is limited. At the limit, a new connection replaces the
 *   oldest one of the client network with the most, so that no network can exclude others.
 * - The networks of members have reserved capacity.
 * - TLS starts with the first bytes of a client; a silent client costs only a socket.
 * - Handshakes of other clients have a rate limit, since each costs the main thread up to a
 *   millisecond. Client networks take turns.
 * - A pending connection is closed at its deadline.
 */
import { createServer, isIP, type Server, type Socket } from 'node:net';
import { FairQueue } from '../base/fair-queue.ts';
import type { Logger } from '../base/log/index.ts';
import { LogThrottle } from '../base/log/throttle.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import { clientNetwork } from '../net/address/ipv6.ts';
import { fromUrlHost } from '../net/address/url-host.ts';

/** Each takes about 100 KB once TLS has started: 32 MB in total. */
export const MAX_PENDING = 256;
/** Additional pending connections from networks of members. */
export const MAX_PENDING_OF_MEMBERS = 64;
/** Handshakes of clients outside the networks of members: burst, and per second. */
export const HANDSHAKE_BURST = 50;
const HANDSHAKE_RATE = 50;
/**
 * Milliseconds for the handshake and the first request: some round trips, including a lost packet.
 */
const PENDING_TIME = 5000;
/**
 * Connections of a node: one for each domain whose requests it watches, and some for everything
 * else.
 */
export const MAX_PER_MEMBER = 1024;

interface PeerAdmissionOptions {
  /** Names and addresses (`host:port`) of the nodes of the cluster. */
  members(): Iterable<{ readonly name: string; readonly address: string }>;
  /**
   * Whether the process is running out of memory or descriptors; then only networks of members
   * connect.
   */
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
  readonly pending = new Set<Pending>();
  readonly #held = new Map<string, number>();

  constructor(readonly limit: number) {}

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

  /** The oldest connection of the network with the most; null: below the limit. */
  evictionCandidate(): Pending | null {
    if (this.pending.size < this.limit) return null;
    const most = Math.max(...this.#held.values());
    for (const pending of this.pending) if (this.#held.get(pending.network) === most) return pending;
    return null;
  }
}

export class PeerAdmission {
  readonly #server: Server;
  readonly #strangers = new Room(MAX_PENDING);
  readonly #reserved = new Room(MAX_PENDING_OF_MEMBERS);
  /** By address and port of the client. */
  readonly #pending = new Map<string, Pending>();
  /** Number of connections of each node. */
  readonly #held = new Map<string, number>();
  readonly #admitted = new WeakSet<Socket>();
  /**
   * The network of each node's last connection, by name: the address of a member may be a DNS name.
   */
  readonly #networks = new Map<string, string>();
  readonly #throttle = new LogThrottle();
  /** Connections that wait for their handshake, by network. */
  readonly #arrived = new FairQueue<Pending>();
  /** Rate of handshakes of clients outside the networks of members. */
  readonly #handshakes: TokenBucket;
  #timer: NodeJS.Timeout | null = null;
  readonly #now: () => number;

  constructor(private readonly options: PeerAdmissionOptions) {
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
    // Handles a reset before TLS adds its own listener.
    socket.on('error', () => {});
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy();
    const network = clientNetwork(remoteAddress);
    const isOfMember = this.#isOfMember(network);
    if (!isOfMember && this.options.isOverloaded?.() === true) return void socket.destroy();
    const room = isOfMember ? this.#reserved : this.#strangers;
    const candidate = room.evictionCandidate();
    if (candidate !== null) this.#evict(candidate);
    const timer = setTimeout(() => socket.destroy(), PENDING_TIME).unref();
    const pending: Pending = { key: keyOf(socket), socket, network, room, timer };
    room.add(pending);
    this.#pending.set(pending.key, pending);
    socket.once('close', () => this.#settle(pending));
    socket.once('readable', () => {
      // 0 at the end of the stream.
      if (socket.readableLength === 0) socket.destroy();
      else if (isOfMember) this.options.start(socket);
      else {
        this.#arrived.put(pending, network);
        this.#startHandshakes();
      }
    });
  }

  #startHandshakes(): void {
    const now = this.#now();
    while (this.#arrived.size > 0 && this.#handshakes.take(now)) this.options.start(this.#arrived.take()!.socket);
    if (this.#arrived.size > 0)
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#startHandshakes();
      }, 1000 / HANDSHAKE_RATE).unref();
  }

  #evict(pending: Pending): void {
    this.#settle(pending);
    pending.socket.destroy();
    const { log } = this.options;
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
    for (const { name, address } of this.options.members())
      if (this.#networks.get(name) === network || networkOf(address) === network) return true;
    return false;
  }
}

/** Identical for a TLS connection and its underlying socket. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** The network of `host:port`; empty for a DNS name. */
function networkOf(address: string): string {
  const host = fromUrlHost(address.slice(0, address.lastIndexOf(':')));
  return isIP(host) === 0 ? '' : clientNetwork(host);
}
