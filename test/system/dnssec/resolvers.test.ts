/**
 * Validating resolvers accept every kind of answer, and what they conclude from its proofs for
 * other names (RFC 8198) is what an unsigned copy of the zone answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALGORITHM } from '../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair } from '../../../core/dns/dnssec/keys.ts';
import { formatName, joinNames, type Name, parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { type AliasFamily, aliasTargets, type DnssecRow, type Domain } from '../../../core/store/rows.ts';
import type { Daemon } from '../../admin-api/daemon.ts';
import { recordKey } from '../../reference/compare.ts';
import { depth } from '../../support/depth.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery, type Message } from '../../support/message.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { type Resolver, type ResolverName, startResolver, whyNotResolver } from './resolvers.ts';
import { addRecords, RECORDS, type RecordText, signZone } from './rig.ts';

/** Random questions to each resolver. */
const RANDOM = depth({ quick: 300, moderate: 600, full: 100_000 });
/** Questions in flight. */
const WINDOW = 20;
const RESOLVERS: readonly ResolverName[] = ['unbound', 'kresd', 'pdns_recursor', 'named'];
/** It answers from NSEC3 records that it has. Unbound and BIND do so from NSEC only. */
const AGGRESSIVE: readonly ResolverName[] = ['kresd'];

/** Targets of ALIAS records, and their addresses of both families. */
const ALIASES: Readonly<Record<string, readonly [a: readonly string[], aaaa: readonly string[]]>> = {
  'both.example.net.': [['c0000201', 'c0000202'], ['20010db8000000000000000000000001']],
  'old.example.net.': [['c0000203'], []],
  'new.example.net.': [[], ['20010db8000000000000000000000002']],
  'none.example.net.': [[], []],
};

async function resolveAliases({ environment, journal }: Daemon): Promise<void> {
  const family = (addresses: readonly string[]): AliasFamily => ({ addresses, ttl: 300, stale: false, goodAt: 1 });
  await write(environment, journal, 'test', (draft) => {
    for (const [target, [a, aaaa]] of Object.entries(ALIASES)) {
      const row = { name: parseName(target), a: family(a), aaaa: family(aaaa), error: null, checkedAt: 1 };
      draft.put(aliasTargets, { ...row, spread: { from: '', to: null } });
    }
  });
}

const { NOERROR, NXDOMAIN } = RCODE;
const ASKED: readonly (readonly [name: string, type: number, rcode: number])[] = [
  ['@', TYPE.SOA, NOERROR],
  ['@', TYPE.NS, NOERROR],
  ['@', TYPE.DNSKEY, NOERROR],
  ['@', TYPE.CDS, NOERROR],
  ['@', TYPE.CDNSKEY, NOERROR],
  ['@', TYPE.NSEC3PARAM, NOERROR],
  ['@', TYPE.A, NOERROR],
  ['@', TYPE.MX, NOERROR],
  ['@', TYPE.TXT, NOERROR],
  ['www', TYPE.A, NOERROR],
  ['alias', TYPE.A, NOERROR],
  ['alias', TYPE.MX, NOERROR],
  ['alias2', TYPE.AAAA, NOERROR],
  ['broken', TYPE.A, NXDOMAIN],
  ['x.wild', TYPE.A, NOERROR],
  ['x.y.z.wild', TYPE.A, NOERROR],
  ['x.y.z.wild', TYPE.MX, NOERROR],
  ['wild', TYPE.A, NOERROR],
  ['to-wild', TYPE.A, NOERROR],
  ['to-wild', TYPE.TXT, NOERROR],
  ['a.b.cnames', TYPE.A, NOERROR],
  ['a.b.cnames', TYPE.TXT, NOERROR],
  ['srv', TYPE.SRV, NOERROR],
  ['secure', TYPE.DS, NOERROR],
  ['sub', TYPE.DS, NOERROR],
  ['www', TYPE.MX, NOERROR],
  ['empty.below', TYPE.A, NOERROR],
  ['below', TYPE.TXT, NOERROR],
  ['nothing', TYPE.A, NXDOMAIN],
  ['very.deep.nothing', TYPE.A, NXDOMAIN],
  ['a.b.www', TYPE.A, NXDOMAIN],
  ['x.deep.empty.below', TYPE.A, NXDOMAIN],
  ['x.old', TYPE.A, NOERROR],
  ['x.old', TYPE.MX, NOERROR],
  ['to-old', TYPE.A, NOERROR],
  ['x.to-nothing', TYPE.A, NXDOMAIN],
  ['ALIAS', TYPE.A, NOERROR],
  ['NoThInG.wWw', TYPE.A, NXDOMAIN],
];

const missing = RESOLVERS.map(whyNotResolver).filter((why) => why !== null);
const test = suite(`resolvers, seed ${SEED}`);
let server: UpdateServer;
let domain: Domain;
let row: DnssecRow;
/** Serves the unsigned copy. */
let copy: UpdateServer;
let unsigned: UdpClient;
const resolvers = new Map<ResolverName, { readonly resolver: Resolver; readonly client: UdpClient }>();
let id = 0;
let isStopped = false;

test.before(async () => {
  for (const why of missing) console.log(`skipped: ${why}`);
  server = await startUpdateServer();
  domain = await server.world.zone(undefined, 'signed.example');
  row = await signZone(server.world.daemon, domain);
  copy = await startUpdateServer();
  const domains: [UpdateServer, Domain][] = [
    [server, domain],
    [copy, await copy.world.zone(undefined, 'signed.example')],
  ];
  const more = moreRecords(new Random(SEED));
  for (const [{ world }, zone] of domains) {
    await resolveAliases(world.daemon);
    await addRecords(world.daemon, zone, [...RECORDS, ...more]);
  }
  unsigned = await UdpClient.connect(copy.port);
  for (const name of RESOLVERS) {
    if (whyNotResolver(name) !== null) continue;
    const resolver = await startResolver(name, domain, row, server.port);
    resolvers.set(name, { resolver, client: await UdpClient.connect(resolver.port) });
  }
});
test.after(async () => {
  for (const { resolver, client } of resolvers.values()) {
    client.close();
    await resolver.stop();
  }
  unsigned.close();
  await copy.stop();
  if (!isStopped) await server.stop();
});

const nameOf = (text: string): Name => {
  if (text === '@') return domain.apex;
  const labels = text.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return joinNames(Buffer.concat(labels), domain.apex);
};

function send(client: UdpClient, name: Name, type: number, isDo: boolean): Promise<Uint8Array | null> {
  id = (id + 1) & 0xffff;
  const edns = { version: 0, size: 4096, do: isDo };
  return client.query(encodeQuery({ name, type, class: CLASS_IN, edns }, id, true), 5000);
}

async function ask(client: UdpClient, name: Name, type: number): Promise<Message | null> {
  const response = await send(client, name, type, false);
  return response === null ? null : decodeMessage(response);
}

/** The code with `AD` if the resolver has validated the response. Only the header is read. */
async function verdict(client: UdpClient, name: Name, type: number): Promise<string> {
  const response = await send(client, name, type, true);
  return response === null ? 'no response' : `${response[3] & 15}${(response[3] & 0x20) !== 0 ? ' AD' : ''}`;
}

/** Waits until a resolver answers, and has fetched the keys. */
async function warm(client: UdpClient): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if ((await verdict(client, domain.apex, TYPE.SOA)) === '0 AD') return;
    await sleep(250);
  }
}

/** The code, and the records of the answer section: all but a TTL, which runs down. */
const summary = ({ rcode, answer }: Message): string[] => [
  `code ${rcode}`,
  ...answer
    .filter(({ type }) => type !== TYPE.RRSIG)
    .map((record) => recordKey({ ...record, ttl: 0 }))
    .sort(),
];

for (const name of RESOLVERS) {
  test(`${name} validates every kind of answer`, async () => {
    const client = resolvers.get(name)?.client;
    if (client === undefined) return;
    await warm(client);
    const faults: string[] = [];
    for (const [owner, type, rcode] of ASKED) {
      const got = await verdict(client, nameOf(owner), type);
      if (got !== `${rcode} AD`) faults.push(`${owner} ${type}: ${got}, expected ${rcode} AD`);
    }
    assert.equal(faults, []);
  });

  test(`${name} answers ${RANDOM} random questions as an unsigned copy does`, async () => {
    const client = resolvers.get(name)?.client;
    if (client === undefined) return;
    const random = new Random(SEED);
    let left = RANDOM;
    const lane = async (): Promise<void> => {
      while (left-- > 0) {
        const [owner, type] = randomQuestion(random);
        const [got, want] = [await ask(client, owner, type), await ask(unsigned, owner, type)];
        const label = `${formatName(owner)} ${type}`;
        assert.equal(got === null ? null : summary(got), want === null ? null : summary(want), label);
      }
    };
    await Promise.all(Array.from({ length: WINDOW }, lane));
  });
}

test('nothing validates with the key of another zone', async () => {
  const { dnskey } = generateKeyPair(ALGORITHM.ECDSAP256SHA256);
  const other = { ...row, keys: row.keys.map((key) => ({ ...key, dnskey: Buffer.from(dnskey).toString('base64') })) };
  for (const name of resolvers.keys()) {
    const resolver = await startResolver(name, domain, other, server.port);
    const client = await UdpClient.connect(resolver.port);
    assert.is(await verdict(client, nameOf('www'), TYPE.A), `${RCODE.SERVFAIL}`, name);
    client.close();
    await resolver.stop();
  }
});

test('names are denied from what is cached while the zone cannot be asked', async () => {
  await server.stop();
  isStopped = true;
  for (const name of AGGRESSIVE) {
    const client = resolvers.get(name)?.client;
    if (client === undefined) continue;
    let denied = 0;
    for (let i = 0; i < 20; i++) {
      if ((await verdict(client, nameOf(`new-${i}`), TYPE.A)) === `${NXDOMAIN} AD`) denied++;
    }
    assert.ok(denied > 10, `${name} has denied ${denied} of 20 names`);
  }
});

const LABELS = ['www', 'wild', 'below', 'empty', 'deep', 'x', 'y', 'old', 'cnames', 'mail', 'srv', 'alias', 'nothing'];
/** Labels of generated names. */
const SHORT = ['a', 'b', 'c', 'd'];

/** Names and wildcards below `gen`, some of them delegated. Each has one type. */
function moreRecords(random: Random): RecordText[] {
  const records = new Map<string, RecordText>();
  for (let i = 0; i < 60; i++) {
    const labels = Array.from({ length: 1 + random.below(4) }, () => random.pick(SHORT));
    if (random.below(4) === 0) labels.unshift('*');
    const name = [...labels, 'gen'].join('.');
    const contents = [
      ['A', `192.0.2.${i}`],
      ['TXT', `"${i}"`],
      ['MX', '10 mail.signed.example.'],
      ['CNAME', 'www.signed.example.'],
      ['CNAME', 'x.wild.signed.example.'],
      ['ALIAS', random.pick(Object.keys(ALIASES))],
    ] as const;
    records.set(name, [name, ...random.pick(contents)]);
  }
  // They are not asked for. What is below them would need other servers.
  for (const i of [1, 2, 3]) records.set(`cut${i}.gen`, [`cut${i}.a.gen`, 'NS', 'ns.example.net.']);
  return [...records.values()];
}

const TYPES = [TYPE.A, TYPE.AAAA, TYPE.MX, TYPE.TXT, TYPE.SRV, TYPE.CAA];

/** Names that exist, names around them, and names of random letters. */
function randomQuestion(random: Random): [Name, number] {
  const isGenerated = random.below(2) === 0;
  const labels = Array.from({ length: 1 + random.below(isGenerated ? 5 : 3) }, () =>
    random.below(isGenerated ? 8 : 3) === 0
      ? `z${random.below(0xffff).toString(36)}`
      : random.pick(isGenerated ? SHORT : LABELS),
  );
  if (isGenerated) labels.push('gen');
  return [nameOf(labels.join('.')), random.pick(TYPES)];
}

test.run();
