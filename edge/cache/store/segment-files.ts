/** The files of segments as a thread has them open, for reading: a few hundred, opened when first asked for. A descriptor is closed only when no read is under way on it. */
import { close, open, read, unlink } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MOST = 256;
const NAME = /^([0-9a-f]{8})\.seg$/;

interface OpenFile {
  readonly fd: Promise<number>;
  users: number;
  isDoomed: boolean;
}

export const fileOf = (folder: string, segment: number): string =>
  join(folder, `${segment.toString(16).padStart(8, '0')}.seg`);

/** The segments that are in a folder, by number. */
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

  /** Bytes from `offset` on: fewer than asked for where the file ends. Rejects when it cannot be read. */
  async read(segment: number, offset: number, length: number): Promise<Buffer> {
    const file = this.#take(segment);
    try {
      return await readAll(await file.fd, offset, length);
    } finally {
      file.users--;
      this.#shut(file);
    }
  }

  /** They are gone: their files are removed. */
  remove(segments: readonly number[]): void {
    for (const segment of segments) unlink(fileOf(this.#folder, segment), () => {});
  }

  /** Lets go of what is below the oldest. */
  forget(oldest: number): void {
    for (const segment of this.#open.keys()) if (segment < oldest) this.#doom(segment);
  }

  close(): void {
    for (const segment of this.#open.keys()) this.#doom(segment);
  }

  #take(segment: number): OpenFile {
    let file = this.#open.get(segment);
    if (file === undefined) {
      for (const eldest of this.#open.keys()) {
        if (this.#open.size < MOST) break;
        this.#doom(eldest);
      }
      file = { fd: openFile(fileOf(this.#folder, segment)), users: 0, isDoomed: false };
      file.fd.catch(() => this.#open.delete(segment));
    } else this.#open.delete(segment);
    this.#open.set(segment, file);
    file.users++;
    return file;
  }

  #doom(segment: number): void {
    const file = this.#open.get(segment);
    if (file === undefined) return;
    this.#open.delete(segment);
    file.isDoomed = true;
    this.#shut(file);
  }

  #shut(file: OpenFile): void {
    if (file.isDoomed && file.users === 0)
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
    const more = (have: number): void => {
      read(fd, bytes, have, length - have, offset + have, (error, got) => {
        if (error !== null) reject(error);
        else if (got === 0 || have + got === length) resolve(bytes.subarray(0, have + got));
        else more(have + got);
      });
    };
    more(0);
  });
}
