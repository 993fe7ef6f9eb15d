/** The packages in a snapshot file: each follows a line with its hash and its length. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidError } from '../base/errors.ts';
import { readChunks, writeAt } from '../base/file-pieces.ts';
import type { BlobStore } from './blobs/store.ts';

export interface BlobsHead {
  readonly count: number;
  /** Bytes of the packages and their lines, and the SHA-256 of all in hexadecimal. */
  readonly size: number;
  readonly sha256: string;
}

/** Digits of a length, and bytes of a line: hash, blank, length, line feed. */
const DIGITS = 15;
const LINE = 64 + 1 + DIGITS + 1;

/**
 * Writes the blobs of a folder to a file at `from`, and truncates the file after them. Damaged and
 * missing blobs are left out. `onBytes` receives the number of bytes of each chunk.
 */
export async function writeBlobs(
  folder: string,
  hashes: Iterable<string>,
  target: FileHandle,
  from: number,
  onBytes: (count: number) => void,
): Promise<BlobsHead> {
  let sum = createHash('sha256');
  let end = from;
  let count = 0;
  for (const hash of hashes) {
    const source = await openIfPresent(join(folder, hash));
    if (source === null) continue;
    try {
      const line = lineOf(hash, (await source.stat()).size);
      const [whole, own] = [sum.copy().update(line), createHash('sha256')];
      await writeAt(target, line, end);
      let to = end + LINE;
      for await (const piece of readChunks(source, 0)) {
        whole.update(piece);
        own.update(piece);
        await writeAt(target, piece, to);
        to += piece.length;
        onBytes(piece.length);
      }
      if (own.digest('hex') !== hash) continue;
      sum = whole;
      end = to;
      count++;
    } finally {
      await source.close();
    }
  }
  await target.truncate(end);
  return { count, size: end - from, sha256: sum.digest('hex') };
}

const lineOf = (hash: string, size: number): Buffer => Buffer.from(`${hash} ${String(size).padStart(DIGITS, '0')}\n`);

async function openIfPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Throws InvalidError `damaged_snapshot` unless the checksum matches the head. */
export async function checkBlobs(source: FileHandle, from: number, { sha256 }: BlobsHead, path: string): Promise<void> {
  const sum = createHash('sha256');
  for await (const piece of readChunks(source, from)) sum.update(piece);
  if (sum.digest('hex') !== sha256) throw damaged(path);
}

/** Stores the blobs of a snapshot. Throws InvalidError `damaged_snapshot`. */
export async function readBlobs(
  source: FileHandle,
  from: number,
  { size }: BlobsHead,
  path: string,
  store: BlobStore,
  onBytes: (count: number) => void,
): Promise<void> {
  for (let at = from; at < from + size; ) {
    const { buffer } = await source.read(Buffer.alloc(LINE), 0, LINE, at);
    const [, hash, digits] = /^([0-9a-f]{64}) (\d+)\n$/.exec(buffer.toString('latin1')) ?? [];
    const start = at + LINE;
    at = start + Number(digits);
    const part = await store.part();
    try {
      for await (const piece of readChunks(source, start, at)) {
        await part.write(piece, at - start);
        onBytes(piece.length);
      }
      if (hash === undefined || (await part.keep(hash)) === null) throw damaged(path);
    } finally {
      await part.close();
    }
  }
}

export const damaged = (path: string): InvalidError =>
  new InvalidError('damaged_snapshot', `${path} is damaged; use another snapshot.`);
