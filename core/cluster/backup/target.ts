/** The storage of backups: a folder, or a bucket. */

export interface StoredFile {
  /** Relative to the target. */
  readonly name: string;
  readonly size: number;
}

export interface Target {
  /** Name in messages. */
  readonly description: string;
  /** Files of backups, sorted by name. `prefix`: start of the names. */
  list(prefix: string): Promise<StoredFile[]>;
  /**
   * Stores a file atomically: complete when the promise resolves, absent if it rejects. `size`:
   * approximate number of bytes. Resolves with the exact number.
   */
  write(name: string, source: AsyncIterable<Uint8Array>, size: number): Promise<number>;
  /** Reads a file in chunks. Throws StateError `backup_missing`. */
  read(name: string, size: number): AsyncIterable<Uint8Array>;
  /** No error if it does not exist. */
  delete(name: string): Promise<void>;
  /** Deletes the leftovers of interrupted uploads. */
  cleanUp(): Promise<void>;
  /** Free bytes; null: not known. */
  freeBytes(): Promise<number | null>;
}

/** Stores a small file. Resolves with its size, in bytes. */
export const writeAll = (target: Target, name: string, bytes: Uint8Array): Promise<number> =>
  target.write(name, singleChunk(bytes), bytes.length);

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Reads a small file. */
export async function readAll(target: Target, { name, size }: StoredFile): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of target.read(name, size)) pieces.push(piece);
  return Buffer.concat(pieces);
}
