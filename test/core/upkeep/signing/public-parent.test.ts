/** Looks at a parent zone over real sockets: a resolver, and nameservers on loopback addresses. */
import type { Answer } from 'dns-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { NO_EXEMPTIONS, parseExemptions } from '../../../../core/net/address/index.ts';
import { isFailed, type LookResult } from '../../../../core/upkeep/signing/parent.ts';
import { PublicParent } from '../../../../core/upkeep/signing/public-parent.ts';
import { type FakeServer, type Handler, RA } from '../../../support/fake-dns.ts';
import { type FakeParent, resolve, soa, withParent } from '../../../support/fake-parent.ts';

const test = suite('core/upkeep/signing/public-parent');

const NOW = 1_800_000_000;
const APEX = parseName('signed.example.');

const ds = (keyTag: number, ttl = 3600): Answer => ({
  ...{ type: 'DS', name: 'signed.example', ttl },
  data: { keyTag, algorithm: 13, digestType: 2, digest: Buffer.alloc(32, keyTag) },
});
const hex = (keyTag: number): string =>
  `${keyTag.toString(16).padStart(4, '0')}0d02${Buffer.alloc(32, keyTag).toString('hex')}`;

/** Looks at a parent with these two nameservers. */
async function look(
  handlers: readonly Handler[],
  { isPrivate = true, resolver = resolve, apex = APEX } = {},
): Promise<{ result: LookResult; servers: readonly FakeServer[] }> {
  const use = async ({ servers, port, resolvers }: FakeParent) => {
    const exemptions = isPrivate ? parseExemptions(['127.0.0.0/8']) : NO_EXEMPTIONS;
    const parent = new PublicParent({ resolvers, port, exemptions, now: () => NOW }, new AbortController().signal);
    const [result, again] = await Promise.all([
      parent.look({ apex, accountId: 1 }),
      parent.look({ apex, accountId: 1 }),
    ]);
    assert.is(again, result, 'concurrent looks are one');
    return { result: await parent.look({ apex, accountId: 1 }), servers };
  };
  return withParent(handlers, use, resolver);
}

const has =
  (answers: Answer[]): Handler =>
  () => ({ answers, authorities: answers.length > 0 ? [] : [soa('example')] });

test('every nameserver of the parent is asked, without recursion', async () => {
  const { result, servers } = await look([has([ds(1), ds(2, 60)]), has([ds(2), ds(1)])]);
  const expected = { zone: 'example', sets: [[hex(1), hex(2)]], ttl: 3600, servers: 2, answered: 2, checkedAt: NOW };
  assert.equal(result, expected);
  for (const { queries } of servers.slice(1)) assert.equal(queries, ['udp DS']);
});

test('a look of before the clock was set forward does not count', async () => {
  let tag = 1;
  const setOf = (result: LookResult): string => (isFailed(result) ? result.trouble : result.sets[0].join());
  const real = Date.now;
  await withParent([() => has([ds(tag)])('', ''), has([])], async ({ port, resolvers }) => {
    const options = { resolvers, port, exemptions: parseExemptions(['127.0.0.0/8']) };
    const parent = new PublicParent(options, new AbortController().signal);
    try {
      assert.is(setOf(await parent.look({ apex: APEX, accountId: 1 })), hex(1));
      tag = 2;
      assert.is(setOf(await parent.look({ apex: APEX, accountId: 1 })), hex(1));
      Date.now = () => real() + 3_600_000;
      assert.is(setOf(await parent.look({ apex: APEX, accountId: 1 })), hex(2));
    } finally {
      Date.now = real;
    }
  });
});

test('servers that differ are kept apart; NODATA is no DS', async () => {
  const { result } = await look([has([ds(1)]), has([])]);
  if (isFailed(result)) assert.unreachable(result.trouble);
  else assert.equal([result.sets, result.answered], [[[hex(1)], []], 2]);
});

test('a truncated or missing reply over UDP is repeated over TCP', async () => {
  const { result, servers } = await look([
    () => ({ answers: [ds(1)], isTruncated: true }),
    () => ({ answers: [ds(1)], isSilent: true }),
  ]);
  if (isFailed(result)) assert.unreachable(result.trouble);
  else assert.equal([result.sets, result.answered], [[[hex(1)]], 2]);
  assert.equal(servers[1].queries, ['udp DS', 'tcp DS']);
  assert.equal(servers[2].queries, ['udp DS', 'udp DS', 'tcp DS']);
});

test('replies without authority, and those of the child zone, do not count', async () => {
  const lame = await look([has([ds(1)]), () => ({ flags: RA, answers: [ds(2)] })]);
  if (isFailed(lame.result)) assert.unreachable(lame.result.trouble);
  else assert.equal([lame.result.sets, lame.result.answered, lame.result.servers], [[[hex(1)]], 1, 2]);
  const child = () => ({ answers: [], authorities: [soa('signed.example')] });
  const { result } = await look([child, child]);
  assert.equal(result, { trouble: 'no nameserver of example answered' });
});

test('private addresses are not asked', async () => {
  const { result, servers } = await look([has([ds(1)]), has([ds(1)])], { isPrivate: false });
  assert.equal(result, { trouble: 'no nameserver of example answered' });
  assert.equal([servers[1].queries, servers[2].queries], [[], []]);
});

test('the parent zone can be several labels above', async () => {
  const { result } = await look([has([]), has([])], { apex: parseName('a.b.c.example.') });
  assert.is(isFailed(result) ? '' : result.zone, 'example');
});

test('a resolver that fails is named as the trouble', async () => {
  const { result } = await look([has([]), has([])], { resolver: () => ({ flags: RA | 2, answers: [] }) });
  assert.equal(result, { trouble: 'the resolver returned RCODE 2' });
});

test('looks that no server answers delay those of their account alone', async () => {
  const server: Handler = (name, type) => (name.includes('silent') ? null : has([ds(1)])(name, type));
  const use = async ({ port, resolvers }: FakeParent): Promise<void> => {
    const exemptions = parseExemptions(['127.0.0.0/8']);
    const stop = new AbortController();
    const parent = new PublicParent({ resolvers, port, exemptions, now: () => NOW }, stop.signal);
    let ended = 0;
    const silent = Array.from({ length: 100 }, async (_, i) => {
      await parent.look({ apex: parseName(`silent${i}.example.`), accountId: 1 });
      ended++;
    });
    const result = await parent.look({ apex: APEX, accountId: 2 });
    assert.not.ok('trouble' in result);
    assert.is(ended, 0);
    stop.abort();
    await Promise.all(silent);
  };
  await withParent([server, server], use);
});

test.run();
