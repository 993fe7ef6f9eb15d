/**
 * Compresses cached bodies once, at a high level, in a background thread. Each thread of the edge
 * with a cache has such a thread, which lives only while there is work. Its start takes 40 ms, and
 * it holds 10 MB. A shared thread behind the main thread would cost more, since each body would be
 * passed on twice. It runs at a lower priority where the system allows it (the package
 * @napi-rs/nice), so requests come first.
 */
import { Piscina } from 'piscina';
import type { Coding } from './coding.ts';
import type { WholeInput } from './whole-thread.ts';

/**
 * At this priority the thread gets about a tenth of the CPU time of a busy edge thread, which is
 * enough to make progress.
 */
const NICE = 10;
const IDLE = 10_000;
/**
 * Maximum bytes of queued bodies, each of which is a copy. A site may use as many as it leaves for
 * others.
 */
const MOST_WAITING = 32 * 1024 * 1024;

/**
 * `null`: compression is not worth it and never will be. `undefined`: not now, because the queue is
 * full or the edge stops.
 */
type WholeResult = Uint8Array<ArrayBuffer> | null | undefined;

export class WholeCompressor {
  /** Bytes of bodies that are queued or in work. */
  waiting = 0;
  readonly #ofSites = new Map<string, number>();
  readonly #longest: number;
  readonly #maxWaiting: number;
  #pool: Piscina<WholeInput, WholeResult> | undefined;
  #isClosed = false;

  /** `longest`: maximum bytes of a body to compress (`edge.compress_cached_max_bytes`). */
  constructor(longest: number, maxWaiting = MOST_WAITING) {
    this.#longest = longest;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Compresses a copy of the body. Null if the result is not at least 5 % smaller. Never rejects.
   */
  async compress(body: Uint8Array, coding: Coding, site: string): Promise<WholeResult> {
    const { length } = body;
    if (length === 0 || length > this.#longest) return null;
    const ofSite = this.#ofSites.get(site) ?? 0;
    const left = this.#maxWaiting - this.waiting - length;
    if (this.#isClosed || (this.waiting > 0 && (left < 0 || (ofSite > 0 && ofSite + length > left)))) return undefined;
    this.#hold(site, length);
    try {
      const bytes = new Uint8Array(body);
      return await this.#threads().run({ bytes, coding }, { transferList: [bytes.buffer] });
    } catch {
      // The thread has exited: it ran out of memory, or the edge stops. A retry would fail as well.
      return this.#isClosed ? undefined : null;
    } finally {
      this.#hold(site, -length);
    }
  }

  #hold(site: string, bytes: number): void {
    this.waiting += bytes;
    const held = (this.#ofSites.get(site) ?? 0) + bytes;
    if (held === 0) this.#ofSites.delete(site);
    else this.#ofSites.set(site, held);
  }

  /** Pending calls return `undefined`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.destroy();
  }

  #threads(): Piscina<WholeInput, WholeResult> {
    this.#pool ??= new Piscina<WholeInput, WholeResult>({
      filename: new URL('./whole-thread.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE,
      niceIncrement: NICE,
      // With Atomics the idle thread blocks and keeps its heap.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    return this.#pool;
  }
}
