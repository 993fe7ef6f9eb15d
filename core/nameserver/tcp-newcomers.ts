/**
 * Connections whose first queries have been answered and that epoll does not know yet. Most clients ask once over TCP, when an answer was truncated, and close: who looks again ten
 * milliseconds later finds those that are near closed already, and has saved to register them, to be woken for the end of each and to be handed it: 10 % of
 * what such a connection costs. Those who go on wait that long for their second answer, once; so this is done for as long as clients do close,
 * and tried with one connection in TRIAL otherwise. Hot: allocates nothing but what a new record of connections takes.
 */
import type { TcpPeer } from './tcp-peer.ts';

/** Milliseconds until a connection is looked at again. */
export const NEWCOMER_MS = 10;
const TRIAL = 256;
/** What the score reaches at most; from half of it on connections wait here. */
const BEST = 64;

export class Newcomers {
  readonly #peers: TcpPeer[] = [];
  readonly #tags: number[] = [];
  readonly #times: number[] = [];
  #head = 0;
  #count = 0;
  #score = 0;
  #tries = 0;

  /** Whether a connection that has just been answered should wait here. */
  takes(): boolean {
    if (this.#score >= BEST / 2) return true;
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

  /** When the first one is to be looked at; Infinity when there is none. */
  get due(): number {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#times[this.#head];
  }

  /** Takes out the first one. Null: its connection has ended meanwhile, and the place may have another. */
  shift(): TcpPeer | null {
    const head = this.#head;
    const peer = this.#peers[head];
    this.#head = (head + 1) & (this.#peers.length - 1);
    this.#count--;
    return peer.tag === this.#tags[head] ? peer : null;
  }

  /** What the look has shown. */
  learn(hasClosed: boolean): void {
    this.#score = hasClosed ? Math.min(BEST, this.#score + 1) : Math.max(0, this.#score - 4);
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
