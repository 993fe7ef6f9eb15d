/**
 * Lines of one domain that wait on this node. Its memory is limited by the owner of all outboxes.
 * What is dropped is counted.
 */

import { randomUUID } from 'node:crypto';

/** Complete lines of JSON, as an edge thread has sent them. */
interface Chunk {
  readonly text: Buffer;
  readonly lines: number;
  /** Seconds since 1970, of its arrival. */
  readonly at: number;
}

/** Lines that are delivered together, and again after a failure. */
export interface Batch {
  /** The same for all attempts. */
  readonly id: string;
  readonly text: Buffer;
  readonly lines: number;
  /** Seconds since 1970, of the arrival of its first lines. */
  readonly at: number;
}

export interface OutboxState {
  readonly delivered_lines: number;
  readonly delivered_batches: number;
  /** Lines that were dropped because they waited too long, were too many, or were refused. */
  readonly dropped_lines: number;
  readonly waiting_lines: number;
  /** Seconds since 1970; null: never. */
  readonly last_delivered_at: number | null;
  readonly last_error_at: number | null;
  /** Of the last failed attempt. Null: the last one succeeded, or there was none. */
  readonly last_error: string | null;
  readonly failures: number;
}

export class Outbox {
  readonly #chunks: Chunk[] = [];
  #chunkBytes = 0;
  /** The batch that is sent, or that waits for its next attempt. */
  #batch: Batch | null = null;
  isSending = false;
  /** Failed attempts in a row. */
  failures = 0;
  /** Seconds since 1970, of the next attempt. */
  nextAt = 0;
  #deliveredLines = 0;
  #deliveredBatches = 0;
  #droppedLines = 0;
  #lastDeliveredAt: number | null = null;
  #lastErrorAt: number | null = null;
  #lastError: string | null = null;
  /** Lines that were dropped before the last delivered batch. */
  #reportedLines = 0;

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#chunkBytes + (this.#batch?.text.length ?? 0);
  }

  get isEmpty(): boolean {
    return this.#batch === null && this.#chunks.length === 0;
  }

  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** Lines that were dropped since the last delivered batch. */
  get unreportedLines(): number {
    return this.#droppedLines - this.#reportedLines;
  }

  get state(): OutboxState {
    return {
      delivered_lines: this.#deliveredLines,
      delivered_batches: this.#deliveredBatches,
      dropped_lines: this.#droppedLines,
      waiting_lines: this.#chunks.reduce((sum, { lines }) => sum + lines, this.#batch?.lines ?? 0),
      last_delivered_at: this.#lastDeliveredAt,
      last_error_at: this.#lastErrorAt,
      last_error: this.#lastError,
      failures: this.failures,
    };
  }

  add(text: Buffer, lines: number, at: number): void {
    this.#chunks.push({ text, lines, at });
    this.#chunkBytes += text.length;
  }

  /** Lines that were dropped elsewhere. */
  countDropped(lines: number): void {
    this.#droppedLines += lines;
  }

  /** Drops the oldest lines that are not in a batch. False: there are none. */
  dropOldest(): boolean {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return false;
    this.#chunkBytes -= chunk.text.length;
    this.#droppedLines += chunk.lines;
    return true;
  }

  /** Drops what arrived before a time. A batch that is being sent stays. */
  dropBefore(time: number): void {
    if (this.#batch !== null && !this.isSending && this.#batch.at < time) this.#dropBatch();
    while (this.#chunks.length > 0 && this.#chunks[0].at < time) this.dropOldest();
  }

  /** Forgets all lines without counting them: nobody wants them any more. */
  clear(): void {
    this.#chunks.length = 0;
    this.#chunkBytes = 0;
    if (!this.isSending) this.#batch = null;
  }

  /**
   * The batch to send now; null: none is due. `maxBytes`: of a batch, unless its first lines have
   * more. `dueBefore`: batches whose first lines arrived before that time are due although they are
   * small.
   */
  nextBatch(now: number, maxBytes: number, dueBefore: number): Batch | null {
    if (this.isSending || now < this.nextAt) return null;
    if (this.#batch !== null) return this.#batch;
    if (this.#chunks.length === 0) return null;
    if (this.#chunkBytes < maxBytes && this.#chunks[0].at > dueBefore) return null;
    const taken: Chunk[] = [];
    let bytes = 0;
    for (const chunk of this.#chunks) {
      if (taken.length > 0 && bytes + chunk.text.length > maxBytes) break;
      taken.push(chunk);
      bytes += chunk.text.length;
    }
    this.#chunks.splice(0, taken.length);
    this.#chunkBytes -= bytes;
    this.#batch = {
      id: randomUUID(),
      text: Buffer.concat(taken.map(({ text }) => text)),
      lines: taken.reduce((sum, { lines }) => sum + lines, 0),
      at: taken[0].at,
    };
    return this.#batch;
  }

  /** `reported`: the number of dropped lines that the batch has reported to the receiver. */
  noteDelivered(now: number, reported: number): void {
    this.#deliveredLines += this.#batch?.lines ?? 0;
    this.#deliveredBatches++;
    this.#reportedLines += reported;
    this.#batch = null;
    this.#lastDeliveredAt = now;
    this.#lastError = null;
    this.failures = 0;
    this.nextAt = 0;
  }

  /** `isFinal`: the receiver would never accept the batch. */
  noteFailed(now: number, error: string, isFinal: boolean, nextAt: number): void {
    this.failures++;
    this.nextAt = nextAt;
    this.#lastError = error;
    this.#lastErrorAt = now;
    if (isFinal) this.#dropBatch();
  }

  #dropBatch(): void {
    this.#droppedLines += this.#batch?.lines ?? 0;
    this.#batch = null;
  }
}
