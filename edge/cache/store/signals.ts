/**
 * What all threads have to hear at once: purges, removals, newer copies. They stand in a ring in shared memory; each thread reads on from where it was whenever
 * it looks something up (one atomic load when there is nothing), so that a call that has returned holds for all, and no message has to come first.
 *
 *     words   0 lock   1 head (words written, modulo 2^32)   2 broken (times that a holder of the lock died)   4… sequence (64 bits)
 *             removed: for 65,536 classes of URLs the sequence of the last removal (64 bits each) · ring of messages
 *     message   length in words · kind · sequence (2) · then a and b of a URL's hash and who says it, or the bytes of a purge as JSON
 *
 * The sequence goes up by each purge and removal. A `mark` is the sequence at the time of a request: who has a smaller one came before.
 */
import type { CachePurge } from './cache-store.ts';

const LOCK = 0;
const HEAD = 1;
const BROKEN = 2;
const SEQUENCE = 2; // in units of 64 bits
const CLASSES = 65_536;
const REMOVED = 3; // in units of 64 bits
const RING_AT = (REMOVED + CLASSES) * 2; // in words
const RING = 1 << 20; // words
/** A purge with more is told as one of the whole domain. */
const LONGEST = RING / 8;
/** The lock is held for microseconds: who has it for so long is dead. */
const DEAD_MS = 2000;

const PURGE = 1;
const REMOVAL = 2;
const REPLACED = 3;

/** Whom a thread tells what it has heard. */
export interface Listener {
  onPurge(purge: CachePurge, sequence: number): void;
  /** All that is kept of a URL with a smaller mark is void. */
  onRemoval(a: number, b: number, sequence: number): void;
  /** Another thread has newer copies on the disk. */
  onReplaced(a: number, b: number): void;
  /** Too much was missed, purges perhaps among it: all that has a smaller mark is void. */
  onLost(sequence: number): void;
}

/** `sequence`: greater than all marks that were ever given. */
export function shareSignals(sequence: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((RING_AT + RING) * 4);
  new BigInt64Array(memory)[SEQUENCE] = BigInt(sequence);
  return memory;
}

export class Signals {
  readonly #words: Int32Array;
  readonly #longs: BigInt64Array;
  /** Who says it, so that nobody heeds their own. */
  readonly #me = Math.floor(Math.random() * 0x7fffffff);
  #cursor: number;
  #broken: number;

  /** Hears what is said from here on. */
  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#longs = new BigInt64Array(memory);
    this.#broken = Atomics.load(this.#words, BROKEN);
    this.#cursor = Atomics.load(this.#words, HEAD);
  }

  mark(): number {
    return Number(Atomics.load(this.#longs, SEQUENCE));
  }

  /** When a URL was removed last: at this sequence, or, since others share its class, before. */
  removedAt(a: number): number {
    return Number(Atomics.load(this.#longs, REMOVED + (a & (CLASSES - 1))));
  }

  /** Returns its sequence. */
  purge(purge: CachePurge): number {
    let bytes = Buffer.from(JSON.stringify(purge));
    if (bytes.length > LONGEST * 4)
      bytes = Buffer.from(JSON.stringify({ domainId: purge.domainId, urls: [], prefixes: [], tags: [] }));
    const words = new Int32Array(1 + Math.ceil(bytes.length / 4));
    words[0] = bytes.length;
    new Uint8Array(words.buffer).set(bytes, 4);
    return this.#say(PURGE, words, -1);
  }

  remove(a: number, b: number): number {
    return this.#say(REMOVAL, [a, b, this.#me], a & (CLASSES - 1));
  }

  replaced(a: number, b: number): void {
    this.#say(REPLACED, [a, b, this.#me], -1);
  }

  #say(kind: number, payload: ArrayLike<number>, removed: number): number {
    const words = this.#words;
    this.#lock();
    const sequence = Number(Atomics.load(this.#longs, SEQUENCE)) + (kind === REPLACED ? 0 : 1);
    const head = words[HEAD] >>> 0;
    this.#put(head, payload.length + 4);
    this.#put(head + 1, kind);
    this.#put(head + 2, sequence % 2 ** 32);
    this.#put(head + 3, Math.floor(sequence / 2 ** 32));
    for (let i = 0; i < payload.length; i++) this.#put(head + 4 + i, payload[i]);
    // Said before it counts: whoever has the new sequence as a mark came after it in any case.
    if (removed >= 0) Atomics.store(this.#longs, REMOVED + removed, BigInt(sequence));
    Atomics.store(words, HEAD, (head + payload.length + 4) | 0);
    if (kind !== REPLACED) Atomics.store(this.#longs, SEQUENCE, BigInt(sequence));
    Atomics.store(words, LOCK, 0);
    Atomics.notify(words, LOCK, 1);
    return sequence;
  }

  #put(at: number, word: number): void {
    this.#words[RING_AT + ((at >>> 0) & (RING - 1))] = word;
  }

  #get(at: number): number {
    return this.#words[RING_AT + ((at >>> 0) & (RING - 1))];
  }

  #lock(): void {
    const words = this.#words;
    const since = Date.now();
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) {
      Atomics.wait(words, LOCK, 1, 5);
      if (Math.abs(Date.now() - since) < DEAD_MS) continue;
      // A thread was ended in the middle: what it said is not whole, and everybody has to start anew.
      Atomics.add(words, BROKEN, 1);
      return;
    }
  }

  /** To be called before anything is looked up. */
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
      const length = this.#get(at);
      const kind = this.#get(at + 1);
      const sequence = (this.#get(at + 2) >>> 0) + this.#get(at + 3) * 2 ** 32;
      const a = this.#get(at + 4) >>> 0;
      const b = this.#get(at + 5) >>> 0;
      const sender = this.#get(at + 6);
      const purge = kind === PURGE && length > 4 && length <= LONGEST + 8 ? this.#bytes(at + 5, a) : undefined;
      // What has been read is whole if the ring has not come around to it meanwhile, with room for the message that is being written.
      const lag = (Atomics.load(this.#words, HEAD) - at) >>> 0;
      isLost = lag > RING - LONGEST - 8 || length < 4;
      if (isLost) break;
      this.#cursor = (at + length) | 0;
      if (purge !== undefined) listener.onPurge(JSON.parse(purge.toString()) as CachePurge, sequence);
      else if (kind === REMOVAL) listener.onRemoval(a, b, sequence);
      else if (kind === REPLACED && sender !== this.#me) listener.onReplaced(a, b);
    }
    if (!isLost) return;
    this.#cursor = head;
    listener.onLost(this.mark());
  }

  #bytes(at: number, length: number): Buffer {
    const words = new Int32Array(Math.ceil(Math.min(length, LONGEST * 4) / 4));
    for (let i = 0; i < words.length; i++) words[i] = this.#get(at + i);
    return Buffer.from(words.buffer, 0, Math.min(length, words.length * 4));
  }
}
