/**
 * Encodes header blocks (RFC 7541). Each connection has its own encoder, which holds a copy of the
 * peer's dynamic table. A block starts with `begin`, followed by any of `status`, `fields`, `line`
 * and blocks of encodeStateless. Only entries of the table are allocated.
 *
 *     at = encoder.begin(target, 9);
 *     at = encoder.status(target, at, 200);
 *     at = encoder.fields(target, at, headers);
 */
import type { FieldList } from '../../exchange/field-list.ts';
import { DEFAULT_TABLE_SIZE } from './decoder.ts';
import { INDEX, type NamePlan, NEVER_INDEX, NO_INDEX, planOf, staticLine } from './indexing.ts';
import { DynamicTable, Entry, FIRST_DYNAMIC } from './tables.ts';
import { lineBound, writeInteger, writeLiteral, writeName, writeRaw } from './write.ts';

/** Maximum bytes that `begin` and `status` write. */
export const HEAD_BOUND = 32;

/**
 * Maximum characters of a changing value (date, length, tag) that is written without Huffman code.
 * The Huffman code took 0.3 of the 0.7 µs of a head, and saves 8 bytes of a date.
 */
const LONGEST_RAW = 32;

/**
 * Maximum bytes of a block with a status and these fields. `target` must have this much room.
 */
export function blockBound(fields: FieldList): number {
  let bound = HEAD_BOUND;
  for (let i = 0; i + 1 < fields.length; i += 2) bound += lineBound(fields[i], fields[i + 1]);
  return bound;
}

export class HpackEncoder {
  /** Changes with the table, and when a block has announced the table's size. */
  revision = 0;
  readonly #maxTableSize: number;
  readonly #table: DynamicTable;
  /** The last announced size, and the minimum since then (RFC 7541 section 4.2). */
  #announcedSize = DEFAULT_TABLE_SIZE;
  #leastSize = DEFAULT_TABLE_SIZE;

  /** `maxTableSize`: maximum bytes of the table, even if the peer allows more. */
  constructor(maxTableSize = DEFAULT_TABLE_SIZE) {
    this.#maxTableSize = maxTableSize;
    this.#table = new DynamicTable(DEFAULT_TABLE_SIZE);
    this.allowTableSize(DEFAULT_TABLE_SIZE);
  }

  /** SETTINGS_HEADER_TABLE_SIZE of the peer, in bytes. The next block announces a new size. */
  allowTableSize(size: number): void {
    const next = Math.min(size, this.#maxTableSize);
    if (next === this.#table.maxSize) return;
    this.revision++;
    this.#table.resize(next);
    this.#leastSize = Math.min(this.#leastSize, next);
  }

  /** Bytes of the dynamic table, as RFC 7541 section 4.1 counts them. */
  get tableSize(): number {
    return this.#table.size;
  }

  /** Starts a block. Writes table size updates, if any are due. */
  begin(target: Uint8Array, at: number): number {
    const size = this.#table.maxSize;
    if (this.#announcedSize === size && this.#leastSize === size) return at;
    this.revision++;
    const next =
      this.#leastSize < size && this.#leastSize < this.#announcedSize
        ? writeInteger(target, at, 0x20, 0x1f, this.#leastSize)
        : at;
    this.#announcedSize = size;
    this.#leastSize = size;
    return writeInteger(target, next, 0x20, 0x1f, size);
  }

  /** The pseudo-header of a response. */
  status(target: Uint8Array, at: number, status: number): number {
    return this.line(target, at, ':status', String(status));
  }

  /** Field lines; `blockBound(fields)` bytes of room. */
  fields(target: Uint8Array, at: number, fields: FieldList): number {
    let next = at;
    for (let i = 0; i + 1 < fields.length; i += 2) next = this.line(target, next, fields[i], fields[i + 1]);
    return next;
  }

  /** One field line; `lineBound(name, value)` bytes of room. */
  line(target: Uint8Array, at: number, name: string, value: string): number {
    const plan = planOf(name);
    const line = staticLine(plan, value);
    if (line > 0) return writeInteger(target, at, 0x80, 0x7f, line);
    if (plan.mode === NO_INDEX && value.length <= LONGEST_RAW)
      return writeRaw(target, writeName(target, at, NO_INDEX, plan.firstStatic, name), value);
    if (plan.mode !== INDEX) return writeLiteral(target, at, plan.mode, plan.firstStatic, name, value);
    return this.#indexed(target, at, plan, name, value);
  }

  #indexed(target: Uint8Array, at: number, plan: NamePlan, name: string, value: string): number {
    const table = this.#table;
    let nameIndex = plan.firstStatic;
    for (let age = 0; age < table.count; age++) {
      const entry = table.at(age) as Entry;
      if (entry.name !== name) continue;
      if (entry.value === value) return writeInteger(target, at, 0x80, 0x7f, FIRST_DYNAMIC + age);
      if (nameIndex === 0) nameIndex = FIRST_DYNAMIC + age;
    }
    const entry = new Entry(name, value, 0, 0);
    // An entry that would evict most of the others is not indexed.
    if (entry.size * 2 > table.maxSize) return writeLiteral(target, at, 0, nameIndex, name, value);
    this.revision++;
    table.insert(entry);
    return writeLiteral(target, at, INDEX, nameIndex, name, value);
  }
}

/**
 * Encodes blocks that neither use nor change the dynamic table. A block is encoded once and copied
 * into the blocks of any connection, after the output of `HpackEncoder.begin`. Blocks may be
 * concatenated: a part that changes (the date, once a second) follows a part that does not.
 *
 * `status` 0: none, for trailers and for parts after the first.
 */
export function encodeStateless(status: number, fields: FieldList): Uint8Array {
  const target = new Uint8Array(blockBound(fields));
  let at = status === 0 ? 0 : writeLine(target, 0, ':status', String(status));
  for (let i = 0; i + 1 < fields.length; i += 2) at = writeLine(target, at, fields[i], fields[i + 1]);
  return target.slice(0, at);
}

function writeLine(target: Uint8Array, at: number, name: string, value: string): number {
  const plan = planOf(name);
  const line = staticLine(plan, value);
  if (line > 0) return writeInteger(target, at, 0x80, 0x7f, line);
  return writeLiteral(target, at, plan.mode === NEVER_INDEX ? NEVER_INDEX : NO_INDEX, plan.firstStatic, name, value);
}
