/** Rows survive their bytes, and are found by every lookup that they have. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { idKey, LOOKUP, lookupKey, nameKey } from '../../../core/store/keys.ts';
import {
  type Account,
  accounts,
  comments,
  type Domain,
  domains,
  loginKey,
  PRIMARY,
  type RecordRow,
  type RRsetComments,
  records,
  type Table,
  type Token,
  tokens,
} from '../../../core/store/rows.ts';
import fc from '../../support/fc.ts';
import { anyName } from '../dns/wire/arbitrary.ts';

const id = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(Number.MAX_SAFE_INTEGER));
/** Seconds, to the greatest that 5 bytes hold. */
const time = fc.oneof(fc.nat(), fc.constant(0), fc.constant(2 ** 40 - 1));
const text = fc.string({ unit: 'grapheme', maxLength: 20 });

const account: fc.Arbitrary<Account> = fc.record({
  id,
  username: text,
  email: text,
  role: fc.constantFrom('admin', 'user', 'viewer'),
  plan: text,
  passwordHash: text,
  apiEnabled: fc.boolean(),
  createdAt: time,
  updatedAt: time,
});

const token: fc.Arbitrary<Token> = fc.record({
  id,
  accountId: id,
  name: text,
  hash: text,
  scopes: fc.array(text),
  createdAt: time,
  expiresAt: fc.option(time),
});

const u32 = fc.oneof(fc.nat(), fc.constant(2 ** 32 - 1));
const primary = fc.record({
  address: text,
  port: fc.nat(65_535),
  tsigKeyId: fc.option(id),
  tls: fc.option(fc.record({ name: fc.option(text), pin: fc.option(text) })),
});
const kind = fc.oneof(
  fc.constant(PRIMARY),
  fc.record({
    kind: fc.constantFrom('secondary' as const, 'catalog' as const),
    primaries: fc.array(primary),
    members: fc.constantFrom('account' as const, 'all' as const),
    consumes: fc.boolean(),
    listedBy: fc.option(fc.record({ catalogId: id, label: text, successor: fc.option(text) })),
  }),
);
const domainFields = fc.record({
  id,
  accountId: id,
  apex: anyName,
  createdAt: time,
  kept: fc.option(
    fc.record({
      serial: u32,
      mname: text,
      rname: text,
      refresh: u32,
      retry: u32,
      expire: u32,
      minimum: u32,
      ttl: u32,
    }),
  ),
});
const domain: fc.Arbitrary<Domain> = fc.tuple(domainFields, kind).map(([fields, its]) => ({ ...fields, ...its }));

const record: fc.Arbitrary<RecordRow> = fc.record({
  id,
  domainId: id,
  name: anyName,
  type: fc.nat(65535),
  ttl: fc.oneof(fc.nat(), fc.constant(2 ** 31 - 1), fc.constant(2 ** 32 - 1)),
  rdata: fc.uint8Array({ maxLength: 300 }),
  proxied: fc.constantFrom(null, true, false),
  createdAt: time,
  updatedAt: time,
});

const rrsetComments: fc.Arbitrary<RRsetComments> = fc.record({
  domainId: id,
  name: record.map((row) => row.name),
  type: fc.nat(65_535),
  comments: fc.array(fc.record({ content: text, account: text, modifiedAt: time }), { minLength: 1 }),
});

function roundTrips<Row>(table: Table<Row>, rows: fc.Arbitrary<Row>, lookups: (row: Row) => Buffer[]): void {
  test(`${table.name}: a row is decoded from its bytes, also inside of a larger buffer`, () => {
    fc.assert(
      fc.property(rows, fc.nat(9), (row, before) => {
        const key = Buffer.concat([Buffer.alloc(before, 0xaa), table.key(row)]).subarray(before);
        const value = Buffer.concat([Buffer.alloc(before, 0xbb), table.encode(row)]).subarray(before);
        assert.equal(plain(table.decode(key, value)), plain(row));
        assert.equal(table.key(table.decode(key, value)), table.key(row));
        assert.equal(table.lookups(key, value), lookups(row));
        if (table.lookupsFromKey) assert.equal(table.lookups(key, Buffer.alloc(0)), lookups(row));
      }),
    );
  });
}

/** Byte arrays of any class as plain ones, objects of any prototype as JSON has them. */
function plain(row: unknown): unknown {
  const bytes = (value: unknown) => (value instanceof Uint8Array ? [...value] : value);
  const entries = Object.entries(row as object).map(([key, value]) => [key, bytes(value)]);
  return JSON.parse(JSON.stringify(Object.fromEntries(entries)));
}

roundTrips(accounts, account, (row) => [loginKey(row.username), loginKey(row.email)]);
roundTrips(tokens, token, (row) => [lookupKey(LOOKUP.accountToken, idKey(row.accountId), idKey(row.id))]);
roundTrips(domains, domain, (row) => [
  lookupKey(LOOKUP.domainName, nameKey(row.apex)),
  lookupKey(LOOKUP.accountDomain, idKey(row.accountId), nameKey(row.apex)),
  ...(row.kind === 'catalog'
    ? [lookupKey(LOOKUP.catalog, idKey(row.members === 'all' ? 0 : row.accountId), nameKey(row.apex))]
    : []),
  ...(row.consumes ? [lookupKey(LOOKUP.consumer, nameKey(row.apex))] : []),
  ...(row.listedBy === null ? [] : [lookupKey(LOOKUP.listed, idKey(row.listedBy.catalogId), nameKey(row.apex))]),
]);
roundTrips(records, record, (row) => [lookupKey(LOOKUP.record, idKey(row.id))]);
roundTrips(comments, rrsetComments, () => []);

test("a decoded record does not change with the store's buffer", () => {
  const row: RecordRow = {
    id: 1,
    domainId: 2,
    name: Uint8Array.of(1, 97, 0),
    type: 1,
    ttl: 60,
    rdata: Uint8Array.of(1, 2, 3, 4),
    proxied: null,
    createdAt: 1,
    updatedAt: 2,
  };
  const key = records.key(row);
  const value = records.encode(row);
  const read = records.decode(key, value);
  key.fill(0xff);
  value.fill(0xff);
  assert.equal(plain(read), plain(row));
});

test('logins are found without regard to case', () => {
  assert.equal(loginKey('Alice@Example.COM'), loginKey('alice@example.com'));
  assert.ok(loginKey('\u{10ffff}'.repeat(1000)).length < 1978);
});

test.run();
