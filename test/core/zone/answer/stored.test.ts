/**
 * Answers from LMDB, used when the arena is full, equal those of an index that holds everything.
 * Names with equal hashes stay separate in both.
 */

import { MessageChannel } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import type { Journal } from '../../../../core/journal/journal.ts';
import { LmdbNodeStore } from '../../../../core/nameserver/node-store.ts';
import { type Environment, openEnvironment } from '../../../../core/store/environment.ts';
import { buildIndex } from '../../../../core/store/index/build.ts';
import { nameSum } from '../../../../core/store/index/layout.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { type Domain, domains, PRIMARY, type RecordRow, records } from '../../../../core/store/rows.ts';
import { TCP_LIMIT, UDP_LIMIT } from '../../../reference/compare.ts';
import { newId } from '../../../support/ids.ts';
import { QueryPath } from '../../../support/in-process.ts';
import { decodeMessage } from '../../../support/message.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { DEFAULTS } from '../../journal/fixture.ts';
import { APEX, a, ask, byteOf, putZone, record, soa, texts } from '../../nameserver/fixture.ts';

const SMALL = 32 * 1024;
const AMPLE = 64 << 20;

interface Context {
  folder: string;
  environment: Environment;
  store: LmdbNodeStore;
  index: IndexWriter;
  journal: Journal;
  path: QueryPath;
  domain: Domain;
}

const test = suite<Context>(`answers in the store, seed ${SEED}`);

const target = (name: string): Uint8Array => parseName(`${name}.${APEX}.`);
const FILLING = Array.from({ length: 1500 }, (_, i) => a(`fill${i}`, 10, 0, i >> 8, i & 255));
const KINDS: readonly ResourceRecord[] = [
  a('address', 192, 0, 2, 1),
  ...texts('several', 12, 60),
  record('mail', TYPE.MX, Buffer.concat([Uint8Array.of(0, 10), target('address')])),
  a('*.wild', 192, 0, 2, 2),
  a('deep.under.empty', 192, 0, 2, 3),
  record('alias', TYPE.CNAME, target('address')),
  record('to-nowhere', TYPE.CNAME, target('nothing.there')),
  record('cut', TYPE.NS, target('ns.cut')),
  a('ns.cut', 192, 0, 2, 4),
  record(
    'cut',
    TYPE.DS,
    Uint8Array.from({ length: 36 }, (_, i) => i),
  ),
  record('moved', TYPE.DNAME, target('empty')),
];

const rowOf = (domain: Domain, { name, type, ttl, rdata }: ResourceRecord): RecordRow => ({
  id: newId(),
  domainId: domain.id,
  name,
  type,
  ttl,
  rdata,
  proxied: null,
  createdAt: 1,
  updatedAt: 1,
});

async function add({ environment, journal, domain }: Context, added: readonly ResourceRecord[]): Promise<RecordRow[]> {
  const rows = added.map((entry) => rowOf(domain, entry));
  await write(environment, journal, 'test', (draft) => {
    for (const row of rows) draft.put(records, row);
  });
  return rows;
}

async function remove({ environment, journal }: Context, rows: readonly RecordRow[]): Promise<void> {
  await write(environment, journal, 'test', (draft) => {
    for (const row of rows) draft.delete(records, row);
  });
}

test.before.each(async (context) => {
  const folder = temporaryFolder('stored');
  const environment = openEnvironment(folder);
  const index = await buildIndex(environment, folder, SMALL);
  const store = new LmdbNodeStore(folder);
  const domain: Domain = {
    id: newId(),
    accountId: 0,
    apex: parseName(`${APEX}.`),
    createdAt: 1,
    kept: null,
    ...PRIMARY,
  };
  const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 100 });
  Object.assign(context, { folder, environment, index, store, journal, domain, path: new QueryPath(index, store) });
  await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
  await add(context, FILLING);
});
test.after.each(async ({ folder, environment, store, journal }) => {
  await journal.close();
  await store.close();
  await environment.close();
  removeFolder(folder);
});

const QUESTIONS: readonly [name: string, type: number][] = [
  ...['address', 'several', 'mail', 'alias', 'to-nowhere', 'cut', 'moved', 'missing', 'x.address', 'fill0', 'fill1499'],
  ...['a.wild', 'b.a.wild', 'wild', '*.wild', 'empty', 'under.empty', 'deep.under.empty', 'x.deep.under.empty'],
  ...['below.cut', 'ns.cut', 'deep.under.moved', 'nothing.moved', 'AdDrEsS', 'x.fill7', 'fill1500'],
].flatMap((name) =>
  [TYPE.A, TYPE.TXT, TYPE.MX, TYPE.SOA, TYPE.DS, TYPE.CNAME, TYPE.ANY].map((type): [string, number] => [name, type]),
);

/**
 * The same bytes from the index that the journal updates and from a new index that holds
 * everything.
 */
async function compare({ environment, folder, path }: Context): Promise<Map<string, number>> {
  const whole = await buildIndex(environment, folder, AMPLE);
  assert.is(whole.stats.inStore, 0);
  const other = new QueryPath(whole);
  const codes = new Map<string, number>();
  for (const [name, type] of QUESTIONS)
    for (const limit of [UDP_LIMIT, TCP_LIMIT]) {
      const packet = ask(name, { type, edns: 1232 });
      const got = path.answer(packet, limit)!;
      assert.equal(Buffer.from(got).toString('hex'), Buffer.from(other.answer(packet, limit)!).toString('hex'), name);
      codes.set(`${name} ${type}`, decodeMessage(got).rcode);
    }
  return codes;
}

test('every kind of answer is the same as from an index that holds everything', async (context) => {
  await add(context, KINDS);
  const { names, inStore } = context.index.stats;
  assert.ok(inStore > names / 2, `${inStore} of ${names} names in the store`);
  const codes = await compare(context);
  for (const [question, code] of [
    ['address 1', RCODE.NOERROR],
    ['address 16', RCODE.NOERROR],
    ['missing 1', RCODE.NXDOMAIN],
    ['x.address 1', RCODE.NXDOMAIN],
    ['to-nowhere 1', RCODE.NXDOMAIN],
    ['b.a.wild 1', RCODE.NOERROR],
    ['deep.under.moved 1', RCODE.NOERROR],
    ['nothing.moved 1', RCODE.NXDOMAIN],
  ] as const)
    assert.is(codes.get(question), code, question);
});

test('changes to names in the store are visible to the next query', async (context) => {
  const rows = await add(context, KINDS);
  await compare(context);
  await remove(context, rows.slice(0, 14));
  await add(context, [a('several', 192, 0, 2, 9), a('x.address', 192, 0, 2, 10)]);
  assert.is(byteOf(context.path.answer(ask('several'), UDP_LIMIT)), 9);
  await compare(context);
  await remove(context, rows.slice(14));
  const codes = await compare(context);
  assert.is(codes.get('a.wild 1'), RCODE.NXDOMAIN);
});

/** Two names of eight letters below the apex with the same hash in this index. */
function findCollision(index: IndexWriter): [string, string] {
  const { port1, port2 } = new MessageChannel();
  const multipliers = new Int32Array(index.share(port1).multipliers);
  index.unshare(port1, 2);
  port1.close();
  port2.close();
  const random = new Random(SEED);
  const name = Buffer.concat([Uint8Array.of(8), new Uint8Array(8), parseName(`${APEX}.`)]);
  const seen = new Map<number, string>();
  for (;;) {
    for (let i = 1; i <= 8; i++) name[i] = 97 + random.below(26);
    const text = name.toString('latin1', 1, 9);
    // The final step of the hash is injective, except for 0 and 1.
    const sum = nameSum(multipliers, name, 0, name.length);
    const other = seen.get(sum);
    if (other !== undefined && other !== text) return [other, text];
    seen.set(sum, text);
  }
}

const codeOf = (path: QueryPath, name: string): number => decodeMessage(path.answer(ask(name), UDP_LIMIT)!).rcode;

test('names with equal hashes, both in the arena: both answer, and the other still does after a deletion', () => {
  const index = new IndexWriter(1 << 20);
  const [x, y] = findCollision(index);
  const path = new QueryPath(index);
  for (const [gone, left, byte] of [
    [x, y, 2],
    [y, x, 1],
  ] as const) {
    putZone(index, [soa(), a(x, 192, 0, 2, 1), a(y, 192, 0, 2, 2)]);
    assert.equal(
      [x, y].map((name) => byteOf(path.answer(ask(name), UDP_LIMIT))),
      [1, 2],
    );
    index.remove(target(gone));
    index.publish();
    assert.is(codeOf(path, gone), RCODE.NXDOMAIN);
    assert.is(byteOf(path.answer(ask(left), UDP_LIMIT)), byte);
  }
});

for (const together of [true, false])
  test(`names with equal hashes, both in the store, put in ${together ? 'one commit' : 'two'}`, async (context) => {
    const { path, index } = context;
    const [x, y] = findCollision(index);
    const both = [a(x, 192, 0, 2, 1), a(y, 192, 0, 2, 2)];
    const { inStore } = index.stats;
    let rows = together
      ? await add(context, both)
      : [...(await add(context, [both[0]])), ...(await add(context, [both[1]]))];
    assert.is(index.stats.inStore, inStore + 2);
    const bytes = (): number[] => [x, y].map((name) => byteOf(path.answer(ask(name), UDP_LIMIT)));
    assert.equal(bytes(), [1, 2]);
    // 1. One name is replaced.
    await remove(context, [rows[0]]);
    rows = [...(await add(context, [a(x, 192, 0, 2, 3)])), rows[1]];
    assert.equal(bytes(), [3, 2]);
    // 2. The other is deleted.
    await remove(context, [rows[1]]);
    assert.equal(bytes(), [3, -1]);
    assert.is(codeOf(path, y), RCODE.NXDOMAIN);
    assert.is(index.stats.inStore, inStore + 1);
    // 3. It is added again, and the first is deleted.
    await add(context, [a(y, 192, 0, 2, 4)]);
    assert.equal(bytes(), [3, 4]);
    await remove(context, [rows[0]]);
    assert.equal(bytes(), [-1, 4]);
    assert.is(codeOf(path, x), RCODE.NXDOMAIN);
  });

test('names with equal hashes, one in the arena and one in the store', async (context) => {
  const { path, index } = context;
  const [x, y] = findCollision(index);
  const { inStore } = index.stats;
  // Aliases are stored in the last tenth of the arena.
  const [alias] = await add(context, [record(x, TYPE.CNAME, target('fill5'))]);
  assert.is(index.stats.inStore, inStore);
  const [address] = await add(context, [a(y, 192, 0, 2, 2)]);
  assert.is(index.stats.inStore, inStore + 1);
  const answers = (name: string): number => decodeMessage(path.answer(ask(name), UDP_LIMIT)!).answer.length;
  assert.equal([answers(x), answers(y)], [2, 1]);
  await remove(context, [address]);
  assert.equal([answers(x), codeOf(path, y)], [2, RCODE.NXDOMAIN]);
  await add(context, [a(y, 192, 0, 2, 6)]);
  await remove(context, [alias]);
  assert.equal([codeOf(path, x), byteOf(path.answer(ask(y), UDP_LIMIT))], [RCODE.NXDOMAIN, 6]);
});

test.run();
