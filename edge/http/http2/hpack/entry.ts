/** A field line of a table (RFC 7541 section 2.3). */

/** Bytes that an entry counts in addition to its name and value (RFC 7541 section 4.1). */
export const ENTRY_OVERHEAD = 32;

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
