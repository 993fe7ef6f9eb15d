/** A field line of a table (RFC 7541 section 2.3). */

/** What an entry costs beyond its bytes (RFC 7541 section 4.1). */
export const ENTRY_OVERHEAD = 32;

export class Entry {
  /** Bytes that it takes of a table. */
  readonly size: number;

  /** `flags` of the name alone and of the whole line: edge/http/exchange/fields.ts. */
  constructor(
    readonly name: string,
    readonly value: string,
    readonly nameFlags: number,
    readonly flags: number,
  ) {
    this.size = name.length + value.length + ENTRY_OVERHEAD;
  }
}
