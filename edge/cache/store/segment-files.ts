/**
 * The segment files that a thread has open for reading: up to a few hundred, opened on first use. A
 * descriptor is closed only when no read uses it.
 */
import { close, open, read, unlink } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_OPEN_FILES = 256;
const NAME = /^([0-9a-f]{8})\.seg$/;

interface OpenFile {
  readonly fd: Promise<number>;
  users: number;
  isRetired: boolean;
}

export const fileOf = (folder: string, segment: number): string =>
  join(folder, `${segment.toString(16).padStart(8, '0')}.seg`);

/** The segments in a folder, sorted by number. */
export async function listSegments(folder: string): Promise<{ number: number; bytes: number }[]> {
  const found: { number: number; bytes: number }[] = [];
  for (const name of await readdir(folder)) {
    const match = NAME.exec(name);
    if (match === null) continue;
    const { size } = await stat(join(folder, name));
    found.push({ number: Number.parseInt(match[1], 16), bytes: size });
  }
  return found.sort((x, y) => x.number - y.number);
}

export class SegmentFiles {
  readonly #folder: string;
  readonly #open = new Map<number, OpenFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Reads bytes from `offset`: fewer at the end of the file. Rejects when the file cannot be read.
   */
  async read(segment: number, offset: number, length: number): Promise<Buffer> {
    const file = this.#acquire(segment);
    try {
      return await readAll(await file.fd, offset, length);
    } finally {
      file.users--;
      this.#closeIfUnused(file);
    }
  }

  /** Deletes the files of discarded segments. */
  remove(segments: readonly number[]): void {
    for (const segment of segments) unlink(fileOf(this.#folder, segment), () => {});
  }

  /** Closes the files of segments below the oldest. */
  closeBelow(oldest: number): void {
    for (const segment of this.#open.keys()) if (segment < oldest) this.#retire(segment);
  }

  close(): void {
    for (const segment of this.#open.keys()) this.#retire(segment);
  }

  #acquire(segment: number): OpenFile {
    let file = this.#open.get(segment);
    if (file === undefined) {
      for (const oldest of this.#open.keys()) {
        if (this.#open.size < MAX_OPEN_FILES) break;
        this.#retire(oldest);
      }
      file = { fd: openFile(fileOf(this.#folder, segment)), users: 0, isRetired: false };
      file.fd.catch(() => this.#open.delete(segment));
    } else this.#open.delete(segment);
    this.#open.set(segment, file);
    file.users++;
    return file;
  }

  #retire(segment: number): void {
    const file = this.#open.get(segment);
    if (file === undefined) return;
    this.#open.delete(segment);
    file.isRetired = true;
    this.#closeIfUnused(file);
  }

  #closeIfUnused(file: OpenFile): void {
    if (file.isRetired && file.users === 0)
      file.fd.then(
        (fd) => close(fd, () => {}),
        () => {},
      );
  }
}

const openFile = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    open(path, 'r', (error, fd) => (error === null ? resolve(fd) : reject(error)));
  });

function readAll(fd: number, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  return new Promise((resolve, reject) => {
    const readMore = (filled: number): void => {
      read(fd, bytes, filled, length - filled, offset + filled, (error, count) => {
        if (error !== null) reject(error);
        else if (count === 0 || filled + count === length) resolve(bytes.subarray(0, filled + count));
        else readMore(filled + count);
      });
    };
    readMore(0);
  });
}
