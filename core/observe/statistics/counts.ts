/** The counts of a domain or an account: columns, and its most queried names. */

/** The kinds of subjects with own counts. Domains and accounts have separate ids. */
export const SUBJECT = { domain: 1, account: 2 } as const;

/** Names that are counted for each domain, and stored in each period. */
export const MAX_NAMES = 32;
/** Of an account: its names are whole, and with many domains they would take most of the disk. */
const MAX_ACCOUNT_NAMES = 12;

export const maxNames = (kind: number): number => (kind === SUBJECT.account ? MAX_ACCOUNT_NAMES : MAX_NAMES);

export interface CountEntry {
  /** A value of SUBJECT. */
  readonly kind: number;
  readonly id: number;
  readonly columns: ReadonlyMap<number, number>;
  /** Labels in wire form, one byte a character: of a domain without its apex. */
  readonly names: ReadonlyMap<string, number>;
}

/**
 * The most frequent names of a stream in bounded memory (Space-Saving: Metwally, Agrawal, El Abbadi
 * 2005). A name that replaces another takes over its count as its possible error.
 */
export class NameSketch {
  readonly #counts = new Map<string, number>();
  readonly #errors = new Map<string, number>();

  get size(): number {
    return this.#counts.size;
  }

  add(name: string, weight: number): void {
    const counts = this.#counts;
    const count = counts.get(name);
    if (count !== undefined) counts.set(name, count + weight);
    else if (counts.size < MAX_NAMES) counts.set(name, weight);
    else this.#replaceRarest(name, weight);
  }

  /** Each name with the count that is certain. */
  guaranteed(): Map<string, number> {
    const names = new Map<string, number>();
    for (const [name, count] of this.#counts) names.set(name, count - (this.#errors.get(name) ?? 0));
    return names;
  }

  #replaceRarest(name: string, weight: number): void {
    let rarest = '';
    let least = Number.POSITIVE_INFINITY;
    for (const [other, count] of this.#counts)
      if (count < least) {
        least = count;
        rarest = other;
      }
    this.#counts.delete(rarest);
    this.#errors.delete(rarest);
    this.#counts.set(name, least + weight);
    this.#errors.set(name, least);
  }
}

export function addTo<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** The `limit` names with the highest counts, in descending order. */
export function topNames(names: ReadonlyMap<string, number>, limit: number): Map<string, number> {
  const byCount = [...names].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(byCount.slice(0, limit));
}

/** Adds entries of one subject. */
export function mergeEntries(entries: readonly CountEntry[]): CountEntry {
  if (entries.length === 1) return entries[0];
  const { kind, id } = entries[0];
  const columns = new Map<number, number>();
  const names = new Map<string, number>();
  for (const entry of entries) {
    for (const [column, count] of entry.columns) addTo(columns, column, count);
    for (const [name, count] of entry.names) addTo(names, name, count);
  }
  return { kind, id, columns, names: names.size > maxNames(kind) ? topNames(names, maxNames(kind)) : names };
}

/** The order of entries in the store. */
export function compareSubjects(a: CountEntry, b: CountEntry): number {
  return a.kind - b.kind || a.id - b.id;
}
