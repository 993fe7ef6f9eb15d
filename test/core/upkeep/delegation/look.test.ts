/** Looks at delegations over real sockets: a resolver, and nameservers on loopback addresses. */
import type { Answer } from 'dns-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { NO_EXEMPTIONS, parseExemptions } from '../../../../core/net/address/index.ts';
import { type FailedLook, type ParentNameservers, PublicDelegation } from '../../../../core/upkeep/delegation/look.ts';
import { AA, type FakeServer, type Handler, RA } from '../../../support/fake-dns.ts';
import { type FakeParent, resolve, soa, withParent } from '../../../support/fake-parent.ts';

const test = suite('core/upkeep/delegation/look');

const APEX = parseName('customer.example.');

const ns = (...hosts: string[]): Answer[] =>
  hosts.map((data) => ({ type: 'NS', name: 'customer.example', ttl: 3600, data }));
const refers =
  (...hosts: string[]): Handler =>
  () => ({ flags: 0, answers: [], authorities: ns(...hosts) });
const denies: Handler = () => ({ answers: [], authorities: [soa('example')] });

interface Looked {
  readonly result: ParentNameservers | FailedLook;
  readonly servers: readonly FakeServer[];
}

async function look(
  handlers: readonly Handler[],
  { isPrivate = true, extent = 'all' as 'all' | 'sample', resolver = resolve, looks = 1 } = {},
): Promise<Looked> {
  const exemptions = isPrivate ? parseExemptions(['127.0.0.0/8']) : NO_EXEMPTIONS;
  const use = async ({ servers, port, resolvers }: FakeParent): Promise<Looked> => {
    const delegation = new PublicDelegation({ resolvers, port, exemptions }, new AbortController().signal);
    let result = await delegation.look({ apex: APEX, accountId: 1 }, extent);
    for (let i = 1; i < looks; i++)
      result = await delegation.look({ apex: parseName(`other${i}.example.`), accountId: 1 }, extent);
    return { result, servers };
  };
  return withParent(handlers, use, resolver);
}

test('every server of the parent is asked; equal sets are one', async () => {
  const { result, servers } = await look([refers('b.test', 'A.test'), refers('a.test', 'b.test', 'a.test')]);
  assert.equal(result, { zone: 'example', sets: [['a.test', 'b.test']] });
  for (const server of servers.slice(1)) assert.equal(server.queries, ['udp NS']);
});

test('servers may differ, and a domain may have no delegation', async () => {
  const { result } = await look([refers('a.test'), denies]);
  assert.equal(result, { zone: 'example', sets: [[], ['a.test']] });
  assert.equal((await look([denies, denies])).result, { zone: 'example', sets: [[]] });
});

test("a server that also has the domain answers with the domain's own nameservers", async () => {
  const own: Handler = () => ({ flags: AA, answers: ns('a.test'), authorities: [] });
  assert.equal((await look([own, refers('a.test')])).result, { zone: 'example', sets: [['a.test']] });
});

test('referrals of other names, refusals and silence are no answers', async () => {
  const upward: Handler = () => ({
    flags: 0,
    answers: [],
    authorities: [{ type: 'NS', name: 'example', ttl: 60, data: 'ns1.example' }],
  });
  const refuses: Handler = () => ({ flags: 5, answers: [] });
  assert.equal((await look([upward, refers('a.test')])).result, { zone: 'example', sets: [['a.test']] });
  assert.equal((await look([refuses, upward])).result, { trouble: 'no nameserver of example answered' });
});

test('private addresses are not asked, unless the settings say so', async () => {
  const { result, servers } = await look([refers('a.test'), refers('a.test')], { isPrivate: false });
  assert.equal(result, { trouble: 'no nameserver of example answered' });
  for (const server of servers.slice(1)) assert.equal(server.queries, []);
});

test('a sample asks one server, another after a failure, and remembers the servers of the parent', async () => {
  const refuses: Handler = () => ({ flags: 5, answers: [] });
  const single = await look([refers('a.test'), refers('a.test')], { extent: 'sample' });
  assert.is(single.servers.slice(1).flatMap(({ queries }) => queries).length, 1);
  for (const handlers of [
    [refuses, refers('a.test')],
    [refers('a.test'), refuses],
  ])
    assert.equal((await look(handlers, { extent: 'sample' })).result, { zone: 'example', sets: [['a.test']] });
  const many = await look([denies, denies], { extent: 'sample', looks: 5 });
  assert.is(many.servers[0].queries.length, single.servers[0].queries.length);
  assert.is(many.servers.slice(1).flatMap(({ queries }) => queries).length, 5);
});

test('records without a whole name or address are refused', async () => {
  const broken =
    (type: number, length: number): Handler =>
    () => ({
      flags: 0,
      answers: [],
      // dns-packet writes the rdata of an unknown type unchanged.
      authorities: [{ type: `UNKNOWN_${type}`, name: 'customer.example', data: Buffer.alloc(length, 8) } as never],
    });
  const nothing = { trouble: 'no nameserver of example answered' };
  assert.equal((await look([broken(TYPE.NS, 0), broken(TYPE.NS, 0)])).result, nothing);
  const { result } = await look([broken(TYPE.NS, 0), refers('a.test')]);
  assert.equal(result, { zone: 'example', sets: [['a.test']] });
  for (const [type, length] of [
    [TYPE.NS, 0],
    [TYPE.SOA, 0],
    [TYPE.A, 5],
  ]) {
    const resolver: Handler = (name, queried) => {
      const reply = resolve(name, queried);
      if (reply === null || TYPE[queried as keyof typeof TYPE] !== type) return reply;
      return { ...reply, answers: [{ type: `UNKNOWN_${type}`, name, data: Buffer.alloc(length, 8) } as never] };
    };
    assert.ok('trouble' in (await look([denies, denies], { resolver })).result, `${type} ${length}`);
  }
});

test('a server of the parent with very many nameservers does not make the row large', async () => {
  const many =
    (first: number): Handler =>
    () => ({
      ...{ flags: 0, answers: [], isTruncated: true },
      authorities: ns(...Array.from({ length: 400 }, (_, i) => `${'long'.repeat(15)}.${first + i}.test`)),
    });
  const { result } = await look([many(1000), many(5000)]);
  assert.ok('sets' in result && result.sets.length === 2);
  for (const set of result.sets) assert.ok(set.length > 20 && set.join('').length <= 2000, set.join());
});

test('a parent that is not found is trouble', async () => {
  const fails: Handler = () => ({ flags: RA | 2, answers: [] });
  const { result } = await look([denies, denies], { resolver: fails });
  assert.equal(result, { trouble: 'the resolver returned RCODE 2' });
});

test('looks that no server answers delay those of their account alone', async () => {
  const server: Handler = (name, type) => (name.includes('silent') ? null : refers('a.test')(name, type));
  const use = async ({ port, resolvers }: FakeParent): Promise<void> => {
    const exemptions = parseExemptions(['127.0.0.0/8']);
    const stop = new AbortController();
    const parent = new PublicDelegation({ resolvers, port, exemptions }, stop.signal);
    let ended = 0;
    const silent = Array.from({ length: 100 }, async (_, i) => {
      await parent.look({ apex: parseName(`silent${i}.example.`), accountId: 1 }, 'all');
      ended++;
    });
    const result = await parent.look({ apex: APEX, accountId: 2 }, 'all');
    assert.not.ok('trouble' in result);
    assert.is(ended, 0);
    stop.abort();
    await Promise.all(silent);
  };
  await withParent([server, server], use);
});

test.run();
