/**
 * Nanoseconds that the query path takes for a query with DO, without sockets, in a signed zone, in
 * the same one unsigned, and in two that their primary has signed: with NSEC, and with NSEC3 with a
 * salt and 10 iterations. Run: node dist/bench/core/zone/answer/signed.bench.js
 */
import { MessageChannel } from 'node:worker_threads';
import { Bench } from 'tinybench';
import { joinNames, parseName } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { Client } from '../../../../core/net/address/client.ts';
import { type Domain, domains, records } from '../../../../core/store/rows.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { PLAIN } from '../../../../core/zone/answer/settings.ts';
import { World } from '../../../../test/admin-api/zones/update/world.ts';
import { newDomain, newRecord } from '../../../../test/core/journal/fixture.ts';
import { presign, type SigningChoice } from '../../../../test/reference/presigned.ts';
import { addRecords, RECORDS, signZone } from '../../../../test/system/dnssec/rig.ts';

const BATCH = 64;
const BATCHES = 100;
const SLOT = 2048;
const NAMES = 2000;

const world = await World.start();
const { daemon } = world;
const { port1, port2 } = new MessageChannel();
port1.unref();
port2.unref();
const none = { refresh: () => {}, fetch: () => 0, fetchEntry: () => 0 };
const reader = new IndexReader(daemon.index.share(port1), 1, port2, none);
const responder = new Responder(reader, 1232, PLAIN);
const client = new Client();
client.setAddress(Uint8Array.of(192, 0, 2, 77), 0, 4);
const buffer = new Uint8Array(BATCH * SLOT);

async function makeZone(name: string): Promise<Domain> {
  const domain = await world.zone(undefined, name);
  const body = Array.from({ length: NAMES }, (_, i) => `n${i} 300 IN A 192.0.2.1`).join('\n');
  const headers = { 'content-type': 'text/dns' };
  const { status, text } = await daemon.call('PUT', `/api/v1/domains/${domain.id}/zonefile`, { body, headers });
  if (status !== 200) throw new Error(text);
  await addRecords(daemon, domain, RECORDS);
  return domain;
}

function query({ apex }: Domain, name: string, type: number): Uint8Array {
  const owner = joinNames(parseName(name).subarray(0, -1), apex);
  const opt = [0, 0, TYPE.OPT, 4, 208, 0, 0, 0x80, 0, 0, 0];
  return Uint8Array.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, ...owner, 0, type, 0, 1, ...opt]);
}

/** A batch of different queries, as the UDP loop answers it. */
function batch(packets: readonly Uint8Array[]): void {
  reader.enter();
  for (let i = 0; i < BATCH; i++) {
    const packet = packets[i % packets.length];
    for (let k = 0; k < packet.length; k++) buffer[i * SLOT + k] = packet[k];
    responder.respond(buffer, i * SLOT, packet.length, client);
  }
  reader.leave();
}

const unsigned = await makeZone('plain.example');
const signed = await makeZone('signed.example');
await signZone(daemon, signed);

/** A secondary zone with the same names. */
async function makePresigned(name: string, denial: SigningChoice['denial']): Promise<Domain> {
  const apex = parseName(name);
  const soa = Uint8Array.from([...apex, ...apex, ...new Array(20).fill(1)]);
  const record = (owner: Uint8Array, type: number, rdata: Uint8Array): ResourceRecord => ({
    ...{ name: owner, type, ttl: 300, rdata },
  });
  const address = Uint8Array.of(192, 0, 2, 1);
  const plain = [
    record(apex, TYPE.SOA, soa),
    record(apex, TYPE.NS, apex),
    ...Array.from({ length: NAMES }, (_, i) => record(parseName(`n${i}`, apex), TYPE.A, address)),
    record(parseName('*.wild', apex), TYPE.A, address),
    record(parseName('sub', apex), TYPE.NS, parseName('ns.example.')),
  ];
  const choice = { denial, iterations: 10, salt: Uint8Array.of(1, 2, 3, 4), isOptOut: false, keys: 1 };
  const domain: Domain = { ...newDomain(name), kind: 'secondary' };
  await write(daemon.environment, daemon.journal, 'bench', (draft) => {
    draft.put(domains, domain);
    for (const { name: owner, type, ttl, rdata } of presign(plain, choice))
      draft.put(records, { ...newRecord(domain, '@', type, rdata, ttl), name: owner });
  });
  daemon.index.unavailable.set(apex, false);
  return domain;
}
const nsec = await makePresigned('nsec.example', 'nsec');
const nsec3 = await makePresigned('nsec3.example', 'nsec3');

const KINDS: Record<string, readonly [name: (i: number) => string, type: number]> = {
  A: [(i) => `n${i * 7}`, TYPE.A],
  NXDOMAIN: [(i) => `missing-${i}`, TYPE.A],
  NODATA: [(i) => `n${i * 7}`, TYPE.MX],
  wildcard: [(i) => `w${i}.wild`, TYPE.A],
  referral: [(i) => `w${i}.sub`, TYPE.A],
};
const bench = new Bench({ time: 600, warmupIterations: 50 });
for (const [kind, [nameOf, type]] of Object.entries(KINDS))
  for (const [zone, domain] of Object.entries({ unsigned, signed, nsec, nsec3 })) {
    const packets = Array.from({ length: BATCH }, (_, i) => query(domain, nameOf(i), type));
    bench.add(`${kind}, ${zone}`, () => {
      for (let i = 0; i < BATCHES; i++) batch(packets);
    });
  }
await bench.run();
console.table(
  bench.tasks.map((task) => ({
    query: task.name,
    'ns (median)': 'latency' in task.result ? Math.round((task.result.latency.p50 * 1e6) / BATCH / BATCHES) : 'failed',
  })),
);
await world.stop();
