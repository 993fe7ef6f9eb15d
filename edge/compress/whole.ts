/**
 * Codes bodies that are kept, once and well, in a thread that nobody waits for. Each thread of the
 * edge that keeps bodies has one such thread, which is there only while there is work: its begin
 * takes 40 ms, and it costs 10 MB while it lives, which is less than main would cost by passing
 * each body on twice. It runs at a lower priority, as far as the system allows (the package
 * @napi-rs/nice): visitors come first.
 */
import { Piscina } from 'piscina';
import type { Coding } from './coding.ts';
import type { WholeInput } from './whole-thread.ts';

/**
 * What a thread may use of a core that the edge wants as well, against ten times as much: still
 * enough to be done some day.
 */
const NICE = 10;
const IDLE = 10_000;
/**
 * Bytes that may wait in all: each waits as a copy. A site gets no more than it leaves for others.
 */
const MOST_WAITING = 32 * 1024 * 1024;

/**
 * `null`: not worth it, now or later. `undefined`: not now, as too much waits already or the edge
 * ends.
 */
type WholeResult = Uint8Array<ArrayBuffer> | null | undefined;

export class WholeCompressor {
  /** Bytes of the bodies that wait or are worked on. */
  waiting = 0;
  readonly #ofSites = new Map<string, number>();
  readonly #longest: number;
  readonly #mostWaiting: number;
  #pool: Piscina<WholeInput, WholeResult> | undefined;
  #isClosed = false;

  /** `longest`: bytes of a body that is coded at all (`edge.compress_cached_max_bytes`). */
  constructor(longest: number, mostWaiting = MOST_WAITING) {
    this.#longest = longest;
    this.#mostWaiting = mostWaiting;
  }

  /**
   * The body in this coding, not worth it if that is not at least 5 % less. Takes a copy. Never
   * rejects.
   */
  async compress(body: Uint8Array, coding: Coding, site: string): Promise<WholeResult> {
    const { length } = body;
    if (length === 0 || length > this.#longest) return null;
    const ofSite = this.#ofSites.get(site) ?? 0;
    const left = this.#mostWaiting - this.waiting - length;
    if (this.#isClosed || (this.waiting > 0 && (left < 0 || (ofSite > 0 && ofSite + length > left)))) return undefined;
    this.#hold(site, length);
    try {
      const bytes = new Uint8Array(body);
      return await this.#threads().run({ bytes, coding }, { transferList: [bytes.buffer] });
    } catch {
      // The thread is gone: no memory for this one, or the edge ends. It would fare no better the
      // next time.
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

  /** What waits gets "not now". */
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
      // It looks for work by blocking otherwise, and holds its heap for it.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    return this.#pool;
  }
}
