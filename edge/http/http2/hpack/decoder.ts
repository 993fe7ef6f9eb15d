/**
 * Decodes header blocks (RFC 7541). Each connection has its own decoder, which holds the dynamic
 * table. A block is decoded to its end even if its list is too large: otherwise the table would
 * differ from the client's. The work for each byte is bounded.
 */
import { KIND, KIND_MASK, lineFlags } from '../../exchange/fields.ts';
import { fieldName } from './name-cache.ts';
import { OUTCOME, type Outcome } from './outcome.ts';
import { StringReader } from './string-reader.ts';
import { DynamicTable, ENTRY_OVERHEAD, Entry, FIRST_DYNAMIC, STATIC_TABLE } from './tables.ts';

/**
 * A flag next to those of edge/http/exchange/fields.ts: a literal that is never indexed (RFC 7541
 * section 6.2.3). Requests go to origins over HTTP/1.1, so only tests use it.
 */
export const NEVER_INDEXED = 0x1000;

export interface HeaderSink {
  /**
   * Called for each field line, in order. Name and value are Latin-1; `flags`: those of
   * edge/http/exchange/fields.ts, and NEVER_INDEXED. Must not throw.
   */
  field(name: string, value: string, flags: number): void;
}

export interface HeaderListLimits {
  /** Bytes, counted as in RFC 9113 section 6.5.2: name, value and 32 for each field. */
  readonly maxListSize: number;
  /** Fields. All lines of a split cookie (RFC 9113 section 8.2.3) count as one. */
  readonly maxListCount: number;
}

/** Initial value of SETTINGS_HEADER_TABLE_SIZE (RFC 9113 section 6.5.2). */
export const DEFAULT_TABLE_SIZE = 4096;

export class HpackDecoder {
  /** Changes when a block may decode to something else than before. */
  revision = 0;
  readonly #limits: HeaderListLimits;
  readonly #table = new DynamicTable(DEFAULT_TABLE_SIZE);
  readonly #strings: StringReader;
  #allowedTableSize = DEFAULT_TABLE_SIZE;
  /**
   * The table size that the peer's next block must announce, because our SETTINGS lowered it
   * (RFC 7541 section 4.2); -1: none.
   */
  #requiredTableSize = -1;
  #failure: Outcome = OUTCOME.decoded;
  #listSize = 0;
  #listCount = 0;
  #hasCookie = false;
  #isTooLarge = false;
  /** The name of the literal being read. */
  #name = '';
  #nameFlags = 0;
  #nameLength = 0;

  constructor(limits: HeaderListLimits) {
    this.#limits = limits;
    // A string may be too long for the list, but has to be stored in the table.
    this.#strings = new StringReader(Math.max(limits.maxListSize, DEFAULT_TABLE_SIZE));
  }

  /**
   * The peer has acknowledged a SETTINGS_HEADER_TABLE_SIZE of ours, bytes (RFC 7541 section 4.2).
   */
  acknowledgeTableSize(size: number): void {
    this.revision++;
    this.#allowedTableSize = size;
    this.#strings.raise(size);
    if (size >= this.#table.maxSize) return;
    if (this.#requiredTableSize < 0 || size < this.#requiredTableSize) this.#requiredTableSize = size;
  }

  /** Bytes of the dynamic table, as RFC 7541 section 4.1 counts them. */
  get tableSize(): number {
    return this.#table.size;
  }

  /**
   * Decodes the complete block bytes[start, end). After a compression error the tables differ
   * permanently, and every later call returns the same error. `tooLarge` is no compression error.
   */
  decode(bytes: Uint8Array, start: number, end: number, sink: HeaderSink): Outcome {
    if (this.#failure !== OUTCOME.decoded) return this.#failure;
    this.#listSize = 0;
    this.#listCount = 0;
    this.#hasCookie = false;
    this.#isTooLarge = false;
    this.#strings.at = start;
    const failure = this.#decodeBlock(bytes, end, sink);
    if (failure !== OUTCOME.decoded) {
      this.revision++;
      this.#failure = failure;
    } else if (this.#isTooLarge) return OUTCOME.tooLarge;
    return failure;
  }

  #decodeBlock(bytes: Uint8Array, end: number, sink: HeaderSink): Outcome {
    const strings = this.#strings;
    while (strings.at < end && (bytes[strings.at] & 0xe0) === 0x20) {
      const failure = this.#updateSize(bytes, end);
      if (failure !== OUTCOME.decoded) return failure;
    }
    if (this.#requiredTableSize >= 0 && strings.at < end) return OUTCOME.missingSizeUpdate;
    while (strings.at < end) {
      const first = bytes[strings.at];
      let failure: Outcome;
      if (first >= 0x80) failure = this.#indexed(bytes, end, sink);
      else if (first >= 0x40) failure = this.#literal(bytes, end, sink, 0x3f, true, 0);
      else if (first >= 0x20) failure = OUTCOME.lateSizeUpdate;
      else failure = this.#literal(bytes, end, sink, 0x0f, false, first >= 0x10 ? NEVER_INDEXED : 0);
      if (failure !== OUTCOME.decoded) return failure;
    }
    return OUTCOME.decoded;
  }

  /** RFC 7541 section 6.3. */
  #updateSize(bytes: Uint8Array, end: number): Outcome {
    const size = this.#strings.integer(bytes, end, 0x1f);
    if (size < 0) return this.#strings.failure;
    if (size > this.#allowedTableSize) return OUTCOME.sizeUpdateTooLarge;
    if (this.#requiredTableSize >= 0) {
      if (size > this.#requiredTableSize) return OUTCOME.missingSizeUpdate;
      this.#requiredTableSize = -1;
    }
    this.revision++;
    this.#table.resize(size);
    return OUTCOME.decoded;
  }

  #entry(index: number): Entry | undefined {
    if (index >= FIRST_DYNAMIC) return this.#table.at(index - FIRST_DYNAMIC);
    return index === 0 ? undefined : STATIC_TABLE[index];
  }

  /** RFC 7541 section 6.1. */
  #indexed(bytes: Uint8Array, end: number, sink: HeaderSink): Outcome {
    const index = this.#strings.integer(bytes, end, 0x7f);
    if (index < 0) return this.#strings.failure;
    const entry = this.#entry(index);
    if (entry === undefined) return OUTCOME.unknownIndex;
    if (this.#count(entry.size, entry.nameFlags)) sink.field(entry.name, entry.value, entry.flags);
    return OUTCOME.decoded;
  }

  /** RFC 7541 section 6.2. `mask`: the bits of the first byte that belong to the index. */
  #literal(
    bytes: Uint8Array,
    end: number,
    sink: HeaderSink,
    mask: number,
    isIndexing: boolean,
    neverIndexed: number,
  ): Outcome {
    const strings = this.#strings;
    const index = strings.integer(bytes, end, mask);
    if (index < 0) return strings.failure;
    const isWanted = isIndexing || !this.#isTooLarge;
    const failure = index === 0 ? this.#newName(bytes, end, isWanted) : this.#indexedName(index);
    if (failure !== OUTCOME.decoded) return failure;
    const isNameHeld = index !== 0 || strings.isHeld;
    if (!strings.read(bytes, end, isWanted && isNameHeld)) return strings.failure;
    const size = this.#nameLength + strings.length + ENTRY_OVERHEAD;
    const isHeld = isNameHeld && strings.isHeld;
    const isReported = this.#count(size, this.#nameFlags) && isHeld;
    if (isIndexing) this.revision++;
    if (isReported || (isIndexing && isHeld && size <= this.#table.maxSize)) {
      const value = strings.text();
      const flags = lineFlags(this.#nameFlags, value, strings.classes);
      if (isIndexing) this.#table.insert(new Entry(this.#name, value, this.#nameFlags, flags));
      if (isReported) sink.field(this.#name, value, flags | neverIndexed);
    } else if (isIndexing) {
      this.#table.clear(); // an entry larger than the table empties it (RFC 7541 section 4.4)
    }
    return OUTCOME.decoded;
  }

  /** Reads a literal name. Of a name that is too long to be held only the length is set. */
  #newName(bytes: Uint8Array, end: number, isWanted: boolean): Outcome {
    const strings = this.#strings;
    if (!strings.read(bytes, end, isWanted)) return strings.failure;
    this.#nameLength = strings.length;
    if (!strings.isHeld) return OUTCOME.decoded;
    const name = fieldName(strings.bytes, strings.length, strings.classes);
    this.#name = name.text;
    this.#nameFlags = name.flags;
    return OUTCOME.decoded;
  }

  #indexedName(index: number): Outcome {
    const entry = this.#entry(index);
    if (entry === undefined) return OUTCOME.unknownIndex;
    this.#name = entry.name;
    this.#nameFlags = entry.nameFlags;
    this.#nameLength = entry.name.length;
    return OUTCOME.decoded;
  }

  /**
   * Counts a field and returns whether it fits. After the first that does not, none does. The lines
   * of a split cookie (RFC 9113 section 8.2.3) are joined later and count as one field; each adds
   * its size.
   */
  #count(size: number, nameFlags: number): boolean {
    if (this.#isTooLarge) return false;
    this.#listSize += size;
    const isCookie = (nameFlags & KIND_MASK) === KIND.cookie;
    if (!isCookie || !this.#hasCookie) this.#listCount++;
    this.#hasCookie ||= isCookie;
    this.#isTooLarge = this.#listSize > this.#limits.maxListSize || this.#listCount > this.#limits.maxListCount;
    return !this.#isTooLarge;
  }
}
