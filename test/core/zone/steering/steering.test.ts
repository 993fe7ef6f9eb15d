/** Steered record sets in the query path: clients and their answers, scopes, health, signatures. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ALGORITHM } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../../../core/dns/wire/types.ts';
import { TRANSPORT } from '../../../../core/net/address/client.ts';
import { parseAddress, parsePrefix, unmapped } from '../../../../core/net/address/index.ts';
import type { SteeringContent } from '../../../../core/store/rows.ts';
import { signerOf } from '../../../reference/signed-world.ts';
import { pickFor, type SteeringWorld } from '../../../reference/steering.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { isSigned } from '../../dns/dnssec/reference.ts';
import { APEX, blockOf, CHECK, match, pool, SteeredServer, steering, textOf } from './rig.ts';

const at = (name: string, type: number, text: string): ResourceRecord => ({
  name: parseName(name, APEX),
  type,
  ttl: 60,
  rdata: parseRdata(type, text),
});

const RECORDS: readonly ResourceRecord[] = [
  at('@', TYPE.SOA, 'ns.example.test. root.example.test. 1 3600 600 86400 60'),
  at('@', TYPE.NS, 'ns.example.test.'),
  at('ns', TYPE.A, '192.0.2.53'),
  at('www', TYPE.A, '192.0.2.1'),
  at('www', TYPE.TXT, '"plain"'),
  at('alias', TYPE.CNAME, 'www.example.test.'),
  at('mail', TYPE.MX, '10 www.example.test.'),
  at('cdn', TYPE.CNAME, 'a.cdn.example.net.'),
  at('to-cdn', TYPE.CNAME, 'cdn.example.test.'),
  at('*.wild', TYPE.A, '192.0.2.1'),
  at('below', TYPE.DNAME, 'wild.example.test.'),
];

const PLACES = [
  { network: '5.0.0.0/8', country: 'DE', continent: 'EU' },
  { network: '5.128.0.0/16', country: 'DE', continent: 'EU' },
  { network: '6.0.0.0/8', country: 'FR', continent: 'EU' },
  { network: '7.1.0.0/16', country: 'US', continent: 'NA' },
  { network: '8.0.0.0/8', country: '', continent: 'AS' },
  { network: '2a00:1::/32', country: 'DE', continent: 'EU' },
].filter(({ network }) => network !== '5.128.0.0/16');

const GLOBAL: SteeringContent = {
  ttl: 30,
  pools: [
    pool('eu', ['192.0.2.1', '192.0.2.2'], CHECK),
    pool('us', ['192.0.2.3'], CHECK),
    pool('lan', ['10.0.0.1']),
    pool('rest', ['192.0.2.9']),
  ],
  rules: [
    { match: match({ network: ['10.0.0.0/8', 'fd00::/8'] }), pool: 'lan' },
    { match: match({ country: ['FR', 'US'] }), pool: 'us' },
    { match: match({ continent: ['EU'] }), pool: 'eu' },
    { match: match({ region: ['asia'] }), pool: 'rest' },
  ],
  fallback: ['rest', 'eu'],
};

const KEY = new SigningKey(generateKeyPair(ALGORITHM.ED25519));
const WORLD: SteeringWorld = { places: PLACES, region: 'europe', isDown: () => false };
const STEERINGS = [
  steering('www', TYPE.A, GLOBAL),
  steering('*.wild', TYPE.A, GLOBAL),
  steering('cdn', TYPE.CNAME, {
    ttl: 30,
    pools: [pool('a', ['a.cdn.example.net.']), pool('b', ['www.example.test.'])],
    rules: [{ match: match({ country: ['US'] }), pool: 'b' }],
    fallback: ['a'],
  }),
];
const server = new SteeredServer(RECORDS, STEERINGS, WORLD);

test('clients get the answers of the pool of their class, with the scope of the class', () => {
  for (const [subnet, contents, scope] of [
    ['5.6.7.0/24', ['192.0.2.1', '192.0.2.2'], 8],
    ['6.6.6.0/24', ['192.0.2.3'], 8],
    ['7.1.2.3/32', ['192.0.2.3'], 16],
    ['7.2.2.0/24', ['192.0.2.9'], 15],
    ['8.8.8.0/24', ['192.0.2.9'], 8],
    ['10.1.2.0/24', ['10.0.0.1'], 8],
    ['11.0.0.0/24', ['192.0.2.9'], 8],
    ['2a00:1:2::/48', ['192.0.2.1', '192.0.2.2'], 32],
    ['fd12::/16', ['10.0.0.1'], 8],
    ['2001:db8::/56', ['192.0.2.9'], 5],
  ] as const) {
    const { contents: got, scope: found, message } = server.query('www', { subnet });
    assert.is(got.length, 1, subnet);
    assert.ok((contents as readonly string[]).includes(got[0]), `${subnet} got ${got}`);
    assert.is(found, scope, subnet);
    assert.is(message.answer[0].ttl, 30);
  }
});

test('a subnet that is shorter than the class gets the longer scope (RFC 7871 section 7.2.1)', () => {
  assert.is(server.query('www', { subnet: '7.0.0.0/8' }).scope, 16);
});

test('without a subnet, or with a source prefix of 0, the address of the client decides', () => {
  for (const transport of Object.values(TRANSPORT))
    for (const [from, content] of [
      ['10.9.9.9', '10.0.0.1'],
      ['::ffff:10.9.9.9', '10.0.0.1'],
      ['6.0.0.1', '192.0.2.3'],
      ['fd00::5', '10.0.0.1'],
    ]) {
      assert.equal(server.query('www', { from, transport }).contents, [content]);
      const optedOut = server.query('www', { from, transport, subnet: '0.0.0.0/0' });
      assert.equal([optedOut.contents, optedOut.scope], [[content], 0]);
    }
});

test('names without steering, other types and negative answers have the scope 0', () => {
  for (const [name, type] of [
    ['ns', TYPE.A],
    ['www', TYPE.TXT],
    ['www', TYPE.MX],
    ['none', TYPE.A],
    ['mail', TYPE.MX],
  ] as const)
    assert.is(server.query(name, { type, subnet: '6.6.6.0/24' }).scope, 0, name);
});

test('chains and additional sections leave the steered name to the next query', () => {
  assert.equal(server.query('alias').contents, ['www.example.test.']);
  assert.equal(server.query('to-cdn').contents, ['cdn.example.test.']);
  const mail = server.query('mail', { type: TYPE.MX });
  assert.equal([mail.message.answer.length, mail.message.additional.length], [1, 0]);
  const { message } = server.query('x.below');
  assert.equal(
    message.answer.map(({ type }) => type),
    [TYPE.DNAME, TYPE.CNAME],
  );
});

test('a steered CNAME answers every type, and is not followed', () => {
  for (const type of [TYPE.A, TYPE.AAAA, TYPE.CNAME, TYPE.ANY]) {
    const { contents, scope } = server.query('cdn', { type, subnet: '7.1.0.0/16' });
    assert.equal([contents, scope], [['www.example.test.'], 16]);
    assert.equal(server.query('cdn', { type }).contents, ['a.cdn.example.net.']);
  }
});

test('a wildcard is steered, and ANY gets a variant', () => {
  const { contents, message } = server.query('some.wild', { subnet: '6.6.6.0/24' });
  assert.equal(contents, ['192.0.2.3']);
  assert.equal(message.answer[0].name, parseName('some.wild', APEX));
  assert.equal(server.query('www', { type: TYPE.ANY, subnet: '6.6.6.0/24' }).contents, ['192.0.2.3']);
});

test('a pool whose answers are down fails over in the order of rules and fall-back', () => {
  const down = new Set(['192.0.2.3']);
  const fresh = new SteeredServer(RECORDS, STEERINGS, WORLD);
  fresh.setDown((_, content) => down.has(content));
  for (let i = 0; i < 20; i++)
    assert.ok(['192.0.2.1', '192.0.2.2'].includes(fresh.query('www', { subnet: '6.6.6.0/24' }).contents[0]));
  down.add('192.0.2.1');
  fresh.setDown((_, content) => down.has(content));
  for (let i = 0; i < 20; i++) assert.equal(fresh.query('www', { subnet: '6.6.6.0/24' }).contents, ['192.0.2.2']);
  down.add('192.0.2.2');
  fresh.setDown((_, content) => down.has(content));
  assert.equal(fresh.query('www', { subnet: '6.6.6.0/24' }).contents, ['192.0.2.9']);
  fresh.setDown(() => false);
  assert.equal(fresh.query('www', { subnet: '6.6.6.0/24' }).contents, ['192.0.2.3']);
});

test('if all pools are down, the first one answers as if none were checked', () => {
  const content = { ...GLOBAL, pools: GLOBAL.pools.map((own) => ({ ...own, health: CHECK })) };
  const fresh = new SteeredServer(RECORDS, [steering('www', TYPE.A, content)], WORLD);
  fresh.setDown(() => true);
  assert.equal(fresh.query('www', { subnet: '10.0.0.0/24' }).contents, ['10.0.0.1']);
  assert.equal(fresh.query('www', { subnet: '11.0.0.0/24' }).contents, ['192.0.2.9']);
});

test('answers are picked by weight, and those of weight 0 never', () => {
  const content: SteeringContent = {
    ttl: 30,
    pools: [pool('one', ['192.0.2.1*3', '192.0.2.2*1', '192.0.2.3*0'])],
    rules: [],
    fallback: ['one'],
  };
  const weighted = new SteeredServer(RECORDS, [steering('www', TYPE.A, content)]);
  const counts = new Map<string, number>();
  for (let i = 0; i < 4000; i++) {
    const { contents, scope } = weighted.query('www', { subnet: '192.0.2.0/24' });
    assert.is(scope, 0, 'all clients have the same chances');
    counts.set(contents[0], (counts.get(contents[0]) ?? 0) + 1);
  }
  // Ten standard deviations around 3000.
  assert.ok(Math.abs(counts.get('192.0.2.1')! - 3000) < 280, `${[...counts]}`);
  assert.is(counts.get('192.0.2.3'), undefined);
});

const addressSet = (type: number, ...texts: string[]): RRset => ({
  type,
  ttl: 20,
  rdatas: texts.map((text) => parseRdata(type, text)),
});
/** The addresses of the targets of ALIAS records. The one of `none` is not resolved. */
const TARGETS: Readonly<Record<string, readonly RRset[]>> = {
  'a.test.': [addressSet(TYPE.A, '192.0.2.1', '192.0.2.2'), addressSet(TYPE.AAAA, '2001:db8::1')],
  'b.test.': [addressSet(TYPE.A, '192.0.2.3')],
  'lan.test.': [addressSet(TYPE.A, '10.0.0.1'), addressSet(TYPE.AAAA, 'fd00::1')],
  'none.test.': [{ type: TYPE.A, ttl: 0, rdatas: [] }],
};
const addressesOf = (target: Uint8Array): readonly RRset[] => TARGETS[formatName(target)] ?? [];

test('a steered ALIAS answers the addresses of one target, of each family among those that have some', () => {
  const content: SteeringContent = {
    ttl: 30,
    pools: [pool('a', ['a.test.']), pool('b', ['b.test.', 'none.test.'])],
    rules: [{ match: match({ continent: ['EU'] }), pool: 'b' }],
    fallback: ['a'],
  };
  const records = [...RECORDS, at('@', TYPE.ALIAS, 'none.test.')];
  for (const signer of [null, signerOf(APEX, 1_800_000_000, [KEY])]) {
    const aliases = new SteeredServer(records, [steering('@', TYPE.ALIAS, content)], WORLD, signer, addressesOf);
    const ask = (type: number, subnet: string) => {
      const { contents, scope, message } = aliases.query('@', { type, subnet, dnssecOk: signer !== null });
      return [contents, scope, message.answer[0]?.ttl];
    };
    assert.equal(ask(TYPE.A, '5.6.7.0/24'), [['192.0.2.3'], 8, 20]);
    assert.equal(ask(TYPE.A, '11.0.0.0/24'), [['192.0.2.1', '192.0.2.2'], 7, 20]);
    assert.equal(ask(TYPE.AAAA, '5.6.7.0/24'), [['2001:db8::1'], 8, 20], 'no target of the pool has such addresses');
  }
});

test('a steered ALIAS has a family only if the pools for all clients have it', () => {
  const content: SteeringContent = {
    ttl: 30,
    pools: [pool('lan', ['lan.test.']), pool('open', ['b.test.']), pool('more', ['a.test.'])],
    rules: [{ match: match({ network: ['10.0.0.0/8'] }), pool: 'lan' }],
    fallback: ['open'],
  };
  const records = [...RECORDS, at('@', TYPE.ALIAS, 'b.test.')];
  for (const signer of [null, signerOf(APEX, 1_800_000_000, [KEY])]) {
    const ask = (fallback: readonly string[], type: number, subnet: string) => {
      const set = steering('@', TYPE.ALIAS, { ...content, fallback });
      const { contents, message } = new SteeredServer(records, [set], WORLD, signer, addressesOf).query('@', {
        type,
        subnet,
        dnssecOk: signer !== null,
      });
      return [message.header.rcode, contents.filter((text) => !text.startsWith('ns.'))];
    };
    assert.equal(ask(['open'], TYPE.A, '10.0.0.0/24'), [0, ['10.0.0.1']]);
    assert.equal(ask(['open'], TYPE.AAAA, '11.0.0.0/24'), [0, []], 'no address of the pool for another network');
    assert.equal(ask(['open'], TYPE.AAAA, '10.0.0.0/24'), [0, []], 'NODATA holds for all clients of a resolver');
    assert.equal(ask(['open', 'more'], TYPE.AAAA, '11.0.0.0/24'), [0, ['2001:db8::1']]);
    assert.equal(ask(['open', 'more'], TYPE.AAAA, '10.0.0.0/24'), [0, ['fd00::1']]);
  }
  const set = steering('@', TYPE.ALIAS, { ...content, fallback: ['open', 'more'] });
  const { rrsets } = new SteeredServer(records, [set], WORLD, null, addressesOf);
  const plain = rrsets('@').find(({ type }) => type === TYPE.AAAA)!;
  assert.equal(
    plain.rdatas.map((rdata) => formatRdata(TYPE.AAAA, rdata)),
    ['2001:db8::1'],
    'transfers have the addresses for all clients',
  );
});

test('a query for signatures gets that of the variant of its client', () => {
  const signed = new SteeredServer(RECORDS, STEERINGS, WORLD, signerOf(APEX, 1_800_000_000, [KEY]));
  for (const name of ['some.wild', 'cdn'])
    for (const subnet of ['6.6.6.0/24', '7.1.0.0/16', '11.0.0.0/24']) {
      const type = name === 'cdn' ? TYPE.CNAME : TYPE.A;
      const { message, scope } = signed.query(name, { type, subnet, dnssecOk: true, transport: TRANSPORT.TCP });
      const signatures = signed.query(name, { type: TYPE.RRSIG, subnet, dnssecOk: true, transport: TRANSPORT.TCP });
      const data = message.answer.filter((record) => record.type !== TYPE.RRSIG);
      assert.ok(isValid(data, signatures.message.answer[0]), `${name} ${subnet}`);
      assert.is(signatures.scope, scope);
    }
});

test('a client subnet that no client may send is FORMERR', () => {
  const rcodeOf = (data: readonly number[]): number => {
    const opt = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, data.length + 4, 0, 8, 0, data.length, ...data];
    return rawRcode(server, [0xab, 0xcd, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, ...parseName('www', APEX), 0, 1, 0, 1, ...opt]);
  };
  for (const valid of [
    [0, 1, 24, 0, 192, 0, 2],
    [0, 1, 0, 0],
    [0, 2, 1, 0, 0x80],
    [0, 0, 0, 0],
  ])
    assert.is(rcodeOf(valid), 0, `${valid}`);
  for (const malformed of [
    [],
    [0, 1, 24],
    [0, 1, 24, 0, 192, 0],
    [0, 1, 24, 0, 192, 0, 2, 0],
    [0, 1, 33, 0, 1, 2, 3, 4, 5],
    [0, 1, 24, 24, 192, 0, 2],
    [0, 1, 23, 0, 192, 0, 3],
    [0, 3, 8, 0, 1],
    [0, 0, 8, 0, 1],
    [0, 2, 129, 0, ...new Array<number>(17).fill(0)],
  ])
    assert.is(rcodeOf(malformed), 1, `${malformed}`);
});

function rawRcode({ responder, reader }: SteeredServer, packet: readonly number[]): number {
  const buffer = new Uint8Array(2048);
  buffer.set(packet);
  const client = { address: new Uint8Array(16), length: 4, port: 1, transport: TRANSPORT.UDP };
  reader.enter();
  responder.respond(buffer, 0, packet.length, client as never);
  reader.leave();
  return buffer[3] & 15;
}

test('a truncated response keeps subnet and scope', () => {
  const signed = new SteeredServer(RECORDS, STEERINGS, WORLD, signerOf(APEX, 1_800_000_000));
  const { message, scope } = signed.query('some.wild', { subnet: '6.6.6.0/24', dnssecOk: true, size: 512 });
  const whole = signed.query('some.wild', { subnet: '6.6.6.0/24', dnssecOk: true, transport: TRANSPORT.TCP });
  assert.is(whole.scope, 8);
  assert.is(scope, 8);
  if (whole.length > 512) assert.ok(message.header.tc);
});

const LETTERS = ['DE', 'FR', 'US', 'JP'];
const NETWORKS = [
  '10.0.0.0/8',
  '10.1.0.0/16',
  '10.1.2.0/24',
  '10.1.2.3',
  '0.0.0.0/1',
  '255.255.255.255',
  '0.0.0.0/0',
  '::/0',
  'fd00::/8',
  'fd00:1::/32',
  'fd00:1:0:0:8000::/65',
  'fd00::1',
  '::ffff:10.0.0.0/104',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
];
const PLACE_NETWORKS = [
  '0.0.0.0/5',
  '10.0.0.0/9',
  '10.128.0.0/16',
  '192.0.0.0/2',
  'fd00::/16',
  'fd01::/64',
  'e000::/4',
];
const pieces = fc.constantFrom(...NETWORKS);
const some = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant<T[]>([]) }, fc.array(item, { minLength: 1, maxLength: 3 }));
const NAMES = ['p', 'q', 'r'];
const documents: fc.Arbitrary<SteeringContent> = fc.record({
  ttl: fc.constant(30),
  pools: fc.tuple(
    ...NAMES.map((name) =>
      fc.record({
        name: fc.constant(name),
        answers: fc
          .array(
            fc.record({
              content: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'),
              weight: fc.nat(3),
            }),
            { minLength: 1, maxLength: 3 },
          )
          .filter((answers) => answers.some(({ weight }) => weight > 0)),
        health: fc.constantFrom(null, CHECK),
      }),
    ),
  ),
  rules: fc.array(
    fc.record({
      match: fc.record({
        country: some(fc.constantFrom(...LETTERS)),
        continent: some(fc.constantFrom('EU', 'NA', 'AS')),
        network: some(pieces),
        region: some(fc.constantFrom('europe', 'asia')),
      }),
      pool: fc.constantFrom(...NAMES),
    }),
    { maxLength: 32 },
  ),
  fallback: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
});
const worlds = fc.record({
  places: fc.uniqueArray(fc.constantFrom(...PLACE_NETWORKS)).chain((networks) =>
    fc.tuple(
      ...networks.map((network) =>
        fc.record({
          network: fc.constant(network),
          country: fc.constantFrom(...LETTERS, ''),
          continent: fc.constantFrom('EU', 'NA', 'AS', ''),
        }),
      ),
    ),
  ),
  region: fc.constantFrom('europe', 'asia', ''),
  down: fc.subarray(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']),
});
const addresses = fc
  .oneof(
    fc.constantFrom(
      '10.1.2.3',
      '10.1.2.4',
      '10.0.0.0',
      '9.255.255.255',
      '10.255.255.255',
      '11.0.0.0',
      '0.0.0.0',
      '255.255.255.255',
      'fd00::1',
      'fd00::',
      'fd00:1:0:0:8000::',
      'fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      'fd01::7',
      '::',
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    ),
    fc.ipV4(),
  )
  .map((text) => parseAddress(text)!);

/** The ends of each generated network and place, where classes begin and end. */
const BOUNDARIES: readonly Uint8Array[] = [...NETWORKS, ...PLACE_NETWORKS].flatMap((text) => {
  const { bytes, bits } = unmapped(parsePrefix(text));
  return blockOf(bytes, bits);
});

/** Whether an address is in the block of `bits` around another. */
const isIn = (address: Uint8Array, bits: number) => (other: Uint8Array) =>
  other.length === address.length && Buffer.compare(blockOf(other, bits)[0], blockOf(address, bits)[0]) === 0;

test('generated documents answer as the slow reference, for every address of the scope', () => {
  fc.assert(
    fc.property(
      documents,
      worlds,
      fc.array(addresses, { minLength: 1, maxLength: 8 }),
      (content, { places, region, down }, clients) => {
        const world: SteeringWorld = { places, region, isDown: (_, text) => down.includes(text) };
        const generated = new SteeredServer(RECORDS, [steering('www', TYPE.A, content)], world);
        generated.setDown(world.isDown);
        const blocks: [string, Uint8Array, number][] = [];
        for (const address of clients) {
          const expected = pickFor(content, world, address);
          const subnet = `${textOf(address)}/${address.length * 8}`;
          const { contents, scope } = generated.query('www', { subnet });
          blocks.push([textOf(address), address, scope!]);
          assert.ok(
            expected.answers.has(contents[0]),
            `${subnet}: ${contents} is not of ${[...expected.answers.keys()]}`,
          );
          for (const other of [...blockOf(address, scope!), ...BOUNDARIES.filter(isIn(address, scope!))]) {
            const neighbour = pickFor(content, world, other);
            assert.equal(
              [...neighbour.answers],
              [...expected.answers],
              `${textOf(other)} is in the scope /${scope} of ${subnet}`,
            );
          }
        }
        for (const [text, address, scope] of blocks)
          for (const [otherText, other, otherScope] of blocks)
            if (isIn(address, scope)(other))
              assert.is(otherScope, scope, `the scopes of ${text} and ${otherText} overlap`);
      },
    ),
    { numRuns: depth({ quick: 60, moderate: 300, full: 5000 }) },
  );
});

test('every variant is signed, and the proofs of a wildcard do not depend on it', () => {
  const clock = 1_800_000_000;
  const signed = new SteeredServer(RECORDS, STEERINGS, WORLD, signerOf(APEX, clock, [KEY]));
  const seen = new Set<string>();
  for (const name of ['www', 'some.wild', 'cdn'])
    for (const subnet of ['5.6.7.0/24', '6.6.6.0/24', '7.1.2.3/32', '10.1.2.0/24', '11.0.0.0/24', 'fd12::/16'])
      for (let i = 0; i < 8; i++) {
        const { message, contents } = signed.query(name, { subnet, dnssecOk: true, transport: TRANSPORT.TCP });
        const signatures = message.answer.filter(({ type }) => type === TYPE.RRSIG);
        const data = message.answer.filter(({ type }) => type !== TYPE.RRSIG);
        assert.is(signatures.length, 1);
        assert.ok(isValid(data, signatures[0]), `${name} ${contents}`);
        assert.is(message.authority.filter(({ type }) => type === TYPE.NSEC3).length, name === 'some.wild' ? 1 : 0);
        seen.add(`${name} ${contents}`);
      }
  assert.is(seen.size, 5 + 5 + 2);
});

function isValid(data: readonly ResourceRecord[], { rdata }: ResourceRecord): boolean {
  const [{ name: owner, type, ttl }] = data;
  return isSigned({ owner, type, ttl, rdatas: data.map((record) => record.rdata) }, rdata, KEY.dnskey);
}

test.run();
