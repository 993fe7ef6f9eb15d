/** A connection of the TCP loop, and the queues that order connections by their timeouts. */

/** Longest message, including the two bytes of its length (RFC 1035 4.2.2). */
export const MAX_FRAME = 2 + 65_535;

/** State of a connection. */
export const STATE = {
  /** The slot is free. */
  FREE: 0,
  /** Waits for queries. */
  READING: 1,
  /** Waits until the socket can send; nothing is read. */
  SENDING: 2,
  /** The main thread is answering a message; nothing is read. */
  DEFERRED: 3,
  /** Has unanswered messages, and continues after the other connections had their turn. */
  POSTPONED: 4,
  /**
   * The sending side is closed. Received bytes are discarded, so that a reset does not destroy the
   * last answers.
   */
  FINISHING: 5,
} as const;

/** Created once for each slot and reused. */
export class TcpPeer {
  /**
   * The tag in epoll: the slot, and above it a generation that differs for the slot's next
   * connection.
   */
  tag = 0;
  fd = -1;
  state: number = STATE.FREE;
  /** Address of the client: the first 4 bytes or all 16. */
  readonly address = new Uint8Array(16);
  addressLength = 4;
  port = 0;
  /** The bucket that ConnectionLimits releases. */
  bucket = 0;
  /** The first bytes are a header of the PROXY protocol, which was not received yet. */
  expectsHeader = false;
  /** Received bytes that are not answered: a partial message, or messages after a deferred one. */
  rest: Uint8Array | null = null;
  /** Answers that are not sent yet. */
  unsent: Uint8Array | null = null;
  /** No more messages are read from the client. */
  hasEnded = false;
  /** Number of the deferred request, or 0. */
  deferred = 0;
  /**
   * A message of the deferred answer is in `unsent`. The next one is requested when it has been
   * sent.
   */
  hasMore = false;
  /** Events that epoll waits for. */
  events = 0;
  /** All bytes received so far have been answered. */
  isAnswered = false;
  deadline = 0;
  queue: DeadlineQueue | null = null;
  previous: TcpPeer | null = null;
  next: TcpPeer | null = null;
  readonly slot: number;

  constructor(slot: number) {
    this.slot = slot;
  }
}

/**
 * Connections in the order of their timeouts. All have the same timeout, so this is the order of
 * insertion.
 */
export class DeadlineQueue {
  readonly #milliseconds: number;
  first: TcpPeer | null = null;
  #last: TcpPeer | null = null;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Moves `peer` to the end of this queue and restarts its timeout. */
  put(peer: TcpPeer, now: number): void {
    peer.queue?.remove(peer);
    peer.deadline = now + this.#milliseconds;
    peer.queue = this;
    peer.previous = this.#last;
    if (this.#last === null) this.first = peer;
    else this.#last.next = peer;
    this.#last = peer;
  }

  /** Time at which the timeout of `peer`, which is in this queue, started. */
  startOf(peer: TcpPeer): number {
    return peer.deadline - this.#milliseconds;
  }

  remove(peer: TcpPeer): void {
    if (peer.previous === null) this.first = peer.next;
    else peer.previous.next = peer.next;
    if (peer.next === null) this.#last = peer.previous;
    else peer.next.previous = peer.previous;
    peer.previous = null;
    peer.next = null;
    peer.queue = null;
  }
}
