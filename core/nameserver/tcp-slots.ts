/**
 * Slots of connections. Each slot has a reusable record, a number that is part of the epoll tag,
 * and its descriptor in shared memory.
 */
import type { Client } from '../net/address/client.ts';
import { type ConnectionLimits, FULL } from '../os/connection-limits.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import { STATE, TcpPeer } from './tcp-peer.ts';

const MAX_SLOTS = 1 << 20;
/** Connections that are compared to find the one that is closed for a newcomer. */
const MAX_COMPARED = 1024;
/**
 * Tags of listening sockets and of the eventfd have the highest bit set. Tags of connections
 * consist of the slot and, in the bits from GENERATION_SHIFT on, a generation.
 */
export const SPECIAL = 0x8000_0000;
export const WAKE = 0xffff_ffff;
/** Value of `events` for a connection that is not registered with epoll. */
export const UNWATCHED = -1;
const GENERATION_SHIFT = 20;
const GENERATIONS = 1 << 11;

export class TcpSlots {
  readonly peers: TcpPeer[] = [];
  readonly #free: number[] = [];
  /** The slot that was compared last. */
  #compared = 0;
  readonly #openFds: Int32Array;
  readonly connections: ConnectionLimits;
  readonly #counters: ThreadCounters;

  /** `openFds`: see TcpLoopOptions. */
  constructor(openFds: Int32Array, connections: ConnectionLimits, counters: ThreadCounters) {
    this.#openFds = openFds;
    this.connections = connections;
    this.#counters = counters;
  }

  /**
   * The connection with this epoll tag. Null if an earlier event of the same turn has closed it.
   */
  byTag(tag: number): TcpPeer | null {
    const peer = this.peers[tag & (MAX_SLOTS - 1)];
    return peer.tag === tag && peer.state !== STATE.FREE ? peer : null;
  }

  /**
   * Allocates a slot for the connection `fd` of `client`. `bucket`: from ConnectionLimits.enter.
   */
  allocate(fd: number, bucket: number, client: Client): TcpPeer {
    const slot = this.#free.pop() ?? this.peers.length;
    if (slot === this.peers.length) this.peers.push(new TcpPeer(slot));
    const peer = this.peers[slot];
    this.#openFds[slot] = fd + 1;
    peer.fd = fd;
    peer.tag = (((peer.tag >>> GENERATION_SHIFT) + 1) % GENERATIONS) * MAX_SLOTS + slot;
    peer.bucket = bucket;
    this.#take(peer, client);
    peer.expectsHeader = false;
    peer.state = STATE.READING;
    peer.events = UNWATCHED;
    peer.isAnswered = false;
    this.#counters.count(COLUMN.tcpAccepted);
    this.#counters.set(COLUMN.tcpOpen, this.connections.open);
    return peer;
  }

  /**
   * The connection to close for a newcomer whose client has `held` connections: of the client that
   * has most, if those are at least two more; else of any that has not fewer, if it has waited
   * since `quiet`. The longest wait decides. Null: there is none.
   */
  findLeastUseful(held: number, quiet: number): TcpPeer | null {
    const { peers, connections } = this;
    let found: TcpPeer | null = null;
    let most = held + 1;
    let since = quiet;
    for (let i = Math.min(peers.length, MAX_COMPARED); i > 0; i--) {
      this.#compared = this.#compared + 1 >= peers.length ? 0 : this.#compared + 1;
      const peer = peers[this.#compared];
      if (peer.queue === null || peer.state === STATE.POSTPONED) continue;
      const ofClient = connections.held(peer.bucket);
      if (ofClient < held) continue;
      const rank = Math.max(ofClient, held + 1);
      const start = peer.queue.startOf(peer);
      if (rank < most || (rank === most && start > since)) continue;
      found = peer;
      since = start;
      most = rank;
    }
    return found;
  }

  /** Counts the connection for another client. False: that client has too many connections. */
  reassign(peer: TcpPeer, client: Client): boolean {
    const { connections } = this;
    const bucket = connections.enter(client);
    if (bucket < 0) {
      this.#counters.count(bucket === FULL ? COLUMN.tcpRefused : COLUMN.tcpRefusedClient);
      return false;
    }
    connections.leave(peer.bucket);
    peer.bucket = bucket;
    this.#take(peer, client);
    return true;
  }

  #take(peer: TcpPeer, client: Client): void {
    for (let i = 0; i < client.length; i++) peer.address[i] = client.address[i];
    peer.addressLength = client.length;
    peer.port = client.port;
  }

  /** Releases the slot. The caller closes the descriptor afterwards. */
  release(peer: TcpPeer): void {
    peer.rest = null;
    peer.unsent = null;
    peer.deferred = 0;
    peer.hasEnded = false;
    peer.state = STATE.FREE;
    peer.queue?.remove(peer);
    this.#openFds[peer.slot] = 0;
    this.connections.leave(peer.bucket);
    this.#counters.set(COLUMN.tcpOpen, this.connections.open);
    this.#free.push(peer.slot);
  }
}
