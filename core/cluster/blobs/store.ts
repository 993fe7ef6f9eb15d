/**
 * Files named by the SHA-256 of what they hold: written next to their place, synced, then renamed,
 * so that a name is there only with all of its bytes on disk. Which of them are needed is known to
 * the code that names them in rows.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidError } from '../../base/errors.ts';
import { readChunks, writeAt } from '../../base/file-pieces.ts';
import { makeFolder } from '../../store/folder.ts';

/** In the data folder. */
export const BLOBS = 'blobs';
/** 64 hexadecimal digits, lower case. */
export const BLOB_HASH = /^[0-9a-f]{64}$/;
/** Of files that are still being written. */
const PART = '.part';

export interface Blob {
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
}

/** `file` is the caller's to close. */
export interface OpenBlob extends Blob {
  readonly file: FileHandle;
}

/** Where blobs are: here, or on other nodes. */
export interface BlobSource {
  /** Those that are here. */
  readonly store: BlobStore;
  /**
   * Whole and checked, from here or another node; null when nobody has it so. `file` is the
   * caller's to close.
   */
  open(hash: string): Promise<OpenBlob | null>;
}

export class BlobStore {
  readonly #folder: string;

  /** Deletes what an end in the middle has left. */
  constructor(folder: string) {
    this.#folder = folder;
    makeFolder(folder);
    for (const name of readdirSync(folder)) if (name.endsWith(PART)) rmSync(join(folder, name));
  }

  /**
   * Keeps what the source gives, at most `limit` bytes. Resolves when it is on disk. Throws
   * InvalidError `blob_too_large`, and what the source or the disk throws; then nothing is left.
   */
  async put(source: AsyncIterable<Uint8Array>, limit: number): Promise<Blob> {
    const part = await this.part();
    try {
      for await (const piece of source) await part.write(piece, limit);
      return await part.keep();
    } finally {
      await part.close();
    }
  }

  /** A file to be, written piece by piece. */
  async part(): Promise<BlobPart> {
    const path = join(this.#folder, randomBytes(12).toString('hex') + PART);
    return new BlobPart(this.#folder, path, await open(path, 'wx', 0o600));
  }

  async has(hash: string): Promise<boolean> {
    return stat(this.path(hash)).then(
      () => true,
      () => false,
    );
  }

  /**
   * Null when it is not there. Not looked at: the reader has to know its hash. Throws Error for
   * what is no hash, and what the disk throws.
   */
  async openUnchecked(hash: string): Promise<OpenBlob | null> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path(hash), 'r');
      return { hash, size: (await file.stat()).size, file };
    } catch (error) {
      await file?.close();
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Null when it is not there, or is damaged: then it is deleted. */
  async open(hash: string): Promise<OpenBlob | null> {
    const blob = await this.openUnchecked(hash);
    if (blob === null) return null;
    const sum = createHash('sha256');
    try {
      for await (const piece of readChunks(blob.file, 0)) sum.update(piece);
      if (sum.digest('hex') === hash) return blob;
      await this.#discard(blob);
    } catch (error) {
      // A disk that cannot read it any more.
      if ((error as NodeJS.ErrnoException).code === 'EIO') await this.#discard(blob);
      else {
        await blob.file.close();
        throw error;
      }
    }
    return null;
  }

  /** Deletes what is damaged, unless a sound one has come to its place meanwhile. */
  async #discard({ hash, file }: OpenBlob): Promise<void> {
    try {
      const { ino } = await file.stat();
      const path = this.path(hash);
      // Names change in one turn of the event loop: nothing comes between the look and the removal.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
    } finally {
      await file.close();
    }
  }

  /**
   * Removes all that were there before `before` (milliseconds since 1970) and that `keep` does not
   * want: the row of a newer one may be on its way. Resolves with how many.
   */
  async collect(keep: (hash: string) => boolean, before: number): Promise<number> {
    let count = 0;
    for (const name of await readdir(this.#folder)) {
      if (!BLOB_HASH.test(name) || keep(name)) continue;
      const path = join(this.#folder, name);
      // As in #discard.
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined || found.ctimeMs >= before) continue;
      rmSync(path);
      count++;
    }
    return count;
  }

  /**
   * Its path, if it is there: for who reads it in another thread. Throws Error for what is no
   * hash.
   */
  path(hash: string): string {
    if (!BLOB_HASH.test(hash)) throw new Error('not the hash of a blob');
    return join(this.#folder, hash);
  }
}

export class BlobPart {
  readonly #folder: string;
  /** Its path until it has its name: for who reads it in another thread. */
  readonly path: string;
  readonly #file: FileHandle;
  #sum = createHash('sha256');
  size = 0;

  constructor(folder: string, path: string, file: FileHandle) {
    this.#folder = folder;
    this.path = path;
    this.#file = file;
  }

  async write(piece: Uint8Array, limit: number): Promise<void> {
    if (this.size + piece.length > limit)
      throw new InvalidError('blob_too_large', `The blob is larger than the maximum of ${limit} bytes.`);
    await writeAt(this.#file, piece, this.size);
    this.#sum.update(piece);
    this.size += piece.length;
  }

  /** SHA-256 of what was written, in hexadecimal digits. */
  get hash(): string {
    return this.#sum.copy().digest('hex');
  }

  /** From the start again. */
  async clear(): Promise<void> {
    await this.#file.truncate(0);
    this.#sum = createHash('sha256');
    this.size = 0;
  }

  /**
   * Gives it its name. With `hash` only when that is what it holds; null: it is not, and nothing is
   * kept.
   */
  async keep(): Promise<Blob>;
  async keep(hash: string): Promise<Blob | null>;
  async keep(hash?: string): Promise<Blob | null> {
    const found = this.hash;
    if (hash !== undefined && found !== hash) return null;
    await this.#file.sync();
    // In one turn of the event loop: see #discard.
    renameSync(this.path, join(this.#folder, found));
    await syncFolder(this.#folder);
    return { hash: found, size: this.size };
  }

  /** Removes it, unless it was kept. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.path, { force: true });
  }
}

/**
 * A new name lasts only when its folder is on disk, too; a disk may take its time for that, which
 * the event loop has not.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
