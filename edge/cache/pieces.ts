/** A body that joins bytes in memory with parts of a stored body, which may be on disk. */
import { type OriginBody, OriginError } from '../origin/origin.ts';
import type { Part } from './rules/range.ts';
import type { StoredBody } from './stored-response.ts';

/** Bytes of one read, unless the reader sets another maximum. */
const READ_BYTES = 64 * 1024;

type Piece = Uint8Array | Part;

const isPart = (piece: Piece): piece is Part => !(piece instanceof Uint8Array);

export class Pieces implements OriginBody {
  readonly length: number;
  readonly trailers = [];
  readonly #stored: StoredBody;
  readonly #pieces: Piece[];
  #isCancelled = false;

  constructor(stored: StoredBody, pieces: readonly Piece[]) {
    this.#stored = stored;
    this.#pieces = [...pieces];
    let length = 0;
    for (const piece of pieces) length += isPart(piece) ? piece.to - piece.from : piece.length;
    this.length = length;
  }

  readNow(): Uint8Array | null | undefined {
    const piece = this.#pieces[0];
    if (piece === undefined || this.#isCancelled) return null;
    if (isPart(piece)) {
      const { whole } = this.#stored;
      if (whole === undefined) return undefined;
      this.#pieces.shift();
      return whole.subarray(piece.from, piece.to);
    }
    this.#pieces.shift();
    return piece;
  }

  async read(maxBytes = READ_BYTES): Promise<Uint8Array | null> {
    const now = this.readNow();
    if (now !== undefined) return now;
    const { from, to } = this.#pieces[0] as Part;
    // Later reads start at a multiple of READ_BYTES: the disk store has one checksum for each.
    const end = Math.min(to, from + maxBytes - (from % READ_BYTES));
    if (end === to) this.#pieces.shift();
    else this.#pieces[0] = { from: end, to };
    try {
      const bytes = await this.#stored.slice(from, end);
      if (bytes.length === end - from) return bytes;
    } catch {
      // The error below covers this case and a short read.
    }
    throw new OriginError('reset', 'The cached response could not be read from disk.');
  }

  cancel(): void {
    this.#isCancelled = true;
  }
}
