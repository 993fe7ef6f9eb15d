/** The memory of a thread: entries packed (memory-log.ts), the hot ones as objects, too (hot-set.ts), which are always among the packed. */
import type { StoredResponse } from '../stored-response.ts';
import { type EncodedCoding, headLength, isOf, MAX_VARIANTS, readHead, textsOf, writeHead } from './entry.ts';
import { HotSet } from './hot-set.ts';
import type { KeyHash } from './key-hash.ts';
import { MemoryLog } from './memory-log.ts';
import type { Purges } from './purges.ts';
import { newestFirst, responseOf, Variant, WholeBody } from './variant.ts';

/** Bodies up to here are behind their heads, and are copied for each hit that is not hot. */
const INNER = 16 * 1024;

/** Times that a URL was asked for before it is hot. */
const HEAT = 2;

/**
 * Once there is no room, one in so many becomes hot: what is asked for again and again gets there all the same. Where more is asked for than is hot, each becoming hot for the next
 * to take its place would cost thrice what a hit costs (13 µs where it is 4, at 200,000 URLs in turn).
 */
const SELDOM = 16;

/** Entries of a sweep's slice: about a millisecond. */
const SLICE = 500;

export class Memory {
  evicted = 0;
  purged = 0;
  /** Of the last lookup: others of the URL may lie on the disk. */
  wasPartial = false;
  readonly limit: number;
  readonly #log: MemoryLog;
  readonly #hot: HotSet;
  readonly #hash: KeyHash;
  readonly #purges: Purges;
  readonly #inner: number;
  #passedOver = 0;

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
      onUnpin: (block, at) => this.#unheat(readHead(block, at).head.key),
    });
    this.#hot = new HotSet(Math.floor(limit / 4), (variants) => this.#unpin(variants[0]));
    this.#inner = Math.min(INNER, this.#log.blockBytes / 8);
  }

  get count(): number {
    return this.#log.count;
  }

  get bytes(): number {
    return this.#log.bytes;
  }

  /** The newest first; undefined: none are here. Not for longer than this turn of the loop. */
  lookup(domainId: string, key: string): readonly Variant[] | undefined {
    const hot = this.#hot.get(key);
    this.wasPartial = false;
    if (hot !== undefined && hot.variants[0].response.domainId === domainId) {
      if (hot.version === this.#purges.version) return hot.variants;
      if (hot.variants.every((one) => !this.#isPurged(one.response, one.mark))) {
        hot.version = this.#purges.version;
        return hot.variants;
      }
    }
    return this.#unpack(domainId, key);
  }

  /** Whether others of the URL may lie on the disk. */
  isPartial(domainId: string, key: string): boolean {
    const { a, b } = this.#hash.of(domainId, key);
    const place = this.#log.find(a, b);
    return place < 0 || this.#log.isPartial(place);
  }

  setPartial(domainId: string, key: string, isPartial: boolean): void {
    const { a, b } = this.#hash.of(domainId, key);
    this.#log.setPartial(a, b, isPartial);
    if (isPartial) this.#dropHot(key);
  }

  /** In place of the one with the same `selecting`. */
  put(response: StoredResponse, mark: number, codings: readonly EncodedCoding[]): Variant | undefined {
    const texts = textsOf(response);
    const body = response.body.whole;
    if (texts === undefined || body === undefined) return undefined;
    const { a, b } = this.#hash.of(response.domainId, response.key);
    this.#dropHot(response.key);
    this.#replace(a, b, response);
    let size = body.length;
    for (const one of codings) size += one.bytes.length;
    const isInner = size <= this.#inner;
    const parts = [body, ...codings.map((one) => one.bytes)];
    const outside = isInner ? undefined : parts.map(own);
    const frame = {
      ...{ mark, bodyLength: body.length, pieces: [], siblings: [] },
      codings: codings.map(({ coding, bytes }) => ({ coding, length: bytes.length })),
      place: { segment: 0, offset: 0 },
      data: { segment: 0, offset: 0 },
    };
    const length = headLength(texts, codings.length, 0, 0) + (isInner ? size : 0);
    const place = this.#log.append(a, b, length, outside, (block, at) => {
      let to = writeHead(block, at, response, texts, frame);
      for (const part of isInner ? parts : []) {
        block.set(part, to);
        to += part.length;
      }
    });
    return place < 0 ? undefined : new Variant(response, mark, codings);
  }

  /** What `put` would replace. */
  drop(response: StoredResponse): void {
    const { a, b } = this.#hash.of(response.domainId, response.key);
    this.#dropHot(response.key);
    this.#replace(a, b, response);
  }

  /** All of a URL with a smaller mark. */
  remove(a: number, b: number, sequence: number): void {
    const log = this.#log;
    for (let place = log.find(a, b); place >= 0; ) {
      const next = log.next(place);
      const { head, frame } = readHead(log.blockOf(place), log.headAt(place));
      if (frame.mark < sequence) {
        this.#dropHot(head.key);
        log.drop(a, b, place);
        if (sequence < Number.POSITIVE_INFINITY) this.purged++;
      }
      place = next;
    }
  }

  /** Leaves something with a variant. It stays with the URL while that is hot; it is counted then. */
  attach(variant: Variant, value: unknown, data: number): void {
    const more = data - variant.attachedBytes;
    variant.attached = value;
    variant.attachedBytes = data;
    if (variant.isHot) this.#count(() => this.#hot.grow(variant.response.key, more));
  }

  /** From here on `sweep` frees what is purged, a slice at a time; false when it is done. */
  startSweep(): void {
    this.#log.startSweep();
  }

  sweep(): boolean {
    return this.#log.sweep(SLICE);
  }

  clear(): void {
    this.#log.clear();
  }

  #unpack(domainId: string, key: string): readonly Variant[] | undefined {
    const log = this.#log;
    const { a, b } = this.#hash.of(domainId, key);
    const first = log.find(a, b);
    if (first < 0 || !isOf(log.blockOf(first), log.headAt(first), domainId, key)) return undefined;
    const variants: Variant[] = [];
    let asked = 0;
    for (let place = first; place >= 0; ) {
      const next = log.next(place);
      const variant = this.#variantAt(place);
      if (this.#isPurged(variant.response, variant.mark)) {
        this.#dropHot(key);
        log.drop(a, b, place);
        this.purged++;
      } else {
        asked = Math.max(asked, log.touch(place));
        variants.push(variant);
      }
      place = next;
    }
    if (variants.length === 0) return undefined;
    newestFirst(variants);
    this.wasPartial = log.isPartial(log.find(a, b));
    // The third time: it may well be asked for again and again.
    if (asked < HEAT || this.wasPartial || !this.#mayHeat()) return variants;
    return this.#heat(key, variants.map(alone), a, b);
  }

  #mayHeat(): boolean {
    if (!this.#hot.isFull) return true;
    this.#passedOver = (this.#passedOver + 1) % SELDOM;
    return this.#passedOver === 0;
  }

  #variantAt(place: number): Variant {
    const log = this.#log;
    const block = log.blockOf(place);
    const at = log.headAt(place);
    const { head, frame, length } = readHead(block, at);
    const outside = log.outsideOf(place);
    if (outside !== undefined) {
      const codings = frame.codings.map(({ coding }, i) => ({ coding, bytes: outside[i + 1] }));
      return new Variant(responseOf(head, new WholeBody(outside[0])), frame.mark, codings);
    }
    let from = at + length;
    // The block is used again when its entries have left it.
    const take = (data: number): Uint8Array => {
      const copy = Buffer.allocUnsafe(data);
      block.copy(copy, 0, from, from + data);
      from += data;
      return copy;
    };
    const body = new WholeBody(take(frame.bodyLength));
    const codings = frame.codings.map(({ coding, length: data }) => ({ coding, bytes: take(data) }));
    return new Variant(responseOf(head, body), frame.mark, codings);
  }

  #heat(key: string, variants: readonly Variant[], a: number, b: number): readonly Variant[] {
    this.#log.pin(a, b, true);
    this.#count(() => {
      if (!this.#hot.add(key, variants, this.#purges.version)) this.#unpin(variants[0]);
    });
    return variants;
  }

  #unheat(key: string): void {
    this.#count(() => this.#hot.drop(key));
  }

  #dropHot(key: string): void {
    const hot = this.#hot.get(key);
    if (hot === undefined) return;
    this.#unheat(key);
    this.#unpin(hot.variants[0]);
  }

  #unpin(one: Variant): void {
    const { a, b } = this.#hash.of(one.response.domainId, one.response.key);
    this.#log.pin(a, b, false);
  }

  /** What changes the hot set changes what is held in all. */
  #count(change: () => void): void {
    const before = this.#hot.bytes;
    change();
    this.#log.addOutside(this.#hot.bytes - before);
  }

  #replace(a: number, b: number, { selecting }: StoredResponse): void {
    const log = this.#log;
    let kept = 0;
    for (let place = log.find(a, b); place >= 0; ) {
      const next = log.next(place);
      const { head } = readHead(log.blockOf(place), log.headAt(place));
      if (kept === MAX_VARIANTS - 1 || isSame(head.selecting, selecting)) log.drop(a, b, place);
      else kept++;
      place = next;
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

export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

/** With bytes of its own, so that it keeps no pool of others alive. */
function alone({ response, mark, codings }: Variant): Variant {
  const body = new WholeBody(own(response.body.whole!));
  const owned = codings.map(({ coding, bytes }) => ({ coding, bytes: own(bytes) }));
  return new Variant(responseOf(response, body), mark, owned);
}

/** A part of something larger would keep all of that alive. */
function own(bytes: Uint8Array): Uint8Array {
  if (bytes.length * 2 >= bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
