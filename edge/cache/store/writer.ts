/** A body that comes in parts, on its way into the store: collected while it may be small, else written to a file of its own as it comes. */
import { Parts } from '../../http/exchange/parts.ts';
import type { StoredBody } from '../stored-response.ts';
import type { CacheWriter, StoredVariant } from './cache-store.ts';
import type { Disk } from './disk.ts';
import type { LargeFile } from './large-file.ts';
import { WholeBody } from './variant.ts';

/** Bytes of all bodies of a thread that are being collected; beyond it no more are. */
const MOST_COLLECTED = 64 * 1024 * 1024;

/** What the writers of a thread have collected. */
export interface Room {
  bytes: number;
}

export interface BodyWriterOptions {
  /** Bytes; more is not kept. */
  readonly largest: number;
  /** What content-length said. */
  readonly length: number | undefined;
  readonly disk: Disk | undefined;
  readonly room: Room;
  put(body: StoredBody): StoredVariant | undefined;
  /** All is in the file. */
  finish(file: LargeFile): void;
}

export class BodyWriter implements CacheWriter {
  readonly #options: BodyWriterOptions;
  readonly #parts = new Parts();
  #length = 0;
  #file: LargeFile | undefined;
  #isOver = false;

  constructor(options: BodyWriterOptions) {
    this.#options = options;
    const { disk, length } = options;
    if (disk !== undefined && (length ?? 0) > disk.largeBytes) this.#file = disk.open(length);
  }

  push(part: Uint8Array): boolean {
    if (this.#isOver) return false;
    const { largest, disk, room } = this.#options;
    this.#length += part.length;
    if (this.#length > largest) return this.#giveUp();
    if (this.#file !== undefined) return this.#file.push(part) || this.#giveUp();
    this.#parts.push(part);
    room.bytes += part.length;
    if (disk !== undefined && this.#length > disk.largeBytes) return this.#spill(disk);
    return room.bytes <= MOST_COLLECTED || this.#giveUp();
  }

  end(): StoredVariant | undefined {
    const { length, put, finish } = this.#options;
    if (this.#isOver) return undefined;
    if (length !== undefined && length !== this.#length) {
      this.abort();
      return undefined;
    }
    this.#isOver = true;
    if (this.#file !== undefined) {
      finish(this.#file);
      return undefined;
    }
    const parts = this.#release();
    return put(new WholeBody(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
  }

  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#file?.abort();
  }

  #spill(disk: Disk): boolean {
    this.#file = disk.open(this.#options.length);
    for (const part of this.#release()) if (!this.#file.push(part)) return this.#giveUp();
    return true;
  }

  #giveUp(): false {
    this.abort();
    return false;
  }

  #release(): Uint8Array[] {
    const parts = this.#parts.take();
    for (const part of parts) this.#options.room.bytes -= part.length;
    return parts;
  }
}
