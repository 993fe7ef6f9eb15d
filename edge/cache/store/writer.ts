/**
 * Stores a body that arrives in parts. A small body is collected in memory; a large body is written
 * to a separate file as it arrives.
 */
import { Parts } from '../../http/exchange/parts.ts';
import type { StoredBody } from '../stored-response.ts';
import type { CacheWriter, OnStored } from './cache-store.ts';
import type { Disk } from './disk.ts';
import type { LargeFile } from './large-file.ts';
import { WholeBody } from './variant.ts';

/** Maximum bytes of a thread's collected bodies. Further bodies are not stored. */
const MAX_COLLECTED_BYTES = 64 * 1024 * 1024;

/** Collected bytes of all writers of a thread. */
export interface CollectBudget {
  bytes: number;
}

interface BodyWriterOptions {
  /** A longer body is not stored. */
  readonly maxBytes: number;
  /** From content-length. */
  readonly length: number | undefined;
  readonly disk: Disk | undefined;
  readonly budget: CollectBudget;
  put(body: StoredBody, onStored: OnStored | undefined): void;
  /** Called when the file has the whole body. */
  finish(file: LargeFile, onStored: OnStored | undefined): void;
}

export class BodyWriter implements CacheWriter {
  readonly #options: BodyWriterOptions;
  readonly #parts = new Parts();
  #length = 0;
  #file: LargeFile | undefined;
  #hasEnded = false;

  constructor(options: BodyWriterOptions) {
    this.#options = options;
    const { disk, length } = options;
    if (disk !== undefined && (length ?? 0) > disk.largeBytes) this.#file = disk.open(length);
  }

  push(part: Uint8Array): boolean {
    if (this.#hasEnded) return false;
    const { maxBytes, disk, budget } = this.#options;
    this.#length += part.length;
    if (this.#length > maxBytes) return this.#reject();
    if (this.#file !== undefined) return this.#file.push(part) || this.#reject();
    this.#parts.push(part);
    budget.bytes += part.length;
    if (disk !== undefined && this.#length > disk.largeBytes) return this.#moveToFile(disk);
    return budget.bytes <= MAX_COLLECTED_BYTES || this.#reject();
  }

  end(onStored?: OnStored): void {
    const { length, put, finish } = this.#options;
    if (this.#hasEnded || (length !== undefined && length !== this.#length)) {
      this.abort();
      onStored?.(false);
      return;
    }
    this.#hasEnded = true;
    if (this.#file !== undefined) {
      finish(this.#file, onStored);
      return;
    }
    const parts = this.#release();
    put(new WholeBody(parts.length === 1 ? parts[0] : Buffer.concat(parts)), onStored);
  }

  abort(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#release();
    this.#file?.abort();
  }

  #moveToFile(disk: Disk): boolean {
    this.#file = disk.open(this.#options.length);
    for (const part of this.#release()) if (!this.#file.push(part)) return this.#reject();
    return true;
  }

  #reject(): false {
    this.abort();
    return false;
  }

  #release(): Uint8Array[] {
    const parts = this.#parts.take();
    for (const part of parts) this.#options.budget.bytes -= part.length;
    return parts;
  }
}
