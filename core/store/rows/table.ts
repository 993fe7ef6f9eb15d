/** Definitions of tables: how rows are encoded as keys and values. */

/**
 * Whose quota counts the rows. Every table that customers can fill counts towards a zone or an
 * account; the plan limits the sum.
 *
 *   zone      the key starts with the domain id
 *   account   the value is JSON with `accountId`
 *   audit     the key starts with the account id; not limited by the plan
 *   none      not counted: what bounds the number of rows
 */
type Quota = 'zone' | 'account' | 'audit' | { readonly none: string };

/**
 * The listeners of the journal that a write to the rows calls (core/journal/apply/notices.ts). For
 * `edge` and `site` the key starts with the domain id. `site`: the row of the site is derived from
 * the rows, too.
 */
type Concern = 'credentials' | 'apps' | 'secondaries' | 'edge' | 'site' | 'purges' | 'tickets';

export interface Table<Row> {
  readonly number: number;
  readonly name: string;
  readonly quota: Quota;
  readonly concerns?: Concern;
  key(row: Row): Buffer;
  encode(row: Row): Buffer;
  decode(key: Uint8Array, value: Uint8Array): Row;
  /** Keys in the lookups table that refer to this row. */
  lookups(key: Uint8Array, value: Uint8Array): Buffer[];
  /** The lookups depend on the key alone, so a row can be deleted without reading it. */
  readonly lookupsFromKey?: boolean;
  /**
   * The sequence of the entry that wrote a row is appended to its value (6 bytes). It is set when
   * the entry is applied, so it is always correct. Only for tables whose lookups do not read the
   * value.
   */
  readonly stamped?: boolean;
  /**
   * The last 8 bytes of a key are the sequence of the entry that wrote the row. They are zero in
   * the entry and set when it is applied. An entry has at most one such row per table.
   */
  readonly numbered?: boolean;
  /**
   * The feature level that nodes need for the table (core/journal/feature-level.ts); omitted: 1.
   */
  readonly level?: number;
  /** The feature level that nodes need for a row; omitted: that of the table. */
  levelOf?(key: Uint8Array, value: Uint8Array): number;
}

export const json = (row: unknown): Buffer => Buffer.from(JSON.stringify(row));

export const unjson = <T>(value: Uint8Array, end = value.length): T =>
  JSON.parse(Buffer.from(value.buffer, value.byteOffset, end).toString());

/** The members with a default. */
type Lookups<Row> = Partial<Pick<Table<Row>, 'lookups'>>;
type Form<Row> = Partial<Pick<Table<Row>, 'encode' | 'decode'>>;

/** Creates a table, by default without lookups. */
export const table = <Row>(definition: Omit<Table<Row>, 'lookups'> & Lookups<Row>): Table<Row> => ({
  lookups: () => [],
  ...definition,
});

/** Creates a table, by default with rows as JSON and without lookups. */
export const jsonTable = <Row>(
  definition: Omit<Table<Row>, 'lookups' | 'encode' | 'decode'> & Lookups<Row> & Form<Row>,
): Table<Row> => table({ encode: json, decode: (_key, value) => unjson<Row>(value), ...definition });

/** Bytes of a stamp. */
export const STAMP = 6;

/** The sequence at the end of a stamped value. */
export function stampOf(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, value.length).readUIntBE(value.length - STAMP, STAMP);
}
