/**
 * Knot DNS, NSD and BIND follow signed zones: they verify what they are sent, answer as we do, and
 * their answers validate.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { FOREIGN_KEY } from '../../admin-api/contract/sample.ts';
import { recordKey } from '../../reference/compare.ts';
import type { Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery, type Message } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { serialOf, transferOver, transferRequest, zoneText } from '../../support/transfer-client.ts';
import { untilIs } from '../../support/until.ts';
import { type Secondary, type SecondaryKind, startSecondary, whyNotSecondary } from '../peers/secondaries.ts';
import { RECORDS, type RecordText, zoneText as zoneFile } from './rig.ts';

const ZONE = 'signed.example';
/** Signed while it is followed, and unsigned again. */
const LATER = 'later.example';
/**
 * Changes once. NSD verifies only this zone: it waits up to a minute when another change arrives
 * while it verifies the one before.
 */
const STEADY = 'steady.example';
const KEY = 'transfer.example';
const KINDS: readonly SecondaryKind[] = ['knot', 'nsd', 'bind'];
const REMINDER_MS = 30_000;
const CHANGES = depth({ quick: 30, moderate: 30, full: 1000 });
/** Differences of a zone that a failure shows. */
const MAX_SHOWN = 10;

/** Next to RECORDS. An ALIAS follows public addresses only. */
const MORE: readonly RecordText[] = [
  ['public', 'A', '1.1.1.1'],
  ['public', 'AAAA', '2606:4700::1111'],
  ['*.public', 'A', '1.1.1.2'],
  ['to-own', 'ALIAS', 'public.signed.example.'],
  ['to-wild-alias', 'ALIAS', 'x.public.signed.example.'],
  ['hinted', 'HTTPS', '1 to-own.signed.example. alpn=h2 ipv4hint=auto ipv6hint=auto'],
  ['a.b.c.ent', 'TXT', '"x"'],
  ['deep.cut.ent', 'NS', 'ns.example.net.'],
  ['*.d.ent', 'MX', '10 mail.signed.example.'],
  ['_25._tcp.mail', 'TLSA', `3 1 1 ${'ab'.repeat(32)}`],
];

interface Follower {
  readonly secondary: Secondary;
  readonly port: number;
  readonly client: UdpClient;
}

let daemon: Daemon;
let ours: UdpClient;
let anchors: string;
const folder = temporaryFolder('signed-secondaries');
const ids = new Map<string, string>();
const followers: Follower[] = [];
let id = 0;

const recordsPath = (zone = ZONE): string => `/api/v1/domains/${ids.get(zone)}/records`;

async function add(name: string, type: string, content: string, zone = ZONE): Promise<string> {
  return daemon.api.createRecord(ids.get(zone)!, name, type, content);
}

const transferFrom = (port: number, zone: string) => transferOver(port, transferRequest(`${zone}.`));

/** Waits until all names of the zone are signed, or until none is. */
async function untilSigned(zone: string, isSigned: boolean): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    const types = new Set((await transferFrom(daemon.dnsPort, zone)).map(({ type }) => type));
    // A zone that is partly signed has no NSEC3PARAM.
    if (types.has(TYPE.NSEC3PARAM) === isSigned && types.has(TYPE.RRSIG) === isSigned) return;
    if (Date.now() > deadline) throw new Error(`${zone} is not ${isSigned ? 'signed' : 'unsigned'}`);
  }
}

const differences = (found: readonly string[], expected: readonly string[]): string[] => [
  ...found.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`),
  ...expected.filter((line) => !found.includes(line)).map((line) => `- ${line}`),
];

/** Waits until all secondaries have the zone that we have. */
async function untilFollowed(zone = ZONE): Promise<void> {
  for (const { secondary, port } of followers) {
    let isReminded = false;
    const begin = Date.now();
    for (; ; await sleep(50)) {
      const expected = await transferFrom(daemon.dnsPort, zone);
      // While it has nothing yet, it refuses or fails.
      const found = await transferFrom(port, zone).catch(() => null);
      if (found !== null && serialOf(found[0]) === serialOf(expected[0])) {
        assert.equal(differences(zoneText(found), zoneText(expected)).slice(0, MAX_SHOWN), [], secondary.kind);
        break;
      }
      // NSD forgets a NOTIFY that comes while it reloads, and asks again after the zone's refresh.
      if (!isReminded && Date.now() > begin + REMINDER_MS) {
        isReminded = true;
        await add('reminder', 'TXT', `"${Date.now()}"`, zone);
      }
      if (Date.now() < begin + PATIENCE_MS) continue;
      const log = secondary
        .output()
        .replace(/^.*AXFR, outgoing.*\n|^.*axfr for .*\n|^.*AXFR (started|ended).*\n/gm, '');
      throw new Error(`${secondary.kind} does not follow ${zone}:\n${log.slice(-3000)}`);
    }
  }
}

async function counter(kind: 'axfr' | 'ixfr'): Promise<number> {
  const { text } = await daemon.api.call('GET', '/metrics');
  return Number(new RegExp(`^waypost_transfers_total\\{kind="${kind}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

const test = suite('secondaries of signed zones');

test.before(async () => {
  const ports = [await freePort(), await freePort(), await freePort()];
  daemon = await startDaemon({
    WAYPOST_TRANSFER_ALLOW: '127.0.0.1/32',
    WAYPOST_TRANSFER_NOTIFY: ports.map((port) => `127.0.0.1:${port} ${KEY}`).join(','),
    WAYPOST_DNSSEC_RESOLVERS: '127.0.0.1:9',
    // Public, so that an ALIAS follows a name behind the proxy.
    WAYPOST_CLUSTER_IPV4: '1.0.0.1',
    WAYPOST_CLUSTER_IPV6: '2606:4700::1001',
  });
  const { api } = daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  for (const zone of [ZONE, LATER, STEADY]) ids.set(zone, await api.createDomain(zone));
  for (const [name, type, content] of [...RECORDS, ...MORE]) {
    await add(name, type, content);
    if (type !== 'ALIAS') await add(name, type, content, STEADY);
  }
  await add('www', 'A', '192.0.2.1', LATER);
  const { body } = await api.call('PUT', `/api/v1/domains/${ids.get(ZONE)}/dnssec`, { enabled: true });
  const [{ flags, protocol, algorithm, public_key }] = body.dnskey as { [field: string]: Json }[];
  anchors = join(folder, 'anchors');
  const anchor = `"${ZONE}." static-key ${flags} ${protocol} ${algorithm} "${public_key}";`;
  writeFileSync(anchors, `trust-anchors { ${anchor} };\n`);
  await api.call('PUT', `/api/v1/domains/${ids.get(STEADY)}/dnssec`, { enabled: true });
  for (const zone of [ZONE, STEADY]) await untilSigned(zone, true);
  const { body: created } = await api.call('POST', '/api/v1/tsig-keys', { name: KEY, scopes: ['dns:read'] });
  const key = { name: KEY, secret: String(created.secret) };
  for (const [i, kind] of KINDS.entries()) {
    const verification = { zones: kind === 'nsd' ? [STEADY] : [ZONE, STEADY], port: await freePort() };
    const zones = [ZONE, LATER, STEADY];
    const plan = { port: ports[i], primaryPort: daemon.dnsPort, zones, key, verification };
    const secondary = await startSecondary(kind, plan);
    followers.push({ secondary, port: ports[i], client: await UdpClient.connect(ports[i]) });
  }
  ours = await UdpClient.connect(daemon.dnsPort);
});
test.after(async () => {
  ours?.close();
  for (const { secondary, client } of followers) {
    client.close();
    await secondary.stop();
  }
  await daemon?.close();
  removeFolder(folder);
});

const QUESTIONS: readonly (readonly [name: string, type: keyof typeof TYPE])[] = [
  ['', 'SOA'],
  ['', 'NS'],
  ['', 'DNSKEY'],
  ['', 'CDS'],
  ['', 'CDNSKEY'],
  ['', 'NSEC3PARAM'],
  ['', 'A'],
  ['', 'MX'],
  ['', 'TXT'],
  ['www.', 'A'],
  ['www.', 'MX'],
  ['to-own.', 'A'],
  ['to-own.', 'AAAA'],
  ['to-own.', 'TXT'],
  ['to-wild-alias.', 'A'],
  ['to-wild-alias.', 'AAAA'],
  ['alias.', 'A'],
  ['alias.', 'MX'],
  ['alias2.', 'AAAA'],
  ['broken.', 'A'],
  ['x.wild.', 'A'],
  ['x.wild.', 'MX'],
  ['x.y.z.wild.', 'A'],
  ['wild.', 'A'],
  ['to-wild.', 'A'],
  ['x.cnames.', 'A'],
  ['x.cnames.', 'MX'],
  ['x.d.ent.', 'MX'],
  ['x.d.ent.', 'A'],
  ['b.c.ent.', 'A'],
  ['ent.', 'TXT'],
  ['cut.ent.', 'A'],
  ['nothing.ent.', 'A'],
  ['a.nothing.deep.empty.below.', 'A'],
  ['deep.cut.ent.', 'DS'],
  ['x.deep.cut.ent.', 'A'],
  ['sub.', 'DS'],
  ['sub.', 'NS'],
  ['host.sub.', 'A'],
  ['secure.', 'DS'],
  ['host.secure.', 'A'],
  ['x.old.', 'A'],
  ['x.old.', 'MX'],
  ['to-old.', 'A'],
  ['x.to-nothing.', 'A'],
  ['nothing.', 'A'],
  ['very.deep.nothing.', 'A'],
  ['added.', 'A'],
  ['added.', 'TXT'],
  ['h1.ent.', 'A'],
  ['h2.cut.ent.', 'MX'],
  ['x.h3.', 'A'],
];

/** Names of every kind. Those below delegations are not ours to validate. */
const VALIDATED: readonly (readonly [name: string, type: keyof typeof TYPE])[] = [
  ['', 'SOA'],
  ['', 'DNSKEY'],
  ['www.', 'A'],
  ['www.', 'MX'],
  ['to-own.', 'A'],
  ['to-own.', 'TXT'],
  ['alias2.', 'AAAA'],
  ['x.wild.', 'A'],
  ['x.wild.', 'MX'],
  ['to-wild.', 'A'],
  ['cut.ent.', 'A'],
  ['deep.cut.ent.', 'DS'],
  ['secure.', 'DS'],
  ['x.old.', 'A'],
  ['very.deep.nothing.', 'A'],
];

async function ask(client: UdpClient, name: string, type: number): Promise<Message> {
  id = (id + 1) & 0xffff;
  const edns = { version: 0, size: 4096, do: true };
  const query = { name: parseName(`${name}${ZONE}.`), type, class: CLASS_IN, edns };
  const response = await client.query(encodeQuery(query, id), 5000);
  if (response === null) throw new Error(`no response: ${name} ${type}`);
  return decodeMessage(response);
}

/** The code, AA, and the records of the answer and authority sections. */
const summary = ({ rcode, header, answer, authority }: Message): string[] => [
  `code ${rcode}, AA ${header.aa}`,
  ...answer.map((record) => `answer ${recordKey(record)}`).sort(),
  ...authority.map((record) => `authority ${recordKey(record)}`).sort(),
];

/**
 * Until they are equal: after a reload, the processes of NSD from before it answer queries a little
 * longer, when transfers have the new zone already.
 */
const compareAnswers = (): Promise<void> => untilIs(differingAnswers, []);

async function differingAnswers(): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, type] of QUESTIONS) {
    const expected = summary(await ask(ours, name, TYPE[type]));
    for (const { secondary, client } of followers)
      for (const line of differences(summary(await ask(client, name, TYPE[type])), expected))
        faults.push(`${secondary.kind}: ${name} ${type}: ${line}`);
  }
  return faults;
}

/** BIND's delv validates what each secondary answers. */
async function validateAnswers(): Promise<void> {
  await Promise.all(
    followers.map(async ({ secondary, port }) => {
      for (const [name, type] of VALIDATED) {
        const args = ['@127.0.0.1', '-p', `${port}`, '-a', anchors, `+root=${ZONE}`, `${name}${ZONE}`, type];
        const { output } = await runProgram('delv', args);
        assert.match(output, /^; (negative response, )?fully validated/m, `${secondary.kind}: ${name} ${type}`);
      }
    }),
  );
}

/** Verifiers of whole zones accept what each secondary serves. */
async function verifyZones(zone = ZONE): Promise<void> {
  for (const { secondary, port } of followers) {
    const file = join(folder, `${secondary.kind}.zone`);
    writeFileSync(file, zoneFile((await transferFrom(port, zone)).slice(0, -1)));
    for (const [program, args] of [
      ['dnssec-verify', ['-q', '-z', '-o', zone, file]],
      ['nsd-checkzone', [zone, file]],
      ['ldns-verify-zone', [file]],
    ] as const) {
      const { code, output } = await runProgram(program, args);
      assert.is(code, 0, `${secondary.kind}: ${program}: ${output}`);
    }
  }
}

const remove = (record: string, zone = ZONE) => daemon.api.call('DELETE', `${recordsPath(zone)}/${record}`);

test('they take a signed zone that they verify, and answer as we do', async () => {
  await untilFollowed();
  await compareAnswers();
  await validateAnswers();
  await verifyZones();
});

test('they follow changes of records by differences, and answer as we do after each', async () => {
  const before = await counter('ixfr');
  const added = [await add('added', 'A', '192.0.2.77'), await add('h1.ent', 'A', '192.0.2.78')];
  await untilFollowed();
  await compareAnswers();
  added.push(await add('h2.cut.ent', 'MX', '10 mail.signed.example.'), await add('*.h3', 'A', '192.0.2.79'));
  added.push(await add('h4.ent', 'NS', 'ns.example.net.'), await add('h6', 'DNAME', 'wild.signed.example.'));
  added.push(await add('h4.ent', 'DS', `1 13 2 ${'ab'.repeat(32)}`));
  await untilFollowed();
  await compareAnswers();
  for (const record of added) await remove(record);
  await untilFollowed();
  await compareAnswers();
  assert.ok((await counter('ixfr')) >= before + 3 * followers.length, 'three differences each');
});

test(`they follow ${CHANGES} random changes`, async () => {
  const random = new Random(SEED);
  const present: string[] = [];
  const labels = ['a', 'b', 'c', 'www', 'ent', '*'];
  const contents: readonly (readonly [type: string, content: string])[] = [
    ...(['1', '2', '3'].map((last) => ['A', `192.0.2.${last}`]) as [string, string][]),
    ['TXT', '"x"'],
    ['MX', '10 mail.signed.example.'],
    ['CNAME', 'www.signed.example.'],
    ['HTTPS', '1 www.signed.example. ipv4hint=auto'],
    ['HTTPS', '1 . ipv4hint=auto'],
    ['NS', 'ns.example.net.'],
    ['DS', `1 13 2 ${'cd'.repeat(32)}`],
    ['DNAME', 'wild.signed.example.'],
  ];
  for (let i = 0; i < CHANGES; i++) {
    if (random.below(3) === 0 && present.length > 0) {
      await remove(...(present.splice(random.below(present.length), 1) as [string]));
      continue;
    }
    const name = Array.from({ length: 1 + random.below(3) }, () => random.pick(labels)).join('.');
    const [type, content] = random.pick(contents);
    // What cannot be next to the other records is refused.
    const { body } = await daemon.api.request('POST', recordsPath(), { name, type, content, ttl: 300 });
    if (body.ok === true) present.push(String((body.record as { id: number }).id));
    if (random.below(8) === 0) await untilFollowed();
  }
  await untilFollowed();
  await verifyZones();
  await compareAnswers();
  for (const record of present) await daemon.api.request('DELETE', `${recordsPath()}/${record}`);
});

test('they follow an ALIAS, the proxy and a nested zone', async () => {
  const domain = `/api/v1/domains/${ids.get(ZONE)}`;
  const { api } = daemon;
  const alias = await add('h5', 'ALIAS', 'public.signed.example.');
  await untilFollowed();
  await compareAnswers();
  await api.call('PUT', `${domain}/proxy`, { origin: '1.1.1.1', port: 443, protocol: 'https' });
  await api.call('POST', `${domain}/proxy/toggle`, { enable: true });
  await untilFollowed();
  await compareAnswers();
  await validateAnswers();
  await remove(alias);
  await api.call('POST', `${domain}/proxy/toggle`, { enable: false });
  await untilFollowed();
  await compareAnswers();
  const nested = await api.createDomain(`nested.ent.${ZONE}`);
  await untilFollowed();
  await compareAnswers();
  await verifyZones();
  await api.call('DELETE', `/api/v1/domains/${nested}`);
  await untilFollowed();
  await compareAnswers();
});

test('they follow a zone that is signed, gets the key of another provider, and is unsigned', async () => {
  await untilFollowed(LATER);
  const path = `/api/v1/domains/${ids.get(LATER)}/dnssec`;
  await daemon.api.call('PUT', path, { enabled: true });
  await untilSigned(LATER, true);
  await untilFollowed(LATER);
  await verifyZones(LATER);
  // Knot 3.2 rejects another key next to a CSK, also in zones that BIND signs.
  await daemon.api.call('POST', `${path}/foreign-keys`, { dnskey: FOREIGN_KEY });
  await untilFollowed(LATER);
  await verifyZones(LATER);
  await daemon.api.call('PUT', path, { enabled: false, force: true });
  await untilSigned(LATER, false);
  await untilFollowed(LATER);
});

test('Knot and NSD have verified all that they were sent', async () => {
  await untilFollowed(STEADY);
  await add('added', 'A', '192.0.2.77', STEADY);
  await untilFollowed(STEADY);
  const [knot, nsd] = followers.map(({ secondary }) => secondary.output());
  for (const zone of [ZONE, STEADY]) {
    assert.match(knot, new RegExp(`${zone}.\\] DNSSEC, validation successful`));
    assert.match(knot, new RegExp(`${zone}.\\] DNSSEC, incremental validation successful`));
  }
  assert.not.match(knot, /DNSSEC, .*failed|semantic check/);
  assert.is([...nsd.matchAll(/verifier for zone steady\.example .* exited with 0/g)].length, 2);
  assert.not.match(nsd, /exited with [1-9]/);
});

const why =
  whyNotPrograms('delv', 'dnssec-verify', 'nsd-checkzone', 'ldns-verify-zone') ??
  KINDS.map(whyNotSecondary).find((missing) => missing !== null) ??
  null;
if (why === null) test.run();
else console.log(`skipped: secondaries of signed zones, ${why}`);
