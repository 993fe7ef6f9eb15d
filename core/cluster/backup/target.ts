/** Where backups are: a folder, or a bucket. */

export interface StoredFile {
  /** Relative to the target. */
  readonly name: string;
  readonly size: number;
}

export interface Target {
  /** For people. */
  readonly description: string;
  /** Files of backups, in the order of their names. `prefix`: what the names start with. */
  list(prefix: string): Promise<StoredFile[]>;
  /**
   * Stores a file. It is there whole when the promise resolves, and not at all if it rejects.
   * `size`: about the number of bytes. Resolves with the exact number.
   */
  write(name: string, source: AsyncIterable<Uint8Array>, size: number): Promise<number>;
  /** The bytes of a file in pieces. Throws StateError `backup_missing`. */
  read(name: string, size: number): AsyncIterable<Uint8Array>;
  /** No error if it does not exist. */
  delete(name: string): Promise<void>;
  /** Deletes what uploads that were cut off have left. */
  cleanUp(): Promise<void>;
  /** Bytes that are free; null: not known. */
  freeBytes(): Promise<number | null>;
}

/** Reads a small file. */
export async function readAll(target: Target, { name, size }: StoredFile): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of target.read(name, size)) pieces.push(piece);
  return Buffer.concat(pieces);
}
