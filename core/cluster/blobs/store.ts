/**
 * Content-addressed files, named by their SHA-256. A file is written under a temporary name,
 * synced, then renamed: a file with its final name is complete on disk. The rows that reference
 * blobs decide which of them are needed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InvalidError } from '../../base/errors.ts';
import { parseRangeStart, readChunks, writeAt } from '../../base/file-pieces.ts';
import { makeFolder } from '../../store/folder.ts';

/** In the data folder. */
export const BLOBS = 'blobs';
/** 64 hexadecimal digits, lower case. */
export const BLOB_HASH = /^[0-9a-f]{64}$/;
/** Suffix of files that are still being written. */
const PART = '.part';

export interface Blob {
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
}

/** The caller closes `file`. */
export interface OpenBlob extends Blob {
  readonly file: FileHandle;
}

/** Blobs of this node and of its peers. */
export interface BlobSource {
  /** Blobs of this node. */
  readonly store: BlobStore;
  /**
   * Opens a complete, verified blob of this or another node. Null: no node has it. The caller
   * closes `file`.
   */
  open(hash: string): Promise<OpenBlob | null>;
}

export class BlobStore {
  /** Deletes the leftovers of interrupted writes. */
  constructor(private readonly folder: string) {
    makeFolder(folder);
    for (const name of readdirSync(folder)) if (name.endsWith(PART)) rmSync(join(folder, name));
  }

  /**
   * Stores the bytes of the source, at most `limit`. Resolves when they are on disk. Throws
   * InvalidError `blob_too_large`, and the errors of the source and the disk; then nothing is
   * stored.
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

  /** Creates a file that is written in chunks. */
  async part(): Promise<BlobPart> {
    const path = join(this.folder, randomBytes(12).toString('hex') + PART);
    return new BlobPart(this.folder, path, await open(path, 'wx', 0o600));
  }

  async has(hash: string): Promise<boolean> {
    return stat(this.path(hash)).then(
      () => true,
      () => false,
    );
  }

  /**
   * Opens a blob without verifying it: the reader must check the hash. Null: it does not exist.
   * Throws Error for an invalid hash, and the errors of the disk.
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

  /** Opens a verified blob. Null: it does not exist, or was damaged and has been deleted. */
  async open(hash: string): Promise<OpenBlob | null> {
    const blob = await this.openUnchecked(hash);
    if (blob === null) return null;
    const sum = createHash('sha256');
    try {
      for await (const piece of readChunks(blob.file, 0)) sum.update(piece);
      if (sum.digest('hex') === hash) return blob;
      await this.#discard(blob);
    } catch (error) {
      // The disk cannot read the file any more.
      if ((error as NodeJS.ErrnoException).code === 'EIO') await this.#discard(blob);
      else {
        await blob.file.close();
        throw error;
      }
    }
    return null;
  }

  /** Deletes a damaged blob, unless an intact one has replaced it meanwhile. */
  async #discard({ hash, file }: OpenBlob): Promise<void> {
    try {
      const { ino } = await file.stat();
      const path = this.path(hash);
      // Synchronous, like the rename in `keep`: no rename can occur between the check and the
      // removal.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
    } finally {
      await file.close();
    }
  }

  /**
   * Deletes the blobs that were created before `before` (milliseconds since 1970) and that `keep`
   * rejects. The row of a newer blob may not be committed yet. Resolves with the number of deleted
   * blobs.
   */
  async collect(keep: (hash: string) => boolean, before: number): Promise<number> {
    let count = 0;
    for (const name of await readdir(this.folder)) {
      if (!BLOB_HASH.test(name) || keep(name)) continue;
      const path = join(this.folder, name);
      // Synchronous, as in #discard.
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined || found.ctimeMs >= before) continue;
      rmSync(path);
      count++;
    }
    return count;
  }

  /**
   * Path of the blob, whether it exists or not, for readers in another thread. Throws Error for an
   * invalid hash.
   */
  path(hash: string): string {
    if (!BLOB_HASH.test(hash)) throw new Error('not the hash of a blob');
    return join(this.folder, hash);
  }
}

export class BlobPart {
  #sum = createHash('sha256');
  size = 0;

  constructor(
    private readonly folder: string,
    /** Path before the rename, for readers in another thread. */
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  async write(piece: Uint8Array, limit: number): Promise<void> {
    if (this.size + piece.length > limit)
      throw new InvalidError('blob_too_large', `The blob is larger than the maximum of ${limit} bytes.`);
    await writeAt(this.file, piece, this.size);
    this.#sum.update(piece);
    this.size += piece.length;
  }

  /** SHA-256 of the written bytes, in hexadecimal. */
  get hash(): string {
    return this.#sum.copy().digest('hex');
  }

  /** Discards the written bytes. */
  async clear(): Promise<void> {
    await this.file.truncate(0);
    this.#sum = createHash('sha256');
    this.size = 0;
  }

  /**
   * Renames the file to its hash. With `hash`: only if it matches; null: it does not, and nothing
   * is stored.
   */
  async keep(): Promise<Blob>;
  async keep(hash: string): Promise<Blob | null>;
  async keep(hash?: string): Promise<Blob | null> {
    const found = this.hash;
    if (hash !== undefined && found !== hash) return null;
    await this.file.sync();
    // Synchronous: see #discard.
    renameSync(this.path, join(this.folder, found));
    await syncFolder(this.folder);
    return { hash: found, size: this.size };
  }

  /** Closes the file, and deletes it unless it was kept. */
  async close(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }
}

/**
 * A rename is durable only after its folder is synced. That is slow on some disks, so it must not
 * block the event loop.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Sends a blob to a peer, from the requested offset. Answers a GET. Rejects if the blob cannot be
 * read, or the peer has closed the connection.
 */
export async function sendBlob(
  store: BlobStore,
  hash: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The peer verifies the hash.
  const blob = await store.openUnchecked(hash);
  if (blob === null) {
    response.writeHead(404).end();
    return;
  }
  try {
    const { file, size } = blob;
    const from = parseRangeStart(request.headers.range, size);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-type': 'application/octet-stream',
      'content-length': size - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
    });
    await pipeline(readChunks(file, from), response);
  } finally {
    await blob.file.close();
  }
}
