/**
 * Caches the domain names of accounts, so that a search does not read a hundred thousand rows. The
 * list of an account is built on the first search, and the journal keeps it up to date. Long work
 * yields to the event loop.
 */

import { lowerBound } from '../../../core/base/lower-bound.ts';
import { Steps } from '../../../core/base/steps.ts';
import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { formatHost, type Name, parseName } from '../../../core/dns/wire/name.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import { type Id, nameKey, nameOfKey } from '../../../core/store/keys.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import type { DomainFinder, DomainSearchOptions, FoundDomains } from '../../change/services.ts';
import { searchTextOf } from './search-text.ts';

/** Names of one piece, whose joined text is rebuilt when a name is added or removed. */
const PIECE_SIZE = 512;
/**
 * Maximum names of all accounts, of about 100 bytes each. The least recently searched account is
 * evicted.
 */
const MAX_NAMES = 2_000_000;
const PAGE = 1000;

interface Entry {
  readonly id: Id;
  /** By which the list is sorted. */
  readonly key: string;
}

/** How names are sorted. */
interface NameOrder {
  /** `key`: the canonical key of the name as Latin-1. */
  keyOf(key: string): string;
  /** The name in A-labels, as text. */
  hostOf(key: string): string;
  nameOf(key: string): Name;
}

/** As DNS sorts (RFC 4034 section 6.1), which is the order of the store. */
const CANONICAL: NameOrder = {
  keyOf: (key) => key,
  hostOf: (key) => hostOfApexKey(key),
  nameOf: (key) => nameOfApexKey(key),
};

/** Sorts as people read: from the first letter, in Unicode. A tab is before all letters. */
export const alphabeticalKey = (apex: Name): string => keyOfHost(formatHost(apex));

function keyOfHost(ascii: string): string {
  const [, unicode = ascii] = searchTextOf(ascii).split('\t');
  return `${unicode}\t${ascii}`;
}

const ALPHABETICAL: NameOrder = {
  keyOf: (key) => keyOfHost(hostOfApexKey(key)),
  hostOf: (key) => key.slice(key.indexOf('\t') + 1),
  nameOf: (key) => parseName(key.slice(key.indexOf('\t') + 1)),
};

interface Piece {
  /** Sorted. */
  readonly keys: string[];
  readonly entries: Entry[];
  /** The texts of all entries, each behind a line feed; null: must be rebuilt. */
  joined: Joined | null;
}

interface Joined {
  readonly text: string;
  /** Of each entry, the offset of its line feed, ascending. */
  readonly starts: readonly number[];
}

/** A search that only reads the names. */
const NOTHING: DomainSearchOptions = { wanted: '', after: null, limit: 0 };

interface DomainChange {
  readonly apex: Name;
  readonly id: Id;
  readonly present: boolean;
}

export class DomainSearch implements DomainFinder {
  /** Lists by account and order, the least recently used first. */
  readonly #lists = new Map<string, Promise<NameList>>();
  /** Changes of lists that are being built. */
  readonly #reading = new Map<string, DomainChange[]>();

  constructor(
    private readonly reader: Pick<StoreReader, 'apexKeysOf'>,
    journal: Pick<Journal, 'onDomain'>,
  ) {
    journal.onDomain(({ accountId, apex, id }, present) => {
      for (const isAlphabetical of [false, true]) {
        const key = listKey(accountId, isAlphabetical);
        const reading = this.#reading.get(key);
        if (reading !== undefined) reading.push({ apex, id, present });
        else void this.#lists.get(key)?.then((list) => list.change({ apex, id, present }));
      }
    });
  }

  /** Reads the names of an account in the background, before they are searched. */
  prepare(accountId: Id): void {
    // Ignores errors: the following search reports them.
    if (!this.#lists.has(listKey(accountId, false))) void this.find(accountId, NOTHING).catch(() => {});
  }

  /** Domains whose name contains the text, in A-labels or in Unicode, sorted. */
  async find(accountId: Id, search: DomainSearchOptions): Promise<FoundDomains> {
    const { isAlphabetical = false } = search;
    const key = listKey(accountId, isAlphabetical);
    let list = this.#lists.get(key);
    if (list === undefined) list = this.#read(accountId, isAlphabetical);
    // Moves the list to the end of the map, as the most recently used.
    else this.#lists.delete(key);
    this.#lists.set(key, list);
    const found = await (await list).find(search);
    await this.#forget(key);
    return found;
  }

  async #read(accountId: Id, isAlphabetical: boolean): Promise<NameList> {
    const key = listKey(accountId, isAlphabetical);
    const changes: DomainChange[] = [];
    this.#reading.set(key, changes);
    try {
      const list = new NameList(isAlphabetical ? ALPHABETICAL : CANONICAL);
      const steps = new Steps();
      for (let after: string | null = null; ; ) {
        const found: Entry[] = this.reader.apexKeysOf(accountId, after, PAGE);
        for (const entry of found) list.add(entry);
        if (found.length < PAGE) break;
        after = found[found.length - 1].key;
        await steps.next();
      }
      for (const change of changes) list.change(change);
      await list.join();
      return list;
    } catch (error) {
      this.#lists.delete(key);
      throw error;
    } finally {
      this.#reading.delete(key);
    }
  }

  async #forget(used: string): Promise<void> {
    let names = 0;
    for (const list of this.#lists.values()) names += (await list).size;
    for (const [key, list] of this.#lists) {
      if (names <= MAX_NAMES) return;
      if (key === used || this.#reading.has(key)) continue;
      names -= (await list).size;
      this.#lists.delete(key);
    }
  }
}

const listKey = (accountId: Id, isAlphabetical: boolean): string => `${accountId} ${isAlphabetical}`;

/** Sorted names, split into pieces. */
class NameList {
  readonly #pieces: Piece[] = [];
  size = 0;

  constructor(private readonly order: NameOrder) {}

  /** Builds the texts of all pieces in advance of the first search. */
  async join(): Promise<void> {
    const steps = new Steps();
    for (const piece of [...this.#pieces]) {
      piece.joined ??= this.#join(piece.entries);
      await steps.next();
    }
  }

  /** `key`: canonical. Fast for names that arrive in their order. */
  add({ id, key }: Entry): void {
    this.#insert({ id, key: this.order.keyOf(key) });
  }

  change({ apex, id, present }: DomainChange): void {
    const key = this.order.keyOf(latin1(nameKey(apex)));
    if (present) this.#insert({ id, key });
    else this.#remove(key);
  }

  #insert(entry: Entry): void {
    const p = this.#pieceOf(entry.key);
    const piece = this.#pieces[p];
    const last = piece?.keys.at(-1);
    const isAtEnd = p >= this.#pieces.length - 1 && (last === undefined || last < entry.key);
    if (piece === undefined || (isAtEnd && piece.keys.length >= PIECE_SIZE)) {
      this.size++;
      this.#pieces.push({ keys: [entry.key], entries: [entry], joined: null });
      return;
    }
    const at = lowerBound(piece.keys, entry.key);
    piece.joined = null;
    // A domain that was deleted and created again has another id.
    if (piece.keys[at] === entry.key) {
      piece.entries[at] = entry;
      return;
    }
    this.size++;
    piece.keys.splice(at, 0, entry.key);
    piece.entries.splice(at, 0, entry);
    if (piece.keys.length < 2 * PIECE_SIZE) return;
    const half = { keys: piece.keys.splice(PIECE_SIZE), entries: piece.entries.splice(PIECE_SIZE), joined: null };
    this.#pieces.splice(p + 1, 0, half);
  }

  #remove(key: string): void {
    const p = this.#pieceOf(key);
    const piece = this.#pieces[p];
    const at = piece === undefined ? -1 : lowerBound(piece.keys, key);
    if (piece?.keys[at] !== key) return;
    this.size--;
    piece.joined = null;
    piece.keys.splice(at, 1);
    piece.entries.splice(at, 1);
    if (piece.keys.length === 0) this.#pieces.splice(p, 1);
  }

  async find({ wanted, after, limit, descending = false, counts = false }: DomainSearchOptions): Promise<FoundDomains> {
    const steps = new Steps();
    const limitKey = after === null ? null : this.order.keyOf(latin1(nameKey(after)));
    const ids: Id[] = [];
    let last: string | null = null;
    let isFull = false;
    let total = 0;
    // Pieces may be added and removed between two steps, so the next one is found by its key.
    let piece: Piece | undefined = descending ? this.#pieces[this.#pieces.length - 1] : this.#pieces[0];
    if (!counts && limitKey !== null) piece = this.#pieces[this.#pieceOf(limitKey)];
    while (piece !== undefined) {
      const found = this.#matchesIn(piece, wanted);
      total += found.length;
      if (descending) found.reverse();
      for (const { id, key } of found) {
        if (limitKey !== null && (descending ? key >= limitKey : key <= limitKey)) continue;
        if (ids.length === limit) {
          isFull = true;
          break;
        }
        ids.push(id);
        last = key;
      }
      if (isFull && !counts) break;
      const { keys } = piece;
      const edge = descending ? keys[0] : keys[keys.length - 1];
      await steps.next();
      piece = this.#pieceNextTo(edge, descending);
    }
    return { ids, last: isFull && last !== null ? this.order.nameOf(last) : null, total: counts ? total : null };
  }

  /** The first piece whose keys are all above `edge`, or the last one whose keys are all below. */
  #pieceNextTo(edge: string, descending: boolean): Piece | undefined {
    const p = this.#pieceOf(edge);
    if (this.#pieces.length === 0) return undefined;
    if (descending) return this.#pieces[p].keys[0] < edge ? this.#pieces[p] : this.#pieces[p - 1];
    return this.#pieces[p].keys[0] > edge ? this.#pieces[p] : this.#pieces[p + 1];
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

  /** The entries whose text contains `wanted`, in their order. */
  #matchesIn(piece: Piece, wanted: string): Entry[] {
    if (wanted === '') return [...piece.entries];
    const found: Entry[] = [];
    // The separators are not in any name.
    if (/[\n\t]/.test(wanted)) return found;
    piece.joined ??= this.#join(piece.entries);
    const { text, starts } = piece.joined;
    for (let at = text.indexOf(wanted), i = 0; at >= 0; ) {
      while (i + 1 < starts.length && starts[i + 1] <= at) i++;
      found.push(piece.entries[i]);
      if (i + 1 === starts.length) break;
      at = text.indexOf(wanted, starts[i + 1]);
    }
    return found;
  }

  #join(entries: readonly Entry[]): Joined {
    const starts: number[] = [];
    let text = '';
    for (const { key } of entries) {
      starts.push(text.length);
      text += `\n${searchTextOf(this.order.hostOf(key))}`;
    }
    return { text, starts };
  }
}

/** `key`: the key of an apex as Latin-1. */
export function nameOfApexKey(key: string): Name {
  const bytes = Buffer.from(key, 'latin1');
  return nameOfKey(bytes, 0, bytes.length);
}

/** Bytes that neither keys nor texts escape, and the end of a label. */
const PLAIN_KEY = /^[a-z0-9_/\0-]*$/;

const hostOfApexKey = (key: string): string =>
  PLAIN_KEY.test(key) ? key.slice(0, -1).split('\0').reverse().join('.') : formatHost(nameOfApexKey(key));
