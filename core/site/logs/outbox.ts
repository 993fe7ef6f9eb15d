/**
 * The queued lines of one domain on this node. The log deliverer limits the memory of all outboxes.
 * Dropped lines are counted.
 */

import { randomUUID } from 'node:crypto';

/** Complete lines of JSON from an edge thread. */
interface Chunk {
  readonly text: Buffer;
  readonly lines: number;
  /** Time of arrival in seconds since 1970. */
  readonly at: number;
}

/** Lines that are sent together, and retried together. */
export interface Batch {
  /** The same for all attempts. */
  readonly id: string;
  readonly text: Buffer;
  readonly lines: number;
  /** Time of arrival of the first lines in seconds since 1970. */
  readonly at: number;
}

export interface OutboxState {
  readonly delivered_lines: number;
  readonly delivered_batches: number;
  /** Lines dropped because they expired, exceeded a limit, or were rejected by the receiver. */
  readonly dropped_lines: number;
  readonly waiting_lines: number;
  /** Seconds since 1970; null: never. */
  readonly last_delivered_at: number | null;
  readonly last_error_at: number | null;
  /** The error of the last attempt. Null: it succeeded, or there was none. */
  readonly last_error: string | null;
  readonly failures: number;
}

export class Outbox {
  readonly #chunks: Chunk[] = [];
  #chunkBytes = 0;
  /** The batch in flight, or the batch that waits for its retry. */
  #batch: Batch | null = null;
  isSending = false;
  /** Consecutive failed attempts. */
  failures = 0;
  /** Time of the next attempt in seconds since 1970. */
  nextAt = 0;
  #deliveredLines = 0;
  #deliveredBatches = 0;
  #droppedLines = 0;
  #lastDeliveredAt: number | null = null;
  #lastErrorAt: number | null = null;
  #lastError: string | null = null;
  /** Dropped lines that delivered batches have reported. */
  #reportedLines = 0;

  /** Bytes of all queued lines. */
  get bytes(): number {
    return this.#chunkBytes + (this.#batch?.text.length ?? 0);
  }

  get isEmpty(): boolean {
    return this.#batch === null && this.#chunks.length === 0;
  }

  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** Dropped lines that no delivered batch has reported. */
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

  /** Counts lines that were dropped before they arrived here. */
  countDropped(lines: number): void {
    this.#droppedLines += lines;
  }

  /** Drops the oldest lines outside the batch. False: there are none. */
  dropOldest(): boolean {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return false;
    this.#chunkBytes -= chunk.text.length;
    this.#droppedLines += chunk.lines;
    return true;
  }

  /** Drops lines that arrived before `time`. A batch in flight is kept. */
  dropBefore(time: number): void {
    if (this.#batch !== null && !this.isSending && this.#batch.at < time) this.#dropBatch();
    while (this.#chunks.length > 0 && this.#chunks[0].at < time) this.dropOldest();
  }

  /**
   * Deletes all lines except a batch in flight, since logs are off. They do not count as dropped.
   */
  clear(): void {
    this.#chunks.length = 0;
    this.#chunkBytes = 0;
    if (!this.isSending) this.#batch = null;
  }

  /**
   * The batch to send now; null: none is due. `maxBytes`: maximum size of a batch with several
   * chunks. `dueBefore`: a small batch is due if its first lines arrived before this time.
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

  /** `reported`: the number of dropped lines in the report of the batch. */
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

  /** `isFinal`: the batch is dropped, not retried. */
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
