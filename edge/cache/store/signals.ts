/**
 * Messages to all threads: purges, removals, newer copies. They are in a ring buffer in shared
 * memory. Each thread reads new messages before a lookup; without any, that is an atomic load or
 * two. So an action applies to all threads when its call returns, without a message port.
 *
 *     words     0 lock   1 head (words written, modulo 2^32)
 *               2 broken (number of lock holders that died)   3 withheld memory
 *               4… sequence (64 bits)
 *               removed: sequence of the last removal, for 65,536 classes of URLs (64 bits each)
 *               ring of messages
 *     message   length in words · kind · sequence (2)
 *               then a and b of a URL's hash and the sender, or the bytes of a purge as JSON
 *
 * Each purge and removal increases the sequence. A `mark` is the sequence at the time of a request:
 * a smaller mark means an earlier request.
 */
import type { CachePurge } from './cache-store.ts';

const LOCK = 0;
const HEAD = 1;
const BROKEN = 2;
/** The share of the memory that the cache must not use, in units of 1/1024. */
const WITHHELD = 3;
const WHOLE = 1024;
const SEQUENCE = 2; // in units of 64 bits
const CLASSES = 65_536;
const REMOVED = 3; // in units of 64 bits
const RING_AT = (REMOVED + CLASSES) * 2; // in words
const RING_WORDS = 1 << 20; // words
/** A purge with more words is sent as a purge of the whole domain. */
const MAX_PURGE_WORDS = RING_WORDS / 8;
/** The lock is held for microseconds. After this time, its holder must have died. */
const DEAD_MS = 2000;

const PURGE = 1;
const REMOVAL = 2;
const REPLACED = 3;

/** Receives the messages for one thread. */
export interface Listener {
  onPurge(purge: CachePurge, sequence: number): void;
  /** The variants of a URL with a smaller mark are void. */
  onRemoval(a: number, b: number, sequence: number): void;
  /** Another thread wrote newer copies to the disk. */
  onReplaced(a: number, b: number): void;
  /** Messages were lost, possibly purges: everything with a smaller mark is void. */
  onLost(sequence: number): void;
}

/** `sequence`: greater than all earlier marks. */
export function shareSignals(sequence: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((RING_AT + RING_WORDS) * 4);
  new BigInt64Array(memory)[SEQUENCE] = BigInt(sequence);
  return memory;
}

export class Signals {
  readonly #words: Int32Array;
  readonly #longs: BigInt64Array;
  /** Identifies this thread, which ignores its own messages. */
  readonly #sender = Math.floor(Math.random() * 0x7fffffff);
  #cursor: number;
  #broken: number;

  /** Receives messages that are sent from now on. */
  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#longs = new BigInt64Array(memory);
    this.#broken = Atomics.load(this.#words, BROKEN);
    this.#cursor = Atomics.load(this.#words, HEAD);
  }

  /** The share of their memory that threads may use, from 0 to 1. */
  get memoryShare(): number {
    return 1 - Atomics.load(this.#words, WITHHELD) / WHOLE;
  }

  set memoryShare(share: number) {
    Atomics.store(this.#words, WITHHELD, Math.round((1 - share) * WHOLE));
  }

  mark(): number {
    return Number(Atomics.load(this.#longs, SEQUENCE));
  }

  /** The sequence of the last removal of a URL, or of a later one in its class. */
  removedAt(a: number): number {
    return Number(Atomics.load(this.#longs, REMOVED + (a & (CLASSES - 1))));
  }

  /** Returns the sequence of the purge. */
  purge(purge: CachePurge): number {
    let bytes = Buffer.from(JSON.stringify(purge));
    if (bytes.length > MAX_PURGE_WORDS * 4)
      bytes = Buffer.from(JSON.stringify({ domainId: purge.domainId, urls: [], prefixes: [], tags: [] }));
    const words = new Int32Array(1 + Math.ceil(bytes.length / 4));
    words[0] = bytes.length;
    new Uint8Array(words.buffer).set(bytes, 4);
    return this.#append(PURGE, words, -1);
  }

  remove(a: number, b: number): number {
    return this.#append(REMOVAL, [a, b, this.#sender], a & (CLASSES - 1));
  }

  replaced(a: number, b: number): void {
    this.#append(REPLACED, [a, b, this.#sender], -1);
  }

  #append(kind: number, payload: ArrayLike<number>, removedClass: number): number {
    const words = this.#words;
    this.#lock();
    const sequence = Number(Atomics.load(this.#longs, SEQUENCE)) + (kind === REPLACED ? 0 : 1);
    const head = words[HEAD] >>> 0;
    this.#setWord(head, payload.length + 4);
    this.#setWord(head + 1, kind);
    this.#setWord(head + 2, sequence % 2 ** 32);
    this.#setWord(head + 3, Math.floor(sequence / 2 ** 32));
    for (let i = 0; i < payload.length; i++) this.#setWord(head + 4 + i, payload[i]);
    // Stored before the sequence, so that no mark is new before the removal is visible.
    if (removedClass >= 0) Atomics.store(this.#longs, REMOVED + removedClass, BigInt(sequence));
    Atomics.store(words, HEAD, (head + payload.length + 4) | 0);
    if (kind !== REPLACED) Atomics.store(this.#longs, SEQUENCE, BigInt(sequence));
    Atomics.store(words, LOCK, 0);
    Atomics.notify(words, LOCK, 1);
    return sequence;
  }

  #setWord(at: number, word: number): void {
    this.#words[RING_AT + ((at >>> 0) & (RING_WORDS - 1))] = word;
  }

  #getWord(at: number): number {
    return this.#words[RING_AT + ((at >>> 0) & (RING_WORDS - 1))];
  }

  #lock(): void {
    const words = this.#words;
    const since = Date.now();
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) {
      Atomics.wait(words, LOCK, 1, 5);
      if (Math.abs(Date.now() - since) < DEAD_MS) continue;
      // A thread died while it wrote a message. The ring may be inconsistent, so all threads start
      // from an empty state.
      Atomics.add(words, BROKEN, 1);
      return;
    }
  }

  /** Reads new messages. Call it before any lookup. */
  poll(listener: Listener): void {
    const head = Atomics.load(this.#words, HEAD);
    if (head !== this.#cursor || Atomics.load(this.#words, BROKEN) !== this.#broken) this.#read(listener, head);
  }

  #read(listener: Listener, head: number): void {
    const broken = Atomics.load(this.#words, BROKEN);
    let isLost = broken !== this.#broken;
    this.#broken = broken;
    while (!isLost && this.#cursor !== head) {
      const at = this.#cursor;
      const length = this.#getWord(at);
      const kind = this.#getWord(at + 1);
      const sequence = (this.#getWord(at + 2) >>> 0) + this.#getWord(at + 3) * 2 ** 32;
      const a = this.#getWord(at + 4) >>> 0;
      const b = this.#getWord(at + 5) >>> 0;
      const sender = this.#getWord(at + 6);
      const purge =
        kind === PURGE && length > 4 && length <= MAX_PURGE_WORDS + 8 ? this.#readBytes(at + 5, a) : undefined;
      // The message is intact if the ring has not wrapped around to it. The margin covers a message
      // that is being written.
      const lag = (Atomics.load(this.#words, HEAD) - at) >>> 0;
      isLost = lag > RING_WORDS - MAX_PURGE_WORDS - 8 || length < 4;
      if (isLost) break;
      this.#cursor = (at + length) | 0;
      if (purge !== undefined) listener.onPurge(JSON.parse(purge.toString()) as CachePurge, sequence);
      else if (kind === REMOVAL) listener.onRemoval(a, b, sequence);
      else if (kind === REPLACED && sender !== this.#sender) listener.onReplaced(a, b);
    }
    if (!isLost) return;
    this.#cursor = head;
    listener.onLost(this.mark());
  }

  #readBytes(at: number, length: number): Buffer {
    const words = new Int32Array(Math.ceil(Math.min(length, MAX_PURGE_WORDS * 4) / 4));
    for (let i = 0; i < words.length; i++) words[i] = this.#getWord(at + i);
    return Buffer.from(words.buffer, 0, Math.min(length, words.length * 4));
  }
}
