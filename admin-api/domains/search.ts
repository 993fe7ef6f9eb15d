/**
 * Caches the domain names of accounts, so that a search does not read a hundred thousand rows. The
 * list of an account is built on the first search, and the journal keeps it up to date.
 */

import { setImmediate } from 'node:timers/promises';
import { lowerBound } from '../../core/journal/draft/overlay.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { type Id, nameKey } from '../../core/store/keys.ts';
import type { StoreReader } from '../../core/store/reader.ts';
import { latin1 } from '../../core/wire/latin1.ts';
import { formatHost, type Name } from '../../core/wire/name.ts';
import type { DomainFinder, FoundDomains } from '../change/services.ts';

/** Names of one piece, whose joined text is rebuilt when a name is added or removed. */
const PIECE_SIZE = 512;
/**
 * Maximum names of all accounts, of about 100 bytes each. The least recently searched account is
 * evicted.
 */
const MAX_NAMES = 2_000_000;
const PAGE = 2000;

interface Piece {
  /** Canonical keys as Latin-1, sorted. */
  readonly keys: string[];
  /** The names in Unicode, in the order of their keys. */
  readonly names: string[];
  /** All names, each between line feeds; null: must be rebuilt. */
  joined: string | null;
}

export class DomainSearch implements DomainFinder {
  readonly #reader: StoreReader;
  /** In order of use, least recently used first. */
  readonly #accounts = new Map<Id, Promise<NameList>>();
  /** Changes of accounts whose list is being built. */
  readonly #reading = new Map<Id, { readonly apex: Name; readonly present: boolean }[]>();

  constructor(reader: StoreReader, journal: Pick<Journal, 'onDomain'>) {
    this.#reader = reader;
    journal.onDomain(({ accountId, apex }, present) => {
      const reading = this.#reading.get(accountId);
      if (reading !== undefined) reading.push({ apex, present });
      else void this.#accounts.get(accountId)?.then((list) => list.change(apex, present));
    });
  }

  /** At most `limit` names that contain `wanted`, in canonical order, after the name `after`. */
  async find(accountId: Id, wanted: string, after: Name | null, limit: number): Promise<FoundDomains> {
    let list = this.#accounts.get(accountId);
    if (list === undefined) list = this.#read(accountId);
    // Moves the account to the end of the map, as the most recently used.
    else this.#accounts.delete(accountId);
    this.#accounts.set(accountId, list);
    const found = (await list).find(wanted, after, limit);
    await this.#forget(accountId);
    return found;
  }

  async #read(accountId: Id): Promise<NameList> {
    const changes: { apex: Name; present: boolean }[] = [];
    this.#reading.set(accountId, changes);
    try {
      const list = new NameList();
      for (let after: Name | null = null; ; ) {
        const apexes = this.#reader.apexesOf(accountId, after, PAGE);
        for (const apex of apexes) list.append(apex);
        if (apexes.length < PAGE) break;
        after = apexes[apexes.length - 1];
        await setImmediate();
      }
      for (const { apex, present } of changes) list.change(apex, present);
      return list;
    } catch (error) {
      this.#accounts.delete(accountId);
      throw error;
    } finally {
      this.#reading.delete(accountId);
    }
  }

  async #forget(used: Id): Promise<void> {
    let names = 0;
    for (const list of this.#accounts.values()) names += (await list).size;
    for (const [accountId, list] of this.#accounts) {
      if (names <= MAX_NAMES) return;
      if (accountId === used || this.#reading.has(accountId)) continue;
      names -= (await list).size;
      this.#accounts.delete(accountId);
    }
  }
}

/** Names in canonical order, split into pieces. */
class NameList {
  readonly #pieces: Piece[] = [];
  size = 0;

  /** Adds a name that sorts after all others. */
  append(apex: Name): void {
    let last = this.#pieces[this.#pieces.length - 1];
    if (last === undefined || last.keys.length >= PIECE_SIZE) {
      last = { keys: [], names: [], joined: null };
      this.#pieces.push(last);
    }
    last.keys.push(latin1(nameKey(apex)));
    last.names.push(formatHost(apex));
    last.joined = null;
    this.size++;
  }

  change(apex: Name, present: boolean): void {
    const key = latin1(nameKey(apex));
    const p = this.#pieceOf(key);
    const piece = this.#pieces[p];
    if (piece === undefined) {
      if (present) this.append(apex);
      return;
    }
    const at = lowerBound(piece.keys, key);
    if ((piece.keys[at] === key) === present) return;
    piece.joined = null;
    this.size += present ? 1 : -1;
    if (!present) {
      piece.keys.splice(at, 1);
      piece.names.splice(at, 1);
      if (piece.keys.length === 0) this.#pieces.splice(p, 1);
      return;
    }
    piece.keys.splice(at, 0, key);
    piece.names.splice(at, 0, formatHost(apex));
    if (piece.keys.length < 2 * PIECE_SIZE) return;
    const half = { keys: piece.keys.splice(PIECE_SIZE), names: piece.names.splice(PIECE_SIZE), joined: null };
    this.#pieces.splice(p + 1, 0, half);
  }

  find(wanted: string, after: Name | null, limit: number): FoundDomains {
    const names: string[] = [];
    // The line feed is the separator and is not in any name.
    if (wanted.includes('\n')) return { names, more: false };
    const from = after === null ? '' : `${latin1(nameKey(after))}\0`;
    for (let p = after === null ? 0 : this.#pieceOf(from); p < this.#pieces.length; p++) {
      const piece = this.#pieces[p];
      if (piece.keys[piece.keys.length - 1] < from) continue;
      piece.joined ??= `\n${piece.names.join('\n')}\n`;
      const { joined } = piece;
      // Skips the names before `from` in the first piece.
      let at = after === null ? 0 : startOf(piece, from);
      for (;;) {
        const hit = joined.indexOf(wanted, at);
        if (hit < 0) break;
        const end = joined.indexOf('\n', hit + wanted.length);
        if (end < 0) break;
        if (names.length === limit) return { names, more: true };
        names.push(joined.slice(joined.lastIndexOf('\n', hit) + 1, end));
        at = end;
      }
    }
    return { names, more: false };
  }

  /** Index of the last piece that starts at or before the key; otherwise of the first piece. */
  #pieceOf(key: string): number {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pieces[middle].keys[0] <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** Offset in the joined text of a piece: of the line feed before the first name from `key` on. */
function startOf({ keys, names }: Piece, key: string): number {
  const at = lowerBound(keys, key);
  let start = 0;
  for (let i = 0; i < at; i++) start += names[i].length + 1;
  return start;
}
