/**
 * The memory of large imports. It is reserved before an import begins, since the protection reads
 * the use of memory once a second, and an import can use gigabytes within that time.
 */
import { Steps } from '../../core/base/steps.ts';
import { countGenerated } from '../../core/dns/wire/master/index.ts';
import { HttpError } from '../http/errors.ts';

/** The memory that the process may still use: see core/os/protection/protection.ts. */
export interface MemoryRoom {
  room(wanted: number): number;
  readonly wholeRoom: number;
}

/**
 * Bytes of an import, as measured with `bench:writes`: of the threads, of each line with its record
 * and answers, of each record that is replaced, and of each byte of the file. Small heaps keep less
 * garbage.
 */
const BASE = 100 << 20;
const SMALL_BASE = 30 << 20;
const PER_LINE = 2300;
const PER_REPLACED = 400;
const PER_BYTE = 5;
/** Bytes read between two yields to the event loop. */
const CHUNK = 256 << 10;
const NEW_LINE = 10;
const BACKSLASH = 92;
const LETTER_N = 110;
const BRACE = 123;

interface ImportSize {
  /** Records of the zone before. */
  readonly replaced?: number;
  readonly hasSmallHeaps?: boolean;
}

/**
 * Estimates the memory of an import, in bytes. `file`: a zone file, or JSON, where each object is a
 * record or a line of a zone file ends with an escaped line feed.
 */
export async function importMemory(
  file: Uint8Array,
  { replaced = 0, hasSmallHeaps = false }: ImportSize = {},
): Promise<number> {
  const steps = new Steps();
  let lines = 1 + countGenerated(file);
  for (let from = 0; from < file.length; from += CHUNK) {
    const end = Math.min(file.length, from + CHUNK);
    for (let i = from; i < end; i++) {
      const byte = file[i];
      if (byte === NEW_LINE || byte === BRACE || (byte === LETTER_N && file[i - 1] === BACKSLASH)) lines++;
    }
    await steps.next();
  }
  const base = hasSmallHeaps ? SMALL_BASE : BASE;
  return base + lines * PER_LINE + replaced * PER_REPLACED + file.length * PER_BYTE;
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
    `The import needs about ${megabytes(bytes)} of memory, and this node has at most ${megabytes(most)} for it; give the process more memory (protection.memory), or import at a larger node.`,
  );

const noRoom = (bytes: number): HttpError =>
  new HttpError(
    503,
    'overloaded',
    `The import needs about ${megabytes(bytes)} of memory, which the node does not have now; retry later, or use another node.`,
    { headers: { 'Retry-After': '30' } },
  );
