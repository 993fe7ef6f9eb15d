import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeRecords } from '../../../../../admin-api/zones/records/zonefile/encode.ts';
import { Owners } from '../../../../../admin-api/zones/records/zonefile/owners.ts';
import { type MasterRecord, parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { formatName, nameId, parseName } from '../../../../../core/dns/wire/name.ts';
import { assignIds } from '../../../../../core/journal/draft/assign-ids.ts';
import { readChanges } from '../../../../../core/journal/entry-codec.ts';
import { type RecordRow, records, spellings } from '../../../../../core/store/rows.ts';

const APEX = parseName('example.com.');
const DOMAIN = 1234;
const FIRST = 2 ** 40;
const NOW = 1_795_222_174;

function ownersOf(found: readonly MasterRecord[]): Owners {
  const owners = new Owners(APEX);
  for (const record of found) owners.add(record);
  owners.sort();
  return owners;
}

async function rows(text: string): Promise<RecordRow[]> {
  const { records: found, errors } = parseMaster(Buffer.from(text), { origin: APEX, defaultTtl: 300 });
  assert.equal(errors, []);
  const { changes, count } = encodeRecords(0, ownersOf(found), new Map(), NOW);
  const bytes = Buffer.from(changes);
  await assignIds(bytes, DOMAIN, FIRST);
  const puts = [...readChanges(bytes)];
  assert.is(puts.length, count);
  return puts.map(({ table, key, value }) => {
    assert.is(table, records.number);
    assert.ok(value !== null);
    const row = records.decode(key, value);
    // The same bytes that the table itself encodes.
    assert.equal([records.key(row), records.encode(row)], [key, value]);
    return row;
  });
}

test('encodes rows like the table of records', async () => {
  const found = await rows(`
@ 600 MX 10 mail
www A 192.0.2.1
www AAAA 2001:db8::1
a\\000\\001b TXT "${'x'.repeat(255)}" "${'y'.repeat(255)}" "${'z'.repeat(255)}" "${'w'.repeat(255)}" "${'v'.repeat(255)}"
*.w CNAME www
`);
  assert.is(found.length, 5);
  for (const [i, row] of found.entries())
    assert.equal(
      [row.id, row.domainId, row.createdAt, row.updatedAt, row.proxied],
      [FIRST + i, DOMAIN, NOW, NOW, null],
    );
});

test('merges duplicates and uses the lowest TTL of an RRset', async () => {
  const found = await rows('a 600 A 192.0.2.1\nb 900 TXT x\nA 60 A 192.0.2.2\na 300 A 192.0.2.1\n');
  assert.equal(
    found.map((row) => [nameId(row.name)[1], row.ttl, row.rdata.at(-1)]),
    [
      ['a', 60, 1],
      ['a', 60, 2],
      ['b', 900, 120],
    ],
  );
});

test('merges duplicates in large sets', async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `a A 10.0.${(i % 1000) >> 8}.${(i % 1000) & 255}`);
  assert.is((await rows(`${lines.join('\n')}\n`)).length, 1000);
});

test('handles many names in one hash bucket and many in none', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `h${i} A 192.0.2.1`);
  const found = await rows(`${lines.join('\n')}\n${lines.slice(0, 100).join('\n')}\n`);
  assert.is(new Set(found.map((row) => nameId(row.name))).size, 20_000);
});

test('encodes the spellings of owners with records like their table', async () => {
  const text = 'WWW A 192.0.2.1\nwww A 192.0.2.2\nlower A 192.0.2.1\nA\\000B TXT x\n';
  const { records: found, spellings: spelled } = parseMaster(Buffer.from(text), { origin: APEX, defaultTtl: 300 });
  const gone = parseName('Gone', APEX);
  const { changes, count } = encodeRecords(
    DOMAIN,
    ownersOf(found),
    new Map([...spelled, [nameId(gone), Uint8Array.from(gone)]]),
    NOW,
  );
  assert.is(count, 4);
  const rest = [...readChanges(Buffer.from(changes))].slice(4).map(({ table, key, value }) => {
    assert.is(table, spellings.number);
    const row = spellings.decode(key, value!);
    assert.equal([spellings.key(row), spellings.encode(row)], [key, value]);
    assert.is(row.domainId, DOMAIN);
    assert.equal(row.name, parseName(formatName(row.spelled)));
    return formatName(row.spelled);
  });
  assert.equal(rest, ['WWW.example.com.', 'A\\000B.example.com.']);
});

test.run();
