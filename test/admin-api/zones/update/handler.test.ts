/**
 * Dynamic update, case by case: permission, response code, and the zone, serial and audit log
 * afterwards.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { signRequest, TSIG_ERROR } from '../../../../core/dns/wire/tsig.ts';
import { findTsig } from '../../../../core/dns/wire/tsig-record.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { type Domain, records } from '../../../../core/store/rows.ts';
import {
  add,
  CLASS,
  deleteName,
  deleteOne,
  deleteSet,
  encodeUpdate,
  nxdomain,
  nxrrset,
  type Section,
  sameRecord,
  section,
  yxdomain,
  yxrrset,
} from '../../../support/update-message.ts';
import { listOf } from '../../daemon.ts';
import { type Key, rcodeOf, World } from './world.ts';

let world: World;
let key: Key;
const test = suite('dynamic update');
test.before(async () => {
  world = await World.start();
  key = await world.key(world.admin);
});
test.after(() => world.stop());

const apexOf = ({ apex }: Domain): string => formatName(apex);
const recordsOf = (domain: Domain): string[] => world.records(domain);
const serialOf = (domain: Domain): number => world.reader.zoneState(domain.id).serial;
const now = (): number => Math.floor(Date.now() / 1000);

/** A zone, and updates of it with a key. */
async function zone(): Promise<{ domain: Domain; at: (owner: string) => string; run: Run }> {
  const domain = await world.zone();
  const run: Run = (updates, prerequisites = [], by = key) =>
    world.update(by, { zone: domain.apex, updates, prerequisites });
  return { domain, at: (owner) => (owner === '@' ? apexOf(domain) : `${owner}.${apexOf(domain)}`), run };
}
type Run = (updates: readonly Section[], prerequisites?: readonly Section[], by?: Key) => Promise<string>;

test('refuses unsigned messages, and drops responses', async () => {
  const { domain, at } = await zone();
  const message = encodeUpdate({ zone: domain.apex, updates: [add(at('a'), 60, 'A', '192.0.2.1')], id: 77 });
  const [response] = await world.send(message);
  assert.is(rcodeOf(response), 'REFUSED');
  // Id, QR with the opcode, the zone section of the request, and nothing else.
  const expected = encodeUpdate({ zone: domain.apex, id: 77 });
  expected[2] |= 0x80;
  expected[3] = 5;
  assert.equal(Buffer.from(response).toString('hex'), Buffer.from(expected).toString('hex'));
  message[2] |= 0x80;
  assert.equal(await world.send(message), []);
  assert.equal(await world.send(message.subarray(0, 11)), []);
  assert.equal(recordsOf(domain), []);
});

test('a wrong key, a wrong secret and a wrong time are NOTAUTH, and change nothing', async () => {
  const { domain, at } = await zone();
  const message = encodeUpdate({ zone: domain.apex, updates: [add(at('a'), 60, 'A', '192.0.2.1')] });
  const other = { ...key, name: parseName('nobody.') };
  const forged = { ...key, secret: key.secret.map((byte) => byte ^ 1) };
  for (const [by, time, error] of [
    [other, now(), TSIG_ERROR.BADKEY],
    [forged, now(), TSIG_ERROR.BADSIG],
    [key, now() - 400, TSIG_ERROR.BADTIME],
  ] as const) {
    const [response] = await world.send(signRequest(message, by, time).message);
    assert.is(rcodeOf(response), 'NOTAUTH');
    const found = findTsig(response);
    assert.is(found.kind === 'found' ? found.record.error : -1, error);
  }
  assert.equal(recordsOf(domain), []);
});

test('counts a message as verified once, if its signature is valid', async () => {
  const { domain, at } = await zone();
  const message = encodeUpdate({ zone: domain.apex, updates: [add(at('a'), 60, 'A', '192.0.2.1')] });
  const before = world.verified;
  const forged = { ...key, secret: key.secret.map((byte) => byte ^ 1) };
  await world.send(message);
  await world.send(signRequest(message, forged, now()).message);
  assert.is(world.verified, before);
  const signed = signRequest(message, key, now()).message;
  for (let i = 0; i < 3; i++) assert.is(rcodeOf((await world.send(signed))[0]), 'NOERROR');
  assert.is(world.verified, before + 1);
});

test('refuses a key without the scope, of a viewer, or for other domains', async () => {
  const { domain, at, run } = await zone();
  const updates = [add(at('a'), 60, 'A', '192.0.2.1')];
  const reading = await world.key(world.admin, { scopes: ['dns:read', 'proxy'] });
  assert.is(await run(updates, [], reading), 'REFUSED');
  const elsewhere = await world.key(world.admin, { domains: [(await world.zone()).id] });
  assert.is(await run(updates, [], elsewhere), 'REFUSED');
  // Without write permission, prerequisites are not answered either.
  assert.is(await run([], [yxdomain(at('nothing'))], elsewhere), 'REFUSED');
  assert.equal(recordsOf(domain), []);
  const here = await world.key(world.admin, { domains: [domain.id] });
  assert.is(await run(updates, [], here), 'NOERROR');
  const { token, id } = await world.daemon.account('viewer', { plan: 'unlimited' });
  const theirs = await world.zone(token, 'viewer.example.org');
  // Not even with all scopes: a key of an administrator updates its own account's zones only.
  const powerful = await world.key(world.admin, { scopes: ['dns', 'proxy', 'packages', 'account'] });
  assert.is(await world.update(powerful, { zone: theirs.apex, updates: [] }), 'NOTAUTH');
  const viewing = await world.key(id);
  assert.is(await world.update(viewing, { zone: theirs.apex, updates: [] }), 'NOERROR');
  await world.daemon.call('PATCH', `/api/v1/accounts/${id}`, { json: { role: 'viewer' } });
  assert.is(await world.update(viewing, { zone: theirs.apex, updates: [] }), 'REFUSED');
});

test('an update may replace a record by one with the same warning', async () => {
  const { domain, at, run } = await zone();
  const apex = apexOf(domain);
  const file = [
    `$ORIGIN ${apex}`,
    '$TTL 300',
    'c CNAME x.example.',
    'm MX 1 c',
    'd NS ns.example.',
    'x.d TXT "hidden"',
    '0/25 NS ns.example.',
    'n NAPTR 1 2 "u" "" "!a!b!" x.example.',
  ];
  const { status, text } = await world.daemon.call('PUT', `/api/v1/domains/${domain.id}/zonefile`, {
    body: `${file.join('\n')}\n`,
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(status, 200, text);
  const replace = (owner: string, type: 'CNAME' | 'MX' | 'NS' | 'TXT' | 'NAPTR', content: string) =>
    run([deleteSet(at(owner), type), add(at(owner), 60, type, content)]);
  assert.is(await replace('c', 'CNAME', 'y.example.'), 'NOERROR');
  assert.is(await replace('m', 'MX', `2 ${at('c')}`), 'NOERROR');
  assert.is(await replace('d', 'NS', 'ns2.example.'), 'NOERROR');
  assert.is(await replace('x.d', 'TXT', '"still"'), 'NOERROR');
  assert.is(await replace('0/25', 'NS', 'ns2.example.'), 'NOERROR');
  assert.is(await replace('n', 'NAPTR', '3 4 "u" "" "!a!b!" x.example.'), 'NOERROR');
  // New records must follow the rules.
  assert.is(await replace('m2', 'MX', `2 ${at('c')}`), 'REFUSED');
  assert.is(await replace('y.d', 'TXT', '"new"'), 'REFUSED');
  assert.is(await replace('m', 'MX', '1 192.0.2.1.'), 'REFUSED');
});

test('a reverse zone can be delegated in parts (RFC 2317)', async () => {
  const [domain, part] = [
    await world.zone(undefined, '2.0.192.in-addr.arpa'),
    await world.zone(undefined, '0/25.2.0.192.in-addr.arpa'),
  ];
  const owner = (name: string, { apex }: Domain) => `${name}.${formatName(apex)}`;
  const delegation = [
    add(owner('0/25', domain), 60, 'NS', 'ns.example.'),
    add(owner('7', domain), 60, 'CNAME', owner('7', part)),
  ];
  assert.is(await world.update(key, { zone: domain.apex, updates: delegation }), 'NOERROR');
  const pointer = [add(owner('7', part), 60, 'PTR', 'host.example.')];
  assert.is(await world.update(key, { zone: part.apex, updates: pointer }), 'NOERROR');
  assert.equal(recordsOf(domain), ['0/25 60 NS ns.example.', '7 60 CNAME 7.0/25.2.0.192.in-addr.arpa.']);
  assert.equal(recordsOf(part), ['7 60 PTR host.example.']);
});

test('NOTAUTH for zones of other accounts, unknown zones and other classes', async () => {
  const { domain, at, run } = await zone();
  const { id, token } = await world.daemon.account('other');
  const theirs = await world.zone(token, 'others.example.org');
  const foreign = await world.key(id);
  assert.is(await run([add(at('a'), 60, 'A', '192.0.2.1')], [], foreign), 'NOTAUTH');
  assert.is(await world.update(key, { zone: theirs.apex, updates: [] }), 'NOTAUTH');
  assert.is(await world.update(key, { zone: parseName('nobody.example.'), updates: [] }), 'NOTAUTH');
  // A name inside a zone is not a zone.
  assert.is(await world.update(key, { zone: parseName(at('www')), updates: [] }), 'NOTAUTH');
  assert.is(await world.update(key, { zone: domain.apex, zoneClass: CLASS.CH, updates: [] }), 'NOTAUTH');
  assert.is(await world.update(foreign, { zone: theirs.apex, updates: [] }), 'NOERROR');
});

test('a deleted key, or a key of a locked account, cannot update', async () => {
  const { id, token } = await world.daemon.account('leaver');
  const domain = await world.zone(token, 'leaver.example.org');
  const [first, second] = [await world.key(id), await world.key(id)];
  assert.is(await world.update(first, { zone: domain.apex, updates: [] }), 'NOERROR');
  await world.remove(first);
  const [response] = await world.send(signRequest(encodeUpdate({ zone: domain.apex }), first, now()).message);
  assert.is(rcodeOf(response), 'NOTAUTH');
  await world.daemon.call('PATCH', `/api/v1/accounts/${id}`, { json: { api_enabled: false } });
  const [again] = await world.send(signRequest(encodeUpdate({ zone: domain.apex }), second, now()).message);
  assert.is(rcodeOf(again), 'NOTAUTH');
});

test('malformed updates are FORMERR', async () => {
  const { domain, at, run } = await zone();
  const name = at('a');
  assert.is(await world.update(key, { zone: domain.apex, zones: 2 }), 'FORMERR');
  assert.is(await world.update(key, { zone: domain.apex, zones: 0 }), 'FORMERR');
  assert.is(await world.update(key, { zone: domain.apex, zoneType: TYPE.A }), 'FORMERR');
  for (const wrong of [
    section(name, 'A', CLASS.CH, '192.0.2.1'),
    section(name, 'ANY', CLASS.IN, null),
    section(name, 'AXFR', CLASS.ANY, null),
    section(name, 'ANY', CLASS.NONE, null),
    section(name, 'OPT', CLASS.IN, null),
    section(name, 'A', CLASS.ANY, '192.0.2.1'),
    section(name, 'A', CLASS.ANY, null, 1),
    section(name, 'A', CLASS.NONE, '192.0.2.1', 1),
    { ...add(name, 60, 'A', '192.0.2.1'), rdata: Uint8Array.of(1, 2, 3) },
    { ...add(name, 60, 'MX', '10 a.'), rdata: Uint8Array.of(0, 10, 0xc0, 0xff) },
    { ...add(name, 60, 'TXT', '"a"'), rdata: Uint8Array.of(9, 65) },
  ])
    assert.is(await run([add(at('b'), 60, 'A', '192.0.2.1'), wrong]), 'FORMERR', JSON.stringify(wrong));
  for (const wrong of [
    section(name, 'A', CLASS.ANY, null, 1),
    section(name, 'A', CLASS.NONE, '192.0.2.1'),
    section(name, 'A', CLASS.CH, '192.0.2.1'),
    section(name, 'AXFR', CLASS.NONE, null),
    sameRecord(name, 'ANY', '\\# 0'),
  ])
    assert.is(await run([], [wrong]), 'FORMERR', JSON.stringify(wrong));
  // A counted record is missing: the parser reads the TSIG in its place, so the TSIG is at a wrong
  // position.
  const cut = encodeUpdate({ zone: domain.apex, updates: [add(name, 60, 'A', '192.0.2.1')] });
  cut[9] = 2;
  const [response] = await world.send(signRequest(cut, key, now()).message);
  assert.is(rcodeOf(response), 'FORMERR');
  assert.equal(recordsOf(domain), []);
});

test('checks the signature first, then the zone and permission, and the records last', async () => {
  const { domain, at } = await zone();
  const wrong = { ...add(at('a'), 60, 'A', '192.0.2.1'), rdata: Uint8Array.of(1, 2, 3) };
  const reader = await world.key(world.admin, { scopes: ['dns:read'] });
  const nobody = { ...key, name: parseName('nobody.') };
  const forged = { ...key, secret: key.secret.map((byte) => byte ^ 1) };
  const shapes = [{ updates: [wrong] }, { prerequisites: [wrong] }, { zoneType: TYPE.A }, { zones: 0 }, { zones: 2 }];
  for (const shape of shapes) {
    const message = encodeUpdate({ zone: domain.apex, ...shape });
    for (const [by, error] of [
      [nobody, TSIG_ERROR.BADKEY],
      [forged, TSIG_ERROR.BADSIG],
    ] as const) {
      const [response] = await world.send(signRequest(message, by, now()).message);
      assert.is(rcodeOf(response), 'NOTAUTH', JSON.stringify(shape));
      const found = findTsig(response);
      assert.is(found.kind === 'found' ? found.record.error : -1, error, JSON.stringify(shape));
    }
  }
  const elsewhere = parseName('nobody.example.');
  for (const shape of [{ updates: [wrong] }, { prerequisites: [wrong] }]) {
    assert.is(await world.update(key, { zone: elsewhere, ...shape }), 'NOTAUTH');
    assert.is(await world.update(reader, { zone: domain.apex, ...shape }), 'REFUSED');
    assert.is(await world.update(key, { zone: domain.apex, ...shape }), 'FORMERR');
  }
  // RFC 2136 3.1.1: an invalid zone section names no zone.
  assert.is(await world.update(key, { zone: elsewhere, zoneType: TYPE.A }), 'FORMERR');
});

test('each prerequisite, met and failed', async () => {
  const { at, run } = await zone();
  await run([
    add(at('a'), 60, 'A', '192.0.2.1'),
    add(at('a'), 60, 'A', '192.0.2.2'),
    add(at('x.y'), 60, 'TXT', '"t"'),
    add(at('*.w'), 60, 'TXT', '"t"'),
  ]);
  const cases: readonly (readonly [string, ...Section[]])[] = [
    ['NOERROR', yxdomain(at('a'))],
    ['NXDOMAIN', yxdomain(at('b'))],
    ['NXDOMAIN', yxdomain(at('y'))],
    ['NXDOMAIN', yxdomain(at('q.w'))],
    ['NOERROR', yxdomain(at('@'))],
    ['YXDOMAIN', nxdomain(at('A').toUpperCase())],
    ['NOERROR', nxdomain(at('b'))],
    ['NOERROR', nxdomain(at('y'))],
    ['YXDOMAIN', nxdomain(at('@'))],
    ['NOERROR', yxrrset(at('a'), 'A')],
    ['NXRRSET', yxrrset(at('a'), 'AAAA')],
    ['NOERROR', yxrrset(at('@'), 'SOA')],
    ['NOERROR', yxrrset(at('@'), 'NS')],
    ['YXRRSET', nxrrset(at('a'), 'A')],
    ['NOERROR', nxrrset(at('a'), 'AAAA')],
    ['NXRRSET', sameRecord(at('a'), 'A', '192.0.2.1')],
    ['NOERROR', sameRecord(at('a'), 'A', '192.0.2.2'), sameRecord(at('a'), 'A', '192.0.2.1')],
    ['NOERROR', ...[2, 1, 1].map((n) => sameRecord(at('a'), 'A', `192.0.2.${n}`))],
    ['NXRRSET', ...[1, 2, 3].map((n) => sameRecord(at('a'), 'A', `192.0.2.${n}`))],
    ['NXRRSET', sameRecord(at('b'), 'A', '192.0.2.1')],
    ['NOTZONE', yxdomain('example.org.')],
    // The first failed prerequisite sets the code.
    ['YXRRSET', nxrrset(at('a'), 'A'), yxdomain(at('b'))],
    // RRsets are compared after all single prerequisites hold (3.2.3).
    ['NXDOMAIN', sameRecord(at('a'), 'A', '192.0.2.9'), yxdomain(at('b'))],
  ];
  for (const [rcode, ...prerequisites] of cases)
    assert.is(await run([], prerequisites), rcode, JSON.stringify(prerequisites));
});

test('a prerequisite can compare the SOA, whose serial increases with every change', async () => {
  const { domain, at, run } = await zone();
  await run([add(at('a'), 60, 'A', '192.0.2.1')]);
  const soa = (): Section =>
    sameRecord(at('@'), 'SOA', `ns1.waypost.test. hostmaster.waypost.test. ${serialOf(domain)} 3600 600 1209600 300`);
  const before = soa();
  assert.is(await run([add(at('b'), 60, 'A', '192.0.2.1')], [before]), 'NOERROR');
  assert.is(await run([add(at('c'), 60, 'A', '192.0.2.1')], [before]), 'NXRRSET');
  // Of many updates that require the same serial, one succeeds.
  const same = soa();
  const many = Array.from({ length: 8 }, (_, i) => run([add(at(`n${i}`), 60, 'A', '192.0.2.1')], [same]));
  const rcodes = (await Promise.all(many)).sort();
  assert.equal(rcodes, ['NOERROR', ...Array(7).fill('NXRRSET')]);
});

test('an update is atomic and increases the serial once', async () => {
  const { domain, at, run } = await zone();
  const first = serialOf(domain);
  const many = Array.from({ length: 150 }, (_, i) => add(at(`h${i}`), 60, 'A', '192.0.2.1'));
  const before = world.daemon.writes();
  assert.is(await run(many), 'NOERROR');
  assert.is(world.daemon.writes(), before + 1);
  assert.ok(serialOf(domain) > first);
  const kept = recordsOf(domain);
  const serial = serialOf(domain);
  assert.is(await run([deleteName(at('h0')), add('out.example.org.', 60, 'A', '192.0.2.1')]), 'NOTZONE');
  assert.is(await run([deleteName(at('h0')), add(at('-bad-'), 60, 'A', '192.0.2.1')]), 'REFUSED');
  assert.is(await run([deleteName(at('h0'))], [nxdomain(at('h1'))]), 'YXDOMAIN');
  assert.equal(recordsOf(domain), kept);
  assert.is(serialOf(domain), serial);
});

test('an update without effect makes no commit and no audit entry', async () => {
  const { domain, at, run } = await zone();
  const wanted = [add(at('a'), 60, 'A', '192.0.2.1'), add(at('t'), 60, 'TXT', '"x" "y"')];
  await run(wanted);
  const [before, head] = [serialOf(domain), world.daemon.writes()];
  const ids = world.reader.recordsOf(domain.id, null).map(({ id }) => id);
  assert.is(await run(wanted), 'NOERROR');
  // As clients replace records: delete all, and add the same again.
  assert.is(await run([deleteSet(at('a'), 'A'), deleteName(at('t')), ...wanted]), 'NOERROR');
  assert.is(await run([deleteSet(at('none'), 'A'), deleteOne(at('a'), 'A', '192.0.2.9')]), 'NOERROR');
  assert.is(await run([]), 'NOERROR');
  assert.is(serialOf(domain), before);
  assert.is(world.daemon.writes(), head);
  const after = world.reader.recordsOf(domain.id, null).map(({ id }) => id);
  assert.equal(after, ids);
});

test('limits TTLs, and an RRset has one TTL', async () => {
  const { domain, at, run } = await zone();
  await run([add(at('a'), 0, 'A', '192.0.2.1')]);
  assert.equal(recordsOf(domain), ['a 30 A 192.0.2.1']);
  await run([add(at('a'), 2 ** 31 + 5, 'A', '192.0.2.1')]);
  assert.equal(recordsOf(domain), ['a 30 A 192.0.2.1']);
  await run([add(at('a'), 2 ** 31 - 1, 'A', '192.0.2.2')]);
  assert.equal(recordsOf(domain), ['a 604800 A 192.0.2.1', 'a 604800 A 192.0.2.2']);
  await run([add(at('a'), 90, 'A', '192.0.2.2')]);
  assert.equal(recordsOf(domain), ['a 90 A 192.0.2.1', 'a 90 A 192.0.2.2']);
  await run([add(at('a'), 120, 'TXT', '"t"'), add(at('a'), 300, 'TXT', '"u"')]);
  assert.equal(recordsOf(domain).slice(0, 2), ['a 300 TXT "t"', 'a 300 TXT "u"']);
});

test('CNAME and other data exclude each other; a new CNAME, DNAME or ALIAS replaces the old one', async () => {
  const { domain, at, run } = await zone();
  await run([add(at('a'), 60, 'A', '192.0.2.1'), add(at('c'), 60, 'CNAME', 'one.example.')]);
  assert.is(await run([add(at('a'), 60, 'CNAME', 'x.example.'), add(at('c'), 60, 'A', '192.0.2.1')]), 'NOERROR');
  assert.is(await run([add(at('@'), 60, 'CNAME', 'x.example.')]), 'NOERROR');
  assert.equal(recordsOf(domain), ['a 60 A 192.0.2.1', 'c 60 CNAME one.example.']);
  await run([add(at('c'), 90, 'CNAME', 'two.example.')]);
  await run([add(at('d'), 60, 'DNAME', 'one.example.')]);
  await run([add(at('d'), 60, 'DNAME', 'two.example.'), add(at('d'), 60, 'CNAME', 'x.example.')]);
  await run([add(at('@'), 60, 'ALIAS', 'one.example.')]);
  await run([add(at('@'), 60, 'ALIAS', 'two.example.')]);
  assert.equal(recordsOf(domain), [
    '@ 60 ALIAS two.example.',
    'a 60 A 192.0.2.1',
    'c 90 CNAME two.example.',
    'd 60 DNAME two.example.',
  ]);
  // In one message, a CNAME may follow the deletion of the other data, and vice versa.
  await run([deleteSet(at('a'), 'A'), add(at('a'), 60, 'CNAME', 'x.example.')]);
  await run([deleteName(at('c')), add(at('c'), 60, 'A', '192.0.2.1')]);
  assert.equal(recordsOf(domain).slice(1, 3), ['a 60 CNAME x.example.', 'c 60 A 192.0.2.1']);
});

test('the rules apply to the result, not to the order of the message', async () => {
  const { domain, at, run } = await zone();
  await run([add(at('x.d'), 60, 'TXT', '"t"'), add(at('m'), 60, 'MX', `10 ${at('h')}`)]);
  assert.is(await run([add(at('d'), 60, 'DNAME', 'e.example.')]), 'REFUSED');
  assert.is(await run([add(at('d'), 60, 'DNAME', 'e.example.'), deleteName(at('x.d'))]), 'NOERROR');
  assert.is(await run([add(at('h'), 60, 'CNAME', 'e.example.')]), 'REFUSED');
  assert.is(await run([add(at('h'), 60, 'CNAME', 'e.example.'), deleteName(at('m'))]), 'NOERROR');
  assert.equal(recordsOf(domain), ['d 60 DNAME e.example.', 'h 60 CNAME e.example.']);
});

test('SOA and NS of the apex do not change; NS below the apex delegate', async () => {
  const { domain, at, run } = await zone();
  const serial = serialOf(domain);
  const soa = 'ns.example. h.example. 4294967295 1 1 1 1';
  assert.is(
    await run([
      add(at('@'), 60, 'SOA', soa),
      add(at('a'), 60, 'SOA', soa),
      deleteOne(at('@'), 'SOA', soa),
      deleteSet(at('@'), 'SOA'),
      deleteSet(at('@'), 'NS'),
      deleteName(at('@')),
      add(at('@'), 60, 'NS', 'ns1.waypost.test.'),
      deleteOne(at('@'), 'NS', 'ns9.waypost.test.'),
    ]),
    'NOERROR',
  );
  assert.is(serialOf(domain), serial);
  assert.is(await run([add(at('@'), 60, 'NS', 'ns.example.')]), 'REFUSED');
  assert.is(await run([deleteOne(at('@'), 'NS', 'ns1.waypost.test.')]), 'REFUSED');
  assert.is(
    await run([add(at('sub'), 60, 'NS', `ns.${at('sub')}`), add(at('ns.sub'), 60, 'A', '192.0.2.1')]),
    'NOERROR',
  );
  assert.is(await run([add(at('t.sub'), 60, 'TXT', '"hidden"')]), 'REFUSED');
  assert.is(await run([deleteOne(at('sub'), 'NS', `ns.${at('sub')}`)]), 'NOERROR');
  assert.equal(recordsOf(domain), [`ns.sub 60 A 192.0.2.1`]);
});

test('an update cannot delete the imported NS of a zone', async () => {
  const { domain, at, run } = await zone();
  const file = `$ORIGIN ${at('@')}
@ 3600 SOA ns.own.example. h.own.example. 7 3600 600 1209600 300
@ 600 NS ns1.own.example.
@ 600 NS ns2.own.example.
@ 60 A 192.0.2.1
`;
  const answer = await world.daemon.call('PUT', `/api/v1/domains/${domain.id}/zonefile?apex=keep`, {
    body: file,
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(answer.status, 200, answer.text);
  assert.is(
    await run([], [sameRecord(at('@'), 'NS', 'ns1.own.example.'), sameRecord(at('@'), 'NS', 'ns2.own.example.')]),
    'NOERROR',
  );
  assert.is(await run([deleteName(at('@')), deleteSet(at('@'), 'NS')]), 'NOERROR');
  assert.equal(recordsOf(domain), ['@ 600 NS ns1.own.example.', '@ 600 NS ns2.own.example.']);
  assert.is(await run([deleteOne(at('@'), 'NS', 'ns1.own.example.')]), 'REFUSED');
});

test('accepts names and tags in any case, and unknown types as bytes', async () => {
  const { domain, at, run } = await zone();
  const upper = (copy: Section): Section => ({ ...copy, name: Buffer.from(copy.name.map(upperCase)) });
  await run([
    upper(add(at('a'), 60, 'MX', '10 mail.example.org.')),
    add(at('caa'), 60, 'CAA', '0 issue "ca.example"'),
    add(at('x'), 60, 'TYPE731', '\\# 3 abcdef'),
  ]);
  const mx = add(at('a'), 60, 'MX', '10 mail.example.org.');
  assert.is(await run([{ ...mx, rdata: mx.rdata.map((byte, i) => (i < 2 ? byte : upperCase(byte))) }]), 'NOERROR');
  assert.equal(recordsOf(domain), [
    'a 60 MX 10 mail.example.org.',
    'caa 60 CAA 0 issue "ca.example"',
    'x 60 TYPE731 \\# 3 abcdef',
  ]);
});

test('the audit entry has the key in place of a token', async () => {
  const { domain, at, run } = await zone();
  await run([add(at('a'), 60, 'A', '192.0.2.1'), add(at('a'), 60, 'A', '192.0.2.2')]);
  await run([deleteOne(at('a'), 'A', '192.0.2.1'), add(at('a'), 90, 'A', '192.0.2.2'), add(at('b'), 60, 'TXT', '"t"')]);
  const { body } = await world.daemon.call('GET', `/api/v1/audit?domain=${apexOf(domain)}&action=dns`);
  const [last, first] = listOf(body.entries);
  assert.is(String(last.action), 'dns.update');
  assert.is(Number(last.actor.token_id), key.row.id);
  assert.is(String(last.actor.token_name), key.row.name);
  assert.is(String(last.remote_address), '192.0.2.7');
  assert.is(Number(last.target), domain.id);
  assert.equal(last.detail as unknown, {
    key: key.row.name,
    added: 1,
    deleted: 1,
    changed: 1,
    records: ['- a 60 A 192.0.2.1', '= a 90 A 192.0.2.2', '+ b 60 TXT "t"'],
  });
  assert.is(Number(first.detail.added), 2);
  assert.is(body.entries.length as unknown, 2);
  assert.not.ok(JSON.stringify(body).includes(Buffer.from(key.secret).toString('base64')));
});

test('new records at a name adopt its proxied', async () => {
  const { domain, at, run } = await zone();
  const path = `/api/v1/domains/${domain.id}/records`;
  await world.daemon.call('POST', path, { json: { name: 'www', type: 'A', content: '192.0.2.1', proxied: false } });
  await run([deleteName(at('www')), add(at('www'), 60, 'AAAA', '2001:db8::1'), add(at('www'), 60, 'TXT', '"t"')]);
  const proxied = world.reader.recordsOf(domain.id, null).map(({ type, proxied: flags }) => [type, flags]);
  assert.equal(proxied, [
    [TYPE.TXT, null],
    [TYPE.AAAA, false],
  ]);
});

test('a repeated update gets the first response and is applied once', async () => {
  const { domain, at } = await zone();
  const updates = [add(at('a'), 60, 'A', '192.0.2.1')];
  const message = encodeUpdate({ zone: domain.apex, updates, prerequisites: [nxdomain(at('a'))] });
  const { message: signed } = signRequest(message, key, now());
  const twice = await Promise.all([world.send(signed), world.send(signed)]);
  for (const [response] of [...twice, await world.send(signed)]) assert.is(rcodeOf(response), 'NOERROR');
  await world.update(key, { zone: domain.apex, updates: [deleteName(at('a'))] });
  // A replayed message cannot undo later changes.
  assert.is(rcodeOf((await world.send(signed))[0]), 'NOERROR');
  assert.equal(recordsOf(domain), []);
});

test('after a restart, a repeated message changes nothing', async () => {
  const { domain, at } = await zone();
  const updates = [deleteSet(at('www'), 'A'), add(at('www'), 60, 'A', '192.0.2.1')];
  const { message: signed } = signRequest(encodeUpdate({ zone: domain.apex, updates }), key, now());
  assert.is(rcodeOf((await world.send(signed))[0]), 'NOERROR');
  assert.is(
    await world.update(key, {
      zone: domain.apex,
      updates: [deleteSet(at('www'), 'A'), add(at('www'), 60, 'A', '192.0.2.2')],
    }),
    'NOERROR',
  );
  await world.daemon.restart();
  const head = world.daemon.writes();
  const [again] = await world.send(signed);
  assert.is(rcodeOf(again), 'NOERROR');
  assert.equal(recordsOf(domain), ['www 60 A 192.0.2.2']);
  assert.is(world.daemon.writes(), head);
});

test('answers EDNS with EDNS, and an unknown version with BADVERS', async () => {
  const { domain } = await zone();
  const opt = (version: number): Uint8Array => Uint8Array.of(0, 0, 41, 4, 208, 0, version, 0, 0, 0, 0);
  const run = (...additional: Uint8Array[]) => world.signed(key, encodeUpdate({ zone: domain.apex, additional }));
  const plain = await run(opt(0));
  assert.is(rcodeOf(plain), 'NOERROR');
  assert.is(plain[11], 2, 'OPT and TSIG');
  const found = findTsig(plain);
  assert.ok(found.kind === 'found' && found.opt?.udpSize === 1232);
  const badvers = await run(opt(1));
  const at = badvers.length - encodedTsig(badvers) - 11;
  assert.is(badvers[3] & 15, 0);
  assert.is(badvers[at + 5], 1, 'the upper bits of 16');
  assert.is(rcodeOf(await run(opt(0), opt(0))), 'FORMERR');
});

test('concurrent writers of one name all succeed, each with one change', async () => {
  const { domain, at, run } = await zone();
  const rcodes = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      run([add(at('a'), 60, 'TXT', `"${i}"`), ...(i % 2 ? [add(at(`b${i}`), 60, 'TXT', '"b"')] : [])]),
    ),
  );
  assert.equal(new Set(rcodes), new Set(['NOERROR']));
  assert.is(recordsOf(domain).length, 60);
});

test('a key has a rate limit; above it, updates fail until later', async () => {
  const small = await World.start({ WAYPOST_RATE_LIMIT: '3' });
  try {
    const { id } = await small.daemon.account('someone');
    const own = await small.key(id);
    const parts = { zone: parseName('nobody.example.') };
    const rcodes = [];
    for (let i = 0; i < 5; i++) rcodes.push(await small.update(own, parts));
    assert.equal(rcodes, ['NOTAUTH', 'NOTAUTH', 'NOTAUTH', 'SERVFAIL', 'SERVFAIL']);
    assert.is(await small.update(await small.key(id), parts), 'NOTAUTH', 'another key has its own');
  } finally {
    await small.stop();
  }
});

test('an account has five times the rate of a key over all its keys; others have their own', async () => {
  const small = await World.start({ WAYPOST_RATE_LIMIT: '3' });
  try {
    const { id } = await small.daemon.account('someone');
    const parts = { zone: parseName('nobody.example.') };
    const rcodes: string[] = [];
    for (let number = 0; number < 6; number++) {
      const own = await small.key(id);
      for (let i = 0; i < 3; i++) rcodes.push(await small.update(own, parts));
    }
    assert.equal([...new Set(rcodes.slice(0, 15))], ['NOTAUTH']);
    assert.equal(rcodes.slice(15), ['SERVFAIL', 'SERVFAIL', 'SERVFAIL']);
    const { id: other } = await small.daemon.account('another');
    assert.is(await small.update(await small.key(other), parts), 'NOTAUTH');
  } finally {
    await small.stop();
  }
});

test('a repeated message does not count for the rate limit', async () => {
  const small = await World.start({ WAYPOST_RATE_LIMIT: '3' });
  try {
    const own = await small.key(small.admin);
    const { apex } = await small.zone();
    const { message } = signRequest(encodeUpdate({ zone: apex }), own, now());
    for (let i = 0; i < 10; i++) assert.is(rcodeOf((await small.send(message))[0]), 'NOERROR');
    const others = [await small.update(own, { zone: apex, id: 1 }), await small.update(own, { zone: apex, id: 2 })];
    assert.equal(others, ['NOERROR', 'NOERROR']);
    assert.is(await small.update(own, { zone: apex, id: 3 }), 'SERVFAIL');
    assert.is(rcodeOf((await small.send(message))[0]), 'NOERROR', 'as the first time');
  } finally {
    await small.stop();
  }
});

test('SERVFAIL above the concurrent updates of an account with all its keys; other accounts are not affected', async () => {
  const { at, run } = await zone();
  const second = await world.key(world.admin);
  const { id, token } = await world.daemon.account('neighbour');
  const theirs = await world.key(id);
  const { apex } = await world.zone(token, 'neighbour.example.net');
  const updates = Array.from({ length: 80 }, (_, i) =>
    run([add(at(`n${i}`), 60, 'A', '192.0.2.1')], [], i % 2 ? key : second),
  );
  assert.is(await world.update(theirs, { zone: apex }), 'NOERROR');
  const rcodes = await Promise.all(updates);
  const count = (rcode: string): number => rcodes.filter((code) => code === rcode).length;
  assert.is(count('NOERROR'), 64);
  assert.is(count('SERVFAIL'), 16);
  assert.is(await run([]), 'NOERROR');
});

test('counts responses by code', async () => {
  const count = async (rcode: string): Promise<number> => {
    const { text } = await world.daemon.call('GET', '/metrics');
    return Number(new RegExp(`^waypost_dns_updates_total\\{rcode="${rcode}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  };
  const codes = ['NOERROR', 'REFUSED', 'NOTAUTH', 'YXDOMAIN'];
  const before = await Promise.all(codes.map(count));
  const { domain, at, run } = await zone();
  await run([], [nxdomain(at('a'))]);
  await run([], [nxdomain(at('@'))]);
  const message = encodeUpdate({ zone: domain.apex });
  await world.send(message);
  await world.send(signRequest(message, { ...key, secret: Buffer.alloc(32) }, now()).message);
  const after = await Promise.all(codes.map(count));
  assert.equal(
    after.map((value, i) => value - before[i]),
    [1, 1, 1, 1],
  );
});

test('the messages of cert-manager: Present and CleanUp of two challenges at one name', async () => {
  const { domain, at, run } = await zone();
  const name = at('_acme-challenge.www');
  // Insert and Remove of its library: class IN with a TTL of 60, and class NONE with the RDATA.
  for (const value of ['one', 'two']) assert.is(await run([add(name, 60, 'TXT', `"${value}"`)]), 'NOERROR');
  assert.is(recordsOf(domain).length, 2);
  assert.is(await run([deleteOne(name, 'TXT', '"one"')]), 'NOERROR');
  assert.equal(recordsOf(domain), ['_acme-challenge.www 60 TXT "two"']);
  assert.is(await run([deleteOne(name, 'TXT', '"two"')]), 'NOERROR');
  assert.is(await run([deleteOne(name, 'TXT', '"two"')]), 'NOERROR', 'again, as after a lost response');
  assert.equal(recordsOf(domain), []);
});

test('the log does not contain the secret of a key', () => {
  const secret = Buffer.from(key.secret);
  const lines = world.daemon.logged.join('\n');
  assert.match(lines, 'dynamic update rejected');
  for (const form of [secret.toString('base64'), secret.toString('hex'), key.row.sealed])
    assert.not.ok(lines.includes(form));
});

const upperCase = (byte: number): number => (byte >= 0x61 && byte <= 0x7a ? byte - 32 : byte);

/** Bytes of the TSIG record at the end. */
function encodedTsig(message: Uint8Array): number {
  const found = findTsig(message);
  return found.kind === 'found' ? message.length - found.start : 0;
}

test('records of DNSSEC stay when all records of their name are deleted', async () => {
  const { domain, at, run } = await zone();
  const { environment, journal } = world.daemon;
  assert.is(await run([add(at('a'), 60, 'TXT', '"x"')]), 'NOERROR');
  await write(environment, journal, '1', (draft) => {
    const rdata = parseRdata(TYPE.CDS, '12345 13 2 1F987CC6583E92DF0890718C42A3A3D1F0A0E2D7FF33DF2A2F8B6E9B8C1B1F00');
    const row = {
      id: draft.newId(records),
      domainId: domain.id,
      name: parseName(at('a')),
      type: TYPE.CDS,
      ttl: 60,
      rdata,
    };
    draft.put(records, { ...row, proxied: null, createdAt: 1, updatedAt: 1 });
  });
  assert.is(await run([deleteName(at('a'))]), 'NOERROR');
  assert.match(recordsOf(domain).join(), /^a 60 CDS 12345 13 2 [0-9A-F]+$/i);
});

test('a PTR record follows the address of its name', async () => {
  const { domain, at, run } = await zone();
  const reverse = await world.zone(undefined, '100.51.198.in-addr.arpa');
  const { body } = await world.daemon.call('POST', `/api/v1/domains/${domain.id}/records`, {
    json: { name: 'router', type: 'A', content: '198.51.100.1', ttl: 300, ptr: true },
  });
  assert.ok(body.record);
  assert.equal(recordsOf(reverse), [`1 300 PTR ${at('router')}`]);
  assert.is(await run([deleteSet(at('router'), 'A'), add(at('router'), 300, 'A', '198.51.100.2')]), 'NOERROR');
  assert.equal(recordsOf(reverse), [`2 300 PTR ${at('router')}`]);
  assert.is(await run([deleteName(at('router'))]), 'NOERROR');
  assert.equal(recordsOf(reverse), []);
});

test.run();
