/**
 * Connections whose first queries have been answered and that are not registered with epoll yet.
 *
 * Most clients send one query over TCP, after a truncated answer, and close. Ten milliseconds later
 * a nearby client has already closed. Reading the connection then saves registering it, waking up
 * for its end and handling that event: 10 % of the cost of such a connection.
 *
 * A client that continues waits up to this time for its second answer, once. Therefore connections
 * wait here only while clients do close; otherwise one connection in TRIAL does, as a trial. Hot:
 * allocates only when the queue grows.
 */
import type { TcpPeer } from './tcp-peer.ts';

/** Milliseconds until a connection is read again. */
export const NEWCOMER_MS = 10;
const TRIAL = 256;
/** Maximum of the score. Connections wait here from half of it on. */
const MAX_SCORE = 64;

export class Newcomers {
  readonly #peers: TcpPeer[] = [];
  readonly #tags: number[] = [];
  readonly #times: number[] = [];
  #head = 0;
  #count = 0;
  #score = 0;
  #tries = 0;

  /** Whether a connection that has just been answered should wait here. */
  shouldWait(): boolean {
    if (this.#score >= MAX_SCORE / 2) return true;
    this.#tries = (this.#tries + 1) % TRIAL;
    return this.#tries === 0;
  }

  put(peer: TcpPeer, now: number): void {
    if (this.#count === this.#peers.length) this.#grow(peer);
    const at = (this.#head + this.#count++) & (this.#peers.length - 1);
    this.#peers[at] = peer;
    this.#tags[at] = peer.tag;
    this.#times[at] = now + NEWCOMER_MS;
  }

  /** Time at which the first connection is due. Infinity if there is none. */
  get nextDue(): number {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#times[this.#head];
  }

  /**
   * Removes the first connection. Returns null if it has been closed meanwhile; its slot may have
   * been reused.
   */
  shift(): TcpPeer | null {
    const head = this.#head;
    const peer = this.#peers[head];
    this.#head = (head + 1) & (this.#peers.length - 1);
    this.#count--;
    return peer.tag === this.#tags[head] ? peer : null;
  }

  /** Adjusts the score by the outcome of the second read. */
  recordOutcome(hasClosed: boolean): void {
    this.#score = hasClosed ? Math.min(MAX_SCORE, this.#score + 1) : Math.max(0, this.#score - 4);
  }

  #grow(peer: TcpPeer): void {
    const peers = this.#peers;
    const tags = this.#tags;
    const times = this.#times;
    const head = this.#head;
    const count = this.#count;
    const order = Array.from({ length: count }, (_, i) => (head + i) & (count - 1));
    const size = Math.max(64, count * 2);
    const moved = order.map((at) => ({ peer: peers[at], tag: tags[at], time: times[at] }));
    for (let i = 0; i < size; i++) {
      peers[i] = moved[i]?.peer ?? peer;
      tags[i] = moved[i]?.tag ?? 0;
      times[i] = moved[i]?.time ?? 0;
    }
    this.#head = 0;
  }
}
