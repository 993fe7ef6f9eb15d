/**
 * The live tail of requests for one client. The buffer is limited: excess requests of a slow client
 * are counted and dropped.
 */
import type { TailSample, WatchRequests } from '../../../core/observe/tail/request-tail.ts';
import { type NextEvents, RETRY_LINE, SentEvents, type SentEventsOptions } from '../../events/index.ts';
import type { Caller } from '../../http/caller.ts';

/** Maximum requests that a client receives in a second. */
export const MAX_RATE = 50;
/** Milliseconds between two chunks. */
const INTERVAL = 200;
/** Maximum requests buffered until the client has read the last chunk. */
const MAX_PENDING = 200;

interface TailStreamOptions extends SentEventsOptions<Caller> {
  readonly domainId: number;
  readonly watch: WatchRequests;
  /** Milliseconds; omitted: performance.now. */
  readonly now?: () => number;
  /** 0 ≤ r < 1; omitted: Math.random. */
  readonly random?: () => number;
}

interface Pending {
  readonly node: string;
  /** A JSON object. */
  readonly request: string;
}

export class TailStream extends SentEvents<Caller> {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #pending: Pending[] = [];
  readonly #omitted = new Map<string, number>();
  readonly #unwatch: () => void;
  #readAt: number;

  /** Throws HttpError 429. */
  constructor(options: TailStreamOptions) {
    super(options, ({ account }) => account.id);
    this.#now = options.now ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#readAt = this.#now() - INTERVAL;
    this.#unwatch = options.watch(options.domainId, (sample) => this.#receive(sample));
  }

  protected override async startText(): Promise<string> {
    return `${RETRY_LINE}\n`;
  }

  protected override heartbeatText(): string {
    return ': heartbeat\n\n';
  }

  protected override onEnd(): void {
    this.#unwatch();
  }

  protected override readNext(): NextEvents {
    if (this.#pending.length === 0 && this.#omitted.size === 0) return { text: '' };
    const elapsed = this.#now() - this.#readAt;
    if (elapsed < INTERVAL) return { text: '', waitMs: INTERVAL - elapsed };
    this.#readAt += elapsed;
    this.#thin(Math.floor((Math.min(elapsed, 1000) * MAX_RATE) / 1000));
    return { text: this.#takeText() };
  }

  #receive({ node, requests, omitted }: TailSample): void {
    for (const request of requests) this.#pending.push({ node, request });
    if (omitted > 0) this.#omit(node, omitted);
    this.#thin(MAX_PENDING);
    this.wake();
  }

  /** Drops random requests, so that a busy thread or node does not displace others. */
  #thin(limit: number): void {
    while (this.#pending.length > limit) {
      const [{ node }] = this.#pending.splice(Math.floor(this.#random() * this.#pending.length), 1);
      this.#omit(node, 1);
    }
  }

  #omit(node: string, count: number): void {
    this.#omitted.set(node, (this.#omitted.get(node) ?? 0) + count);
  }

  /** An event for each node. */
  #takeText(): string {
    const nodes = new Set([...this.#pending.map(({ node }) => node), ...this.#omitted.keys()]);
    let text = '';
    for (const node of nodes) {
      const requests = this.#pending.flatMap((pending) => (pending.node === node ? [pending.request] : []));
      const omitted = this.#omitted.get(node) ?? 0;
      text += `event: requests\ndata: {"node":${JSON.stringify(node)},"omitted":${omitted},"requests":[${requests.join()}]}\n\n`;
    }
    this.#pending.length = 0;
    this.#omitted.clear();
    return text;
  }
}
