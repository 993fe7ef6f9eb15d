/**
 * Validating resolvers accept every kind of answer, and what they conclude from its proofs for
 * other names (RFC 8198) is what the zone answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALGORITHM } from '../../../core/dnssec/dnskey.ts';
import { generateKeyPair } from '../../../core/dnssec/keys.ts';
import type { DnssecRow, Domain } from '../../../core/store/rows.ts';
import { joinNames, type Name } from '../../../core/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/wire/types.ts';
import { recordKey } from '../../reference/compare.ts';
import { depth } from '../../support/depth.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery, type Message } from '../../support/message.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { type Resolver, type ResolverName, startResolver, whyNotResolver } from './resolvers.ts';
import { addRecords, RECORDS, signZone } from './rig.ts';

/** Random questions to each resolver. */
const RANDOM = depth({ quick: 300, moderate: 1500, full: 100_000 });
/** Questions in flight. */
const WINDOW = 20;
const RESOLVERS: readonly ResolverName[] = ['unbound', 'kresd', 'pdns_recursor', 'named'];
/** It answers from NSEC3 records that it has. Unbound and BIND do so from NSEC only. */
const AGGRESSIVE: readonly ResolverName[] = ['kresd'];

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
let authority: UdpClient;
const resolvers = new Map<ResolverName, { readonly resolver: Resolver; readonly client: UdpClient }>();
let id = 0;
let isStopped = false;

test.before(async () => {
  for (const why of missing) console.log(`skipped: ${why}`);
  server = await startUpdateServer();
  domain = await server.world.zone(undefined, 'signed.example');
  row = await signZone(server.world.daemon, domain);
  await addRecords(server.world.daemon, domain, RECORDS);
  authority = await UdpClient.connect(server.port);
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
  authority.close();
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

  test(`${name} answers ${RANDOM} random questions as the zone does`, async () => {
    const client = resolvers.get(name)?.client;
    if (client === undefined) return;
    const random = new Random(SEED);
    let left = RANDOM;
    const lane = async (): Promise<void> => {
      while (left-- > 0) {
        const [owner, type] = randomQuestion(random);
        const [got, want] = [await ask(client, owner, type), await ask(authority, owner, type)];
        const label = `${Buffer.from(owner).toString('latin1')} ${type}`;
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
const TYPES = [TYPE.A, TYPE.AAAA, TYPE.MX, TYPE.TXT, TYPE.SRV, TYPE.CAA];

/** Names that exist, names around them, and names of random letters. */
function randomQuestion(random: Random): [Name, number] {
  const labels = Array.from({ length: 1 + random.below(3) }, () =>
    random.below(3) === 0 ? random.below(0xffff).toString(36) : random.pick(LABELS),
  );
  return [nameOf(labels.join('.')), random.pick(TYPES)];
}

test.run();
