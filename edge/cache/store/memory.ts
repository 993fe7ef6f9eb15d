/**
 * The memory of a thread: packed entries (memory-log.ts). Hot entries are also held as objects
 * (hot-set.ts).
 */
import type { StoredResponse } from '../stored-response.ts';
import type { CachePurge, PurgedResponse } from './cache-store.ts';
import { type EncodedCoding, headLength, isHeadOf, MAX_VARIANTS, readHead, textsOf, writeHead } from './entry.ts';
import { HotSet } from './hot-set.ts';
import type { KeyHash } from './key-hash.ts';
import { MemoryLog } from './memory-log.ts';
import { Purges } from './purges.ts';
import { newestFirst, responseOf, Variant, WholeBody } from './variant.ts';

/** Bodies up to this size follow their heads. A hit that is not hot copies them. */
const MAX_INNER_BYTES = 16 * 1024;

/** Number of earlier hits at which a URL becomes hot. */
const HOT_HITS = 2;

/**
 * When the hot set is full, one in PROMOTION_INTERVAL candidates is promoted. Popular URLs are
 * still promoted eventually. If more URLs are popular than fit, promoting all would triple the cost
 * of a hit: 13 µs instead of 4, with 200,000 URLs in rotation.
 */
const PROMOTION_INTERVAL = 16;

/** Maximum number of responses reported for a purge. */
export const MAX_PURGED = 100;

/** Entries that a sweep visits at a time: about a millisecond. */
const SWEEP_ENTRIES = 500;

export class Memory {
  evicted = 0;
  purged = 0;
  /** Whether the disk may have more variants of the last URL looked up. */
  wasPartial = false;
  readonly limit: number;
  readonly #log: MemoryLog;
  readonly #hot: HotSet;
  readonly #hash: KeyHash;
  readonly #purges: Purges;
  readonly #maxInnerBytes: number;
  #skippedPromotions = 0;

  constructor(limit: number, hash: KeyHash, purges: Purges) {
    this.limit = limit;
    this.#hash = hash;
    this.#purges = purges;
    this.#log = new MemoryLog({
      limit,
      isVoid: (block, at) => this.#isVoid(block, at),
      onEvict: (wasVoid) => {
        if (wasVoid) this.purged++;
        else this.evicted++;
      },
      onUnpin: (block, at) => this.#demote(readHead(block, at).head.key),
    });
    this.#hot = new HotSet(Math.floor(limit / 4), (variants) => this.#unpin(variants[0]));
    this.#maxInnerBytes = Math.min(MAX_INNER_BYTES, this.#log.blockBytes / 8);
  }

  get count(): number {
    return this.#log.count;
  }

  get bytes(): number {
    return this.#log.bytes;
  }

  /**
   * The variants of a URL, the newest first; undefined: none in memory. Valid only in this turn of
   * the event loop.
   */
  lookup(domainId: string, key: string): readonly Variant[] | undefined {
    const hot = this.#hot.get(key);
    this.wasPartial = false;
    if (hot !== undefined && hot.variants[0].response.domainId === domainId) {
      if (hot.version === this.#purges.version) return hot.variants;
      if (hot.variants.every((variant) => !this.#isPurged(variant.response, variant.mark))) {
        hot.version = this.#purges.version;
        return hot.variants;
      }
    }
    return this.#unpack(domainId, key);
  }

  /** Whether the disk may have more variants of a URL. */
  isPartial(domainId: string, key: string): boolean {
    const { a, b } = this.#hash.of(domainId, key);
    const address = this.#log.find(a, b);
    return address < 0 || this.#log.isPartial(address);
  }

  setPartial(domainId: string, key: string, isPartial: boolean): void {
    const { a, b } = this.#hash.of(domainId, key);
    this.#log.setPartial(a, b, isPartial);
    if (isPartial) this.#dropHot(key);
  }

  /** Stores a response, and replaces the response with the same `selecting`. */
  put(response: StoredResponse, mark: number, codings: readonly EncodedCoding[]): Variant | undefined {
    const texts = textsOf(response);
    const body = response.body.whole;
    if (texts === undefined || body === undefined) return undefined;
    const { a, b } = this.#hash.of(response.domainId, response.key);
    this.#dropHot(response.key);
    this.#replace(a, b, response);
    let size = body.length;
    for (const encoded of codings) size += encoded.bytes.length;
    const isInner = size <= this.#maxInnerBytes;
    const parts = [body, ...codings.map((encoded) => encoded.bytes)];
    const outside = isInner ? undefined : parts.map(ownBytes);
    const frame = {
      mark,
      bodyLength: body.length,
      pieces: [],
      siblings: [],
      codings: codings.map(({ coding, bytes }) => ({ coding, length: bytes.length })),
      location: { segment: 0, offset: 0 },
      data: { segment: 0, offset: 0 },
    };
    const length = headLength(texts, codings.length, 0, 0) + (isInner ? size : 0);
    const address = this.#log.append(a, b, length, outside, (block, at) => {
      let to = writeHead(block, at, response, texts, frame);
      for (const part of isInner ? parts : []) {
        block.set(part, to);
        to += part.length;
      }
    });
    return address < 0 ? undefined : new Variant(response, mark, codings);
  }

  /** Drops the variant that `put` would replace. */
  drop(response: StoredResponse): void {
    const { a, b } = this.#hash.of(response.domainId, response.key);
    this.#dropHot(response.key);
    this.#replace(a, b, response);
  }

  /** Removes the variants of a URL with a smaller mark. */
  remove(a: number, b: number, sequence: number): void {
    const log = this.#log;
    for (let address = log.find(a, b); address >= 0; ) {
      const next = log.next(address);
      const { head, frame } = readHead(log.blockOf(address), log.headAt(address));
      if (frame.mark < sequence) {
        this.#dropHot(head.key);
        log.drop(a, b, address);
        if (sequence < Number.POSITIVE_INFINITY) this.purged++;
      }
      address = next;
    }
  }

  /**
   * The most requested responses that a purge with this sequence removes. Call it before the sweep
   * frees them.
   */
  mostRequested(purge: CachePurge, sequence: number): PurgedResponse[] {
    const purged = new Purges();
    purged.add(purge, sequence);
    return this.#hot
      .mostRequested(
        MAX_PURGED,
        ({ response: { domainId, key, tags }, mark }) =>
          domainId === purge.domainId && purged.covers(domainId, key, tags, mark),
      )
      .map(({ response: { key, selecting } }) => ({ key, selecting }));
  }

  /** Attaches a value to a variant. The value is kept and counted while the URL is hot. */
  attach(variant: Variant, value: unknown, data: number): void {
    const growth = data - variant.attachedBytes;
    variant.attached = value;
    variant.attachedBytes = data;
    if (variant.isHot) this.#trackHotBytes(() => this.#hot.grow(variant.response.key, growth));
  }

  /** Prepares calls of `sweep`, which free purged entries in slices. */
  startSweep(): void {
    this.#log.startSweep();
  }

  /** False: the sweep is complete. */
  sweep(): boolean {
    return this.#log.sweep(SWEEP_ENTRIES);
  }

  /** Moves the limit by one step towards this share of the memory. */
  limitTo(share: number): void {
    this.#log.limitTo(share);
  }

  clear(): void {
    this.#log.clear();
  }

  #unpack(domainId: string, key: string): readonly Variant[] | undefined {
    const log = this.#log;
    const { a, b } = this.#hash.of(domainId, key);
    const first = log.find(a, b);
    if (first < 0 || !isHeadOf(log.blockOf(first), log.headAt(first), domainId, key)) return undefined;
    const variants: Variant[] = [];
    let hits = 0;
    for (let address = first; address >= 0; ) {
      const next = log.next(address);
      const variant = this.#variantAt(address);
      if (this.#isPurged(variant.response, variant.mark)) {
        this.#dropHot(key);
        log.drop(a, b, address);
        this.purged++;
      } else {
        hits = Math.max(hits, log.touch(address));
        variants.push(variant);
      }
      address = next;
    }
    if (variants.length === 0) return undefined;
    newestFirst(variants);
    this.wasPartial = log.isPartial(log.find(a, b));
    // A URL with three hits is likely to get more.
    if (hits < HOT_HITS || this.wasPartial || !this.#mayPromote()) return variants;
    return this.#promote(key, variants.map(withOwnBytes), a, b);
  }

  #mayPromote(): boolean {
    if (!this.#hot.isFull) return true;
    this.#skippedPromotions = (this.#skippedPromotions + 1) % PROMOTION_INTERVAL;
    return this.#skippedPromotions === 0;
  }

  #variantAt(address: number): Variant {
    const log = this.#log;
    const block = log.blockOf(address);
    const at = log.headAt(address);
    const { head, frame, length } = readHead(block, at);
    const outside = log.outsideOf(address);
    if (outside !== undefined) {
      const codings = frame.codings.map(({ coding }, i) => ({ coding, bytes: outside[i + 1] }));
      return new Variant(responseOf(head, new WholeBody(outside[0])), frame.mark, codings);
    }
    let from = at + length;
    // A copy: the block is reused after its entries are removed.
    const copyNext = (data: number): Uint8Array => {
      const copy = Buffer.allocUnsafe(data);
      block.copy(copy, 0, from, from + data);
      from += data;
      return copy;
    };
    const body = new WholeBody(copyNext(frame.bodyLength));
    const codings = frame.codings.map(({ coding, length: data }) => ({ coding, bytes: copyNext(data) }));
    return new Variant(responseOf(head, body), frame.mark, codings);
  }

  #promote(key: string, variants: readonly Variant[], a: number, b: number): readonly Variant[] {
    this.#log.pin(a, b, true);
    this.#trackHotBytes(() => {
      if (!this.#hot.add(key, variants, this.#purges.version)) this.#unpin(variants[0]);
    });
    return variants;
  }

  #demote(key: string): void {
    this.#trackHotBytes(() => this.#hot.drop(key));
  }

  #dropHot(key: string): void {
    const hot = this.#hot.get(key);
    if (hot === undefined) return;
    this.#demote(key);
    this.#unpin(hot.variants[0]);
  }

  #unpin(variant: Variant): void {
    const { a, b } = this.#hash.of(variant.response.domainId, variant.response.key);
    this.#log.pin(a, b, false);
  }

  /** Keeps the log's count of outside bytes correct when the hot set changes. */
  #trackHotBytes(change: () => void): void {
    const before = this.#hot.bytes;
    change();
    this.#log.addOutside(this.#hot.bytes - before);
  }

  #replace(a: number, b: number, { selecting }: StoredResponse): void {
    const log = this.#log;
    let others = 0;
    for (let address = log.find(a, b); address >= 0; ) {
      const next = log.next(address);
      const { head } = readHead(log.blockOf(address), log.headAt(address));
      if (others === MAX_VARIANTS - 1 || isSameSelecting(head.selecting, selecting)) log.drop(a, b, address);
      else others++;
      address = next;
    }
  }

  #isPurged({ domainId, key, tags }: StoredResponse, mark: number): boolean {
    return this.#purges.covers(domainId, key, tags, mark);
  }

  #isVoid(block: Buffer, at: number): boolean {
    if (this.#purges.version === 0) return false;
    const { head, frame } = readHead(block, at);
    return this.#purges.covers(head.domainId, head.key, head.tags, frame.mark);
  }
}

export function isSameSelecting(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, i) => text === right[i]);
}

/** A copy with its own bytes, which keeps no larger buffer alive. */
function withOwnBytes({ response, mark, codings }: Variant): Variant {
  const body = new WholeBody(ownBytes(response.body.whole!));
  const owned = codings.map(({ coding, bytes }) => ({ coding, bytes: ownBytes(bytes) }));
  return new Variant(responseOf(response, body), mark, owned);
}

/** Copies bytes that are a small part of a larger buffer, which they would keep alive. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length * 2 >= bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
