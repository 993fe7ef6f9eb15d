/** TTLs of entries, `$TTL`, and the TTLs of records without a TTL. */
import { MAX_TTL, readTtl } from '../ttl.ts';
import { type CurrentEntry, fail } from './entry.ts';

/** Largest number of 32 bits. */
const MAX_UNSIGNED = 0xffffffff;
const TTL_RULE = `a TTL is 0 to ${MAX_TTL} seconds, or has units as in 1h30m`;

/** All TTLs are seconds; -1: not set. */
export class RecordTtl {
  readonly #entry: CurrentEntry;
  readonly #default: number;
  #ofDirective = -1;
  #last = -1;
  #soaMinimum = -1;
  #hasWarned = false;

  /** `defaultTtl`: for records before any TTL and any SOA. */
  constructor(entry: CurrentEntry, defaultTtl: number) {
    this.#entry = entry;
    this.#default = defaultTtl;
  }

  /** The TTL in field `i`. Throws InvalidError. */
  read(i: number): number {
    const entry = this.#entry;
    const ttl = readTtl(entry.bytes, entry.lexer.start[i], entry.lexer.end[i]);
    if (ttl >= 0) return ttl;
    const text = entry.text(i).slice(0, 16);
    if (!/^\d{10}$/.test(text) || Number(text) > MAX_UNSIGNED) fail(`${entry.shown(i)} is not a TTL: ${TTL_RULE}.`);
    entry.warn('ttl_overflow', `The TTL ${text} is above ${MAX_TTL}, so it means 0 (RFC 2181 section 8).`);
    return 0;
  }

  /** `$TTL` with the TTL in field `i`. Throws InvalidError. */
  setDirective(i: number): void {
    this.#ofDirective = this.read(i);
  }

  /** Stores the minimum of the first SOA. */
  noteSoa(rdata: Uint8Array): void {
    if (this.#soaMinimum < 0) this.#soaMinimum = Math.min(Buffer.from(rdata).readUInt32BE(rdata.length - 4), MAX_TTL);
  }

  /** The TTL of a record whose entry has `ttl`. Throws InvalidError. */
  resolve(ttl: number): number {
    if (ttl < 0) return this.#missing();
    this.#last = ttl;
    return ttl;
  }

  /** Stores the TTL of an entry that adds no record: later entries without a TTL inherit it. */
  note(ttl: number): void {
    if (ttl >= 0) this.#last = ttl;
  }

  /** The TTL of a record without a TTL, as in BIND (RFC 2308 section 4, RFC 1035 section 5.1). */
  #missing(): number {
    if (this.#ofDirective >= 0) return this.#ofDirective;
    if (this.#last >= 0) return this.#last;
    if (this.#soaMinimum >= 0) {
      this.#warn(`the SOA minimum of ${this.#soaMinimum} seconds`);
      // BIND continues as if $TTL were set to this: later explicit TTLs are not inherited.
      this.#ofDirective = this.#soaMinimum;
      return this.#soaMinimum;
    }
    if (this.#default >= 0) {
      this.#warn(`the default of ${this.#default} seconds`);
      return this.#default;
    }
    return fail('The record has no TTL, and no TTL is set before it; put a line such as "$TTL 300" at the start.');
  }

  /** Warns once for each file. */
  #warn(instead: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#entry.warn(
      'no_ttl',
      `The record has no TTL, and no TTL is set before it; it gets ${instead}. Put a line such as "$TTL 300" at the start.`,
    );
  }
}
