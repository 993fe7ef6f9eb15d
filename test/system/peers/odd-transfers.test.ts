/**
 * Zones with records that a primary should not send, transferred by Knot DNS, NSD, BIND and us: we
 * load what they load, answer as they do, and report why a record is questionable.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MessageReader } from '../../../core/dns/wire/message-reader.ts';
import { formatName, parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { encodeQuery } from '../../support/message.ts';
import { freePort } from '../../support/ports.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { until } from '../../support/until.ts';
import { ZonePrimary } from '../../support/zone-primary.ts';
import { type Secondary, type SecondaryKind, startSecondary, whyNotSecondary } from './secondaries.ts';

type Odd = ResourceRecord & { readonly class?: number };

interface Case {
  readonly zone: string;
  readonly records: (apex: Uint8Array) => readonly Odd[];
  readonly warnings: readonly string[];
  readonly loadedBy: readonly SecondaryKind[];
}

const ALL: readonly SecondaryKind[] = ['knot', 'nsd', 'bind'];
const LENIENT: readonly SecondaryKind[] = ['knot', 'nsd'];

const record = (name: Uint8Array, type: number, ...rdata: number[]): Odd => ({
  name,
  type,
  ttl: 300,
  rdata: Uint8Array.from(rdata),
});
const at = (apex: Uint8Array, type: number, ...rdata: number[]): Odd => record(parseName('x', apex), type, ...rdata);
const ADDRESS = [192, 0, 2, 1] as const;
const LOC = [0x12, 0x16, 0x13, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0x98, 0x96, 0x80] as const;

function soa(apex: Uint8Array): Odd {
  const numbers = Buffer.alloc(20);
  [7, 3600, 600, 86_400, 60].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  return record(apex, TYPE.SOA, ...parseName('ns.example.'), ...parseName('h.example.'), ...numbers);
}

const odd = (
  zone: string,
  warnings: readonly string[],
  loadedBy: readonly SecondaryKind[],
  records: Case['records'],
): Case => ({ zone, warnings, loadedBy, records });

const CASES: readonly Case[] = [
  odd('outside.test', ['name_outside'], ALL, () => [record(parseName('www.other.example.'), TYPE.A, ...ADDRESS)]),
  odd('above.test', ['name_outside'], ALL, () => [record(parseName('test.'), TYPE.A, ...ADDRESS)]),
  odd('loc.test', [], ALL, (apex) => [at(apex, TYPE.LOC, 1, ...LOC)]),
  odd('long-loc.test', [], ['nsd', 'bind'], (apex) => [at(apex, TYPE.LOC, 9, ...LOC, 1, 2)]),
  odd('bad-loc.test', ['invalid_content'], LENIENT, (apex) => [at(apex, TYPE.LOC, 0, 0xaa, ...LOC.slice(1))]),
  odd('chaos.test', ['other_class'], LENIENT, (apex) => [{ ...at(apex, TYPE.TXT, 1, 97), class: 3 }]),
  odd('type128.test', ['query_type'], LENIENT, (apex) => [at(apex, 128, 97)]),
  odd('alias.test', ['invalid_content'], ALL, (apex) => [at(apex, TYPE.ALIAS, 255, 255)]),
  odd('text.test', ['invalid_content'], LENIENT, (apex) => [at(apex, TYPE.TXT, 5, 97, 98)]),
  odd('caa.test', ['invalid_content'], LENIENT, (apex) => [at(apex, TYPE.CAA, 0, 2, 0x2d, 0x61, 0x62)]),
  odd('ds.test', ['invalid_content'], LENIENT, (apex) => [
    at(apex, TYPE.NS, ...parseName('ns.example.')),
    at(apex, TYPE.DS, 0, 1, 8, 2, 97),
  ]),
  odd('svcb.test', ['invalid_content'], LENIENT, (apex) => [
    at(apex, TYPE.SVCB, 0, 1, 0, 0, 3, 0, 2, 0, 1, 0, 1, 0, 3, 2, 0x68, 0x32),
  ]),
  odd('apl.test', ['invalid_content'], LENIENT, (apex) => [at(apex, TYPE.APL, 0, 1, 0x40, 1, 97)]),
  odd('below.test', ['extra_soa'], ['knot'], (apex) => [{ ...soa(apex), name: parseName('x', apex) }]),
  odd('bare.test', ['no_nameservers'], LENIENT, () => []),
  // NSD answers the other data.
  odd('cname.test', [], ['knot'], (apex) => [at(apex, TYPE.CNAME, ...parseName('y', apex)), at(apex, TYPE.TXT, 1, 97)]),
  odd('wild.test', [], LENIENT, (apex) => [record(parseName('*', apex), TYPE.NS, ...parseName('ns.example.'))]),
  odd('large.test', [], ALL, (apex) =>
    Array.from({ length: 5 }, (_, i) => at(apex, 65_300 + i, ...Buffer.alloc(60_000, 97))),
  ),
  odd('types.test', [], LENIENT, (apex) => Array.from({ length: 201 }, (_, i) => at(apex, 60_000 + i, 97))),
  odd('mixed.test', [], ALL, (apex) => [
    { ...at(apex, TYPE.A, ...ADDRESS), ttl: 60 },
    { ...at(apex, TYPE.A, 192, 0, 2, 2), ttl: 0x80000001 },
  ]),
];

function zoneOf({ zone, records }: Case): Odd[] {
  const apex = parseName(`${zone}.`);
  const nameservers = zone === 'bare.test' ? [] : [record(apex, TYPE.NS, ...parseName('ns.example.'))];
  return [soa(apex), ...nameservers, record(parseName('ok', apex), TYPE.A, ...ADDRESS), ...records(apex)];
}

const test = suite('transfers of odd zones');
let daemon: Borrowed;
let primary: ZonePrimary;
const ids = new Map<string, number>();
const peers = new Map<SecondaryKind, { readonly port: number; readonly server: Secondary }>();

test.before(async () => {
  primary = await ZonePrimary.start(...CASES.map(zoneOf));
  daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const zones = CASES.map(({ zone }) => zone);
  for (const domain of zones) {
    const primaries = [{ address: `127.0.0.1:${primary.port}` }];
    const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain, kind: 'secondary', primaries });
    ids.set(domain, (body.domain as { id: number }).id);
  }
  for (const kind of ALL) {
    if (whyNotSecondary(kind) !== null) continue;
    const port = await freePort();
    peers.set(kind, { port, server: await startSecondary(kind, { port, primaryPort: primary.port, zones }) });
  }
});
test.after(async () => {
  for (const { server } of peers.values()) await server.stop();
  await daemon.giveBack();
  await primary.close();
});

interface State {
  readonly serial: number | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

async function stateOf(zone: string): Promise<State> {
  const { body } = await daemon.api.call('GET', `/api/v1/domains/${ids.get(zone)}`);
  return (body.domain as unknown as { secondary: State }).secondary;
}

/**
 * Response code, TC, and the records of the answer without their TTLs. No client prints malformed
 * records.
 */
async function answerAt(port: number, name: Uint8Array, type: number): Promise<string[]> {
  const [response] = await queryTcp(port, [encodeQuery({ name, type, class: CLASS_IN }, 1)]);
  const reader = new MessageReader(response, 12);
  reader.name();
  reader.u32();
  const records = Array.from({ length: (response[6] << 8) | response[7] }, () => reader.record());
  return [
    `code ${response[3] & 15}`,
    `truncated ${response[2] & 2}`,
    ...records.map((found) => `${found.type} ${Buffer.from(found.rdata).toString('hex')}`).sort(),
  ];
}

for (const odds of CASES) {
  const { zone, warnings, loadedBy, records } = odds;
  test(`${zone}: loaded by ${loadedBy.join(', ')} and by us`, async () => {
    await until(async () => (await stateOf(zone)).serial === 7, zone);
    assert.equal(
      (await stateOf(zone)).warnings.map(({ code }) => code),
      warnings,
    );
    const apex = parseName(`${zone}.`);
    const asked: readonly Odd[] = [record(parseName('ok', apex), TYPE.A), ...records(apex)];
    for (const [kind, { port }] of peers) {
      if (!loadedBy.includes(kind)) continue;
      await until(async () => (await answerAt(port, apex, TYPE.SOA))[0] === 'code 0', `${kind} ${zone}`);
      for (const { name, type } of asked.slice(0, 6)) {
        // Ignored records: other zones, classes and types.
        if (warnings.some((code) => /outside|class|query_type/.test(code)) && name !== asked[0].name) continue;
        // Never sent: ALIAS. A delegation answers in the authority section.
        if (type === TYPE.ALIAS) continue;
        assert.equal(
          await answerAt(daemon.dnsPort, name, type),
          await answerAt(port, name, type),
          `${kind}: ${formatName(name)} ${type}`,
        );
      }
    }
  });
}

test.run();
