/**
 * The memory of large imports. It is reserved before an import begins, since the protection reads
 * the use of memory once a second, and an import can use gigabytes within that time.
 */
import { Steps } from '../../core/base/steps.ts';
import { HttpError } from '../http/errors.ts';

/** The memory that the process may still use: see core/os/protection/protection.ts. */
export interface MemoryRoom {
  room(wanted: number): number;
  readonly wholeRoom: number;
}

/**
 * Bytes of an import, as measured with `bench:writes`: of the threads, of each line with its record
 * and answers, and of each byte of the file.
 */
const BASE = 100 << 20;
const PER_LINE = 2300;
const PER_BYTE = 5;
/** Bytes read between two yields to the event loop. */
const CHUNK = 256 << 10;
const NEW_LINE = 10;

/** Estimates the memory of the import of a zone file, in bytes. */
export async function importMemory(file: Uint8Array): Promise<number> {
  const steps = new Steps();
  let lines = 1;
  for (let from = 0; from < file.length; from += CHUNK) {
    const end = Math.min(file.length, from + CHUNK);
    for (let i = from; i < end; i++) if (file[i] === NEW_LINE) lines++;
    await steps.next();
  }
  return BASE + lines * PER_LINE + file.length * PER_BYTE;
}

export class ImportMemory {
  #reserved = 0;
  #waiting: (() => void)[] = [];

  constructor(private readonly memory: MemoryRoom) {}

  /**
   * Runs `work` once `bytes` are left for it. Throws HttpError 507 `insufficient_memory` if the
   * node never has as much, and 503 `overloaded` if other work than imports uses it.
   */
  async run<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    // Memory that is reserved may not be in use yet.
    while (this.memory.room(this.#reserved + bytes) < this.#reserved + bytes) {
      if (bytes > this.memory.wholeRoom) throw neverFits(bytes, this.memory.wholeRoom);
      if (this.#reserved === 0) throw noRoom(bytes);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      signal.throwIfAborted();
    }
    this.#reserved += bytes;
    try {
      return await work();
    } finally {
      this.#reserved -= bytes;
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MB`;

const neverFits = (bytes: number, most: number): HttpError =>
  new HttpError(
    507,
    'insufficient_memory',
    `The import needs about ${megabytes(bytes)} of memory, and this node uses at most ${megabytes(most)}; give the process more memory (protection.memory), or import at a larger node.`,
  );

const noRoom = (bytes: number): HttpError =>
  new HttpError(
    503,
    'overloaded',
    `The import needs about ${megabytes(bytes)} of memory, which the node does not have now; retry later, or use another node.`,
    { headers: { 'Retry-After': '30' } },
  );
