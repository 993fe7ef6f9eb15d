/** Places of connections: each has a record that is used again, a number in what epoll knows it by, and its descriptor in shared memory. */
import type { Client } from '../address/client.ts';
import type { ConnectionLimits } from '../os/connection-limits.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import { STATE, TcpPeer } from './tcp-peer.ts';

const PLACES = 1 << 20;
/** Tags of listening sockets and the eventfd have the highest bit; those of connections a place and, in these bits, a number. */
export const SPECIAL = 0x8000_0000;
export const WAKE = 0xffff_ffff;
/** In place of events: epoll does not know the connection yet. */
export const UNWATCHED = -1;
const GENERATION_SHIFT = 20;
const GENERATIONS = 1 << 11;

export class TcpPlaces {
  readonly peers: TcpPeer[] = [];
  readonly #free: number[] = [];
  readonly #open: Int32Array;
  readonly #connections: ConnectionLimits;
  readonly #counters: ThreadCounters;

  /** `open`: see TcpLoopOptions. */
  constructor(open: Int32Array, connections: ConnectionLimits, counters: ThreadCounters) {
    this.#open = open;
    this.#connections = connections;
    this.#counters = counters;
  }

  /** The connection that epoll knows by `tag`; null when it has been closed by what came before in the same turn. */
  byTag(tag: number): TcpPeer | null {
    const peer = this.peers[tag & (PLACES - 1)];
    return peer.tag === tag && peer.state !== STATE.FREE ? peer : null;
  }

  /** A place for the connection `fd` of `client`. `bucket`: as `connections` has given it; `family`: 0 for IPv4, 1 for IPv6. */
  take(fd: number, bucket: number, family: number, client: Client): TcpPeer {
    const place = this.#free.pop() ?? this.peers.length;
    if (place === this.peers.length) this.peers.push(new TcpPeer(place));
    const peer = this.peers[place];
    this.#open[place] = fd + 1;
    peer.fd = fd;
    peer.tag = (((peer.tag >>> GENERATION_SHIFT) + 1) % GENERATIONS) * PLACES + place;
    peer.family = family;
    peer.bucket = bucket;
    for (let i = 0; i < client.length; i++) peer.address[i] = client.address[i];
    peer.addressLength = client.length;
    peer.port = client.port;
    peer.state = STATE.READING;
    peer.events = UNWATCHED;
    peer.isAnswered = false;
    this.#counters.count(COLUMN.tcpAccepted);
    this.#counters.set(COLUMN.tcpOpen, this.#connections.open);
    return peer;
  }

  /** The connection's descriptor is about to be closed. */
  giveBack(peer: TcpPeer): void {
    peer.rest = null;
    peer.unsent = null;
    peer.deferred = 0;
    peer.ended = false;
    peer.state = STATE.FREE;
    peer.queue?.remove(peer);
    this.#open[peer.place] = 0;
    this.#connections.leave(peer.bucket);
    this.#counters.set(COLUMN.tcpOpen, this.#connections.open);
    this.#free.push(peer.place);
  }
}
