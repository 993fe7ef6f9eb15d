/** What makes a row a key and a value. */

export interface Table<Row> {
  readonly number: number;
  readonly name: string;
  key(row: Row): Buffer;
  encode(row: Row): Buffer;
  decode(key: Uint8Array, value: Uint8Array): Row;
  /** Keys in the lookups table that lead to this row. */
  lookups(key: Uint8Array, value: Uint8Array): Buffer[];
  /** The lookups follow from the key alone, so a row that goes need not be read first. */
  readonly lookupsFromKey?: boolean;
  /**
   * The sequence of the entry that wrote a row stands behind its value (6 bytes): put there when
   * the entry is applied, so that it is known to be right. Only tables whose lookups do not look at
   * the value.
   */
  readonly stamped?: boolean;
  /**
   * The last 8 bytes of a key are the sequence of the entry that wrote the row. They are zero in
   * the entry and are set when it is applied. An entry has at most one such row of a table.
   */
  readonly numbered?: boolean;
  /** The feature level that nodes need for it (core/journal/feature-level.ts); omitted: 1. */
  readonly level?: number;
}

export const json = (row: unknown): Buffer => Buffer.from(JSON.stringify(row));

export const unjson = <T>(value: Uint8Array, end = value.length): T =>
  JSON.parse(Buffer.from(value.buffer, value.byteOffset, end).toString());

/** What has a default. */
type Lookups<Row> = Partial<Pick<Table<Row>, 'lookups'>>;
type Form<Row> = Partial<Pick<Table<Row>, 'encode' | 'decode'>>;

/** Without lookups, unless they are given. */
export const table = <Row>(definition: Omit<Table<Row>, 'lookups'> & Lookups<Row>): Table<Row> => ({
  lookups: () => [],
  ...definition,
});

/** Rows are stored as JSON, without lookups, unless other functions are given. */
export const jsonTable = <Row>(
  definition: Omit<Table<Row>, 'lookups' | 'encode' | 'decode'> & Lookups<Row> & Form<Row>,
): Table<Row> => table({ encode: json, decode: (_key, value) => unjson<Row>(value), ...definition });

/** Bytes of a stamp. */
export const STAMP = 6;

/** The sequence behind the value of a stamped row. */
export function stampOf(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, value.length).readUIntBE(value.length - STAMP, STAMP);
}
