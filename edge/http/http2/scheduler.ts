/**
 * Selects the stream that sends the next DATA frame (RFC 9218 section 10): the most urgent first.
 * Streams of equal urgency take turns frame by frame, so a large body does not delay small ones.
 * Non-incremental streams are sent one after the other. The lists are linked through the streams.
 */

/** 0 is served before 7 (section 4.1). */
const DEFAULT_URGENCY = 3;

const URGENCY = /(?:^|,)[ \t]*u=([0-7])[ \t]*(?:[,;]|$)/;
const INCREMENTAL = /(?:^|,)[ \t]*i(?:=\?1)?[ \t]*(?:[,;]|$)/;

export interface Schedulable {
  /** 0 to 7. */
  urgency: number;
  /** Sent completely before other streams of its urgency. */
  isSequential: boolean;
  /** The stream is in a list. */
  isScheduled: boolean;
  nextScheduled: Schedulable | null;
}

const URGENCIES = 8;

export class Scheduler<T extends Schedulable> {
  readonly #heads: (T | null)[] = new Array<T | null>(URGENCIES).fill(null);
  readonly #tails: (T | null)[] = new Array<T | null>(URGENCIES).fill(null);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Adds a stream that has DATA to send, unless it is already in a list. */
  add(stream: T): void {
    if (stream.isScheduled) return;
    stream.isScheduled = true;
    stream.nextScheduled = null;
    const { urgency } = stream;
    const tail = this.#tails[urgency];
    if (tail === null) this.#heads[urgency] = stream;
    else tail.nextScheduled = stream;
    this.#tails[urgency] = stream;
    this.#count++;
  }

  /** Adds a stream that has sent a frame and has more to send. */
  again(stream: T): void {
    const { urgency } = stream;
    if (!stream.isSequential || this.#heads[urgency] === null) {
      this.add(stream);
      return;
    }
    stream.isScheduled = true;
    stream.nextScheduled = this.#heads[urgency];
    this.#heads[urgency] = stream;
    this.#count++;
  }

  /** Removes and returns the next stream; null: none. */
  take(): T | null {
    if (this.#count === 0) return null;
    for (let urgency = 0; urgency < URGENCIES; urgency++) {
      const head = this.#heads[urgency];
      if (head === null) continue;
      this.#unlink(urgency, null, head);
      return head;
    }
    return null;
  }

  /** Removes a stream, if it is in a list. */
  remove(stream: T): void {
    if (!stream.isScheduled) return;
    // Searches all lists, since the urgency may have changed meanwhile.
    for (let urgency = 0; urgency < URGENCIES; urgency++) {
      let previous: T | null = null;
      for (let entry = this.#heads[urgency]; entry !== null; entry = entry.nextScheduled as T | null) {
        if (entry === stream) {
          this.#unlink(urgency, previous, stream);
          return;
        }
        previous = entry;
      }
    }
  }

  /** `previous`: the stream before it in the list; null at the head. */
  #unlink(urgency: number, previous: T | null, stream: T): void {
    const next = stream.nextScheduled as T | null;
    if (previous === null) this.#heads[urgency] = next;
    else previous.nextScheduled = next;
    if (next === null) this.#tails[urgency] = previous;
    stream.isScheduled = false;
    stream.nextScheduled = null;
    this.#count--;
  }
}

/**
 * Priorities of clients (RFC 9218 section 4), from the `priority` field or a PRIORITY_UPDATE frame.
 * DEFAULT_URGENCY if the value has no urgency or an invalid one.
 */
export function urgencyOf(value: string): number {
  const parts = URGENCY.exec(value);
  return parts === null ? DEFAULT_URGENCY : Number(parts[1]);
}

/** Whether the client can use parts of the response before it is complete (section 4.2). */
export const isIncremental = (value: string): boolean => INCREMENTAL.test(value);

/** The stream dependency of a priority by RFC 7540 section 5.3.1. */
export const dependsOn = (bytes: Buffer, start: number): number => bytes.readUInt32BE(start) & 0x7fffffff;
