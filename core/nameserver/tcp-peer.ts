/** A connection of the TCP loop, and the queues in which connections wait for their time-outs. */

/** Longest message with the two bytes of its length before it (RFC 1035 4.2.2). */
export const MAX_FRAME = 2 + 65_535;

/** What a connection is at. */
export const STATE = {
  /** The place is free. */
  FREE: 0,
  /** Waits for queries. */
  READING: 1,
  /** Waits for room to send; nothing is read. */
  SENDING: 2,
  /** A message is with main; nothing is read. */
  DEFERRED: 3,
  /** Has messages left over that are answered when others have had their turn. */
  POSTPONED: 4,
  /** Gets nothing more; what comes is thrown away, so that a reset does not take the last answers from it. */
  FINISHING: 5,
} as const;

/** Made once for each place and used again. */
export class TcpPeer {
  /** What epoll knows it by: the place, and above it a number that is another one for the next user of the place. */
  tag = 0;
  fd = -1;
  state: number = STATE.FREE;
  /** Bit 0: IPv6. For the counters. */
  family = 0;
  /** Address (the first 4 or all 16 bytes) and port of the client. */
  readonly address = new Uint8Array(16);
  addressLength = 4;
  port = 0;
  /** By which ConnectionLimits takes it back. */
  bucket = 0;
  /** Received and not answered: the part of a message, or what waits behind a deferred one. */
  rest: Uint8Array | null = null;
  /** Answered and not sent. */
  unsent: Uint8Array | null = null;
  /** The client sends nothing more. */
  ended = false;
  /** Number of the deferred request, or 0. */
  deferred = 0;
  /** A message of the deferred answer is in `unsent`, and the next is asked for when it has gone. */
  hasMore = false;
  /** Events that epoll waits for. */
  events = 0;
  /** Since it came, what it had sent has been answered. */
  isAnswered = false;
  deadline = 0;
  queue: DeadlineQueue | null = null;
  before: TcpPeer | null = null;
  after: TcpPeer | null = null;
  readonly place: number;

  constructor(place: number) {
    this.place = place;
  }
}

/** Connections in the order of their time-outs, which is that in which they were put, since all have the same time. */
export class DeadlineQueue {
  readonly #milliseconds: number;
  first: TcpPeer | null = null;
  #last: TcpPeer | null = null;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Starts the time of `peer` anew, in this queue. */
  put(peer: TcpPeer, now: number): void {
    peer.queue?.remove(peer);
    peer.deadline = now + this.#milliseconds;
    peer.queue = this;
    peer.before = this.#last;
    if (this.#last === null) this.first = peer;
    else this.#last.after = peer;
    this.#last = peer;
  }

  /** When the time of `peer`, which is in this queue, began. */
  startOf(peer: TcpPeer): number {
    return peer.deadline - this.#milliseconds;
  }

  remove(peer: TcpPeer): void {
    if (peer.before === null) this.first = peer.after;
    else peer.before.after = peer.after;
    if (peer.after === null) this.#last = peer.before;
    else peer.after.before = peer.before;
    peer.before = null;
    peer.after = null;
    peer.queue = null;
  }
}
