/** The static table (RFC 7541 appendix A), and the dynamic table of a connection. */
import { nameFlags as flagsOfName, lineFlags } from '../../exchange/fields.ts';

const FIRST_SLOTS = 16;

/** Bytes that an entry counts in addition to its name and value (RFC 7541 section 4.1). */
export const ENTRY_OVERHEAD = 32;

/** A field line of a table (RFC 7541 section 2.3). */
export class Entry {
  /** Bytes that the entry counts in a table. */
  readonly size: number;

  /** Flags of the name and of the whole line: edge/http/exchange/fields.ts. */
  constructor(
    readonly name: string,
    readonly value: string,
    readonly nameFlags: number,
    readonly flags: number,
  ) {
    this.size = name.length + value.length + ENTRY_OVERHEAD;
  }
}

const LINES = `:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|\
:status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|accept-language|\
accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|\
content-language|content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|\
if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|\
proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|\
vary|via|www-authenticate`;

/** The first index of the dynamic table (RFC 7541 section 2.3.3). */
export const FIRST_DYNAMIC = 62;

/** Entries by index, from 1. Index 0 is unused. */
export const STATIC_TABLE: readonly Entry[] = ['', ...LINES.split('|')].map((line) => {
  const [, name, value] = /^(\S*) ?(.*)$/.exec(line) as RegExpExecArray;
  const ofName = flagsOfName(name);
  return new Entry(name, value, ofName, lineFlags(ofName, value));
});

/**
 * The dynamic table (RFC 7541 sections 2.3.2 and 4), a ring of entries. The ring grows with the
 * entries, up to `maxSize`, so an idle connection takes little memory.
 */
export class DynamicTable {
  /** Of power-of-two length; slots outside of [#oldest, #oldest + count) are undefined. */
  #ring: (Entry | undefined)[] = [];
  #oldest = 0;
  #count = 0;
  #size = 0;
  #maxSize: number;

  /** `maxSize`: bytes as RFC 7541 section 4.1 counts them. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get count(): number {
    return this.#count;
  }

  get size(): number {
    return this.#size;
  }

  get maxSize(): number {
    return this.#maxSize;
  }

  /** The entry inserted `age` insertions before the newest; undefined: none. */
  at(age: number): Entry | undefined {
    if (age >= this.#count) return undefined;
    return this.#ring[(this.#oldest + this.#count - 1 - age) & (this.#ring.length - 1)];
  }

  /**
   * Evicts entries to make room, then inserts. An entry larger than the table only empties it (RFC
   * 7541 section 4.4).
   */
  insert(entry: Entry): void {
    this.#evictTo(this.#maxSize - entry.size);
    if (entry.size > this.#maxSize) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[(this.#oldest + this.#count) & (this.#ring.length - 1)] = entry;
    this.#count++;
    this.#size += entry.size;
  }

  clear(): void {
    this.#evictTo(0);
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize;
    this.#evictTo(maxSize);
  }

  #evictTo(size: number): void {
    while (this.#size > size && this.#count > 0) {
      const slot = this.#oldest & (this.#ring.length - 1);
      this.#size -= (this.#ring[slot] as Entry).size;
      this.#ring[slot] = undefined;
      this.#oldest = (slot + 1) & (this.#ring.length - 1);
      this.#count--;
    }
  }

  /** Doubles the ring. The table holds at most maxSize / 32 entries, which limits the ring. */
  #grow(): void {
    const ring = new Array<Entry | undefined>(Math.max(FIRST_SLOTS, this.#ring.length * 2)).fill(undefined);
    for (let i = 0; i < this.#count; i++) ring[i] = this.#ring[(this.#oldest + i) & (this.#ring.length - 1)];
    this.#ring = ring;
    this.#oldest = 0;
  }

  /** Allocated slots, for tests: fewer than twice maxSize / 32, or FIRST_SLOTS. */
  get slots(): number {
    return this.#ring.length;
  }
}
